"""Our LSTM with attention: bidirectional encoder, and a decoder with global attention (Luong et al. 2015, section 3.1,
"general" scores, without input feeding, so that a whole target is learnt at once). The paper's Seq2Seq baseline.

Imports torch: import this file inside functions only.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from backend.models.sequence_models.vocabulary import PAD


@dataclass(frozen=True)
class LstmSizes:
    """The paper names no sizes; these train on two cores."""

    width: int = 256
    layers: int = 1
    dropout: float = 0.2


@dataclass
class LstmState:
    """A row for each hypothesis; `hidden` and `cell` are (layers, rows, width)."""

    memory: Tensor
    mask: Tensor
    hidden: Tensor
    cell: Tensor


class AttentionLstm(nn.Module):
    def __init__(self, vocabulary: int, sizes: LstmSizes) -> None:
        super().__init__()
        width, layers = sizes.width, sizes.layers
        inner_dropout = sizes.dropout if layers > 1 else 0.0
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        half = width // 2
        self.reader = nn.LSTM(width, half, layers, batch_first=True, bidirectional=True, dropout=inner_dropout)
        self.writer = nn.LSTM(width, width, layers, batch_first=True, dropout=inner_dropout)
        self.match = nn.Linear(width, width, bias=False)
        self.combine = nn.Linear(2 * width, width, bias=False)
        self.dropout = nn.Dropout(sizes.dropout)
        self.output = nn.Linear(width, vocabulary)
        self.output.weight = self.embedding.weight

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits (n, target length, vocabulary) of what follows each token of `target` (n, length), from `source`."""
        state = self.encode(source)
        written, _ = self.writer(self.dropout(self.embedding(target)), (state.hidden, state.cell))
        return self._attend(written, state)

    def encode(self, source: Tensor) -> LstmState:
        mask = source != PAD
        embedded = self.dropout(self.embedding(source))
        packed = pack_padded_sequence(embedded, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False)
        read, (hidden, cell) = self.reader(packed)
        memory, _ = pad_packed_sequence(read, batch_first=True, total_length=source.shape[1])
        return LstmState(memory, mask, _both_ways(hidden), _both_ways(cell))

    def step(self, state: LstmState, parents: Tensor, tokens: Tensor) -> tuple[Tensor, LstmState]:
        """Logits (rows, vocabulary) after one token more for each row; row i continues row `parents[i]`."""
        memory, mask = state.memory[parents], state.mask[parents]
        before = (state.hidden[:, parents].contiguous(), state.cell[:, parents].contiguous())
        written, (hidden, cell) = self.writer(self.embedding(tokens)[:, None], before)
        after = LstmState(memory, mask, hidden, cell)
        return self._attend(written, after)[:, 0], after

    def _attend(self, written: Tensor, state: LstmState) -> Tensor:
        scores = self.match(written) @ state.memory.transpose(1, 2)
        weights = scores.masked_fill(~state.mask[:, None], float("-inf")).softmax(-1)
        combined = torch.tanh(self.combine(torch.cat([weights @ state.memory, written], -1)))
        logits: Tensor = self.output(self.dropout(combined))
        return logits


def _both_ways(last: Tensor) -> Tensor:
    """(2 * layers, n, half) of the two directions as (layers, n, width)."""
    return torch.cat([last[0::2], last[1::2]], -1).contiguous()
