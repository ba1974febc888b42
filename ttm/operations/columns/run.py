"""One column, or all of them, in numbers and words: summary statistics, definitions, the data set as a whole."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ttm.language.parse import DataSummary, Define, Statistic
from ttm.operations.column_summary import NumberSummary, class_counts, shares_of, summarise
from ttm.operations.data.run import labelled
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.operations.rows.selection import known_labels
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

TARGET = "target"


@dataclass(frozen=True)
class NumericStatistic(Result):
    """Summary of a numeric feature, or of a regression target; `column` is its name."""

    column: str
    count: int
    missing: int
    mean: float
    std: float
    min: float
    lower_quartile: float
    median: float
    upper_quartile: float
    max: float


@dataclass(frozen=True)
class CategoryStatistic(Result):
    """How often each value of a categorical or boolean feature, or each class, occurs; shares are of known values.

    Features are counted by their values as they stand in the data, most frequent first; classes by name, in class order.
    """

    column: str
    count: int
    missing: int
    counts: dict[Any, int]
    shares: dict[Any, float]


@dataclass(frozen=True)
class DateStatistic(Result):
    column: str
    count: int
    missing: int
    first: pd.Timestamp | None
    median: pd.Timestamp | None
    last: pd.Timestamp | None


@dataclass(frozen=True)
class ColumnFacts:
    """What is known about one column. `low` and `high` are observed bounds (dates as ISO text), `values` categories.

    `inferred` names what nobody stated; `mutable` is None for the target.
    """

    column: str
    definition: str
    kind: str
    unit: str
    low: float | str | None
    high: float | str | None
    values: tuple[str, ...]
    synonyms: tuple[str, ...]
    mutable: bool | None
    inferred: tuple[str, ...]


@dataclass(frozen=True)
class Definition(Result):
    facts: ColumnFacts


@dataclass(frozen=True)
class DataDescription(Result):
    """The data set as a whole; `missing` counts missing values by column name, where there are any.

    `class_counts` are over the rows with a known label, None for regression or without labels; `labels` is for regression.
    """

    title: str
    objective: str
    rows: int
    train_rows: int
    trained_on_same: bool
    features: tuple[ColumnFacts, ...]
    missing: dict[str, int]
    class_counts: dict[str, int] | None
    labels: NumberSummary | None
    notes: tuple[str, ...]


def statistic(step: Statistic, context: Context) -> Result:
    operation = f"statistic {step.feature}"
    if step.feature == TARGET:
        return _target_statistic(operation, context)
    feature = context.schema.by_token[step.feature]
    column = context.rows.column(feature.name)
    if feature.kind is FeatureKind.NUMERIC:
        summary = summarise(column.to_numpy(dtype=float, na_value=np.nan))
        return NumericStatistic(operation, context.group, feature.name, **vars(summary))
    missing = int(column.isna().sum())
    known = len(column) - missing
    if feature.kind is FeatureKind.DATE:
        days = (column.min(), column.median(), column.max()) if known else (None, None, None)
        return DateStatistic(operation, context.group, feature.name, known, missing, *days)
    counts = {value: int(count) for value, count in column.value_counts().items()}
    return CategoryStatistic(operation, context.group, feature.name, known, missing, counts, shares_of(counts))


def _target_statistic(operation: str, context: Context) -> Result:
    labels, name = labelled(context), context.schema.target.name
    known = context.rows.labelled
    if not context.schema.target.is_classification:
        return NumericStatistic(operation, context.group, name, **vars(summarise(labels)))
    counts = class_counts(labels[known], context.schema)
    missing = int((~known).sum())
    return CategoryStatistic(operation, context.group, name, int(known.sum()), missing, counts, shares_of(counts))


def define(step: Define, context: Context) -> Definition:
    schema = context.schema
    facts = _target_facts(schema) if step.feature == TARGET else _facts(schema.by_token[step.feature])
    return Definition(f"define {step.feature}", context.group, facts)


def _target_facts(schema: Schema) -> ColumnFacts:
    target = schema.target
    kind = "class" if target.is_classification else "number"
    return ColumnFacts(target.name, schema.objective, kind, target.unit, target.low, target.high, target.classes, (), None, ())


def _facts(feature: Feature) -> ColumnFacts:
    low, high = _bounds(feature)
    return ColumnFacts(
        feature.name, feature.definition, feature.kind.value, feature.unit, low, high,
        tuple(str(value) for value in feature.values), feature.synonyms, feature.mutable, tuple(sorted(feature.inferred)),
    )  # fmt: skip


def _bounds(feature: Feature) -> tuple[float | str | None, float | str | None]:
    if feature.kind is not FeatureKind.DATE:
        return feature.low, feature.high
    bounds = [None if day is None else pd.Timestamp.fromordinal(int(day)) for day in (feature.low, feature.high)]
    low, high = (None if day is None else f"{day:%Y-%m-%d}" for day in bounds)
    return low, high


def describe_data(step: DataSummary, context: Context) -> DataDescription:
    dataset, schema = context.subject.dataset, context.schema
    features = tuple(_facts(feature) for feature in schema.features)
    missing = {str(name): int(n) for name, n in dataset.frame.isna().sum().items() if n}
    counts, summary = None, None
    if dataset.labels is not None:
        known = known_labels(dataset.labels)
        counts = class_counts(dataset.labels[known], schema) if schema.target.is_classification else None
        summary = None if schema.target.is_classification else summarise(dataset.labels)
    same = context.subject.trained_on_rows
    return DataDescription(
        "data", context.group, schema.title, schema.objective, len(dataset.frame), len(dataset.train_frame), same,
        features, missing, counts, summary, schema.notes,
    )  # fmt: skip


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    Statistic: statistic,
    Define: define,
    DataSummary: describe_data,
}
