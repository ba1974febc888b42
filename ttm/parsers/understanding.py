"""What a parser makes of an utterance: candidates with confidence, whether it is in scope, and a question back.

Parsers differ in how they read; everything that uses one sees only the values here.
"""

from dataclasses import dataclass
from typing import Protocol

from ttm.language.parse import Parse


@dataclass(frozen=True)
class ParseCandidate:
    """One reading of an utterance; `confidence`, 0 to 1, is the probability that it is the reading that was meant."""

    parse: Parse
    confidence: float


@dataclass(frozen=True)
class Understanding:
    """`candidates` are up to five, best first, and may be none. `question` asks the person back when that is needed:
    what was meant when the best reading is doubtful, what can be asked instead when the utterance is out of scope.
    `unused` are words that the best reading does not rest on although they seem to matter, as they were typed."""

    utterance: str
    candidates: tuple[ParseCandidate, ...]
    in_scope: bool
    question: str | None = None
    unused: tuple[str, ...] = ()

    @property
    def best(self) -> ParseCandidate | None:
        return self.candidates[0] if self.candidates else None


@dataclass(frozen=True)
class DialogueContext:
    """What the conversation so far offers to refer to; nothing, for an utterance that stands alone."""

    has_previous_filter: bool = False


ALONE = DialogueContext()


class Parser(Protocol):
    """Turns one utterance into an Understanding; never raises, whatever the text."""

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding: ...
