"""What the encoder decided about one message, before anything is put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ttm.parsers.learned.encoder.schema_items import SchemaItem
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken


@dataclass(frozen=True)
class SpanDecision:
    """Tokens `start` to `end` with their role. `links` are the items that may be meant with log-probabilities, the best first,
    None for nothing of the schema; so are `relations` and `outcomes`. `doubt` is minus the log-probability of the role;
    `others` are the span in its next likely roles, None for no role at all, with the log-probability that each gives away."""

    start: int
    end: int
    role: str
    doubt: float
    tokens: tuple[UtteranceToken, ...]
    links: tuple[tuple[SchemaItem | None, float], ...] = ()
    relations: tuple[tuple[str, float], ...] = ()
    outcomes: tuple[tuple[str, float], ...] = ()
    others: tuple[tuple["SpanDecision | None", float], ...] = ()

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
    """One way to resolve what is open: which ingredients are there, and for some spans (by index) another link, relation,
    outcome or role than the best. `cost` is the log-probability that it gives away."""

    ingredients: frozenset[str]
    links: Mapping[int, int] = field(default_factory=dict)
    relations: Mapping[int, int] = field(default_factory=dict)
    outcomes: Mapping[int, int] = field(default_factory=dict)
    roles: Mapping[int, int] = field(default_factory=dict)
    cost: float = 0.0

    def item(self, number: int, span: SpanDecision) -> SchemaItem | None:
        """What the span of that index is taken to name."""
        rank = self.links.get(number, 0)
        return span.links[rank][0] if rank < len(span.links) else None

    def relation(self, number: int, span: SpanDecision) -> str:
        """How the span of that index is taken to use what it names."""
        return span.relations[self.relations.get(number, 0)][0] if span.relations else "is"


def in_roles(decisions: Decisions, roles: Mapping[int, int]) -> Decisions:
    """The decisions with some spans, by index, in another of their roles; a span without a role keeps its index."""
    if not roles:
        return decisions
    spans = list(decisions.spans)
    for index, rank in roles.items():
        other = spans[index].others[rank][0]
        spans[index] = other if other is not None else replace(spans[index], role="", links=(), relations=())
    return replace(decisions, spans=tuple(spans))


def all_tokens(spans: Sequence[SpanDecision]) -> set[int]:
    return {at for span in spans for at in range(span.start, span.end)}
