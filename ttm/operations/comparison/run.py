"""The groups that a feature makes, side by side."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.parse import Compare
from ttm.operations.column_summary import class_counts, class_means, shares_of
from ttm.operations.exploration.run import numbers_of
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.tabular.data.schema import Feature, FeatureKind

FEW_VALUES = 6
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ComparedGroup:
    """One group of a comparison. `low` and `high` bound a numeric group, `value` is the value of another kind.

    All three are None for rows without a value. Shares and means are by class name. `label_shares` are of rows with a known
    label; `accuracy` is None without one. For regression `mean_label`, `mean_prediction` and `mae` take their places.
    """

    value: Any
    low: float | None
    high: float | None
    rows: int
    label_shares: dict[str, float] | None
    predicted_shares: dict[str, float] | None
    mean_probability: dict[str, float] | None
    accuracy: float | None
    mean_label: float | None
    mean_prediction: float | None
    mae: float | None


@dataclass(frozen=True)
class Comparison(Result):
    """The groups that a feature makes: numeric groups from low to high, others by size."""

    column: str
    groups: tuple[ComparedGroup, ...]


def compare(step: Compare, context: Context) -> Comparison:
    feature = context.schema.by_token[step.feature]
    column = context.rows.column(feature.name)
    groups = [_compared(part, context) for part in group_masks(column, feature)]
    if len(groups) < 2:
        raise ExecutionError(f"There is nothing to compare: {feature.label} is the same for {context.group.words}.")
    return Comparison(f"compare {step.feature}", context.group, feature.name, tuple(groups))


@dataclass(frozen=True)
class GroupMask:
    """The rows (m,) of one group, with its value or bounds; all three are None for rows without a value."""

    mask: Array
    value: Any = None
    low: float | None = None
    high: float | None = None


def group_masks(column: pd.Series, feature: Feature) -> list[GroupMask]:
    """The groups that a column (m,) makes: values by size, numbers from low to high; rows without a value come last."""
    missing = column.isna().to_numpy()
    parts: list[GroupMask] = []
    if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        numbers = numbers_of(column, feature)
        parts = [GroupMask(mask, None, float(numbers[mask].min()), float(numbers[mask].max())) for mask in _cut(numbers)]
    else:
        values = column.value_counts().index
        parts = [GroupMask((column == value).to_numpy(dtype=bool, na_value=False), value) for value in values]
    return parts + ([GroupMask(missing)] if missing.any() else [])


def _cut(numbers: Array) -> list[Array]:
    """Masks of the values themselves where there are few, else of the quarters between quartiles, upper bounds included."""
    known = numbers[~np.isnan(numbers)]
    distinct = np.unique(known)
    if len(distinct) <= FEW_VALUES:
        return [numbers == value for value in distinct]
    bounds = np.unique(np.quantile(known, (0.25, 0.5, 0.75)))
    places = np.where(np.isnan(numbers), -1, np.searchsorted(bounds, numbers, side="left"))
    return [places == index for index in range(len(bounds) + 1) if (places == index).any()]


def _compared(part: GroupMask, context: Context) -> ComparedGroup:
    mask, value, low, high = part.mask, part.value, part.low, part.high
    schema, labels = context.schema, context.rows.labels
    known = mask & context.rows.labelled
    truth = labels[known] if labels is not None and known.any() else None
    predicted = context.predictions
    if not schema.target.is_classification:
        mean_label = None if truth is None else float(truth.mean())
        error = None if truth is None else float(np.abs(truth - predicted[known]).mean())
        mean = float(predicted[mask].mean())
        return ComparedGroup(value, low, high, int(mask.sum()), None, None, None, None, mean_label, mean, error)
    label_shares = None if truth is None else shares_of(class_counts(truth, schema))
    accuracy = None if truth is None else float((truth == predicted[known]).mean())
    shares = shares_of(class_counts(predicted[mask], schema))
    means = class_means(context.probabilities[mask], schema)
    return ComparedGroup(value, low, high, int(mask.sum()), label_shares, shares, means, accuracy, None, None, None)


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    Compare: compare,
}
