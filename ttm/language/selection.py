"""Which rows, and what is changed in them: conditions, selections, made-up rows and what-ifs, with their surface.

Feature names and categorical values are kept as their tokens, so a parse can be written back without knowing the data set.

Source: TalkToModel, Table 1 and appendix A.2; what the paper lacks is marked "ours".
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from ttm.language.operation_form import OperationNode


class Comparator(StrEnum):
    GREATER = "greater than"
    LESS = "less than"
    GREATER_EQUAL = "greater equal than"
    LESS_EQUAL = "less equal than"
    EQUAL = "equal to"
    NOT_EQUAL = "not equal to"


class Joiner(StrEnum):
    AND = "and"
    OR = "or"
    VERSUS = "versus"


# --- conditions: what a row must satisfy ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class NumericCondition:
    """`filter age greater than 30`; a date feature takes ISO dates, kept as text in `value`."""

    feature: str
    comparator: Comparator
    value: float | str


@dataclass(frozen=True)
class CategoricalCondition:
    """`filter felony true`, `filter purpose car`; `negated` (ours): `filter purpose not car`."""

    feature: str
    value: str
    negated: bool = False


@dataclass(frozen=True)
class MissingCondition:
    """`filter insulin missing` or `filter insulin present` (ours)."""

    feature: str
    missing: bool


@dataclass(frozen=True)
class IdCondition:
    """`filter id 100`: one instance."""

    id: str


@dataclass(frozen=True)
class LabelCondition:
    """`labelfilter 1`: the true class. For regression `labelfilter greater than 20` (ours)."""

    value: int | float
    comparator: Comparator | None = None


@dataclass(frozen=True)
class PredictionCondition:
    """`predictionfilter 0`: the predicted class. For regression `predictionfilter less than 20` (ours)."""

    value: int | float
    comparator: Comparator | None = None


@dataclass(frozen=True)
class ProbabilityCondition:
    """`probabilityfilter 1 greater than 0.7` (ours): the predicted probability, 0 to 1, of a class."""

    class_number: int
    comparator: Comparator
    value: float


@dataclass(frozen=True)
class PreviousFilter:
    """`previousfilter`: the filters and changes of the last turn that had any."""


Condition = (
    NumericCondition
    | CategoricalCondition
    | MissingCondition
    | IdCondition
    | LabelCondition
    | PredictionCondition
    | ProbabilityCondition
    | PreviousFilter
)

Expression = tuple[tuple[Condition, ...], ...]  # alternatives (or) of conjunctions (and): `and` binds tighter


# --- steps ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Selection:
    """A run of filters. More than one group (ours): `filter woman true versus filter woman false and likelihood`.

    `joiner` says how the run relates to the rows that earlier steps left: `and` narrows them, `or` adds to them.
    """

    groups: tuple[Expression, ...]
    joiner: Joiner = Joiner.AND


@dataclass(frozen=True)
class Instance:
    """`instance age 45 bmi 31` (ours): one made-up row; features that are not named take a typical value."""

    values: tuple[tuple[str, float | str], ...]


class ChangeKind(StrEnum):
    INCREASE = "increase"
    DECREASE = "decrease"
    SET = "set"


@dataclass(frozen=True)
class Change(OperationNode):
    """`change age increase 5`, `change felony true`; `percent` (ours): `change bmi decrease 10 percent`.

    `kind` is None for a categorical or boolean feature, whose surface is the value alone.
    """

    feature: str
    kind: ChangeKind | None
    value: float | str
    percent: bool = False


def number_text(value: float | str) -> str:
    """A number as the parse language writes it: no exponent, no trailing zeros."""
    if isinstance(value, str):
        return value
    return str(int(value)) if float(value).is_integer() else format(Decimal(repr(float(value))), "f")


def _outcome(word: str, node: LabelCondition | PredictionCondition) -> str:
    if node.comparator is None:
        return f"{word} {node.value}"
    return f"{word} {node.comparator} {number_text(node.value)}"


def _change(node: Change) -> str:
    if node.kind is None:
        return f"change {node.feature} {node.value}"
    return f"change {node.feature} {node.kind} {number_text(node.value)}{' percent' if node.percent else ''}"


SURFACES: dict[type, Callable[[Any], str]] = {
    NumericCondition: lambda n: f"filter {n.feature} {n.comparator} {number_text(n.value)}",
    CategoricalCondition: lambda n: f"filter {n.feature} {'not ' if n.negated else ''}{n.value}",
    MissingCondition: lambda n: f"filter {n.feature} {'missing' if n.missing else 'present'}",
    IdCondition: lambda n: f"filter id {n.id}",
    LabelCondition: lambda n: _outcome("labelfilter", n),
    PredictionCondition: lambda n: _outcome("predictionfilter", n),
    ProbabilityCondition: lambda n: f"probabilityfilter {n.class_number} {n.comparator} {number_text(n.value)}",
    PreviousFilter: lambda n: "previousfilter",
    Instance: lambda n: "instance " + " ".join(f"{name} {number_text(value)}" for name, value in n.values),
    Change: _change,
}
