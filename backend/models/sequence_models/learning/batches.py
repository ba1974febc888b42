"""Pairs of texts as batches of tokens, like lengths together.

Imports torch: import this file inside functions only.
"""

import random
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from backend.models.sequence_models.seam import Coder, TextPair

# Tokens of a batch, with padding: bounds the memory of a step whatever the lengths are.
_MOST_TOKENS = 16_384
# Batches are cut from stretches of this many, sorted by length.
_STRETCH = 50
IGNORED = -100

Batch = tuple[Tensor, Tensor, Tensor]
Rows = list[tuple[list[int], list[int]]]


def batches_of(pairs: Sequence[TextPair], coder: Coder, size: int, shuffle: random.Random | None) -> list[Rows]:
    """The pairs as tokens, like lengths together, at most `size` pairs and `_MOST_TOKENS` tokens a batch."""
    places = list(range(len(pairs)))
    if shuffle is not None:
        shuffle.shuffle(places)
    made: list[Rows] = []
    for first in range(0, len(places), size * _STRETCH):
        stretch = [_tokens(pairs[index], coder) for index in places[first : first + size * _STRETCH]]
        made += _cut(sorted(stretch, key=lambda row: (len(row[1]), len(row[0]))), size)
    if shuffle is not None:
        shuffle.shuffle(made)
    return made


def _tokens(pair: TextPair, coder: Coder) -> tuple[list[int], list[int]]:
    return coder.encode_source(pair.source), coder.encode_target(pair.target)


def _cut(rows: Rows, size: int) -> Iterator[Rows]:
    batch: Rows = []
    longest = 0
    for row in rows:
        longest = max(longest, len(row[0]) + len(row[1]))
        if batch and (len(batch) == size or longest * (len(batch) + 1) > _MOST_TOKENS):
            yield batch
            batch, longest = [], len(row[0]) + len(row[1])
        batch.append(row)
    if batch:
        yield batch


def tensors_of(rows: Rows, coder: Coder, device: torch.device) -> Batch:
    source = padded([row[0] for row in rows], coder.pad, device)
    before = padded([[coder.start, *row[1][:-1]] for row in rows], coder.pad, device)
    wanted = padded([row[1] for row in rows], IGNORED, device)
    return source, before, wanted


def wanted_tokens(rows: Rows) -> int:
    """How many tokens the targets of a batch are, without padding."""
    return sum(len(target) for _, target in rows)


def padded(rows: Sequence[Sequence[int]], pad: int, device: torch.device) -> Tensor:
    """(n, longest) of rows of tokens; at least one wide, as an empty source still has a place to look at."""
    width = max(1, *(len(row) for row in rows))
    return torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows], dtype=torch.long, device=device)
