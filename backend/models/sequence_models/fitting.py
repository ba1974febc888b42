"""Fit a network to pairs: AdamW, linear warm-up and decay, clipped gradients, early stop, and a checkpoint each epoch.

A run that was stopped at any moment goes on from its last whole epoch and ends with the same weights: what happens in an
epoch follows from the seed and its number alone. Checkpoints are safetensors and JSON, never pickles.

Imports torch: import this file inside functions only.
"""

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from backend.errors import LanguageModelError
from backend.models.sequence_models.checkpoint import Checkpoints, fingerprint
from backend.models.sequence_models.seam import Coder, Epoch, Progress, TextPair, Training

# Tokens of a batch, with padding: bounds the memory of a step whatever the lengths are.
_MOST_TOKENS = 16_384
# Batches are cut from stretches of this many, sorted by length.
_STRETCH = 50
_IGNORED = -100

Batch = tuple[Tensor, Tensor, Tensor]


def fit(
    network: nn.Module,
    coder: Coder,
    pairs: Sequence[TextPair],
    validation: Sequence[TextPair],
    training: Training,
    folder: Path | None,
    progress: Progress | None,
) -> tuple[Epoch, ...]:
    """As `SequenceModel.fit` says. Raises LanguageModelError for no pairs, and for a checkpoint of another run."""
    if not pairs:
        raise LanguageModelError("There is nothing to learn from: no pairs of source and target.")
    optimizer = torch.optim.AdamW(network.parameters(), lr=training.learning_rate, weight_decay=training.weight_decay)
    kept = Checkpoints(folder, fingerprint(pairs, validation, training)) if folder else None
    epochs = kept.restore(network, optimizer) if kept else []
    best: dict[str, Tensor] = {}
    while not _over(epochs, training):
        epoch = _epoch(network, optimizer, coder, pairs, validation, training, len(epochs) + 1, progress)
        epoch = replace(epoch, best=epoch.number == _best([*epochs, epoch]))
        epochs.append(epoch)
        if kept:
            kept.keep(network, optimizer, epochs)
        elif epoch.best:
            best = {name: value.detach().clone() for name, value in network.state_dict().items()}
        if progress:
            progress(epoch.number, 1.0, epoch)
    if kept:
        kept.restore_best(network, epochs)
    else:
        network.load_state_dict(best)
    return tuple(epochs)


def _best(epochs: Sequence[Epoch]) -> int:
    """The number of the best epoch: lowest validation loss, or simply the last where there is none."""
    if epochs[-1].validation_loss is None:
        return epochs[-1].number
    return min(epochs, key=lambda each: (each.validation_loss, each.number)).number


def _over(epochs: Sequence[Epoch], training: Training) -> bool:
    if not epochs or len(epochs) >= training.epochs:
        return len(epochs) >= training.epochs
    return training.patience is not None and len(epochs) - _best(epochs) >= training.patience


def _epoch(
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    coder: Coder,
    pairs: Sequence[TextPair],
    validation: Sequence[TextPair],
    training: Training,
    number: int,
    progress: Progress | None,
) -> Epoch:
    started, total, count = time.perf_counter(), 0.0, 0
    device = next(network.parameters()).device
    with torch.random.fork_rng():
        torch.manual_seed(training.seed * 100_003 + number)
        network.train()
        order = _batches(pairs, coder, training.batch_size, random.Random(f"{training.seed} {number}"))
        for done, rows in enumerate(order):
            share = done / len(order)
            _set_rate(optimizer, training, number - 1 + share)
            loss, tokens = _loss(network, _tensors(rows, coder, device))
            optimizer.zero_grad(set_to_none=True)
            torch.autograd.backward(loss / tokens)
            nn.utils.clip_grad_norm_(network.parameters(), training.clip)
            optimizer.step()
            total, count = total + float(loss.detach()), count + tokens
            if progress:
                progress(number, share, None)
    lost = mean_loss(network, coder, validation, training.batch_size) if validation else None
    return Epoch(number, total / count, lost, False, time.perf_counter() - started)


def mean_loss(network: nn.Module, coder: Coder, pairs: Sequence[TextPair], batch_size: int) -> float:
    """Nats a token over `pairs`."""
    network.eval()
    device = next(network.parameters()).device
    total, count = 0.0, 0
    with torch.inference_mode():
        for rows in _batches(pairs, coder, batch_size, None):
            loss, tokens = _loss(network, _tensors(rows, coder, device))
            total, count = total + float(loss), count + tokens
    return total / count


def _set_rate(optimizer: torch.optim.Optimizer, training: Training, epochs_done: float) -> None:
    """Linear warm-up, then linear decay to 0 at the end of the last epoch."""
    share = epochs_done / training.epochs
    rising = (share + 1e-3) / training.warm_up if training.warm_up else 1.0
    falling = (1.0 - share) / (1.0 - training.warm_up) if training.warm_up < 1 else 1.0
    for group in optimizer.param_groups:
        group["lr"] = training.learning_rate * min(1.0, rising, falling)


Rows = list[tuple[list[int], list[int]]]


def _batches(pairs: Sequence[TextPair], coder: Coder, size: int, shuffle: random.Random | None) -> list[Rows]:
    """The pairs as tokens, like lengths together, at most `size` pairs and `_MOST_TOKENS` tokens a batch."""
    places = list(range(len(pairs)))
    if shuffle is not None:
        shuffle.shuffle(places)
    batches: list[Rows] = []
    for first in range(0, len(places), size * _STRETCH):
        stretch = [_tokens(pairs[index], coder) for index in places[first : first + size * _STRETCH]]
        batches += _cut(sorted(stretch, key=lambda row: (len(row[1]), len(row[0]))), size)
    if shuffle is not None:
        shuffle.shuffle(batches)
    return batches


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


def _tensors(rows: Rows, coder: Coder, device: torch.device) -> Batch:
    source = padded([row[0] for row in rows], coder.pad, device)
    before = padded([[coder.start, *row[1][:-1]] for row in rows], coder.pad, device)
    wanted = padded([row[1] for row in rows], _IGNORED, device)
    return source, before, wanted


def _loss(network: nn.Module, batch: Batch) -> tuple[Tensor, int]:
    """The summed negative log-likelihood of the targets, and how many tokens they are."""
    source, before, wanted = batch
    logits = network(source, before)
    loss = functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=_IGNORED, reduction="sum")
    return loss, int((wanted != _IGNORED).sum())


def padded(rows: Sequence[Sequence[int]], pad: int, device: torch.device) -> Tensor:
    """(n, longest) of rows of tokens; at least one wide, as an empty source still has a place to look at."""
    width = max(1, *(len(row) for row in rows))
    return torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows], dtype=torch.long, device=device)
