"""What a message denies or leaves out ("f1 without grade III", "inpatients excluded"), and readings that keep that.

A denial is tied to the condition that stands next to it; a reading whose condition holds what was denied is proposed the other
way round as well.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ttm.language.contrary import contrary
from ttm.language.parse import (
    CategoricalCondition,
    Comparator,
    Condition,
    LabelCondition,
    NumericCondition,
    Parse,
    PredictionCondition,
    Selection,
)
from ttm.parsers.learned.decisions.span_decisions import Decisions, SpanDecision
from ttm.parsers.learned.encoder.schema_items import SchemaItem
from ttm.parsers.linker.words.tokens import UtteranceToken
from ttm.tabular.data.schema import Schema

# What denies the words behind it, and the words before it.
DENIES_NEXT = frozenset(
    "not no without except excluding exclude excludes never neither nor nobody none non un lacking lack lacks outside omitting"
    " omit ignoring ignore dropping drop removing remove skipping skip barring bar besides".split()
)
DENIES_LAST = frozenset("excluded out aside omitted removed dropped excepted absent".split())
PAIRS = frozenset(("other than", "apart from", "aside from", "leaving out", "leave out", "rid of", "/ o"))
NEAR, BEHIND = 4, 2  # words between a denial and what it denies
STOPS = frozenset(",;.?!")
ABOVE_WORDS = frozenset("above over more greater older higher exceeding exceed exceeds beyond larger bigger longer".split())
BELOW_WORDS = frozenset("below under less fewer lower younger smaller shorter beneath within".split())
PREDICTED_WORDS = frozenset("predict predicts predicted prediction predictions guessed flagged".split())
TRUE_WORDS = frozenset("actual actually real really true truly truth".split())
ABOVE = (Comparator.GREATER, Comparator.GREATER_EQUAL)
BELOW = (Comparator.LESS, Comparator.LESS_EQUAL)


@dataclass(frozen=True)
class Denials:
    """The denials of one message."""

    decisions: Decisions
    schema: Schema

    @cached_property
    def spans(self) -> tuple[SpanDecision, ...]:
        """What is denied, each span once."""
        return tuple(dict.fromkeys(span for at in self.places for span in self._denied_by(*at)))

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """The first and last word of each denial."""
        return tuple(_places(self.decisions.tokens))

    def _denied_by(self, first: int, last: int) -> Iterator[SpanDecision]:
        spans, tokens = self.decisions.spans, self.decisions.tokens
        inside = next((span for span in spans if span.start <= first < span.end), None)
        if inside is not None:
            yield inside
            return
        if tokens[last].text in DENIES_LAST and last == first:
            before = next((span for span in reversed(spans) if span.end <= first), None)
            if before is not None and first - before.end < BEHIND:
                yield before
            return
        after = next((span for span in spans if span.start > last), None)
        if after is not None and after.start - last <= NEAR and not _stops(tokens[last + 1 : after.start]):
            yield after

    def kept_from(self, parse: Parse) -> tuple[Condition, ...]:
        """The conditions of a parse that hold what the message denies."""
        if not self.spans:
            return ()
        groups = [group for step in parse.steps if isinstance(step, Selection) for group in step.groups]
        conditions = [one for group in groups for part in group for one in part]
        return tuple(dict.fromkeys(one for one in conditions if any(_holds(one, span) for span in self.spans)))

    def corrected(self, parse: Parse) -> Parse | None:
        """The parse with the class the other way round that the message denies to be predicted, or to be true: "predicted
        not likely to". None where it has none."""
        sided = [span for span in self.spans if _class_spoken_of(span) is not None]
        classes = [one for one in self.kept_from(parse) if isinstance(one, LabelCondition | PredictionCondition)]
        return self._turned(parse, [one for one in classes if any(_holds(one, span) for span in sided)])

    def denied(self, parse: Parse) -> Parse | None:
        """The parse with those conditions the other way round; None where there are none or the language cannot say so."""
        return self._turned(parse, self.kept_from(parse))

    def _turned(self, parse: Parse, conditions: Sequence[Condition]) -> Parse | None:
        contraries = {one: contrary(one, self.schema) for one in conditions}
        if not contraries or None in contraries.values():
            return None
        return Parse(tuple(_with_contraries(step, contraries) if isinstance(step, Selection) else step for step in parse.steps))

    def made_up(self, parse: Parse, before: Parse | None) -> int:
        """How many conditions of a parse are negative, where neither the message nor the turn before denies anything."""
        if self.places:
            return 0
        return len(_negatives(parse) - (_negatives(before) if before is not None else set()))


def _places(tokens: Sequence[UtteranceToken]) -> Iterator[tuple[int, int]]:
    for at, token in enumerate(tokens):
        following = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if f"{token.text} {following}" in PAIRS:
            yield at, at + 1
        elif token.text in DENIES_NEXT or token.text in DENIES_LAST:
            yield at, at


def _stops(tokens: Sequence[UtteranceToken]) -> bool:
    return any(token.text in STOPS for token in tokens)


def _with_contraries(selection: Selection, contraries: dict[Condition, Condition | None]) -> Selection:
    groups = tuple(tuple(tuple(contraries.get(one) or one for one in part) for part in group) for group in selection.groups)
    return replace(selection, groups=groups)


def _holds(condition: Condition, span: SpanDecision) -> bool:
    """Whether a condition is about what a span names, and not its contrary."""
    items = [item for item, _ in span.links[:3] if item is not None]
    match condition:
        case CategoricalCondition(feature=name):
            own = [item for item in items if item.feature is not None and item.feature.token == name]
            return any(_says(condition, item) for item in own)
        case LabelCondition(value=value, comparator=None) | PredictionCondition(value=value, comparator=None):
            spoken_of = _class_spoken_of(span)
            return (spoken_of is None or isinstance(condition, spoken_of)) and any(item.class_number == value for item in items)
        case NumericCondition(value=value, comparator=comparator):
            words = {token.text for token in span.tokens}
            numbers = {token.value for token in span.numbers}
            upwards, downwards = bool(words & ABOVE_WORDS), bool(words & BELOW_WORDS)
            same = (comparator in ABOVE and upwards) or (comparator in BELOW and downwards)
            return value in numbers and same and upwards != downwards
    return False


def _class_spoken_of(span: SpanDecision) -> type[LabelCondition] | type[PredictionCondition] | None:
    """Whether the words of a span say that a class is predicted ("predicted not likely to") or true; None if neither."""
    words = {token.text for token in span.tokens}
    return PredictionCondition if words & PREDICTED_WORDS else LabelCondition if words & TRUE_WORDS else None


def _says(condition: CategoricalCondition, item: SchemaItem) -> bool:
    value = item.value or "true"
    return condition.value == value and not condition.negated


def _negatives(parse: Parse) -> set[str]:
    texts = [text for _, text in parse.items()]
    return {text for text in texts if text.startswith("filter ") and (" not " in text or text.endswith(" false"))}
