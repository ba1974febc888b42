"""A sequence model made of a torch network and a coder of its texts; what ours and those of the hub have in common.

Imports torch: import this file inside functions only.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt
import torch
from torch import Tensor, nn

from backend.models.sequence_models.decoding import Hypothesis, Numbers, beam_search
from backend.models.sequence_models.learning.batches import padded
from backend.models.sequence_models.learning.fitting import fit
from backend.models.sequence_models.seam import (
    BEAM,
    TRAINING,
    Allowed,
    BeamSearch,
    Coder,
    Epoch,
    GeneratedText,
    Progress,
    TextPair,
    Training,
)

# Hypotheses that are looked at together; bounds the memory of generation.
_ROWS = 320


class TorchModel:
    """`network` has forward(source, target) -> logits, encode(source) -> state and step(state, parents, tokens).

    `write` saves weights and texts to a folder; `prepare` receives the pairs before they are learnt.
    """

    def __init__(
        self,
        name: str,
        network: nn.Module,
        coder: Coder,
        write: Callable[[Path], None],
        prepare: Callable[[Sequence[TextPair]], None] | None = None,
    ) -> None:
        self.name = name
        self.network = network.to("cuda" if torch.cuda.is_available() else "cpu").eval()
        self.coder = coder
        self._write, self._prepare = write, prepare

    def generate(
        self, sources: Sequence[str], n: int = 1, search: BeamSearch = BEAM, allowed: Allowed | None = None
    ) -> list[tuple[GeneratedText, ...]]:
        result: dict[int, tuple[GeneratedText, ...]] = {}
        with torch.inference_mode():
            for places in _by_length(sources, max(1, _ROWS // search.beams)):
                limit = None if allowed is None else _elsewhere(allowed, places)
                steps = _Steps(self.network, self.coder)
                beams = beam_search(steps, [sources[index] for index in places], search.beams, search, limit)
                result |= {index: self._texts(beam)[:n] for index, beam in zip(places, beams, strict=True)}
        return [result[index] for index in range(len(sources))]

    def log_likelihood(self, source: str, target: str) -> float:
        device = next(self.network.parameters()).device
        wanted = self.coder.encode_target(target)
        with torch.inference_mode():
            encoded = torch.tensor([self.coder.encode_source(source)], device=device)
            before = torch.tensor([[self.coder.start, *wanted[:-1]]], device=device)
            log_probabilities = self.network(encoded, before).double().log_softmax(-1)
        return float(log_probabilities[0, torch.arange(len(wanted)), torch.tensor(wanted)].sum())

    def fit(
        self,
        pairs: Sequence[TextPair],
        validation: Sequence[TextPair] = (),
        training: Training = TRAINING,
        checkpoints: Path | None = None,
        progress: Progress | None = None,
    ) -> tuple[Epoch, ...]:
        if self._prepare is not None:
            self._prepare(pairs)
        try:
            return fit(self.network, self.coder, pairs, validation, training, checkpoints, progress)
        finally:
            self.network.eval()

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._write(folder)

    def _texts(self, beam: Sequence[Hypothesis]) -> tuple[GeneratedText, ...]:
        """One candidate a text: several rows of tokens can spell the same."""
        result: dict[str, GeneratedText] = {}
        for each in beam:
            text = self.coder.decode(each.tokens)
            result.setdefault(text, GeneratedText(text, each.log_probability))
        return tuple(result.values())


@dataclass(frozen=True)
class _Steps:
    """The network as beam search asks it."""

    network: Any
    coder: Coder

    @property
    def start(self) -> int:
        return self.coder.start

    @property
    def end(self) -> int:
        return self.coder.end

    def encode(self, sources: Sequence[str]) -> Any:
        rows = [self.coder.encode_source(each) for each in sources]
        return self.network.encode(padded(rows, self.coder.pad, self._device()))

    def step(self, state: Any, parents: Numbers, tokens: Numbers) -> tuple[npt.NDArray[Any], Any]:
        device = self._device()
        logits, after = self.network.step(state, torch.from_numpy(parents).to(device), torch.from_numpy(tokens).to(device))
        scores: Tensor = logits.float().log_softmax(-1)
        return scores.cpu().numpy(), after

    def _device(self) -> torch.device:
        device: torch.device = next(self.network.parameters()).device
        return device


def _by_length(sources: Sequence[str], count: int) -> Iterator[list[int]]:
    """The places of the sources in batches of like length, so that little of a batch is padding."""
    order = sorted(range(len(sources)), key=lambda index: len(sources[index]))
    for first in range(0, len(order), count):
        yield order[first : first + count]


def _elsewhere(allowed: Allowed, places: list[int]) -> Allowed:
    return lambda number, prefix: allowed(places[number], prefix)
