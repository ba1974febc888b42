"""What the encoder decided about one message, before anything is put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ttm.parsers.learned.encoder.schema_items import SchemaItem
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken


@dataclass(frozen=True)
class SpanDecision:
    """Tokens `start` to `end` with their role. `links` are the items that may be meant with log-probabilities, the best first,
    None for nothing of the schema; so are `relations` and `outcomes`. `doubt` is minus the log-probability of the role."""

    start: int
    end: int
    role: str
    doubt: float
    tokens: tuple[UtteranceToken, ...]
    links: tuple[tuple[SchemaItem | None, float], ...] = ()
    relations: tuple[tuple[str, float], ...] = ()
    outcomes: tuple[tuple[str, float], ...] = ()

    @property
    def numbers(self) -> list[UtteranceToken]:
        return [token for token in self.tokens if token.kind in (TokenKind.NUMBER, TokenKind.DATE)]

    @property
    def words(self) -> list[str]:
        return [token.raw or token.text for token in self.tokens]

    @property
    def text(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True)
class Decisions:
    """`ingredients` are log-odds that the reading has each; `spans` stand in the order of the message."""

    utterance: str
    tokens: tuple[UtteranceToken, ...]
    ingredients: Mapping[str, float]
    spans: tuple[SpanDecision, ...]

    def of_role(self, *roles: str) -> list[SpanDecision]:
        return [span for span in self.spans if span.role in roles]


@dataclass(frozen=True)
class ReadingChoice:
    """One way to resolve what is open: which ingredients are there, and for some spans (by index) another link or relation
    than the best. `cost` is the log-probability that it gives away."""

    ingredients: frozenset[str]
    links: Mapping[int, int] = field(default_factory=dict)
    relations: Mapping[int, int] = field(default_factory=dict)
    cost: float = 0.0


def all_tokens(spans: Sequence[SpanDecision]) -> set[int]:
    return {at for span in spans for at in range(span.start, span.end)}
