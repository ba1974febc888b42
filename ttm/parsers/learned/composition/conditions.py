"""From a decided span to conditions, changes and parts of a case: values of `ttm.language.parse`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ttm.language.parse import (
    CategoricalCondition,
    Change,
    ChangeKind,
    Comparator,
    Condition,
    LabelCondition,
    MissingCondition,
    NumericCondition,
    PredictionCondition,
    ProbabilityCondition,
    number_text,
)
from ttm.parsers.learned.decisions.span_decisions import SpanDecision
from ttm.parsers.learned.encoder.schema_items import NO_VALUES, SchemaItem, SchemaItemKind
from ttm.parsers.linker.conditions.date_conditions import with_dates, year_token
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.tabular.data.schema import Feature, FeatureKind

COMPARATORS = {
    "greater": Comparator.GREATER, "at least": Comparator.GREATER_EQUAL, "less": Comparator.LESS,
    "at most": Comparator.LESS_EQUAL, "equal": Comparator.EQUAL, "not equal": Comparator.NOT_EQUAL, "is": Comparator.EQUAL,
    "not": Comparator.NOT_EQUAL, "set": Comparator.EQUAL,
}  # fmt: skip
# Words that say by how much without a number: kind and value, in percent where marked.
FACTORS = {
    "double": ("increase", 100.0, True), "doubled": ("increase", 100.0, True), "doubles": ("increase", 100.0, True),
    "doubling": ("increase", 100.0, True), "twice": ("increase", 100.0, True), "triple": ("increase", 200.0, True),
    "tripled": ("increase", 200.0, True), "half": ("decrease", 50.0, True), "halve": ("decrease", 50.0, True),
    "halved": ("decrease", 50.0, True), "halving": ("decrease", 50.0, True), "quarter": ("decrease", 25.0, True),
}  # fmt: skip
DENIED = frozenset({"not", "not equal"})
TIMES = frozenset({"times", "x", "fold"})
NOTHING = frozenset("no none zero never without stop stops stopped quit quits nothing zilch nil nought".split())


BELOW_ZERO = frozenset({"minus", "negative"})
NEGATIVE = frozenset("minus negative loss losses losing".split())
ANY_AMOUNT = frozenset("any some had has have with at all once ever positive".split())
EXTREME = 2 / 3  # share of the range from which on an amount counts as high where no number is said


def unsaid_amount(span: SpanDecision, relation: str, low: float | None, high: float | None) -> float | None:
    """The amount where a span says none: nothing (`childless`, `with a loss`, `any`), or what is high or low in the data."""
    words = {token.text for token in span.tokens}
    if low is None or high is None:
        return None
    if relation in ("is", "equal", "set") or NOTHING & words:
        return 0.0 if low <= 0 and (NOTHING & words or any(word.endswith("less") for word in words)) else None
    if relation in ("greater", "at least") and low == 0 and words & ANY_AMOUNT:
        return 0.0
    if relation in ("less", "at most") and low < 0 < high and words & NEGATIVE:
        return 0.0
    if relation not in ("greater", "at least", "less", "at most"):
        return None
    share = EXTREME if relation in ("greater", "at least") else 1 - EXTREME
    amount = low + share * (high - low)
    return float(round(amount)) if high - low >= 10 else round(amount, 2)


MILLIONS = frozenset({"m", "mil", "mio", "mill"})


def in_unit(value: float, low: float | None, high: float | None) -> float:
    """A number in the unit of its column: `90` of a share from 0 to 1 is 0.9, `20` of a column in millions stays as it is."""
    if low is None or high is None or low - (high - low) <= value <= high + (high - low):
        return value
    others = [value / 100, value / 1000, value * 1000, value / 1e6]
    return next((other for other in others if low <= other <= high), value)


@dataclass(frozen=True)
class OpenQuestion:
    """What keeps a span from being used, as a question to the person."""

    span: SpanDecision
    question: str


class ConditionMaker:
    """Makes conditions and changes of spans for one data set."""

    def __init__(self, ground: SchemaGrounding) -> None:
        self._ground = ground
        self._target = ground.schema.target

    def conditions(self, span: SpanDecision, item: SchemaItem, relation: str, outcome: str) -> list[Condition] | OpenQuestion:
        """A conjunction, usually of one condition."""
        if item.kind is SchemaItemKind.VALUE and item.feature is not None:
            denied = relation in ("not", "not equal") and item.value not in NO_VALUES
            return [_category(item.feature, item.value, denied)]
        if item.kind is SchemaItemKind.CLASS and item.class_number is not None:
            return self._of_class(span, item.class_number, relation, outcome)
        if item.kind in (SchemaItemKind.TARGET, SchemaItemKind.PROBABILITY):
            return self._of_target(span, relation, outcome)
        if item.feature is None:
            return OpenQuestion(span, f'What does "{span.text}" stand for?')
        return self._of_column(span, item.feature, relation)

    def _of_column(self, span: SpanDecision, feature: Feature, relation: str) -> list[Condition] | OpenQuestion:
        if relation in ("missing", "present"):
            return [MissingCondition(feature.token, relation == "missing")]
        if feature.kind is FeatureKind.BOOLEAN:
            return [_category(feature, "true", relation in ("not", "not equal"))]
        if feature.kind is FeatureKind.CATEGORICAL:
            return OpenQuestion(span, f"Which {feature.label} do you mean?")
        if feature.kind is FeatureKind.DATE:
            return _dates(span, feature, relation)
        values = [self._value(feature, span, token) for token in span.numbers if token.kind is TokenKind.NUMBER]
        if any(_signed(span, token, feature) for token in span.numbers):
            return OpenQuestion(span, f'Should {feature.label} change, or which {feature.label} does "{span.text}" mean?')
        if not values:
            amount = unsaid_amount(span, relation, feature.low, feature.high)
            if amount is None:
                return OpenQuestion(span, f'Which {feature.label} does "{span.text}" mean: above or below what number?')
            values = [amount]
        decade = bool(span.numbers) and span.numbers[0].form == "decade"
        return _numeric(feature.token, relation, values, decade)

    def _value(self, feature: Feature, span: SpanDecision, token: UtteranceToken) -> float:
        if feature.kind is FeatureKind.DATE:
            return token.value
        after = next((one.text for one in span.tokens if one.start >= token.end), "")
        value = float(self._ground.value(feature, token, after)) * _scale(span, token)
        before = next((one.text for one in reversed(span.tokens) if one.end <= token.start), "")
        value = -value if before in BELOW_ZERO and feature.low is not None and feature.low < 0 else value
        return in_unit(value, feature.low, feature.high)

    def _of_class(self, span: SpanDecision, number: int, relation: str, outcome: str) -> list[Condition] | OpenQuestion:
        if outcome == "probability":
            values = [_share(token) for token in span.numbers]
            if not values:
                return OpenQuestion(span, f'From which probability on is that: "{span.text}"?')
            return [ProbabilityCondition(number, comparator, value) for comparator, value in _bounds(relation, values)]
        if relation in DENIED and len(self._target.classes) == 2:
            number = 1 - number
        if outcome == "prediction":
            return [PredictionCondition(number)]
        return [LabelCondition(number)]

    def _of_target(self, span: SpanDecision, relation: str, outcome: str) -> list[Condition] | OpenQuestion:
        low, high = self._target.low, self._target.high
        sign = -1 if BELOW_ZERO & {token.text for token in span.tokens} and low is not None and low < 0 else 1
        values = [in_unit(sign * token.value * _scale(span, token), low, high) for token in span.numbers
                  if token.kind is TokenKind.NUMBER]  # fmt: skip
        if not values:
            amount = unsaid_amount(span, relation, self._target.low, self._target.high)
            if amount is None:
                return OpenQuestion(span, f'Which outcome does "{span.text}" mean?')
            values = [amount]
        elif self._target.is_classification:
            positive = self._target.positive
            return [
                ProbabilityCondition(positive, one, _share(span.numbers[at]))
                for at, (one, _) in enumerate(_bounds(relation, values))
            ]
        kind = PredictionCondition if outcome == "prediction" else LabelCondition
        return [kind(value, comparator) for comparator, value in _bounds(relation, values)]

    # --- changes and cases -----------------------------------------------------------------------------------------------

    def change(self, span: SpanDecision, item: SchemaItem, relation: str) -> Change | OpenQuestion:
        feature = item.feature
        if feature is None:
            return OpenQuestion(span, f'Which column should change: "{span.text}"?')
        if item.kind is SchemaItemKind.VALUE:
            return self._to_value(span, feature, item.value, relation)
        if feature.kind is FeatureKind.BOOLEAN:
            negative = relation in ("not", "missing", "decrease") or bool(NOTHING & set(span.words))
            return Change(feature.token, None, "false" if negative else "true")
        if feature.kind is FeatureKind.CATEGORICAL:
            return OpenQuestion(span, f"What should {feature.label} become?")
        return self._by_number(span, feature, relation)

    def _to_value(self, span: SpanDecision, feature: Feature, value: str, relation: str) -> Change | OpenQuestion:
        tokens = [feature.value_token(one) for one in feature.values]
        if relation in ("not", "not equal", "decrease"):
            others = [one for one in tokens if one != value]
            if len(others) != 1:
                return OpenQuestion(span, f"What should {feature.label} become instead of {value}?")
            value = others[0]
        return Change(feature.token, None, value)

    def _by_number(self, span: SpanDecision, feature: Feature, relation: str) -> Change | OpenQuestion:
        numbers = [token for token in span.numbers if token.kind is TokenKind.NUMBER]
        direction = relation.removesuffix(" percent")
        if feature.kind is FeatureKind.DATE and direction not in ("increase", "decrease"):
            dates = [token.text for token in span.numbers if token.kind is TokenKind.DATE]
            return (
                Change(feature.token, ChangeKind.SET, dates[0])
                if dates
                else OpenQuestion(span, f"Which {feature.label} is it?")
            )
        if not numbers:
            return self._without_number(span, feature, direction)
        token = numbers[-1]
        direction = _signed(span, token, feature) or direction
        if direction in ("increase", "set") and token.value > 1 and TIMES & set(span.words[-3:]):
            return Change(feature.token, ChangeKind.INCREASE, _plain(100 * (token.value - 1)), True)
        percent = relation.endswith("percent") or (token.form == "percent" and direction != "set")
        kind = {"increase": ChangeKind.INCREASE, "decrease": ChangeKind.DECREASE}.get(direction, ChangeKind.SET)
        value = token.value if percent else self._value(feature, span, token)
        value = abs(value) if kind is not ChangeKind.SET else value
        return Change(feature.token, kind, _plain(value), percent and kind is not ChangeKind.SET)

    def _without_number(self, span: SpanDecision, feature: Feature, direction: str) -> Change | OpenQuestion:
        for word in span.words:
            if word in FACTORS:
                kind, value, percent = FACTORS[word]
                kind = direction if word in ("half", "quarter") and direction == "increase" else kind
                return Change(feature.token, ChangeKind(kind), value, percent)
        if NOTHING & set(span.words):
            return Change(feature.token, ChangeKind.SET, 0)
        return OpenQuestion(span, f"By how much should {feature.label} change, or what should it become?")

    def assignment(self, span: SpanDecision, item: SchemaItem, relation: str) -> tuple[str, float | str] | OpenQuestion:
        """One part of a made-up case."""
        feature = item.feature
        if feature is None:
            return OpenQuestion(span, f'Which column does "{span.text}" belong to?')
        if item.kind is SchemaItemKind.VALUE:
            return feature.token, item.value
        if feature.kind is FeatureKind.BOOLEAN:
            return feature.token, "false" if relation == "not" or NOTHING & set(span.words) else "true"
        dates = [token.text for token in span.numbers if token.kind is TokenKind.DATE]
        if feature.kind is FeatureKind.DATE:
            return (feature.token, dates[0]) if dates else OpenQuestion(span, f"Which {feature.label} is it?")
        numbers = [token for token in span.numbers if token.kind is TokenKind.NUMBER]
        if feature.kind is FeatureKind.CATEGORICAL:
            return OpenQuestion(span, f"Which {feature.label} is it?")
        if numbers:
            return feature.token, _plain(self._value(feature, span, numbers[-1]))
        return (feature.token, 0) if NOTHING & set(span.words) else OpenQuestion(span, f"How much {feature.label} is it?")


def _signed(span: SpanDecision, token: UtteranceToken, feature: Feature) -> str:
    """The direction in which a sign right before a number moves a column that has no values below zero: "BMI minus 5"."""
    before = next((one.text for one in reversed(span.tokens) if one.end <= token.start), "")
    if feature.low is None or feature.low < 0 or span.tokens[0].start == token.start:
        return ""
    return "decrease" if before == "minus" or token.value < 0 else "increase" if before in ("plus", "+") else ""


def _scale(span: SpanDecision, token: UtteranceToken) -> float:
    """A million, where the word after a number says so."""
    after = next((one.text for one in span.tokens if one.start >= token.end), "")
    return 1e6 if after in MILLIONS else 1.0


def _category(feature: Feature, value: str, negated: bool) -> Condition:
    if negated and feature.kind is FeatureKind.BOOLEAN:
        return CategoricalCondition(feature.token, "false" if value == "true" else "true")
    others = [token for token in map(feature.value_token, feature.values) if token != value]
    if negated and len(others) == 1 and len(feature.values) == 2:
        return CategoricalCondition(feature.token, others[0])
    return CategoricalCondition(feature.token, value, negated)


def _numeric(token: str, relation: str, values: Sequence[float], decade: bool) -> list[Condition]:
    if decade and relation in ("is", "equal", "between"):
        return [
            NumericCondition(token, Comparator.GREATER_EQUAL, _plain(values[0])),
            NumericCondition(token, Comparator.LESS, _plain(values[0] + 10)),
        ]
    return [NumericCondition(token, comparator, _plain(value)) for comparator, value in _bounds(relation, values)]


def _bounds(relation: str, values: Sequence[float]) -> list[tuple[Comparator, float]]:
    if relation == "between" and len(values) >= 2:
        low, high = sorted(values[:2])
        return [(Comparator.GREATER_EQUAL, low), (Comparator.LESS_EQUAL, high)]
    return [(COMPARATORS.get(relation, Comparator.EQUAL), values[0])]


def _dates(span: SpanDecision, feature: Feature, relation: str) -> list[Condition] | OpenQuestion:
    """Days as they are; a month or year from its first day to before the first of the next."""
    dates = [token for token in with_dates(span.tokens) if token.kind is TokenKind.DATE]
    if not dates:
        years = [token for token in span.numbers if token.kind is TokenKind.NUMBER and 1000 <= token.value <= 2999]
        dates = [year_token(token) for token in years]
    if not dates:
        return OpenQuestion(span, f"Which {feature.label} do you mean?")
    bounds = _bounds(relation, [0.0] * len(dates))
    both = relation in ("between", "is", "equal", "set") and (len(bounds) > 1 or dates[0].form == "period")
    if both:
        return [NumericCondition(feature.token, Comparator.GREATER_EQUAL, dates[0].text), _until(feature, dates[-1])]
    first, comparator = dates[0], bounds[0][0]
    if first.form == "period" and comparator is Comparator.GREATER:
        return [NumericCondition(feature.token, Comparator.GREATER_EQUAL, first.raw)]
    if comparator is Comparator.LESS_EQUAL:
        return [_until(feature, first)]
    return [NumericCondition(feature.token, comparator, first.text)]


def _until(feature: Feature, token: UtteranceToken) -> Condition:
    """Up to a day, or to the end of a month or year."""
    if token.form == "period":
        return NumericCondition(feature.token, Comparator.LESS, token.raw)
    return NumericCondition(feature.token, Comparator.LESS_EQUAL, token.text)


def _share(token: UtteranceToken) -> float:
    """A probability from 0 to 1, also where it was given in percent."""
    return token.value / 100 if token.form == "percent" or token.value > 1 else token.value


def _plain(value: float) -> float:
    return float(re.sub(r"\.0$", "", number_text(value)))
