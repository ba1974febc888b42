"""What a search for counterfactuals returns, and which of many are taken."""

from dataclasses import dataclass
from typing import Any

from ttm.explain.attribution import Vector
from ttm.explain.counterfactuals.goal import Goal

LASTING = 0.8  # share of slightly different rows that have to be predicted as wanted


@dataclass(frozen=True)
class Changed:
    """One feature of a counterfactual: its value before and after, as in the data."""

    feature: str
    before: Any
    after: Any


@dataclass(frozen=True)
class CounterfactualRow:
    """A row that is predicted as wanted.

    `values` are all its features by name, as in the data. `outputs` (k,) are its class probabilities, or the predicted value
    alone. `cost` adds up standard deviations of change, 1 for another category and 1/2 for each change. `source` is "DiCE" or
    "search". `holds` is the share of slightly different rows (each measure moved by 0.05 standard deviations of noise) that are
    predicted as wanted too.
    """

    changes: tuple[Changed, ...]
    values: dict[str, Any]
    outputs: Vector
    cost: float
    source: str
    holds: float


@dataclass(frozen=True)
class Counterfactuals:
    """Counterfactuals of one row, cheapest first; if there are fewer than asked for, `reason` says why.

    `outputs` (k,) is what the model says of the row as it is. `already` tells that the row is predicted as wanted.
    """

    rows: tuple[CounterfactualRow, ...]
    goal: Goal
    outputs: Vector
    already: bool
    reason: str
    rows_evaluated: int


@dataclass(frozen=True)
class CommonStep:
    """What all rows do with one feature: move by `shift` (dates in days), or take the value with the number `value`."""

    feature: str
    shift: float | None
    value: float | None


@dataclass(frozen=True)
class CommonChange:
    """The smallest change that, made to all `rows` alike, turns at least 80 % of them; or else the one that turns most.

    `turned` rows are then predicted as wanted. `cost` adds up standard deviations, 1 for another value and 1/2 for each change.
    """

    steps: tuple[CommonStep, ...]
    cost: float
    turned: int
    rows: int


@dataclass(frozen=True)
class Flips:
    """What most often flips the prediction over a group.

    `features` are the feature names, with in how many of the `flipped` rows each belongs to the cheapest counterfactual
    (`counts`), and the median change where it is a measure (`median_change`, NaN otherwise). `rows` of `total` rows were
    searched, `already` of them are predicted as wanted. `common` is what turns most of them alike; None where nothing does, and
    for quantities of which no range is wanted.
    """

    features: tuple[str, ...]
    counts: tuple[int, ...]
    median_change: tuple[float, ...]
    alone: tuple[int, ...]
    rows: int
    total: int
    flipped: int
    already: int
    common: CommonChange | None = None


def steadiest(rows: list[CounterfactualRow]) -> list[CounterfactualRow]:
    """Those that last, cheapest first; where none does, all of them from the one on that lasts best, to a tenth."""
    lasting = [row for row in rows if row.holds >= LASTING]
    return sorted(lasting or rows, key=lambda row: (0 if lasting else -round(row.holds, 1), row.cost, _names(row)))


def _names(row: CounterfactualRow) -> list[str]:
    return [change.feature for change in row.changes]


def different(rows: list[CounterfactualRow], count: int) -> list[CounterfactualRow]:
    """The cheapest ones that change different sets of features."""
    chosen: dict[frozenset[str], CounterfactualRow] = {}
    for one in rows:
        chosen.setdefault(frozenset(change.feature for change in one.changes), one)
    return list(chosen.values())[:count]
