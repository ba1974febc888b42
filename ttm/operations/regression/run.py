"""A straight line through two columns, and how closely each two of all columns go together."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from backend.errors import ExecutionError
from ttm.language.operations.groups import CorrelateAll, Regress
from ttm.language.parse import surface
from ttm.operations.correlation.run import LEAST_ROWS, Association, associate, column_of, target_column
from ttm.operations.data.run import labelled
from ttm.operations.exploration.run import numbers_of
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.tabular.data.schema import Feature, FeatureKind

MOST_POINTS = 1_000
MOST_COLUMNS = 60
TARGET = "target"


@dataclass(frozen=True)
class RegressionLine(Result):
    """The least-squares line `outcome` = intercept + slope x `predictor` over the `rows` in which both are known.

    `low` and `high` bound the slope (95 %, Student's t), `p` is the p-value of a slope of zero, `r2` the share of the variance
    that the line explains. `x` and `y` are points, at most MOST_POINTS of them drawn at random, with their true `labels` and
    the `ids` of their rows.
    """

    outcome: str
    predictor: str
    slope: float
    intercept: float
    low: float
    high: float
    p: float
    r2: float
    rows: int
    x: tuple[float, ...]
    y: tuple[float, ...]
    labels: tuple[str, ...]
    ids: tuple[Any, ...]


@dataclass(frozen=True)
class AssociationMatrix(Result):
    """How each two of `columns` go together (the true outcome last, where it is known): `pairs` from the strongest on."""

    columns: tuple[str, ...]
    pairs: tuple[Association, ...]


def regress(step: Regress, context: Context) -> RegressionLine:
    from scipy.stats import linregress, t

    x = _numbers(context.schema.by_token[step.on], context)
    if step.feature == TARGET:
        outcome, y = _target(context)
    else:
        feature = context.schema.by_token[step.feature]
        outcome, y = feature.name, _numbers(feature, context)
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    if len(x) < LEAST_ROWS or np.ptp(x) == 0 or np.ptp(y) == 0:
        raise ExecutionError(
            f"A line needs at least {LEAST_ROWS} rows with both values, and different ones; there are {len(x)} for "
            f"{context.group.words}."
        )
    line = linregress(x, y)
    half = float(t.ppf(0.975, len(x) - 2) * line.stderr)
    shown = np.arange(len(x))
    if len(x) > MOST_POINTS:
        shown = np.sort(np.random.default_rng(context.seed).choice(len(x), MOST_POINTS, replace=False))
    return RegressionLine(
        surface(step), context.group, outcome, context.schema.by_token[step.on].name, float(line.slope), float(line.intercept),
        float(line.slope) - half, float(line.slope) + half, float(line.pvalue), float(line.rvalue) ** 2, len(x),
        tuple(x[shown].tolist()), tuple(y[shown].tolist()), _labels(context, np.flatnonzero(known)[shown]),
        tuple(context.rows.frame.index[np.flatnonzero(known)[shown]].tolist()),
    )  # fmt: skip


def _numbers(feature: Feature, context: Context) -> np.ndarray:
    if feature.kind is not FeatureKind.NUMERIC:
        raise ExecutionError(
            f"Points and a line need two numbers, and {feature.label} is none. Ask for a figure by {feature.label}, or for a "
            "cross-table."
        )
    return numbers_of(context.rows.column(feature.name), feature)


def _target(context: Context) -> tuple[str, np.ndarray]:
    target = context.schema.target
    if target.is_classification:
        raise ExecutionError(
            "Points and a line need two numbers, and the true outcome is a class. Ask how the prediction moves with the "
            "column, "
            "or for its correlation with the outcome."
        )
    return target.name, np.where(context.rows.labelled, labelled(context), np.nan).astype(float)


def _labels(context: Context, rows: np.ndarray) -> tuple[str, ...]:
    """The true classes of rows by which points are coloured; none for a quantity or without labels."""
    labels, classes = context.rows.labels, context.schema.target.classes
    if labels is None or not classes:
        return ()
    return tuple(classes[int(value)] if value >= 0 else "unknown" for value in labels[rows])


def correlate_all(step: CorrelateAll, context: Context) -> AssociationMatrix:
    features = context.schema.features
    if len(context.rows) < LEAST_ROWS:
        raise ExecutionError(f"A correlation needs at least {LEAST_ROWS} rows; there are {len(context.rows)}.")
    if len(features) > MOST_COLUMNS:
        raise ExecutionError(
            f"A matrix of {len(features)} columns cannot be read; ask what one of them goes with. At most {MOST_COLUMNS} fit."
        )
    columns = [column_of(feature, context) for feature in features]
    if context.rows.labelled.any():
        columns.append(target_column(context))
    pairs = [associate(one, other) for one, other in combinations(columns, 2)]
    pairs.sort(key=lambda pair: -1.0 if pair.strength is None else pair.strength, reverse=True)
    return AssociationMatrix("correlate all", context.group, tuple(column.name for column in columns), tuple(pairs))


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Regress: regress, CorrelateAll: correlate_all}
