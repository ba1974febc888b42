"""Rows like a given one, and how the prediction moves with one feature."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.parse import Effect, Similar
from ttm.operations.predictions.run import row_id
from ttm.operations.results import Result
from ttm.operations.rows.changes import with_each_value
from ttm.operations.rows.context import Context, model_outputs
from ttm.operations.rows.selection import predictions
from ttm.tabular.data.encoding import days
from ttm.tabular.data.schema import Feature, FeatureKind

GRID = 25
MAX_ROWS = 1_000
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class SimilarRow:
    """`distance`, 0 to 1; `output` as in `Context.outputs`."""

    id: Any
    distance: float
    prediction: str | None
    output: float
    label: str | float | None


@dataclass(frozen=True)
class SimilarRows(Result):
    """The rows of the data set that are most like one row (`id`, None for a made-up one), nearest first.

    The distance is Gower's: the mean over the features of |difference| / observed range for numbers and dates, and of 0
    (same) or 1 (different) for the rest; a value missing in one of the two counts 1, in both 0. `values` holds the row
    itself and then the others.
    """

    id: Any
    prediction: str | None
    output: float
    rows: tuple[SimilarRow, ...]
    values: pd.DataFrame


@dataclass(frozen=True)
class PartialDependence(Result):
    """The mean prediction over the rows when one feature takes each value of a grid and the others stay as they are.

    `grid` holds numbers, ISO dates, or values as they stand in the data; `mean` has one number for each of them, by class
    name, or under "prediction" for regression. `rows` were used of the group's, at random where `sampled`.
    """

    column: str
    grid: tuple[Any, ...]
    mean: dict[str, tuple[float, ...]]
    shown: str
    rows: int
    sampled: bool


def similar(step: Similar, context: Context) -> SimilarRows:
    if not context.is_single:
        raise ExecutionError(
            f"Similar rows can be found for one row at a time, and this is about {len(context.rows):,}; name its id."
        )
    dataset, target = context.subject.dataset, context.schema.target
    distances = gower(context.rows.frame, dataset.frame, context.schema.features)
    if not context.rows.is_made_up:
        distances[context.rows.positions[0]] = np.inf
    count = min(step.count, int(np.isfinite(distances).sum()))
    places = np.argsort(distances, kind="stable")[:count]
    values = pd.concat([context.rows.frame, dataset.frame.iloc[places]]) if count else context.rows.frame
    prediction = target.classes[int(context.predictions[0])] if target.is_classification else None
    rows = tuple(_similar_row(int(index), float(distances[index]), context) for index in places)
    return SimilarRows(
        f"similar {step.count}", context.group, row_id(context), prediction, float(context.outputs[0]), rows, values
    )


def _similar_row(index: int, distance: float, context: Context) -> SimilarRow:
    subject, target = context.subject, context.schema.target
    label: str | float | None = None
    if subject.dataset.labels is not None:
        value = subject.dataset.labels[index]
        if target.is_classification:
            label = target.classes[int(value)] if value >= 0 else None
        else:
            label = None if np.isnan(value) else float(value)
    id = subject.dataset.frame.index[index]
    if not target.is_classification:
        return SimilarRow(id, distance, None, float(subject.predictions[index]), label)
    number = int(predictions(subject, context.threshold)[index])
    output = float(model_outputs(subject.probabilities[index : index + 1])[0])
    return SimilarRow(id, distance, target.classes[number], output, label)


def gower(row: pd.DataFrame, frame: pd.DataFrame, features: tuple[Feature, ...]) -> Array:
    """Distances (n,) of one row (1, d) to the rows of a frame (n, d); see `SimilarRows`."""
    total = np.zeros(len(frame))
    for feature in features:
        total += _difference(row[feature.name], frame[feature.name], feature)
    return total / len(features)


def _difference(own: pd.Series, column: pd.Series, feature: Feature) -> Array:
    missing, own_missing = column.isna().to_numpy(), bool(own.isna().iloc[0])
    if own_missing:
        return (~missing).astype(float)
    if feature.kind in (FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN):
        different = np.asarray(column != own.iloc[0], dtype=bool)
    else:
        numbers, value = (
            days(c) if feature.kind is FeatureKind.DATE else c.to_numpy(float, na_value=np.nan) for c in (column, own)
        )
        low, high = feature.low, feature.high
        spread = high - low if low is not None and high is not None and high > low else 1.0
        different = np.minimum(np.abs(numbers - value[0]) / spread, 1.0)
    return np.where(missing, 1.0, different).astype(float)


def effect(step: Effect, context: Context) -> PartialDependence:
    feature, schema = context.schema.by_token[step.feature], context.schema
    frame = _sample(context)
    grid = grid_of(feature, context)
    outputs = _mean_outputs(frame, feature, grid, context)
    names = schema.target.classes or ("prediction",)
    mean = {name: tuple(float(row[i]) for row in outputs) for i, name in enumerate(names)}
    shown = names[-1] if len(names) <= 2 else max(names, key=lambda name: max(mean[name]) - min(mean[name]))
    written = tuple(f"{value:%Y-%m-%d}" if feature.kind is FeatureKind.DATE else value for value in grid)
    return PartialDependence(
        f"effect {step.feature}", context.group, feature.name, written, mean, shown, len(frame),
        len(frame) < len(context.rows),
    )  # fmt: skip


def _sample(context: Context) -> pd.DataFrame:
    if len(context.rows) <= MAX_ROWS:
        return context.rows.frame
    chosen = np.random.default_rng(context.seed).choice(len(context.rows), MAX_ROWS, replace=False)
    return context.rows.table.iloc[context.rows.positions[np.sort(chosen)]]


def _mean_outputs(frame: pd.DataFrame, feature: Feature, values: list[Any], context: Context) -> list[Array]:
    """For each value, mean class probabilities (k,), or the mean predicted value (1,), with that value everywhere."""
    model, changed = context.subject.model, with_each_value(frame, feature, values)
    if not context.schema.target.is_classification:
        return [np.array([part.mean()]) for part in model.predict(changed).reshape(len(values), len(frame))]
    probabilities = model.predict_proba(changed)
    return [part.mean(axis=0) for part in probabilities.reshape(len(values), len(frame), probabilities.shape[1])]


def grid_of(feature: Feature, context: Context) -> list[Any]:
    """Values of a category; else evenly spaced values over the range observed in the group, in the data set for one value.

    A column of few whole numbers gives just these.
    """
    if feature.kind in (FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN):
        return list(feature.values)
    known = context.rows.column(feature.name).dropna()
    if known.nunique() < 2:
        known = context.subject.dataset.frame[feature.name].dropna()
    if feature.kind is FeatureKind.DATE:
        return sorted(set(pd.date_range(known.min(), known.max(), periods=GRID).floor("D").as_unit("s")))
    low, high = float(known.min()), float(known.max())
    if (known == known.round()).all():
        step = max(1.0, float(np.ceil((high - low) / (GRID - 1))))
        return [*np.arange(low, high, step).tolist(), high]
    return list(np.linspace(low, high, GRID).tolist())


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    Similar: similar,
    Effect: effect,
}
