"""What a sequence-to-sequence model can do, whichever it is; this file loads none and needs no torch.

A model maps a text to texts. It knows nothing of what the texts mean: how a question, a history or a logical form is
written down for it stands in the packages.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TextPair:
    """One example to learn from."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """One output; `log_probability` is that of the whole text given the source, natural logarithm, never penalised."""

    text: str
    log_probability: float


@dataclass(frozen=True, slots=True)
class BeamSearch:
    """How outputs are looked for.

    With `groups` over 1 this is diverse beam search (Vijayakumar et al. 2018): `beams` are divided evenly, and a group
    pays `penalty` for each time that an earlier group chose the same token at the same place. With `length_power` over 0
    a sequence is ranked by its log-probability over its length to that power.
    """

    beams: int = 10
    groups: int = 1
    penalty: float = 0.0
    max_tokens: int = 256
    length_power: float = 0.0

    def __post_init__(self) -> None:
        if self.beams < 1 or self.groups < 1 or self.beams % self.groups:
            raise ValueError(f"{self.beams} beams cannot be divided evenly among {self.groups} groups")


BEAM = BeamSearch()
# Section 5.3 of the paper: several attempts at saying the same correction, unlike each other.
DIVERSE = BeamSearch(beams=10, groups=2, penalty=1.5)


@dataclass(frozen=True, slots=True)
class Training:
    """How a model is fitted. `warm_up` is the share of the run in which the learning rate rises to `learning_rate`.

    It then falls linearly to 0. `patience` is how many epochs without a lower validation loss end the run; None: none do.
    `accumulate` batches make one step of the optimiser, on each process of a run. `precision` is that of the forward
    pass: "auto" (bfloat16 on a card that computes in it, else float32), "float32" or "bfloat16".
    """

    epochs: int = 20
    batch_size: int = 32
    learning_rate: float = 5e-4
    warm_up: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    patience: int | None = 3
    seed: int = 0
    accumulate: int = 1
    precision: str = "auto"


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one epoch came to. Losses are nats a token, None without validation pairs; `best` so far."""

    number: int
    training_loss: float
    validation_loss: float | None
    best: bool
    seconds: float


TRAINING = Training()
# Called with the epoch (from 1), the share of it that is done, and its result once it is complete. May raise, to stop.
Progress = Callable[[int, float, Epoch | None], None]
# The tokens that may follow a prefix of the output of source number i; None allows all.
Allowed = Callable[[int, tuple[int, ...]], Collection[int] | None]


class SequenceModel(Protocol):
    """Raises LanguageModelError when it cannot be loaded or cannot be fitted."""

    name: str

    def generate(
        self, sources: Sequence[str], n: int = 1, search: BeamSearch = BEAM, allowed: Allowed | None = None
    ) -> list[tuple[GeneratedText, ...]]:
        """Up to `n` different outputs for each source, the most probable first; with groups, the best of each in turn."""
        ...

    def log_likelihood(self, source: str, target: str) -> float:
        """The natural logarithm of the probability of `target` given `source`; its negative is S(y) of equation 1."""
        ...

    def fit(
        self,
        pairs: Sequence[TextPair],
        validation: Sequence[TextPair] = (),
        training: Training = TRAINING,
        checkpoints: Path | None = None,
        progress: Progress | None = None,
    ) -> tuple[Epoch, ...]:
        """Learn from `pairs`, and keep the weights of the epoch with the lowest validation loss.

        After each epoch the run's state is written to the folder `checkpoints`; a run that finds one there goes on from
        it, and ends as it would have ended without the interruption.
        """
        ...

    def save(self, folder: Path) -> None: ...


class Coder(Protocol):
    """Text as token ids, and back. `encode_target` ends with `end`; `decode` expects neither start nor end."""

    pad: int
    start: int
    end: int

    def encode_source(self, text: str) -> list[int]: ...

    def encode_target(self, text: str) -> list[int]: ...

    def decode(self, tokens: Sequence[int]) -> str: ...
