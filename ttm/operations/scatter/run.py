"""Rows as points: two columns, the id of each row, and what it is coloured by."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.operations.scatter import Scatter
from ttm.language.parse import surface
from ttm.operations.data.run import labelled
from ttm.operations.exploration.run import PROBABILITY, TARGET
from ttm.operations.rendering.answer import value_text
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.tabular.data.schema import FeatureKind

MOST_POINTS = 1_000
RIGHT, WRONG, UNKNOWN = "right", "wrong", "unknown"
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class RowPoints(Result):
    """One point a row, at most MOST_POINTS of `known` rows in which both columns are known, drawn at random in their order.

    `across` and `up` are column names, or "probability"; `x` and `y` their values (dates as ISO text). `by` is "label",
    "prediction" or "error"; `colours` has for each point the class, "right" or "wrong"; for a quantity the true value, the
    prediction, or truth minus prediction, None where unknown. A made-up case has the id "made up".
    """

    across: str
    up: str
    by: str
    ids: tuple[Any, ...]
    x: tuple[Any, ...]
    y: tuple[Any, ...]
    colours: tuple[Any, ...]
    known: int


def scatter(step: Scatter, context: Context) -> RowPoints:
    x, y = (_values(column, context) for column in (step.across, step.up))
    known = np.flatnonzero(~(pd.isna(x) | pd.isna(y)))
    if not len(known):
        raise ExecutionError(f"There is no row among {context.group.words} in which both columns are known.")
    by = step.by or ("label" if context.rows.labelled.any() else "prediction")
    colours = _colours(by, context)
    shown = known
    if len(known) > MOST_POINTS:
        shown = np.sort(np.random.default_rng(context.seed).choice(known, MOST_POINTS, replace=False))
    index = context.rows.frame.index
    return RowPoints(
        surface(step), context.group, _name(step.across, context), _name(step.up, context), by,
        tuple(index[shown].tolist()), tuple(x[shown].tolist()), tuple(y[shown].tolist()), tuple(colours[shown].tolist()),
        len(known),
    )  # fmt: skip


def _name(token: str, context: Context) -> str:
    if token == PROBABILITY:
        return token
    return context.schema.target.name if token == TARGET else context.schema.by_token[token].name


def _values(token: str, context: Context) -> Array:
    """The values (m,) of a column as they are drawn, missing ones as NaN or None."""
    if token == PROBABILITY:
        return context.outputs
    if token == TARGET:
        return _truth(context)
    feature = context.schema.by_token[token]
    column = context.rows.column(feature.name)
    match feature.kind:
        case FeatureKind.NUMERIC:
            return np.asarray(column.to_numpy(dtype=float, na_value=np.nan))
        case FeatureKind.DATE:
            return np.array(column.dt.strftime("%Y-%m-%d"), dtype=object)
    return np.array([None if pd.isna(value) else value_text(value, feature) for value in column], dtype=object)


def _truth(context: Context) -> Array:
    """True class names or values (m,), None or NaN where unknown."""
    labels, classes = labelled(context), context.schema.target.classes
    if not classes:
        return np.where(context.rows.labelled, labels, np.nan).astype(float)
    return np.array([classes[int(label)] if label >= 0 else None for label in labels], dtype=object)


def _colours(by: str, context: Context) -> Array:
    classes = context.schema.target.classes
    if by == "prediction":
        predicted = context.predictions
        return np.array([classes[int(one)] for one in predicted], dtype=object) if classes else predicted
    truth = _truth(context)
    if by == "label":
        return np.array([UNKNOWN if one is None else one for one in truth], dtype=object) if classes else truth
    if not classes:
        return np.asarray(truth - context.predictions)
    pairs = zip(truth, context.predictions, strict=True)
    return np.array([UNKNOWN if true is None else RIGHT if true == classes[int(one)] else WRONG for true, one in pairs], object)


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Scatter: scatter}
