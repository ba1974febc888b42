"""What a parser makes of an utterance: candidates with confidence, whether it is in scope, and a question back.

Parsers differ in how they read; everything that uses one sees only the values here.
"""

from dataclasses import dataclass
from typing import Protocol

from ttm.language.parse import Operation, Parse
from ttm.language.row_state import RowState

ASSUMED = 0.2  # probability from which a reading that was asked back about may be what the next message goes on from


@dataclass(frozen=True)
class ParseCandidate:
    """One reading of an utterance; `confidence`, 0 to 1, is the probability that it is the reading that was meant."""

    parse: Parse
    confidence: float


@dataclass(frozen=True)
class Understanding:
    """`candidates` are up to five, best first, and may be none. `question` asks the person back when that is needed:
    what was meant when the best reading is doubtful, what can be asked instead when the utterance is out of scope.
    `unused` are words that the best reading does not rest on although they seem to matter, as they were typed.
    `corrected_by`: who accepted the correction that the best reading comes from, empty if it comes from none.
    `chats`: a greeting, thanks or the like, which asks for nothing. `offered`: the readings that `question` names, in order.
    """

    utterance: str
    candidates: tuple[ParseCandidate, ...]
    in_scope: bool
    question: str | None = None
    unused: tuple[str, ...] = ()
    corrected_by: str = ""
    chats: bool = False
    offered: tuple[Parse, ...] = ()

    @property
    def best(self) -> ParseCandidate | None:
        return self.candidates[0] if self.candidates else None

    @property
    def likeliest(self) -> Parse | None:
        """The reading that a next message is taken to go on from, where this one was asked back about."""
        doubtful = self.in_scope and self.question is not None and self.best is not None
        return self.candidates[0].parse if doubtful and self.candidates[0].confidence >= ASSUMED else None


@dataclass(frozen=True)
class DialogueContext:
    """What the conversation so far offers to refer to; nothing, for an utterance that stands alone.

    `parse`: the last one that was answered; `utterance`: what was typed last; `question`: one that was asked back and is
    still open, with `candidates`, the readings that it offered, and `likeliest`, the first if it is likely enough to go on
    from. `rows` are what `previousfilter` stands for, `operations` the last ones, with their arguments; `listed` the ids of
    the rows that the last answer showed, in their order. `trust`: the probability that `likeliest`, or else `parse`, is what
    was meant.
    """

    parse: Parse | None = None
    utterance: str = ""
    question: str = ""
    candidates: tuple[Parse, ...] = ()
    likeliest: Parse | None = None
    rows: RowState | None = None
    operations: tuple[Operation, ...] = ()
    listed: tuple[str, ...] = ()
    trust: float = 1.0

    @property
    def has_previous_filter(self) -> bool:
        return self.rows is not None


ALONE = DialogueContext()


class Parser(Protocol):
    """Turns one utterance into an Understanding; never raises, whatever the text."""

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding: ...
