"""Writes parses for a data set: every form of the parse language, with values drawn from the data and some impossible.

The text is put together by hand rather than from syntax trees, so that what is generated does not depend on the code that
reads and writes parses. A case is a conversation: one parse a turn, the last of which is the one of interest.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import pandas as pd

from ttm.language.parse import METRICS
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

COMPARATORS = ("greater than", "less than", "greater equal than", "less equal than", "equal to", "not equal to")
PLAIN = ("predict", "likelihood", "show", "show 3", "label", "countdata", "mistake sample", "mistake count")
Case = tuple[str, ...]


@dataclass(frozen=True)
class Generator:
    """Draws from one data set: `frame` (n, features) has the ids as index. All randomness comes from `random`."""

    schema: Schema
    frame: pd.DataFrame
    random: random.Random

    # --- conditions --------------------------------------------------------------------------------------------------

    def every_condition(self) -> Iterator[str]:
        """Each form of filter, once with a value of the data and, where there is one, with an impossible value."""
        for number, feature in enumerate(_some_of_each_kind(self.schema)):
            if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
                for comparator in COMPARATORS:
                    yield f"filter {feature.token} {comparator} {self._value(feature)}"
                impossible = "1066-10-14" if feature.kind is FeatureKind.DATE else ("100000", "-100000", "0.12345")[number % 3]
                yield f"filter {feature.token} equal to {impossible}"
                yield f"filter {feature.token} less than {impossible}"
            else:
                yield f"filter {feature.token} {self._value(feature)}"
                yield f"filter {feature.token} not {self._value(feature)}"
            yield f"filter {feature.token} missing"
            yield f"filter {feature.token} present"
        yield f"filter id {self._id()}"
        yield "filter id 987654"
        yield from self._every_outcome_condition()
        yield "previousfilter"

    def _every_outcome_condition(self) -> Iterator[str]:
        target = self.schema.target
        for word in ("labelfilter", "predictionfilter"):
            if not target.is_classification:
                for comparator in COMPARATORS:
                    yield f"{word} {comparator} {self._target_value()}"
                yield f"{word} greater than 100000000"
        for number in range(len(target.classes)):
            yield f"labelfilter {number}"
            yield f"predictionfilter {number}"
            for comparator in COMPARATORS:
                yield f"probabilityfilter {number} {comparator} {self.random.choice((0.2, 0.5, 0.75))}"
            yield f"probabilityfilter {number} greater than 1"

    def condition(self) -> str:
        """One condition that is not too narrow, so that a few of them still leave rows."""
        if self.random.random() < 0.25 and self.schema.target.is_classification:
            number = self.random.randrange(len(self.schema.target.classes))
            return self.random.choice(
                (f"labelfilter {number}", f"predictionfilter {number}", f"probabilityfilter {number} greater than 0.3")
            )
        feature = self._feature()
        if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
            if self.random.random() < 0.1:
                return f"filter {feature.token} {self.random.choice(('present', 'missing'))}"
            return f"filter {feature.token} {self.random.choice(COMPARATORS[:4])} {self._value(feature)}"
        negation = self.random.choice(("", "", "not "))
        return f"filter {feature.token} {negation}{self._value(feature)}"

    def run(self, most: int = 3) -> str:
        """A run of filters, joined by `and` and `or`."""
        text = self.condition()
        for _ in range(self.random.randrange(most)):
            text += f" {self.random.choice(('and', 'or'))} {self.condition()}"
        return text

    def versus(self) -> str:
        return " versus ".join(self.run(2) for _ in range(self.random.choice((2, 2, 3))))

    def one_row(self) -> str:
        return f"filter id {self._id()}"

    def few(self) -> str:
        """A condition that about one row in thirty satisfies."""
        feature = next(feature for feature in self.schema.features if feature.kind is FeatureKind.NUMERIC)
        return f"filter {feature.token} greater than {_plain(self.frame[feature.name].quantile(0.97).round(2))}"

    def nobody(self) -> str:
        """A condition that no row satisfies."""
        feature = next(feature for feature in self.schema.features if feature.kind is FeatureKind.NUMERIC)
        return f"filter {feature.token} less than -100000"

    # --- changes and made-up rows ------------------------------------------------------------------------------------

    def every_change(self) -> Iterator[str]:
        for feature in _some_of_each_kind(self.schema):
            if feature.kind is FeatureKind.NUMERIC:
                step = _plain(round((float(feature.high or 1) - float(feature.low or 0)) / 7, feature.precision) or 1)
                yield f"change {feature.token} increase {step}"
                yield f"change {feature.token} decrease {step}"
                yield f"change {feature.token} set {self._value(feature)}"
                yield f"change {feature.token} increase 10 percent"
                yield f"change {feature.token} decrease 25 percent"
                yield f"change {feature.token} set 50 percent"
                yield f"change {feature.token} set 400000"
            elif feature.kind is FeatureKind.DATE:
                yield f"change {feature.token} increase 30"
                yield f"change {feature.token} decrease 7"
                yield f"change {feature.token} set {self._value(feature)}"
            else:
                for value in feature.values:
                    yield f"change {feature.token} {feature.value_token(value)}"

    def change(self) -> str:
        feature = self._feature()
        if feature.kind is FeatureKind.NUMERIC:
            kind = self.random.choice(("increase", "decrease", "set"))
            if kind != "set" and self.random.random() < 0.3:
                return f"change {feature.token} {kind} {self.random.choice((5, 12.5, 50))} percent"
            return f"change {feature.token} {kind} {self._value(feature)}"
        if feature.kind is FeatureKind.DATE:
            return f"change {feature.token} set {self._value(feature)}"
        return f"change {feature.token} {self._value(feature)}"

    def instance(self) -> str:
        features = self.random.sample(self.schema.features, min(3, len(self.schema.features)))
        return "instance " + " ".join(f"{feature.token} {self._value(feature)}" for feature in features)

    # --- operations --------------------------------------------------------------------------------------------------

    def every_cheap_operation(self) -> Iterator[str]:
        """Each operation and form of it that only looks at the data and the model's output."""
        yield from (*PLAIN, "threshold")
        target = self.schema.target
        for metric in METRICS:
            if (metric in ("mae", "rmse", "r2")) != target.is_classification or metric == "default":
                yield f"score {metric}"
        yield from ("threshold 0.3", "threshold 0.65", "threshold 1.5")
        yield from ("statistic target", "distribution target", "distribution probability")
        yield from (f"distribution {feature.token}" for feature in self.schema.features[:2])
        for feature in _some_of_each_kind(self.schema):
            yield f"statistic {feature.token}"
            yield f"compare {feature.token}"
            yield f"fairness {feature.token}"
            if target.is_classification:
                yield f"fairness {feature.token} class {self.random.randrange(len(target.classes))}"
            yield f"distribution {feature.token}"
            yield f"correlate {feature.token}"
            yield f"correlate {feature.token} target"
            yield f"correlate {feature.token} {self.random.choice(self.schema.features).token}"
            yield f"{self.random.choice(('highest', 'lowest'))} {self.random.choice((1, 3, 10))} {feature.token}"
        yield from ("highest 5 probability", "lowest 4 probability", "highest 100000 probability")

    def every_talk(self) -> Iterator[str]:
        """Each operation that is about the system, the data set or the model as a whole."""
        yield from ("data", "model", "function", "self", "define target")
        for feature in _some_of_each_kind(self.schema):
            yield f"define {feature.token}"
        yield from ("previousoperation", "followup")

    def every_costly_operation(self) -> Iterator[str]:
        """Each form of the operations that ask the model many times over."""
        one, other = self._two_features()
        yield from (f"effect {one}", "similar 5", "similar 500", "mistake typical")
        yield from ("important all", f"important {one}", "important topk 3", "important topk 1000", "important bottomk 2")
        yield from ("interact", f"interact {one} {other}")
        yield from (f"explain {method}" for method in ("features", "lime", "shap", "compare", "paper"))
        yield from ("explain cfe", "explain cfe 3")
        yield from (f"explain cfe keep {one}", f"explain cfe 2 keep {one} keep {other} most 2", f"explain cfe only {other}",
                    f"explain cfe only {one} only {other} dice", "explain cfe most 1")  # fmt: skip
        numeric = [feature for feature in self.schema.features if feature.kind is FeatureKind.NUMERIC]
        for number, comparator in enumerate(COMPARATORS if numeric else ()):
            feature = numeric[number % len(numeric)]
            yield f"explain cfe within {feature.token} {comparator} {self._value(feature)}"
        if self.schema.target.is_classification:
            for number in range(len(self.schema.target.classes)):
                yield f"explain cfe 2 class {number}"
                yield f"explain cfe class {number}"
        else:
            for number, comparator in enumerate(COMPARATORS):
                yield f"explain cfe {'' if number % 2 else '2 '}{comparator} {self._target_value()}"

    def _two_features(self) -> tuple[str, str]:
        one, other = self.random.sample(self.schema.features, 2)
        return one.token, other.token

    def _feature(self) -> Feature:
        """Any feature, though the kinds are equally likely however many yes/no columns there are."""
        kind = self.random.choice(list(dict.fromkeys(feature.kind for feature in self.schema.features)))
        return self.random.choice([feature for feature in self.schema.features if feature.kind is kind])

    # --- values ------------------------------------------------------------------------------------------------------

    def _value(self, feature: Feature) -> str:
        known = self.frame[feature.name].dropna()
        value = known.iloc[self.random.randrange(len(known))]
        if feature.kind is FeatureKind.DATE:
            return str(pd.Timestamp(value).date())
        return _plain(float(value)) if feature.kind is FeatureKind.NUMERIC else feature.value_token(value)

    def _id(self) -> str:
        return str(self.frame.index[self.random.randrange(len(self.frame))])

    def _target_value(self) -> str:
        low, high = self.schema.target.low or 0.0, self.schema.target.high or 1.0
        return _plain(round(low + (high - low) * self.random.uniform(0.2, 0.8), 3))


SEED = 20240229


def cheap_cases(schema: Schema, frame: pd.DataFrame, seed: int) -> list[Case]:
    """Several hundred conversations over everything whose answer follows from the data and the model's output."""
    make = Generator(schema, frame, random.Random(seed))
    operations = _shuffled(make, [*make.every_cheap_operation(), *PLAIN, *PLAIN, *PLAIN])
    conditions = _shuffled(make, [*make.every_condition()])
    changes = _shuffled(make, [*make.every_change()])
    cases: list[Case] = [("",), *_each(make.every_talk()), *_each(operations)]
    cases += _each(f"{condition} and {op}" for condition, op in _paired(conditions, operations))
    cases += _each(f"{change} and {op}" for change, op in _paired(changes, operations))
    cases += _each(f"{make.one_row()} and {op}" for op in operations)
    cases += _each(f"{make.run()} and {op}" for op in operations)
    cases += _each(f"{make.one_row()} and {make.change()} and {op}" for op in _every(2, operations))
    cases += _each(f"{make.run()} and {make.change()} and {op}" for op in _every(2, operations))
    cases += _each(f"{make.versus()} and {op}" for op in _every(3, operations))
    cases += _each(f"{make.nobody()} and {op}" for op in _every(4, operations))
    cases += _each(f"{make.instance()} and {op}" for op in _every(4, operations))
    cases += _each(f"{make.instance()} and {make.instance()} and {op}" for op in ("predict", "likelihood", "show"))
    cases += _each(f"{make.instance()} and {make.change()} and {op}" for op in ("predict", "likelihood", "show"))
    cases += _each([f"{make.instance()} and {make.run()} and predict", make.instance()])
    cases += _each(conditions[:6])
    cases += _each(changes[:4])
    cases += _each(_mixed(make, operations) for _ in range(40))
    cases += [_conversation(make, operations) for _ in range(40)]
    for op in ("highest 5 target", "lowest 3 target"):
        parts = (make.run(), make.one_row(), make.change(), make.nobody(), make.instance())
        cases += _each([op, *(f"{part} and {op}" for part in parts)])
    return _distinct(cases)


def costly_cases(schema: Schema, frame: pd.DataFrame, seed: int) -> list[Case]:
    """A few dozen conversations over explanations; each form on one row, some on groups, changed and made-up rows.

    What is asked of many rows takes long, so most groups are small and the same row is asked about more than once.
    """
    make = Generator(schema, frame, random.Random(seed))
    operations = [*make.every_costly_operation()]
    about_one = [op for op in operations if op.startswith(("explain", "similar"))]
    about_many = [op for op in operations if not op.startswith(("explain cfe", "similar"))]
    rows, few = [make.one_row() for _ in range(3)], make.few()
    cases = _each(f"{rows[number % 3]} and {op}" for number, op in enumerate(operations))
    cases += _each(f"{few} and {op}" for op in about_many)
    cases += _each(["mistake typical", "interact", f"{make.run()} and mistake typical", f"{make.run()} and important topk 2"])
    cases += _each(f"{make.one_row()} and {make.change()} and {op}" for op in _every(3, about_one))
    cases += _each(f"{make.instance()} and {op}" for op in _every(3, about_one[1:]))
    cases += _each(f"{make.nobody()} and {op}" for op in _every(3, operations))
    cases += _each([f"{few} and explain cfe", f"{few} and similar 3", f"{rows[0]} versus {few} and important topk 2"])
    row = rows[0]
    cases += [
        (f"{row} and explain features", "previousfilter and explain cfe 2", "followup"),
        (f"{row} and explain cfe", "previousfilter and previousoperation", "followup"),
    ]
    return _distinct(cases)


def _mixed(make: Generator, operations: Sequence[str]) -> str:
    """Runs, changes, thresholds and operations in any order: what comes later is about the rows then left."""
    draw = make.random
    parts: list[tuple[str, Callable[[], str]]] = [
        ("and", make.run), ("or", make.run), ("and", make.change), ("and", lambda: draw.choice(operations)),
        ("and", lambda: draw.choice(("threshold 0.3", "threshold 0.65", "predict", "likelihood", "score default"))),
    ]  # fmt: skip
    text = make.run(4)
    for _ in range(draw.randrange(2, 6)):
        joiner, part = draw.choice(parts)
        text += f" {joiner} {part()}"
    return f"{text} and {draw.choice(('predict', 'likelihood', 'countdata', draw.choice(operations)))}"


def _conversation(make: Generator, operations: Sequence[str]) -> Case:
    """Two to four turns that lean on one another."""
    draw = make.random
    first = draw.choice((make.run, make.run, make.one_row, make.versus))()
    first += f" and {make.change()}" if draw.random() < 0.4 else ""
    turns = [f"{first} and {draw.choice(operations)}"]
    forms: tuple[Callable[[], str], ...] = (
        lambda: f"previousfilter and {draw.choice(operations)}",
        lambda: f"previousfilter and {make.run(2)} and {draw.choice(operations)}",
        lambda: f"previousfilter or {make.condition()} and {draw.choice(operations)}",
        lambda: f"{make.condition()} or previousfilter and {make.condition()} and {draw.choice(operations)}",
        lambda: f"previousfilter and {make.change()} and {draw.choice(operations)}",
        lambda: f"{make.run()} and previousoperation",
        lambda: "previousfilter and previousoperation",
        lambda: "previousoperation",
        lambda: f"{draw.choice(operations)}",
    )
    turns += [draw.choice(forms)() for _ in range(draw.choice((1, 1, 2, 3)))]
    return tuple(turns)


def _some_of_each_kind(schema: Schema, most: int = 4) -> list[Feature]:
    """Up to `most` features a kind: enough for every form, without hundreds of 0/1 columns."""
    return [feature for kind in FeatureKind for feature in islice((f for f in schema.features if f.kind is kind), most)]


def _shuffled(make: Generator, texts: list[str]) -> list[str]:
    return make.random.sample(texts, len(texts))


def _paired(texts: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((text, others[number % len(others)]) for number, text in enumerate(texts))


def _every(step: int, texts: Sequence[str]) -> Sequence[str]:
    return texts[::step]


def _each(texts: Iterator[str] | Sequence[str]) -> list[Case]:
    return [(text,) for text in texts]


def _distinct(cases: list[Case]) -> list[Case]:
    return list(dict.fromkeys(tuple(f"{turn} [e]".strip() for turn in case) for case in cases))


def _plain(number: float) -> str:
    """A number without exponent and trailing zeros, as the parse language wants it."""
    return str(int(number)) if float(number).is_integer() else f"{number:.10f}".rstrip("0")
