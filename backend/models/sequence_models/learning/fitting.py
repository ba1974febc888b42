"""Fit a network to pairs: AdamW, linear warm-up and decay, clipped gradients, early stop, and a checkpoint each epoch.

A run that was stopped at any moment goes on from its last whole epoch and ends with the same weights: what happens in an
epoch follows from the seed and its number alone. Checkpoints are safetensors and JSON, never pickles.

An update may be made of several batches (`Training.accumulate`), and of as many on each of several processes: its loss is
that of all their tokens together, so that n batches on one card and one batch on each of n cards are the same update.

Imports torch: import this file inside functions only.
"""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from backend.errors import LanguageModelError
from backend.models.sequence_models.learning.batches import IGNORED, Batch, Rows, batches_of, tensors_of, wanted_tokens
from backend.models.sequence_models.learning.checkpoint import Checkpoints, fingerprint
from backend.models.sequence_models.learning.hardware import Hardware, own_share
from backend.models.sequence_models.seam import Coder, Epoch, Progress, TextPair, Training

# Processes must not drop out the same numbers.
_APART = 7_919


@dataclass(frozen=True)
class _Run:
    """`shared` is the network as it is trained; it has the weights of `network`."""

    network: nn.Module
    shared: Any
    coder: Coder
    optimizer: torch.optim.Optimizer
    training: Training
    hardware: Hardware
    progress: Progress | None


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
    hardware = Hardware(training.precision)
    network.to(hardware.device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=training.learning_rate, weight_decay=training.weight_decay)
    kept = Checkpoints(folder, fingerprint(pairs, validation, training)) if folder else None
    epochs = kept.restore(network, optimizer) if kept else []
    report = progress if hardware.is_main else None
    run = _Run(network, hardware.shared(network), coder, optimizer, training, hardware, report)
    best: dict[str, Tensor] = {}
    while not _over(epochs, training):
        epoch = _epoch(run, pairs, validation, len(epochs) + 1)
        epoch = replace(epoch, best=epoch.number == _best([*epochs, epoch]))
        epochs.append(epoch)
        if kept and hardware.is_main:
            kept.keep(network, optimizer, epochs)
        elif epoch.best and not kept:
            best = {name: value.detach().clone() for name, value in network.state_dict().items()}
        if report:
            report(epoch.number, 1.0, epoch)
    hardware.wait()
    if kept:
        kept.restore_best(network, epochs)
        hardware.wait()  # nobody may clear the checkpoints away while another still reads them
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


def _epoch(run: _Run, pairs: Sequence[TextPair], validation: Sequence[TextPair], number: int) -> Epoch:
    started, training, hardware = time.perf_counter(), run.training, run.hardware
    losses: list[Tensor] = []
    with hardware.random_state():
        torch.manual_seed(training.seed * 100_003 + number + hardware.rank * _APART)
        run.network.train()
        order = batches_of(pairs, run.coder, training.batch_size, random.Random(f"{training.seed} {number}"))
        size = training.accumulate * hardware.processes
        for first in range(0, len(order), size):
            share = first / len(order)
            _set_rate(run.optimizer, training, number - 1 + share)
            losses += _update(run, order[first : first + size])
            if run.progress:
                run.progress(number, share, None)
    (total,) = hardware.summed(sum(float(each) for each in losses))
    lost = _validation_loss(run, validation) if validation else None
    count = sum(map(wanted_tokens, order))
    return Epoch(number, total / count, lost, False, time.perf_counter() - started)


def _update(run: _Run, batches: Sequence[Rows]) -> list[Tensor]:
    """One step of the optimiser over all `batches`, of which this process computes its share; the losses of that."""
    tokens = sum(map(wanted_tokens, batches))
    mine = own_share(batches, run.hardware.processes, run.hardware.rank)
    losses: list[Tensor] = []
    run.optimizer.zero_grad(set_to_none=True)
    for number, (rows, counts) in enumerate(mine, 1):
        with run.hardware.holding_back(run.shared, number == len(mine)):
            loss = _loss(run.shared, tensors_of(rows, run.coder, run.hardware.device), run.hardware)
            # Gradients are averaged over processes, where their sum is wanted.
            weighed = loss / tokens if run.hardware.processes == 1 else loss * (counts * run.hardware.processes / tokens)
            torch.autograd.backward(weighed)
        losses += [loss.detach()] if counts else []
    nn.utils.clip_grad_norm_(run.network.parameters(), run.training.clip)
    run.optimizer.step()
    return losses


def _validation_loss(run: _Run, pairs: Sequence[TextPair]) -> float:
    """Nats a token over `pairs`, of which each process computes its share."""
    run.network.eval()
    order = batches_of(pairs, run.coder, run.training.batch_size, None)
    mine = own_share(order, run.hardware.processes, run.hardware.rank)
    total = 0.0
    with torch.inference_mode():
        for rows, counts in mine:
            if counts:
                total += float(_loss(run.network, tensors_of(rows, run.coder, run.hardware.device), run.hardware))
    return run.hardware.summed(total)[0] / sum(map(wanted_tokens, order))


def _set_rate(optimizer: torch.optim.Optimizer, training: Training, epochs_done: float) -> None:
    """Linear warm-up, then linear decay to 0 at the end of the last epoch."""
    share = epochs_done / training.epochs
    rising = (share + 1e-3) / training.warm_up if training.warm_up else 1.0
    falling = (1.0 - share) / (1.0 - training.warm_up) if training.warm_up < 1 else 1.0
    for group in optimizer.param_groups:
        group["lr"] = training.learning_rate * min(1.0, rising, falling)


def _loss(network: Any, batch: Batch, hardware: Hardware) -> Tensor:
    """The summed negative log-likelihood of the targets, in float32."""
    source, before, wanted = batch
    with hardware.forward():
        logits = network(source, before)
    return functional.cross_entropy(logits.float().flatten(0, 1), wanted.flatten(), ignore_index=IGNORED, reduction="sum")
