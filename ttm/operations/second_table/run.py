"""Which columns have drifted from the training rows, what that does to the model, and which rows are outliers.

The newer rows are those of a second table that somebody brought; without one, the rows that are talked about, where the model
was not trained on them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from backend.intervals import holm
from ttm.explain.importance import evenly
from ttm.language.operations.data import Drift, Outliers
from ttm.operations.results import Result
from ttm.operations.rows.context import Context, model_outputs
from ttm.operations.rows.selection import apply_threshold, known_labels
from ttm.operations.scores.estimates import ScoreEstimate, binary_estimates, macro_estimates, value_estimates
from ttm.operations.scores.metrics import confusion_matrix, regression_scores
from ttm.operations.second_table import column_drift
from ttm.operations.second_table.column_drift import DistributionTest
from ttm.operations.second_table.outlying import FAR, distances
from ttm.operations.versus.differences import CHANCE, Difference, all_differences
from ttm.tabular.data.encoding import days
from ttm.tabular.data.schema import Feature, FeatureKind

MOST_COMPARED = 2_000  # rows with each other, for outliers
REASONS = 2  # columns that are named for each outlier
SCORES = ("accuracy", "fpr", "fnr", "selection", "baserate")
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ColumnDrift:
    """One column in the training rows and in the newer ones.

    `size` is the distance of the two distributions, 0 to 1, `p` its p-value adjusted for all tests, None where it cannot be
    tested. `before` and `after` are means of a measure (dates as ordinal days), or the shares of the category `value` whose
    share changed most. The shares of missing values have a test of their own. `outside` newer rows lie beyond all training
    rows; `unseen` counts categories that these do not have.
    """

    column: str
    size: float
    p: float | None
    is_clear: bool
    value: str | None
    before: float | None
    after: float | None
    missing_before: float
    missing_after: float
    missing_p: float | None
    outside: int
    unseen: dict[str, int]


@dataclass(frozen=True)
class OutputDrift:
    """The model's output on the rows that are talked about and on the second table: their means, distance and p-value."""

    before: float
    after: float
    size: float
    p: float | None


@dataclass(frozen=True)
class ScoreDrift:
    """A score on the labelled rows that are talked about and of the second table."""

    metric: str
    before: ScoreEstimate
    after: ScoreEstimate
    difference: Difference


@dataclass(frozen=True)
class TableDrift(Result):
    """Columns from the one on that has drifted most, clear ones first; `tests` were made and adjusted together (Holm).

    `table` names the second table, empty where the rows that are talked about are compared; `output` and `scores` are then
    left out. `flatters` says that the model was trained on the rows that the second table is compared with.
    """

    table: str
    rows: int
    reference: int
    columns: tuple[ColumnDrift, ...]
    tests: int
    output: OutputDrift | None
    scores: tuple[ScoreDrift, ...]
    flatters: bool


@dataclass(frozen=True)
class UnusualValue:
    """A value that sets a row apart; nine of ten training rows lie between `low` and `high`, None for a category."""

    column: str
    value: Any
    low: float | None
    high: float | None


@dataclass(frozen=True)
class OutlyingRow:
    """A row with its distance from the training rows, the share of these that are as far from the others, and why."""

    id: Any
    distance: float
    p: float
    values: tuple[UnusualValue, ...]


@dataclass(frozen=True)
class OutlyingRows(Result):
    """The rows that are farthest from the training rows, farthest first. `far` of `rows` are farther than 99 % of `reference`
    training rows are from the others; `p_more` is the p-value of that being chance. `table` is as in `TableDrift`."""

    table: str
    rows: int
    reference: int
    far: int
    p_more: float
    listed: tuple[OutlyingRow, ...]


def _newer(context: Context, what: str) -> tuple[str, pd.DataFrame]:
    """The name of the second table, or nothing, and the rows to set beside the training rows."""
    second = context.subject.second
    if second is None:
        return "", context.rows.frame
    if context.group.rows < context.group.total or context.is_changed:
        raise ExecutionError(f"{what} all rows of {second.name}; ask without naming rows or changes.")
    return second.name, second.frame


def drift(step: Drift, context: Context) -> TableDrift:
    name, rows = _newer(context, "Drift is measured for")
    train = context.subject.dataset.train_frame
    if not name and (context.subject.trained_on_rows or train is context.subject.dataset.frame):
        raise ExecutionError(
            "Bring a second table with the same columns: the rows of this one are those that the model was trained on."
        )
    if len(rows) < 2:
        raise ExecutionError("Drift is about many rows; this is a single one.")
    columns, tests = _columns(context, train, rows)
    return TableDrift(
        "drift", context.group, name, len(rows), len(train), columns, tests, _output(context) if name else None,
        _scores(context) if name else (), context.subject.trained_on_rows,
    )  # fmt: skip


# --- columns -------------------------------------------------------------------------------------------------------------


def _columns(context: Context, train: pd.DataFrame, rows: pd.DataFrame) -> tuple[tuple[ColumnDrift, ...], int]:
    second = context.subject.second
    unseen = [{} if second is None else second.unseen.get(f.name, {}) for f in context.schema.features]
    pairs = [_compared(f, train[f.name], rows[f.name], new) for f, new in zip(context.schema.features, unseen, strict=True)]
    p_values = [one.p for pair in pairs for one in pair if one is not None and one.p is not None]
    adjusted = iter(holm(p_values))
    columns = []
    for feature, (values, gone), new in zip(context.schema.features, pairs, unseen, strict=True):
        p, gone_p = (None if one is None or one.p is None else next(adjusted) for one in (values, gone))
        columns.append(_column(feature, train[feature.name], rows[feature.name], values, (p, gone_p), new))
    return tuple(sorted(columns, key=lambda column: (not column.is_clear, -column.size))), len(p_values)


def _compared(
    feature: Feature, before: pd.Series, after: pd.Series, unseen: dict[str, int]
) -> tuple[DistributionTest, DistributionTest | None]:
    if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        compared = column_drift.measures(_numbers(before, feature), _numbers(after, feature))
        return compared, column_drift.missing(before, after)
    filled = _categories(after, feature, unseen)
    return column_drift.categories(_categories(before, feature, {}).dropna(), filled.dropna()), column_drift.missing(
        before, filled
    )


def _numbers(column: pd.Series, feature: Feature) -> Array:
    numbers = days(column) if feature.kind is FeatureKind.DATE else column.to_numpy(np.float64, na_value=np.nan)
    return np.asarray(numbers[~np.isnan(numbers)])


def _categories(column: pd.Series, feature: Feature, unseen: dict[str, int]) -> pd.Series:
    """The categories as texts, with those that the data set does not know in the place of missing ones."""
    texts = column.map({value: feature.value_token(value) for value in feature.values}).astype(object)
    places = np.flatnonzero(texts.isna().to_numpy())[: sum(unseen.values())]
    texts.iloc[places] = [name for name, count in unseen.items() for _ in range(count)][: len(places)]
    return texts


def _column(
    feature: Feature, before: pd.Series, after: pd.Series, compared: DistributionTest,
    p_values: tuple[float | None, float | None], unseen: dict[str, int],
) -> ColumnDrift:  # fmt: skip
    p, gone_p = p_values
    value, outside = None, 0
    if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        old, new = _numbers(before, feature), _numbers(after, feature)
        means = [float(part.mean()) if len(part) else None for part in (old, new)]
        outside = int(((new < old.min()) | (new > old.max())).sum()) if len(old) else 0
    else:
        filled = _categories(after, feature, unseen)
        shares = [part.value_counts(normalize=True) for part in (_categories(before, feature, {}).dropna(), filled.dropna())]
        names = sorted(set(shares[0].index) | set(shares[1].index))
        value = max(names, key=lambda name: abs(shares[0].get(name, 0.0) - shares[1].get(name, 0.0)), default=None)
        means = [float(part.get(value, 0.0)) for part in shares]
        after = filled
    clear = any(own is not None and own < CHANCE for own in (p, gone_p))
    return ColumnDrift(
        feature.name, compared.size, p, clear, value, means[0], means[1], float(before.isna().mean()),
        float(after.isna().mean()), gone_p, outside, unseen,
    )  # fmt: skip


# --- the model -----------------------------------------------------------------------------------------------------------


def _predicted(context: Context) -> tuple[Array, Array]:
    """Outputs (n,) and predictions (n,) of the model for the second table."""
    second, model = context.subject.second, context.subject.model
    assert second is not None, "asked for only with a second table"
    if not context.schema.target.is_classification:
        values = model.predict(second.frame)
        return values, values
    probabilities = model.predict_proba(second.frame)
    return model_outputs(probabilities), apply_threshold(probabilities, context.threshold)


def _output(context: Context) -> OutputDrift:
    before, after = context.outputs, _predicted(context)[0]
    compared = column_drift.measures(before, after)
    return OutputDrift(float(before.mean()), float(after.mean()), compared.size, compared.p)


def _scores(context: Context) -> tuple[ScoreDrift, ...]:
    """The scores on both tables, where outcomes are known in both."""
    second, labels = context.subject.second, context.rows.labels
    if second is None or second.labels is None or labels is None or not context.rows.labelled.any():
        return ()
    known = known_labels(second.labels)
    before = _estimates(context, labels[context.rows.labelled], context.predictions[context.rows.labelled])
    after = _estimates(context, second.labels[known], _predicted(context)[1][known])
    names = [name for name in (SCORES if "fpr" in before and len(context.schema.target.classes) == 2 else ("accuracy", "mae"))
             if name in before and name in after]  # fmt: skip
    differences = all_differences([[after[name], before[name]] for name in names])
    return tuple(ScoreDrift(name, before[name], after[name], pairs[0]) for name, pairs in zip(names, differences, strict=True))


def _estimates(context: Context, truth: Array, predicted: Array) -> dict[str, ScoreEstimate]:
    classes = len(context.schema.target.classes)
    if not classes:
        return value_estimates(truth, predicted, regression_scores(truth, predicted))
    matrix = confusion_matrix(truth, predicted, classes)
    return binary_estimates(matrix) if classes == 2 else macro_estimates(matrix)


# --- outliers ------------------------------------------------------------------------------------------------------------


def outliers(step: Outliers, context: Context) -> OutlyingRows:
    name, rows = _newer(context, "Outliers are looked for in")
    coding = context.explainer.coding
    own = not name and context.subject.trained_on_rows and not context.is_changed and not context.rows.is_made_up
    if own:
        return _among_themselves(step, context)
    reference = coding.train[evenly(len(coding.train), MOST_COMPARED)]
    if len(reference) < 3:
        raise ExecutionError("There are too few training rows to say what is unusual.")
    result = distances(coding.encode(rows), reference, coding.scale, coding.discrete)
    return _listed(step, context, name, rows, len(reference), result.distance, result.p, result.parts)


def _among_themselves(step: Outliers, context: Context) -> OutlyingRows:
    """The rows that the model was trained on, each beside the others."""
    coding, frame = context.explainer.coding, context.subject.dataset.frame
    places = evenly(len(frame), MOST_COMPARED)
    encoded = coding.encode(frame.iloc[places])
    if len(encoded) < 3:
        raise ExecutionError("There are too few rows to say what is unusual.")
    result = distances(encoded, encoded, coding.scale, coding.discrete, own=True)
    here = np.flatnonzero(np.isin(places, context.rows.positions))
    rows = frame.iloc[places[here]]
    return _listed(step, context, "", rows, len(encoded), result.distance[here], result.p[here], result.parts[here])


def _listed(
    step: Outliers, context: Context, name: str, rows: pd.DataFrame, reference: int, distance: Array, p: Array, parts: Array
) -> OutlyingRows:
    from scipy.stats import binomtest

    far = int((p <= FAR).sum())
    order = np.argsort(-distance, kind="stable")[: step.count]
    listed = tuple(
        OutlyingRow(
            rows.index[index], float(distance[index]), float(p[index]), _values(context, rows.iloc[index], parts[index])
        )
        for index in order
    )
    more = float(binomtest(far, len(rows), FAR, alternative="greater").pvalue) if len(rows) else 1.0
    operation = "outliers" if step == Outliers() else f"outliers {step.count}"
    return OutlyingRows(operation, context.group, name, len(rows), reference, far, more, listed)


def _values(context: Context, row: pd.Series, parts: Array) -> tuple[UnusualValue, ...]:
    """The columns that add most to the distance of a row."""
    unusual = []
    for index in np.argsort(-parts, kind="stable")[:REASONS]:
        feature = context.schema.features[int(index)]
        low = high = None
        if feature.kind is FeatureKind.NUMERIC:
            low, high = np.nanquantile(context.explainer.coding.train[:, int(index)], [0.05, 0.95]).tolist()
        value = row[feature.name]
        unusual.append(UnusualValue(feature.name, None if pd.isna(value) else value, low, high))
    return tuple(unusual)


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Drift: drift, Outliers: outliers}
