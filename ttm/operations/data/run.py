"""The rows themselves: how many, their values, their true outcomes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.parse import CountData, Label, Show
from ttm.operations.column_summary import NumberSummary, class_counts, shares_of, summarise
from ttm.operations.results import Result
from ttm.operations.rows.context import Context

ROWS_SHOWN = 20
MOST_SHOWN = 200  # of `show K`


@dataclass(frozen=True)
class RowCount(Result):
    """`share` is `count` as a share of all rows, 0 to 1."""

    count: int
    share: float


@dataclass(frozen=True)
class ShownRows(Result):
    """Some of the rows: `rows` (up to 20, features) are those from place `first` (from 0) of `count` on, ids as index.

    `original` is the same before the changes, and `outcomes` the true class names or values, None where unknown; both are
    None where there is no such thing.
    """

    first: int
    count: int
    rows: pd.DataFrame
    original: pd.DataFrame | None
    outcomes: tuple[Any, ...] | None

    @property
    def left(self) -> int:
        """How many rows come after these."""
        return self.count - self.first - len(self.rows)


@dataclass(frozen=True)
class TrueClass(Result):
    """The true class of one row, and its id."""

    id: Any
    label: str


@dataclass(frozen=True)
class TrueValue(Result):
    """The true value of one row for a regression target, and its id."""

    id: Any
    value: float


@dataclass(frozen=True)
class TrueClasses(Result):
    """How many of the rows truly belong to each class; shares are of the rows with a known label."""

    counts: dict[str, int]
    shares: dict[str, float]
    unlabelled: int


@dataclass(frozen=True)
class TrueValues(Result):
    """The true values of several rows for a regression target."""

    summary: NumberSummary


def count(step: CountData, context: Context) -> RowCount:
    group = context.group
    return RowCount("countdata", group, group.rows, group.rows / group.total if group.total else 0.0)


def show(step: Show, context: Context) -> ShownRows:
    if step.count is None:
        return _page(context, "show", 0, ROWS_SHOWN)
    return _page(context, f"show {step.count}", 0, min(step.count, MOST_SHOWN))


def next_page(last: ShownRows, context: Context) -> ShownRows:
    """The rows after those of `last`, which were taken from the same group."""
    return _page(context, "show", last.first + len(last.rows), ROWS_SHOWN)


def _page(context: Context, operation: str, first: int, most: int) -> ShownRows:
    rows = context.rows
    page = slice(first, first + most)
    if rows.is_made_up:
        return ShownRows(operation, context.group, 0, 1, rows.frame, rows.original if rows.is_changed else None, None)
    positions = rows.positions[page]
    frame = rows.table.iloc[positions]
    original = rows.original_table.iloc[positions] if rows.is_changed else None
    return ShownRows(operation, context.group, first, len(rows), frame, original, _outcomes(context, page))


def _outcomes(context: Context, page: slice) -> tuple[Any, ...] | None:
    labels, target = context.rows.labels, context.schema.target
    if labels is None:
        return None
    known = context.rows.labelled[page]
    values = labels[page].tolist()
    named = [target.classes[int(value)] for value in np.maximum(labels[page], 0)] if target.classes else values
    return tuple(value if is_known else None for value, is_known in zip(named, known, strict=True))


def label(step: Label, context: Context) -> Result:
    labels, target = labelled(context), context.schema.target
    known = context.rows.labelled
    if context.is_single:
        id = context.group.ids[0]
        if target.is_classification:
            return TrueClass("label", context.group, id, target.classes[int(labels[0])])
        return TrueValue("label", context.group, id, float(labels[0]))
    if not target.is_classification:
        return TrueValues("label", context.group, summarise(labels))
    counts = class_counts(labels[known], context.schema)
    return TrueClasses("label", context.group, counts, shares_of(counts), int((~known).sum()))


def labelled(context: Context) -> np.ndarray:
    """The labels (m,) of the rows. Raises ExecutionError where none of them is known."""
    labels = context.rows.labels
    if context.rows.is_made_up:
        raise ExecutionError("A made-up case has no true outcome; only the model's prediction can be asked for.")
    if labels is None:
        raise ExecutionError("This data set holds no true outcomes, only what the model predicts.")
    if not context.rows.labelled.any():
        raise ExecutionError(f"No true outcome is known for {context.group.words}.")
    return labels


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    CountData: count,
    Show: show,
    Label: label,
}
