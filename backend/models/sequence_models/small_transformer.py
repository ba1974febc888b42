"""Our Transformer from scratch (Vaswani et al. 2017, layer norm before each part, sinusoidal positions, tied embeddings).
The paper's baseline of that name, trained from nothing.

Imports torch: import this file inside functions only.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from backend.models.sequence_models.vocabulary import PAD


@dataclass(frozen=True)
class TransformerSizes:
    """The paper names no sizes; these train on two cores. `layers` of the encoder and as many of the decoder."""

    width: int = 256
    heads: int = 4
    layers: int = 3
    inner: int = 1024
    dropout: float = 0.1


@dataclass
class TransformerState:
    """A row for each hypothesis. Keys and values of each decoder layer, (rows, heads, length, width of a head)."""

    mask: Tensor
    crossed: list[tuple[Tensor, Tensor]]
    written: list[tuple[Tensor, Tensor]] | None = None
    length: int = 0


class MultiHeadAttention(nn.Module):
    def __init__(self, sizes: TransformerSizes) -> None:
        super().__init__()
        self.heads, self.dropout = sizes.heads, sizes.dropout
        self.query = nn.Linear(sizes.width, sizes.width)
        self.key_value = nn.Linear(sizes.width, 2 * sizes.width)
        self.output = nn.Linear(sizes.width, sizes.width)

    def keys_and_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        keys, values = self.key_value(memory).chunk(2, -1)
        return self._apart(keys), self._apart(values)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
        """(n, length, width) from `x` of that shape; `mask` is true where a key may be looked at."""
        dropout = self.dropout if self.training else 0.0
        result = functional.scaled_dot_product_attention(
            self._apart(self.query(x)), keys, values, attn_mask=mask, dropout_p=dropout, is_causal=causal
        )
        together: Tensor = self.output(result.transpose(1, 2).flatten(2))
        return together

    def _apart(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)


class EncoderLayer(nn.Module):
    def __init__(self, sizes: TransformerSizes) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(sizes.width) for _ in range(2))
        self.attention, self.inner = MultiHeadAttention(sizes), _inner(sizes)
        self.dropout = nn.Dropout(sizes.dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        normed = self.norms[0](x)
        x = x + self.dropout(self.attention(normed, *self.attention.keys_and_values(normed), mask))
        after: Tensor = x + self.dropout(self.inner(self.norms[1](x)))
        return after


class DecoderLayer(nn.Module):
    def __init__(self, sizes: TransformerSizes) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(sizes.width) for _ in range(3))
        self.own, self.crossing, self.inner = MultiHeadAttention(sizes), MultiHeadAttention(sizes), _inner(sizes)
        self.dropout = nn.Dropout(sizes.dropout)

    def forward(
        self,
        x: Tensor,
        crossed: tuple[Tensor, Tensor],
        mask: Tensor,
        written: tuple[Tensor, Tensor] | None = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The output and the keys and values so far: all of `x` at once, or one token after those in `written`."""
        normed = self.norms[0](x)
        keys, values = self.own.keys_and_values(normed)
        if written is not None:
            keys, values = torch.cat([written[0], keys], 2), torch.cat([written[1], values], 2)
        x = x + self.dropout(self.own(normed, keys, values, causal=x.shape[1] > 1))
        x = x + self.dropout(self.crossing(self.norms[1](x), *crossed, mask))
        return x + self.dropout(self.inner(self.norms[2](x))), (keys, values)


class SmallTransformer(nn.Module):
    def __init__(self, vocabulary: int, sizes: TransformerSizes) -> None:
        super().__init__()
        self.width = sizes.width
        self.embedding = nn.Embedding(vocabulary, sizes.width, padding_idx=PAD)
        self.encoder = nn.ModuleList(EncoderLayer(sizes) for _ in range(sizes.layers))
        self.decoder = nn.ModuleList(DecoderLayer(sizes) for _ in range(sizes.layers))
        self.read, self.wrote = nn.LayerNorm(sizes.width), nn.LayerNorm(sizes.width)
        self.dropout = nn.Dropout(sizes.dropout)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        nn.init.normal_(self.embedding.weight, std=sizes.width**-0.5)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits (n, target length, vocabulary) of what follows each token of `target` (n, length), from `source`."""
        state = self.encode(source)
        x = self._embedded(target)
        for layer, crossed in zip(self.decoder, state.crossed, strict=True):
            x, _ = layer(x, crossed, state.mask)
        return self._logits(x)

    def encode(self, source: Tensor) -> TransformerState:
        mask = (source != PAD)[:, None, None]
        x = self._embedded(source)
        for layer in self.encoder:
            x = layer(x, mask)
        memory = self.read(x)
        crossings = [layer.crossing for layer in self.decoder if isinstance(layer, DecoderLayer)]
        return TransformerState(mask, [each.keys_and_values(memory) for each in crossings])

    def step(self, state: TransformerState, parents: Tensor, tokens: Tensor) -> tuple[Tensor, TransformerState]:
        """Logits (rows, vocabulary) after one token more for each row; row i continues row `parents[i]`."""
        mask, crossed = state.mask[parents], [(keys[parents], values[parents]) for keys, values in state.crossed]
        before = state.written and [(keys[parents], values[parents]) for keys, values in state.written]
        x = self._embedded(tokens[:, None], state.length)
        after = []
        for number, layer in enumerate(self.decoder):
            x, written = layer(x, crossed[number], mask, before[number] if before else None)
            after.append(written)
        return self._logits(x)[:, 0], TransformerState(mask, crossed, after, state.length + 1)

    def _embedded(self, tokens: Tensor, first: int = 0) -> Tensor:
        positions = torch.arange(first, first + tokens.shape[1], device=tokens.device)
        x: Tensor = self.dropout(self.embedding(tokens) * math.sqrt(self.width) + _sinusoids(positions, self.width))
        return x

    def _logits(self, x: Tensor) -> Tensor:
        return functional.linear(self.wrote(x), self.embedding.weight)


def _inner(sizes: TransformerSizes) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(sizes.width, sizes.inner), nn.ReLU(), nn.Dropout(sizes.dropout), nn.Linear(sizes.inner, sizes.width)
    )


def _sinusoids(positions: Tensor, width: int) -> Tensor:
    """(length, width), section 3.5 of Vaswani et al.; computed each time, so that no length is too long."""
    rates = torch.exp(torch.arange(0, width, 2, device=positions.device) * (-math.log(10_000.0) / width))
    angles = positions[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
