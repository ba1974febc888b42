"""How far predictions lie from the truth: of a quantity by its residual, of a class by how unlikely the true one was found."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttm.language.operations.scores import Residuals
from ttm.language.parse import surface
from ttm.operations.column_summary import NumberSummary, summarise
from ttm.operations.data.run import labelled
from ttm.operations.exploration.run import RankedRow
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.operations.scores.metrics import Array

MOST_POINTS = 1_000


@dataclass(frozen=True)
class LargestResiduals(Result):
    """The rows whose predictions are farthest from the truth, the farthest first; `value` of each is its residual.

    For a quantity the residual is truth minus prediction, ranked by its size; for classes 1 minus the predicted probability of
    the true class. `rows_known` rows have a known outcome. `side` is "over" where only rows are ranked whose
    prediction is above the truth, "under" below it, otherwise "".
    """

    rows: tuple[RankedRow, ...]
    rows_known: int
    side: str = ""


@dataclass(frozen=True)
class ResidualPlot(Result):
    """The residuals of the rows with a known outcome, as in `LargestResiduals`.

    `predicted`, `residuals` and `truth` (class names, or empty for a quantity) are points, at most MOST_POINTS of them drawn at
    random; `trend` is Pearson's r of the size of the residuals with the prediction, None for classes or without spread.
    """

    predicted: tuple[float, ...]
    residuals: tuple[float, ...]
    truth: tuple[str, ...]
    summary: NumberSummary
    trend: float | None


def residuals(step: Residuals, context: Context) -> Result:
    labels, known = labelled(context), context.rows.labelled
    values = np.full(len(labels), np.nan)
    if context.schema.target.is_classification:
        rows = np.flatnonzero(known)
        values[known] = 1 - context.probabilities[rows, labels[known].astype(int)]
    else:
        values[known] = labels[known] - context.predictions[known]
    if step.count is None:
        return _plot(step, context, values[known], labels[known])
    listed = np.flatnonzero(known & (values != 0) & ((values < 0) == (step.side == "over")) if step.side else known)
    order = listed[np.argsort(-np.abs(values[listed]), kind="stable")][: step.count]
    largest = tuple(_row(int(index), float(values[index]), labels, context) for index in order)
    return LargestResiduals(surface(step), context.group, largest, int(known.sum()), step.side)


def _row(index: int, value: float, labels: Array, context: Context) -> RankedRow:
    classes = context.schema.target.classes
    id = context.rows.table.index[context.rows.positions[index]]
    label = classes[int(labels[index])] if classes else float(labels[index])
    prediction = classes[int(context.predictions[index])] if classes else None
    return RankedRow(id, value, prediction, float(context.outputs[index]), label)


def _plot(step: Residuals, context: Context, values: Array, labels: Array) -> ResidualPlot:
    classes, outputs = context.schema.target.classes, context.outputs[context.rows.labelled]
    shown = np.arange(len(values))
    if len(values) > MOST_POINTS:
        shown = np.sort(np.random.default_rng(context.seed).choice(len(values), MOST_POINTS, replace=False))
    trend = None
    if not classes and len(values) > 2 and np.ptp(outputs) > 0 and np.ptp(np.abs(values)) > 0:
        trend = float(np.corrcoef(outputs, np.abs(values))[0, 1])
    truth = tuple(classes[int(labels[index])] for index in shown) if classes else ()
    return ResidualPlot(
        surface(step), context.group, tuple(outputs[shown].tolist()), tuple(values[shown].tolist()), truth, summarise(values),
        trend,
    )  # fmt: skip


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Residuals: residuals}
