"""How columns go together: a measure that fits the kinds of both."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.parse import Correlate
from ttm.operations.data.run import labelled
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.tabular.data.encoding import days
from ttm.tabular.data.schema import Feature, FeatureKind

TARGET = "target"
LEAST_ROWS = 3
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Association:
    """How strongly `column` goes with `other`, over the `rows` in which both are known.

    `strength`, 0 to 1, is |Pearson's r| between numbers (a yes/no column counts as 0 and 1), the correlation ratio (eta)
    between a number and categories, Cramér's V between categories (yes/no beside three or more among them); None where one
    of the two does not vary. `pearson` and `spearman` are signed; `means` holds the mean of the column `numeric`, or the
    share of its second value, by category of the other.
    """

    column: str
    other: str
    measure: str
    strength: float | None
    rows: int
    pearson: float | None = None
    spearman: float | None = None
    correlation_ratio: float | None = None
    cramers_v: float | None = None
    numeric: str | None = None
    means: dict[str, float] | None = None


@dataclass(frozen=True)
class Correlations(Result):
    """Associations of one column, strongest first; `with_everything` when no second column was named."""

    column: str
    associations: tuple[Association, ...]
    with_everything: bool


@dataclass(frozen=True)
class _Column:
    """A column made comparable: numbers (NaN unknown), or codes (-1 unknown) with the names of the categories."""

    name: str
    numbers: Array
    categories: tuple[str, ...] = ()

    @property
    def is_numeric(self) -> bool:
        return len(self.categories) in (0, 2)

    @property
    def known(self) -> Array:
        return ~np.isnan(self.numbers)


def correlate(step: Correlate, context: Context) -> Correlations:
    if len(context.rows) < LEAST_ROWS:
        raise ExecutionError(f"A correlation needs at least {LEAST_ROWS} rows; there are {len(context.rows)}.")
    schema = context.schema
    first = column_of(schema.by_token[step.feature], context)
    if step.other is not None:
        other = target_column(context) if step.other == TARGET else column_of(schema.by_token[step.other], context)
        return Correlations(
            f"correlate {step.feature} {step.other}", context.group, first.name, (associate(first, other),), False
        )
    others = (f for f in schema.features if f.token != step.feature)
    associations = [associate(first, column_of(feature, context)) for feature in others]
    if context.rows.labelled.any():
        associations.append(associate(first, target_column(context)))
    associations.sort(key=lambda a: -1.0 if a.strength is None else a.strength, reverse=True)
    return Correlations(f"correlate {step.feature}", context.group, first.name, tuple(associations), True)


def column_of(feature: Feature, context: Context) -> _Column:
    column = context.rows.column(feature.name)
    if feature.kind is FeatureKind.NUMERIC:
        return _Column(feature.name, column.to_numpy(dtype=float, na_value=np.nan))
    if feature.kind is FeatureKind.DATE:
        return _Column(feature.name, days(column))
    names = ("no", "yes") if feature.kind is FeatureKind.BOOLEAN else tuple(str(value) for value in feature.values)
    codes = pd.Index(list(feature.values), dtype=object).get_indexer(pd.Index(column.astype(object))).astype(float)
    codes[codes < 0] = np.nan
    return _Column(feature.name, codes, names)


def target_column(context: Context) -> _Column:
    labels, target = labelled(context), context.schema.target
    numbers = np.where(context.rows.labelled, labels, np.nan).astype(float)
    return _Column(target.name, numbers, target.classes)


def associate(first: _Column, second: _Column) -> Association:
    """The association of two columns; the numeric one of a mixed pair may come first or second."""
    known = first.known & second.known
    x, y = first.numbers[known], second.numbers[known]
    names = first.name, second.name
    if first.is_numeric and second.is_numeric:
        pearson, spearman = _pearson(x, y), _pearson(_ranks(x), _ranks(y))
        strength = None if pearson is None else abs(pearson)
        numeric, means = _means_by_two(first, second, x, y)
        return Association(*names, "pearson", strength, len(x), pearson, spearman, numeric=numeric, means=means)
    if not (first.categories and second.categories):
        number, group = (first, second) if first.is_numeric else (second, first)
        values, codes = (x, y) if first.is_numeric else (y, x)
        ratio = _correlation_ratio(values, codes.astype(int))
        means = _means(values, codes, group.categories)
        return Association(
            *names, "correlation_ratio", ratio, len(x), correlation_ratio=ratio, numeric=number.name, means=means
        )
    v = _cramers_v(x.astype(int), y.astype(int))
    return Association(*names, "cramers_v", v, len(x), cramers_v=v)


def _means_by_two(first: _Column, second: _Column, x: Array, y: Array) -> tuple[str | None, dict[str, float] | None]:
    """For a number beside a column of two values: the mean of the number for both."""
    if len(second.categories) == 2:
        return first.name, _means(x, y, second.categories)
    if len(first.categories) == 2:
        return second.name, _means(y, x, first.categories)
    return None, None


def _means(values: Array, codes: Array, names: tuple[str, ...]) -> dict[str, float]:
    return {name: float(values[codes == i].mean()) for i, name in enumerate(names) if (codes == i).any()}


def _pearson(x: Array, y: Array) -> float | None:
    """Pearson's r, or None with fewer than three rows or where one of the two does not vary."""
    if len(x) < LEAST_ROWS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))


def _ranks(values: Array) -> Array:
    from scipy.stats import rankdata

    return np.asarray(rankdata(values))


def _correlation_ratio(values: Array, codes: Array) -> float | None:
    """Eta: the root of the share of the variance of `values` that lies between the groups of `codes`."""
    if len(values) < LEAST_ROWS or np.ptp(values) == 0 or np.ptp(codes) == 0:
        return None
    counts, sums = np.bincount(codes), np.bincount(codes, weights=values)
    filled = counts > 0
    between = (counts[filled] * (sums[filled] / counts[filled] - values.mean()) ** 2).sum()
    return float(np.sqrt(min(1.0, between / ((values - values.mean()) ** 2).sum())))


def _cramers_v(x: Array, y: Array) -> float | None:
    """Cramér's V without bias correction, over the categories that occur."""
    if len(x) < LEAST_ROWS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    table = np.bincount(x * (y.max() + 1) + y, minlength=(x.max() + 1) * (y.max() + 1)).reshape(x.max() + 1, -1)
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi2 = ((table - expected) ** 2 / expected).sum()
    return float(min(1.0, np.sqrt(chi2 / (table.sum() * (min(table.shape) - 1)))))


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    Correlate: correlate,
}
