"""Looking around in the data: distributions, and the rows at either end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.operations.groups import CERTAINTY, is_certainty
from ttm.language.parse import Distribution, Ranked
from ttm.operations.column_summary import NumberSummary, class_counts, shares_of, summarise
from ttm.operations.data.run import labelled
from ttm.operations.exploration.bin_edges import date_edges, number_edges
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.tabular.data.encoding import days
from ttm.tabular.data.schema import Feature, FeatureKind

TARGET, PROBABILITY = "target", "probability"
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class NumberDistribution(Result):
    """A histogram: counts between consecutive `edges` (dates as ordinal days), in total and by true class name.

    `column` is a feature, the target, or "probability" for the model's output: the probability of class `of_class`, of the
    predicted class where that is None and `is_probability`, or else the predicted value.
    """

    column: str
    is_date: bool
    is_probability: bool
    of_class: str | None
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    by_class: dict[str, tuple[int, ...]]
    summary: NumberSummary


@dataclass(frozen=True)
class CategoryDistribution(Result):
    """Counts by value as it stands in the data, most frequent first, in total and by true class name."""

    column: str
    counts: dict[Any, int]
    shares: dict[Any, float]
    by_class: dict[str, dict[Any, int]]
    missing: int


@dataclass(frozen=True)
class RankedRow:
    """`value` of the column or model output; `output` as in `Context.outputs`."""

    id: Any
    value: Any
    prediction: str | None
    output: float
    label: str | float | None


@dataclass(frozen=True)
class RankedRows(Result):
    """The rows at one end, most extreme first; of rows with equal values those that come first in the data.

    `by` is a column, "target", "probability" for the model's output, or CERTAINTY for the probability of the predicted class
    (least confidence; Lewis and Gale, 1994, "A sequential algorithm for training text classifiers").
    """

    by: str
    lowest: bool
    count: int
    rows: tuple[RankedRow, ...]
    unknown: int


def distribution(step: Distribution, context: Context) -> Result:
    operation, target = f"distribution {step.feature}", context.schema.target
    if step.feature == PROBABILITY:
        return _histogram(operation, context, PROBABILITY, context.outputs, is_probability=target.is_classification)
    if step.feature == TARGET:
        labels = labelled(context)
        if not target.is_classification:
            return _histogram(operation, context, target.name, labels)
        counts = class_counts(labels[context.rows.labelled], context.schema)
        missing = int((~context.rows.labelled).sum())
        return CategoryDistribution(operation, context.group, target.name, counts, shares_of(counts), {}, missing)
    feature = context.schema.by_token[step.feature]
    column = context.rows.column(feature.name)
    if column.isna().all():
        raise ExecutionError(f"No value of {feature.label} is known for {context.group.words}.")
    if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        return _histogram(operation, context, feature.name, numbers_of(column, feature), feature.kind is FeatureKind.DATE)
    return _bars(operation, context, feature, column)


def numbers_of(column: pd.Series, feature: Feature) -> Array:
    """The values (m,) of a numeric feature, or ordinal days of a date; NaN where missing."""
    return days(column) if feature.kind is FeatureKind.DATE else column.to_numpy(dtype=float, na_value=np.nan)


def _histogram(
    operation: str, context: Context, name: str, values: Array, is_date: bool = False, is_probability: bool = False
) -> NumberDistribution:
    known = ~np.isnan(values)
    edges = np.linspace(0, 1, 21) if is_probability else (date_edges if is_date else number_edges)(values[known])
    classes = context.schema.target.classes
    of_class = classes[1] if is_probability and len(classes) == 2 else None
    by_class = {}
    if context.schema.target.is_classification and context.rows.labels is not None:
        for number, label in enumerate(context.schema.target.classes):
            inside = known & (context.rows.labels == number)
            by_class[label] = tuple(np.histogram(values[inside], edges)[0].tolist())
    counts = tuple(np.histogram(values[known], edges)[0].tolist())
    return NumberDistribution(
        operation, context.group, name, is_date, is_probability, of_class, tuple(edges.tolist()), counts, by_class,
        summarise(values),
    )  # fmt: skip


def _bars(operation: str, context: Context, feature: Feature, column: pd.Series) -> CategoryDistribution:
    counts = {value: int(count) for value, count in column.value_counts().items()}
    by_class: dict[str, dict[Any, int]] = {}
    if context.schema.target.is_classification and context.rows.labels is not None:
        for number, label in enumerate(context.schema.target.classes):
            inside = column[context.rows.labels == number].value_counts()
            by_class[label] = {value: int(inside.get(value, 0)) for value in counts}
    missing = int(column.isna().sum())
    return CategoryDistribution(operation, context.group, feature.name, counts, shares_of(counts), by_class, missing)


# --- the ends ------------------------------------------------------------------------------------------------------------


def ranked(step: Ranked, context: Context) -> RankedRows:
    operation = f"{'lowest' if step.lowest else 'highest'} {step.count} {step.by}"
    if step.by == PROBABILITY:
        numbers, name, shown = context.outputs, PROBABILITY, None
    elif is_certainty(step.by, context.schema):
        numbers, name, shown = _certainty(context), CERTAINTY, None
    elif step.by == TARGET:
        if context.schema.target.is_classification:
            raise ExecutionError(f"The classes of {context.schema.target.label} have no order, so none is highest or lowest.")
        numbers, name, shown = labelled(context), TARGET, None
    else:
        feature = context.schema.by_token[step.by]
        if feature.kind in (FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN):
            raise ExecutionError(f"The values of {feature.label} have no order, so none of them is highest or lowest.")
        shown = context.rows.column(feature.name)
        numbers, name = numbers_of(shown, feature), feature.name
    known = np.flatnonzero(~np.isnan(numbers))
    order = known[np.argsort(numbers[known] if step.lowest else -numbers[known], kind="stable")][: step.count]
    rows = tuple(_ranked_row(index, numbers if shown is None else shown.to_numpy(), context) for index in order)
    unknown = len(numbers) - len(known)
    return RankedRows(operation, context.group, name, step.lowest, step.count, rows, unknown)


def _certainty(context: Context) -> Array:
    """The probability (m,) of the likeliest class of each row."""
    if context.threshold is not None:
        raise ExecutionError(
            f"How sure the model is of a class is about the likeliest one, but with a decision threshold of "
            f"{context.threshold:g} another one may be predicted. Ask without the threshold."
        )
    return np.asarray(context.probabilities.max(axis=1))


def _ranked_row(index: int, values: Array, context: Context) -> RankedRow:
    classes, labels = context.schema.target.classes, context.rows.labels
    prediction = classes[int(context.predictions[index])] if classes else None
    label: str | float | None = None
    if labels is not None and context.rows.labelled[index]:
        label = classes[int(labels[index])] if classes else float(labels[index])
    value = pd.Timestamp(values[index]) if isinstance(values[index], np.datetime64) else float(values[index])
    id = None if context.rows.is_made_up else context.rows.table.index[context.rows.positions[index]]
    return RankedRow(id, value, prediction, float(context.outputs[index]), label)


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    Distribution: distribution,
    Ranked: ranked,
}
