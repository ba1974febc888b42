"""From which value of a feature on the model decides otherwise, for one row or for each of a group.

These are the points at which individual conditional expectation curves (Goldstein et al., 2015, "Peeking inside the black box")
pass from one class to another.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.operations.crossing import Crossing
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.operations.rows.selection import apply_threshold
from ttm.tabular.data.schema import Feature, FeatureKind

MOST_ROWS = 200
GRID = 61  # values that are tried first; between two of them one change of class is found, a second and third are not
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ClassChange:
    """From `lower` to `higher` predicted class as the feature grows: how often, and at which values.

    Each value is the first, in steps of the column's precision, at which the class is `higher`.
    """

    lower: str
    higher: str
    count: int
    lower_quartile: float
    median: float
    upper_quartile: float


@dataclass(frozen=True)
class CrossingPoints(Result):
    """Where the predicted class changes with one feature between `low` and `high`, all other features as they are.

    `changes` are ordered by how often they occur, those of one row by value. `steady` counts by class the rows that keep it
    over the whole range. `probability` has the mean predicted probability of each class at each value of `grid`. `rows` were
    used of the group's, at random where `sampled`; `own` is the value of a single row, None where it has none.
    """

    column: str
    low: float
    high: float
    changes: tuple[ClassChange, ...]
    steady: dict[str, int]
    grid: tuple[float, ...]
    probability: dict[str, tuple[float, ...]]
    own: float | None
    rows: int
    sampled: bool


def crossing(step: Crossing, context: Context) -> CrossingPoints:
    feature, target = context.schema.by_token[step.feature], context.schema.target
    if not target.is_classification:
        raise ExecutionError(f"This model predicts a number, so no class changes with {feature.label}; ask for its effect.")
    if feature.kind is not FeatureKind.NUMERIC:
        raise ExecutionError(f"Only a number has a point from which on the prediction changes, and {feature.label} is none.")
    frame, tick = _sample(context), 10.0**-feature.precision
    ticks = _grid(context.subject.dataset.frame[feature.name], tick)
    probabilities = _on_grid(frame, feature, ticks * tick, context)
    of_all = probabilities.reshape(-1, probabilities.shape[2])
    classes = apply_threshold(of_all, context.threshold).reshape(probabilities.shape[:2])
    rows, starts = np.nonzero(classes[:, :-1] != classes[:, 1:])
    at = _bisected(frame.iloc[rows], feature, (ticks[starts], ticks[starts + 1]), classes[rows, starts], context) * tick
    steady = classes[np.setdiff1d(np.arange(len(frame)), rows), 0]
    own = context.rows.column(feature.name).iloc[0] if context.is_single else None
    return CrossingPoints(
        f"crossing {step.feature}",
        context.group,
        feature.name,
        float(ticks[0] * tick),
        float(ticks[-1] * tick),
        _changes(classes[rows, starts], classes[rows, starts + 1], at, context),
        {name: int((steady == number).sum()) for number, name in enumerate(target.classes)},
        tuple((ticks * tick).tolist()),
        {name: tuple(probabilities[:, :, k].mean(axis=0).tolist()) for k, name in enumerate(target.classes)},
        None if own is None or pd.isna(own) else float(own),
        len(frame),
        len(frame) < len(context.rows),
    )


def _sample(context: Context) -> pd.DataFrame:
    if len(context.rows) <= MOST_ROWS:
        return context.rows.frame
    chosen = np.random.default_rng(context.seed).choice(len(context.rows), MOST_ROWS, replace=False)
    return context.rows.table.iloc[context.rows.positions[np.sort(chosen)]]


def _grid(column: pd.Series, tick: float) -> npt.NDArray[np.int64]:
    """Whole numbers of ticks over the range that occurs in the data, evenly spaced; all of them where they are few."""
    low, high = (int(np.rint(float(end) / tick)) for end in (column.min(), column.max()))
    return np.unique(np.rint(np.linspace(low, high, min(GRID, high - low + 1))).astype(np.int64))


def _on_grid(frame: pd.DataFrame, feature: Feature, grid: Array, context: Context) -> Array:
    """Class probabilities (n, g, k) of rows (n, d) with each value (g,) of a feature, in one call of the model."""
    rows = frame.iloc[np.repeat(np.arange(len(frame)), len(grid))]
    probabilities = _probabilities(rows, feature, np.tile(grid, len(frame)), context)
    return probabilities.reshape(len(frame), len(grid), probabilities.shape[1])


def _probabilities(frame: pd.DataFrame, feature: Feature, values: Array, context: Context) -> Array:
    """Class probabilities (n, k) of rows (n, d) with other values (n,) of a feature."""
    return context.subject.model.predict_proba(frame.assign(**{feature.name: values.astype(float)}))


def _bisected(frame: pd.DataFrame, feature: Feature, ends: tuple[Array, Array], lower: Array, context: Context) -> Array:
    """The first number of ticks (n,) whose class is not the lower one's, between two ends of which the second is not."""
    below, above = (end.copy() for end in ends)
    while len(frame) and (above - below).max() > 1:
        middle = (below + above) // 2
        values = middle * 10.0**-feature.precision
        is_lower = apply_threshold(_probabilities(frame, feature, values, context), context.threshold) == lower
        below, above = np.where(is_lower, middle, below), np.where(is_lower, above, middle)
    return above


def _changes(lower: Array, higher: Array, at: Array, context: Context) -> tuple[ClassChange, ...]:
    names = context.schema.target.classes
    if context.is_single:
        each = zip(lower, higher, at, strict=True)
        return tuple(ClassChange(names[int(a)], names[int(b)], 1, *[float(value)] * 3) for a, b, value in each)
    changes = []
    for a, b in sorted(set(zip(lower.tolist(), higher.tolist(), strict=True))):
        values = at[(lower == a) & (higher == b)]
        changes.append(ClassChange(names[a], names[b], len(values), *map(float, np.quantile(values, [0.25, 0.5, 0.75]))))
    return tuple(sorted(changes, key=lambda change: -change.count))


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Crossing: crossing}
