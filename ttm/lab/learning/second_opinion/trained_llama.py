"""The language model in torch, with the adapter that is trained: the same computation as `backend.models.small_llama`."""

import math
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from backend.models.small_llama.llama import BASE, SMALL
from backend.models.small_llama.weights import HEADS, KEY_HEADS, MATRICES, SCALED, BaseWeights

RANK = 40
DROPPED = 0.08


class Adapted(nn.Module):
    """A frozen matrix with a trained product of two narrow ones beside it (LoRA, Hu et al. 2021)."""

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.a = nn.Parameter(torch.randn(RANK, weight.shape[1]) / math.sqrt(weight.shape[1]))
        self.b = nn.Parameter(torch.zeros(weight.shape[0], RANK))

    def forward(self, states: Tensor) -> Tensor:
        return F.linear(states, self.weight) + F.linear(F.linear(states, self.a), self.b) * SCALED  # type: ignore[arg-type]


class Norm(nn.Module):
    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight)

    def forward(self, states: Tensor) -> Tensor:
        wide = states.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + SMALL) * self.weight).to(states.dtype)


class Layer(nn.Module):
    def __init__(self, base: BaseWeights, at: int) -> None:
        super().__init__()
        self.matrices = nn.ModuleDict({name: Adapted(torch.from_numpy(base.matrix(at, name))) for name in MATRICES})
        first, second = base.norms(at)
        self.n1, self.n2 = Norm(torch.tensor(first)), Norm(torch.tensor(second))
        self.dropout = nn.Dropout(DROPPED)

    def forward(self, states: Tensor, cos: Tensor, sin: Tensor, sees: Tensor) -> Tensor:
        count, length, width = states.shape
        normed = self.n1(states)

        def headed(name: str, heads: int) -> Tensor:
            own: Tensor = self.matrices[name](normed)
            return own.view(count, length, heads, width // HEADS).transpose(1, 2)

        query, key = (_turned(headed(name, heads), cos, sin) for name, heads in (("q", HEADS), ("k", KEY_HEADS)))
        key, value = (one.repeat_interleave(HEADS // KEY_HEADS, 1).to(query.dtype) for one in (key, headed("v", KEY_HEADS)))
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=sees).transpose(1, 2)
        states = states + self.dropout(self.matrices["o"](attended.reshape(count, length, width)))
        normed = self.n2(states)
        inner = F.silu(self.matrices["gate"](normed)) * self.matrices["up"](normed)
        result: Tensor = states + self.dropout(self.matrices["down"](inner))
        return result


class TrainedLlama(nn.Module):
    """Adapters and norms are trained; all else stays as it is in the package."""

    def __init__(self, base: BaseWeights) -> None:
        super().__init__()
        self.register_buffer("embedding", torch.from_numpy(base.embedding()))
        self.layers = nn.ModuleList(Layer(base, at) for at in range(base.layers))
        self.norm = Norm(torch.tensor(base.last_norm()))

    def states(self, tokens: Tensor, positions: Tensor, sees: Tensor) -> Tensor:
        """The states (n, t, d) of tokens (n, t) that see those that `sees` (n, 1, t, t) says."""
        states = F.embedding(tokens, self.embedding)  # type: ignore[arg-type]
        size = states.shape[-1] // HEADS
        steps = 1.0 / BASE ** (torch.arange(0, size, 2, device=tokens.device).float() / size)
        angles = (positions[..., None].float() * steps).repeat(1, 1, 2)[:, None]
        states, cos, sin = (one.to(torch.bfloat16) for one in (states, angles.cos(), angles.sin()))
        for layer in self.layers:
            states = layer(states, cos, sin, sees)
        return self.norm(states)  # type: ignore[no-any-return]

    def scores(self, states: Tensor) -> Tensor:
        """Log-odds (n, vocabulary) of what follows some states (n, d)."""
        return F.linear(states, self.embedding)  # type: ignore[arg-type]

    def adapter(self) -> Iterator[tuple[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]]:
        for name, parameter in self.named_parameters():
            yield name.replace("matrices.", ""), parameter.detach().float().cpu().numpy()


def _turned(states: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = states.chunk(2, -1)
    return states * cos + torch.cat([-second, first], -1) * sin
