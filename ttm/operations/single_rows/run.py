"""How each single row answers to one feature: its curve, its SHAP value, its prediction for every other value.

Source: Goldstein et al. (2015), "Peeking inside the black box: visualizing statistical learning with plots of individual
conditional expectation"; Lundberg et al. (2020), "From local explanations to global understanding with explainable AI for
trees" (dependence plots).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.operations.importance import Dependence, Otherwise, SingleEffects
from ttm.operations.exploration.run import numbers_of
from ttm.operations.neighbours.run import grid_of
from ttm.operations.predictions.run import row_id
from ttm.operations.results import Result
from ttm.operations.rows.changes import with_each_value
from ttm.operations.rows.context import Context
from ttm.operations.rows.selection import apply_threshold
from ttm.tabular.data.schema import Feature, FeatureKind

MOST_ROWS = 200
MOST_EXPLAINED = 500
MOST_VALUES = 40
FLAT = 1e-9
Array = np.ndarray


@dataclass(frozen=True)
class SingleCurves(Result):
    """The model's output (rows, grid) of each row as one feature takes each value of `grid`, all else as it is.

    It is the probability of `of_class`, or the predicted value where that is None. `rising`, `falling` and `flat` count the
    rows by the end of their curve against its beginning, `bent` those that go both up and down by more than a tenth of their
    range. `rows` were used of the group's, at random where `sampled`.
    """

    column: str
    grid: tuple[Any, ...]
    of_class: str | None
    curves: tuple[tuple[float, ...], ...]
    rising: int
    falling: int
    flat: int
    bent: int
    rows: int
    sampled: bool


@dataclass(frozen=True)
class ShapDependence(Result):
    """The SHAP value of one feature for each row, by the value of the feature.

    `values` are numbers (ordinal days of a date) or values as they stand in the data, `weights` the SHAP values towards
    `of_class` (a higher value where that is None); rows without a value are left out. `trend` is Spearman's rank correlation of
    the two for a number, None for other kinds or without spread.
    """

    column: str
    of_class: str | None
    values: tuple[Any, ...]
    weights: tuple[float, ...]
    trend: float | None
    rows: int
    sampled: bool


@dataclass(frozen=True)
class OtherValue:
    """What the model says when every row has `value`: its mean output, and how many rows are then predicted otherwise."""

    value: Any
    output: float
    changed: int


@dataclass(frozen=True)
class OtherValues(Result):
    """The rows with every other value of a feature, all else as it is.

    `own` is the value of a single row (`id`), None of several; `output` and `of_class` as in `SingleCurves`, now. `others`
    leave out the value that all of the rows have; `weighted` is the mean output over them, by how frequent they are in the
    data.
    """

    column: str
    id: Any
    own: Any
    of_class: str | None
    output: float
    prediction: str | None
    others: tuple[OtherValue, ...]
    weighted: float


def single_effects(step: SingleEffects, context: Context) -> SingleCurves:
    feature = context.schema.by_token[step.feature]
    frame, grid = _sample(context, MOST_ROWS), grid_of(feature, context)
    index, of_class = _shown(context)
    outputs, _ = _predicted(with_each_value(frame, feature, grid), index, context)
    curves = outputs.reshape(len(grid), len(frame)).T.copy()
    moves, ends = np.diff(curves, axis=1), curves[:, -1] - curves[:, 0]
    span = np.ptp(curves, axis=1)
    up, down = (np.where(sign * moves > 0, sign * moves, 0).sum(axis=1) for sign in (1, -1))
    bent = (np.minimum(up, down) > 0.1 * span) & (span > FLAT)
    written = tuple(f"{value:%Y-%m-%d}" if feature.kind is FeatureKind.DATE else value for value in grid)
    return SingleCurves(
        f"ice {step.feature}", context.group, feature.name, written, of_class, tuple(map(tuple, curves.tolist())),
        int((ends > FLAT).sum()), int((ends < -FLAT).sum()), int((np.abs(ends) <= FLAT).sum()), int(bent.sum()), len(frame),
        len(frame) < len(context.rows),
    )  # fmt: skip


def _shown(context: Context) -> tuple[int, str | None]:
    """The class whose probability is shown, the last of two, of more the likeliest on average; None for a quantity."""
    target = context.schema.target
    if not target.is_classification:
        return 0, None
    number = 1 if len(target.classes) == 2 else int(context.probabilities.mean(axis=0).argmax())
    return number, target.classes[number]


def _sample(context: Context, most: int) -> pd.DataFrame:
    if len(context.rows) <= most:
        return context.rows.frame
    chosen = np.random.default_rng(context.seed).choice(len(context.rows), most, replace=False)
    return context.rows.table.iloc[context.rows.positions[np.sort(chosen)]]


def dependence(step: Dependence, context: Context) -> ShapDependence:
    from scipy.stats import spearmanr

    feature = context.schema.by_token[step.feature]
    frame = _sample(context, MOST_EXPLAINED)
    weights, explained = context.explainer.shap_values(frame)
    column = frame[feature.name].iloc[explained]
    known = column.notna().to_numpy()
    weights = weights[known, list(context.explainer.coding.names).index(feature.name)]
    is_number = feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE)
    values = numbers_of(column, feature)[known] if is_number else column[known].to_numpy()
    if not len(values):
        raise ExecutionError(f"No value of {feature.label} is known for {context.group.words}.")
    trend = None
    if is_number and len(values) > 2 and np.ptp(values) > 0 and np.ptp(weights) > FLAT:
        trend = float(spearmanr(values, weights).statistic)
    classes = context.schema.target.classes
    of_class = None if not classes else classes[1] if len(classes) == 2 else "the predicted class"
    return ShapDependence(
        f"dependence {step.feature}", context.group, feature.name, of_class, tuple(values.tolist()), tuple(weights.tolist()),
        trend, len(explained), len(explained) < len(context.rows),
    )  # fmt: skip


def otherwise(step: Otherwise, context: Context) -> OtherValues:
    feature = context.schema.by_token[step.feature]
    frame = _sample(context, MOST_ROWS)
    own = frame[feature.name]
    number, of_class = _shown(context)
    before, classes = _predicted(frame, number, context)
    shared = own.iloc[0] if own.nunique(dropna=False) == 1 else None
    others = [value for value in grid_of(feature, context) if shared is None or pd.isna(shared) or value != shared]
    if not others:
        raise ExecutionError(f"{feature.label.capitalize()} has no other value in the data.")
    others = others[:MOST_VALUES]
    both = _predicted(with_each_value(frame, feature, others), number, context)
    outputs, others_classes = (part.reshape(len(others), len(frame)) for part in both)
    written = [f"{value:%Y-%m-%d}" if feature.kind is FeatureKind.DATE else value for value in others]
    different = (others_classes != classes).sum(axis=1)
    tried = [OtherValue(value, float(output.mean()), int(count))
             for value, output, count in zip(written, outputs, different, strict=True)]  # fmt: skip
    prediction = context.schema.target.classes[int(classes[0])] if of_class is not None and len(frame) == 1 else None
    return OtherValues(
        f"otherwise {step.feature}", context.group, feature.name, row_id(context) if context.is_single else None,
        shared if context.is_single else None, of_class, float(before.mean()), prediction, tuple(tried),
        _weighted(tried, others, feature, context),
    )  # fmt: skip


def _predicted(frame: pd.DataFrame, number: int, context: Context) -> tuple[Array, Array]:
    """Probabilities (m,) of a class and predicted classes (m,) under the decision threshold; quantities (m,) and zeros."""
    if not context.schema.target.is_classification:
        return context.subject.model.predict(frame), np.zeros(len(frame))
    probabilities = context.subject.model.predict_proba(frame)
    return probabilities[:, number], apply_threshold(probabilities, context.threshold)


def _weighted(values: list[OtherValue], others: list[Any], feature: Feature, context: Context) -> float:
    """The mean over the other values, by how many rows of the data set have each; of numbers and dates all count alike."""
    outputs = np.array([one.output for one in values])
    if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        return float(outputs.mean())
    counts = context.subject.dataset.frame[feature.name].value_counts()
    weights = np.array([float(counts.get(value, 0)) for value in others])
    return float(outputs.mean() if not weights.sum() else (outputs * weights).sum() / weights.sum())


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    SingleEffects: single_effects,
    Dependence: dependence,
    Otherwise: otherwise,
}
