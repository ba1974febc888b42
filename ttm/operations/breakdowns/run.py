"""A statistic, a score or a count for each group, and whether the groups differ by more than chance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.errors import ExecutionError
from ttm.language.operations.breakdowns import CountBy, ScoreBy, StatisticBy, grouping_words
from ttm.language.parse import Score, surface
from ttm.operations.breakdowns.groups import TARGET, NamedGroup, group_context, named_groups
from ttm.operations.column_summary import NumberSummary, summarise
from ttm.operations.data.run import labelled
from ttm.operations.exploration.run import numbers_of
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.operations.scores.estimates import ScoreEstimate
from ttm.operations.scores.run import ClassScores, ValueScores, score
from ttm.operations.versus.differences import Difference, difference_of
from ttm.tabular.data.schema import FeatureKind

ASKED = {"default": "accuracy", "confusion": "accuracy", "roc": "roc_auc"}
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class MeansByGroup(Result):
    """A number summed up for each group, in the order of `names`; `by` is the readable name of what groups them.

    `filters` select the groups in the parse language, "" where nothing does; so below.
    `p` is the p-value of all means being the same by the test of Alexander and Govern (1994), "A new and simpler
    approximation for ANOVA under variance heterogeneity"; None where a group has fewer than two rows or no spread.
    """

    column: str
    by: str
    names: tuple[str, ...]
    summaries: tuple[NumberSummary, ...]
    p: float | None
    filters: tuple[str, ...] = ()


@dataclass(frozen=True)
class ScoresByGroup(Result):
    """A score for each group, None where it is undefined there or no true outcome is known.

    `gap` is the difference of the groups with the highest and the lowest score, tested as one of all pairs; None without two.
    """

    metric: str
    by: str
    names: tuple[str, ...]
    estimates: tuple[ScoreEstimate, ...]
    gap: Difference | None
    filters: tuple[str, ...] = ()


@dataclass(frozen=True)
class CrossTable(Result):
    """Counts (rows, columns) of each group by `by`, and within it by `across`; one column "rows" where that is None.

    `p` is the p-value of Pearson's chi-squared test of independence and `cramers_v` how strong the connection is, both None
    without `across` or where one of the two does not vary; `sparse` where fewer than 80 % of cells expect five rows or more,
    so that p says little.
    """

    by: str
    across: str | None
    names: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    p: float | None = None
    cramers_v: float | None = None
    sparse: bool = False
    filters: tuple[str, ...] = ()
    across_filters: tuple[str, ...] = ()


def statistic_by(step: StatisticBy, context: Context) -> Result:
    target = context.schema.target
    groups = named_groups(step.by, context)
    if step.feature == TARGET:
        if target.is_classification:
            return _cross(surface(step), context, (step.by, step.feature), groups, named_groups(TARGET, context))
        values, name = np.where(context.rows.labelled, labelled(context), np.nan).astype(float), target.name
    else:
        feature = context.schema.by_token[step.feature]
        if feature.kind in (FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN):
            return _cross(surface(step), context, (step.by, step.feature), groups, named_groups(step.feature, context))
        values, name = numbers_of(context.rows.column(feature.name), feature), feature.name
    parts = [values[group.mask] for group in groups]
    summaries = tuple(summarise(part) for part in parts)
    by = grouping_words(step.by, context.schema)
    return MeansByGroup(surface(step), context.group, name, by, _names(groups), summaries, _same_means(parts), _filters(groups))


def _filters(groups: Sequence[NamedGroup]) -> tuple[str, ...]:
    """What selects each group in the parse language; "" where nothing does."""
    return tuple(group.filters for group in groups)


def _names(groups: Sequence[NamedGroup]) -> tuple[str, ...]:
    return tuple(group.name for group in groups)


def _same_means(parts: Sequence[Array]) -> float | None:
    from scipy.stats import alexandergovern

    known = [part[~np.isnan(part)] for part in parts]
    known = [part for part in known if len(part)]
    if len(known) < 2 or any(len(part) < 2 or np.ptp(part) == 0 for part in known):
        return None
    return float(alexandergovern(*known).pvalue)


def score_by(step: ScoreBy, context: Context) -> ScoresByGroup:
    labelled(context)
    groups = named_groups(step.by, context)
    estimates = [_estimate(step.metric, group_context(group, context)) for group in groups]
    known = [index for index, one in enumerate(estimates) if one.value is not None]
    gap = None
    if len(known) >= 2:
        high, low = (end(known, key=lambda index: estimates[index].value or 0.0) for end in (max, min))
        if high != low:
            gap = difference_of(estimates, high, low)
    by = grouping_words(step.by, context.schema)
    metric = _asked(step.metric, context)
    return ScoresByGroup(surface(step), context.group, metric, by, _names(groups), tuple(estimates), gap, _filters(groups))


def _asked(metric: str, context: Context) -> str:
    """The one score that is set side by side, by its name among the estimates."""
    if not context.schema.target.is_classification:
        return "mae" if metric == "default" else metric
    return ASKED.get(metric, metric)


def _estimate(metric: str, context: Context) -> ScoreEstimate:
    try:
        result = score(Score(metric), context)
    except ExecutionError:  # no true outcome in this group, or one class alone
        return ScoreEstimate(None, None, None, 0)
    assert isinstance(result, ClassScores | ValueScores)
    if metric == "calibration":
        return ScoreEstimate(result.value, None, None, result.rows)
    return result.estimates[_asked(metric, context)]


def count_by(step: CountBy, context: Context) -> CrossTable:
    groups = named_groups(step.by, context)
    if step.across is None:
        counts = tuple((int(group.mask.sum()),) for group in groups)
        by = grouping_words(step.by, context.schema)
        return CrossTable(surface(step), context.group, by, None, _names(groups), ("rows",), counts, filters=_filters(groups))
    return _cross(surface(step), context, (step.by, step.across), groups, named_groups(step.across, context))


def _cross(
    operation: str, context: Context, tokens: tuple[str, str], groups: Sequence[NamedGroup], others: Sequence[NamedGroup]
) -> CrossTable:
    from scipy.stats import chi2_contingency

    counts = np.array([[int((group.mask & other.mask).sum()) for other in others] for group in groups])
    filled = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    by, across = (grouping_words(token, context.schema) for token in tokens)
    table = tuple(tuple(row) for row in counts.tolist())
    if min(filled.shape) < 2:
        return CrossTable(operation, context.group, by, across, _names(groups), _names(others), table,
                          filters=_filters(groups), across_filters=_filters(others))  # fmt: skip
    test = chi2_contingency(filled, correction=False)
    strength = float(np.sqrt(test.statistic / (filled.sum() * (min(filled.shape) - 1))))
    sparse = bool((test.expected_freq >= 5).mean() < 0.8)
    return CrossTable(
        operation, context.group, by, across, _names(groups), _names(others), table, float(test.pvalue), strength, sparse,
        _filters(groups), _filters(others),
    )  # fmt: skip


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    StatisticBy: statistic_by,
    ScoreBy: score_by,
    CountBy: count_by,
}
