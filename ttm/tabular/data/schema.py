"""What is known about a data set without its rows: features, target and how people name them.

The schema is what the grammar, the parsers and the words of an answer are made from; it holds no data.
"""

import itertools
import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

FIRST_YEAR, LAST_YEAR = 1000, 2999
YEAR_WORDS = frozenset({"year", "yr", "jahr", "baujahr", "jahrgang", "geburtsjahr", "année", "año"})


class FeatureKind(StrEnum):
    """How a feature is compared and shown."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    BOOLEAN = "boolean"  # two values that read as yes and no: 0/1 or False/True
    DATE = "date"


class Direction(StrEnum):
    """Which way a person could change a feature; used by counterfactuals."""

    ANY = "any"
    INCREASE = "increase"
    DECREASE = "decrease"


@dataclass(frozen=True)
class Feature:
    """One column that the model reads.

    `name` is the column as it stands in the CSV, `token` its form in the parse language. `values` are the distinct values
    of a categorical or boolean feature as they stand in the data (for a boolean the false one first), empty otherwise.
    `low` and `high` are the smallest and largest observed values (dates as ordinal days), None for a categorical feature.
    `precision` is the number of decimals to show. `inferred` names the properties that nobody stated. `alias` is what the
    feature is called where its own name reads like that of another column; it is no part of what the feature is.
    """

    name: str
    token: str
    kind: FeatureKind
    values: tuple[object, ...] = ()
    low: float | None = None
    high: float | None = None
    definition: str = ""
    unit: str = ""
    synonyms: tuple[str, ...] = ()
    precision: int = 0
    mutable: bool = True
    range: tuple[float, float] | None = None
    direction: Direction = Direction.ANY
    inferred: frozenset[str] = frozenset()
    alias: str = field(default="", repr=False)

    @property
    def label(self) -> str:
        """The name as it reads in a sentence: `number_of_prior_crimes` becomes `number of prior crimes`."""
        return self.alias or readable(self.name)

    @property
    def is_year(self) -> bool:
        """Whether the values are calendar years, which nobody writes with a mark between thousands."""
        if self.kind is not FeatureKind.NUMERIC or self.precision or self.low is None or self.high is None:
            return False
        return self.low >= FIRST_YEAR and self.high <= LAST_YEAR and not YEAR_WORDS.isdisjoint(self.label.lower().split())

    def value_token(self, value: object) -> str:
        """The surface of one of `values` in the parse language (docs/parse-language.md: `true`/`false` for a 0/1 column)."""
        if self.kind is FeatureKind.BOOLEAN:
            return "true" if value == self.values[1] else "false"
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # whole numbers beside missing values are read as floats
        return " ".join(str(value).lower().split())


@dataclass(frozen=True)
class Target:
    """What the model predicts.

    A classifier has `classes` (names) and `class_values` (as they stand in the data), both sorted by value; the index in
    them is the class number of the parse language. A regression target has neither. `model_values` are those of them that a
    model's 0, 1, ... stand for, as texts; empty where nobody stated it.
    """

    name: str
    classes: tuple[str, ...] = ()
    class_values: tuple[object, ...] = ()
    unit: str = ""
    precision: int = 0
    low: float | None = None
    high: float | None = None
    model_values: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name as it reads in a sentence."""
        return readable(self.name)

    @property
    def is_classification(self) -> bool:
        return bool(self.classes)

    @property
    def positive(self) -> int:
        """The class that binary scores are about: the last one."""
        return len(self.classes) - 1


@dataclass(frozen=True)
class Schema:
    """Features and target of a data set, with the words that people use for them.

    `objective` completes the sentence "The model predicts ...". `entity` is the plural noun for rows ("people").
    """

    title: str
    objective: str
    features: tuple[Feature, ...]
    target: Target
    id_name: str | None = None
    entity: str = "instances"
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def by_token(self) -> dict[str, Feature]:
        return {feature.token: feature for feature in self.features}

    @cached_property
    def by_name(self) -> dict[str, Feature]:
        return {feature.name: feature for feature in self.features}


def readable(name: str) -> str:
    """Split a column name into words: `BloodPressure` and `blood_pressure` become `blood pressure`; `BMI` stays."""
    spaced = re.sub(r"[_\-\s.]+", " ", name).strip()
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", spaced)
    spaced = re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", " ", spaced)
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in spaced.split())


def aliases(names: list[str], target: str) -> list[str]:
    """Labels for columns (n,) whose names read like that of an earlier column or of the target, "" for all others.

    They get a number: `Value` and `value ` become "value" and "value 2".
    """
    taken = {readable(name).casefold() for name in (target, *names)}
    seen = {readable(target).casefold()}
    labels = []
    for name in names:
        label = readable(name)
        if label.casefold() not in seen:
            seen.add(label.casefold())
            labels.append("")
            continue
        number = next(count for count in itertools.count(2) if f"{label} {count}".casefold() not in taken)
        taken.add(f"{label} {number}".casefold())
        labels.append(f"{label} {number}")
    return labels


def feature_tokens(names: list[str]) -> list[str]:
    """Parse-language tokens of columns: lower case without `_`, `-` and spaces; made unique by a number at the end.

    Characters other than letters and digits are dropped as well, since they would be operators elsewhere; a name with
    nothing left becomes `feature`. Source: the gold files of TalkToModel.
    """
    tokens: list[str] = []
    for name in names:
        stem = "".join(character for character in name.lower() if character.isalnum()) or "feature"
        token, number = stem, 2
        while token in tokens or token in RESERVED:
            token, number = f"{stem}x{number}", number + 1
        tokens.append(token)
    return tokens


# Words of the parse language that stand where a feature token can stand.
RESERVED = frozenset({"id", "all", "topk", "target", "probability", "and", "or", "versus", "true", "false"})
