"""Tests of the differences and connections that the last answer shows."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from backend.errors import ExecutionError
from backend.intervals import holm
from ttm.language.operations.dialogue import Significant
from ttm.language.operations.scores import METRIC_NAMES
from ttm.operations.breakdowns.run import CrossTable, MeansByGroup, ScoresByGroup
from ttm.operations.column_summary import NumberSummary
from ttm.operations.columns.run import NumericStatistic
from ttm.operations.comparison.run import Comparison
from ttm.operations.correlation.run import Correlations
from ttm.operations.data.run import TrueValues
from ttm.operations.exploration.run import NumberDistribution
from ttm.operations.fairness.run import FairnessByGroup
from ttm.operations.left_out.run import WithoutFeature
from ttm.operations.models.run import ModelsSideBySide
from ttm.operations.predictions.run import PredictedValues
from ttm.operations.regression.run import RegressionLine
from ttm.operations.rendering.answer import title_of
from ttm.operations.results import Result, Versus
from ttm.operations.rows.context import Context
from ttm.operations.scores.run import ClassScores
from ttm.operations.versus.differences import CHANCE, Difference, all_differences
from ttm.operations.versus.measures import MEASURES

WELCH, SHARES, PEARSON, BINOMIAL = "Welch's t test", "chi-squared test", "test of Pearson's r", "binomial test"
Summed = NumericStatistic | NumberSummary
INTERVAL = "95% interval of the difference"
SLOPE, MCNEMAR = "t test of the slope", "McNemar's exact test"
MEANS, HOLM = "test of Alexander and Govern", ", adjusted by Holm's method"


@dataclass(frozen=True)
class ChanceTest:
    """One test: `what` it is about in plain words, by which `method`, and its p-value; None where there is only an interval.

    `is_clear`: chance alone would hardly make it so; None where that cannot be computed.
    """

    what: str
    method: str
    p: float | None
    is_clear: bool | None


def _test(what: str, method: str, p: float | None) -> ChanceTest:
    return ChanceTest(what, method, p, None if p is None else p < CHANCE)


def _tested(what: str, difference: Difference) -> ChanceTest:
    """The test of two estimates, or their interval where they are no shares of rows."""
    if difference.p is not None:
        return ChanceTest(what, SHARES if difference.tests == 1 else SHARES + HOLM, difference.p, difference.is_clear)
    return ChanceTest(what, INTERVAL, None, None if difference.low is None else difference.is_clear)


@dataclass(frozen=True)
class Significance(Result):
    """The tests of the last answer, in its order; `about` names the operation that it answered."""

    about: str
    tests: tuple[ChanceTest, ...]


def significant(step: Significant, context: Context) -> Significance:
    if not context.memory.results:
        raise ExecutionError("There is no earlier answer in this conversation to test. Ask for two groups side by side first.")
    last = context.memory.results[-1]
    if isinstance(last, Versus) and last.shared:
        raise ExecutionError(
            f"{last.shared:,} rows are in more than one of these groups, so their difference cannot be tested as one between "
            "independent groups. Take groups that exclude each other."
        )
    test = TESTS.get(type(last))
    tests = tuple(test(last, context)) if test else ()
    if not tests:
        raise ExecutionError(
            "The last answer shows no difference or connection that could be tested. Set two groups side by side, ask for a "
            "figure by a column, or how two columns go together."
        )
    return Significance("significant", context.group, last.operation, tests)


def _of_groups(result: Versus, context: Context) -> Iterator[ChanceTest]:
    """Each two groups, by the first measure that can be tested."""
    names = [part.group.words for part in result.results]
    summaries = [_summary_of(part) for part in result.results]
    if all(summaries):
        yield from _of_means([one for one in summaries if one is not None], names)
        return
    measures = [MEASURES[type(part)](part, context.schema) if type(part) in MEASURES else [] for part in result.results]
    if not all(measures) or any(own[0].estimate is None for own in measures):
        return
    estimates = [own[0].estimate for own in measures if own[0].estimate is not None]
    for one in all_differences([estimates])[0]:
        yield _tested(f"{names[one.first]} and {names[one.second]}", one)


def _summary_of(result: Result) -> Summed | None:
    """The mean, the deviation and the count of the numbers that a result is about."""
    match result:
        case NumericStatistic():
            return result
        case TrueValues() | PredictedValues() | NumberDistribution():
            return result.summary
    return None


def _of_means(results: Sequence[Summed], names: list[str]) -> Iterator[ChanceTest]:
    pairs = list(combinations(range(len(results)), 2))
    values = [_welch(results[one], results[other]) for one, other in pairs]
    adjusted = iter(holm([p for p in values if p is not None]))
    for (one, other), p in zip(pairs, values, strict=True):
        method = WELCH if len(pairs) == 1 else WELCH + HOLM
        yield _test(f"{names[one]} and {names[other]}", method, None if p is None else next(adjusted))


def _welch(one: Summed, other: Summed) -> float | None:
    from scipy.stats import ttest_ind_from_stats

    if min(one.count, other.count) < 2 or not one.std + other.std > 0:
        return None
    test = ttest_ind_from_stats(one.mean, one.std, one.count, other.mean, other.std, other.count, equal_var=False)
    return float(test.pvalue)


def _of_correlations(result: Correlations, context: Context) -> Iterator[ChanceTest]:
    """Those by Pearson's r, adjusted for being many."""
    from scipy.stats import t

    known = [one for one in result.associations if one.pearson is not None]
    values = []
    for one in known:
        r, free = abs(one.pearson or 0.0), one.rows - 2
        values.append(0.0 if r >= 1 else float(2 * t.sf(r * math.sqrt(free / (1 - r * r)), free)))
    method = PEARSON if len(known) == 1 else PEARSON + HOLM
    for one, p in zip(known, holm(values), strict=True):
        yield _test(f"{title_of(one.column, context.schema)} and {title_of(one.other, context.schema)}", method, p)


def _of_comparison(result: Comparison, context: Context) -> Iterator[ChanceTest]:
    """Whether the predicted classes are spread alike over the groups."""
    from scipy.stats import chi2_contingency

    shares = [group.predicted_shares for group in result.groups]
    if any(one is None for one in shares):
        return
    counts = np.array([
        [round(share * group.rows) for share in (one or {}).values()] for one, group in zip(shares, result.groups, strict=True)
    ])  # fmt: skip
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    p = float(chi2_contingency(counts, correction=False).pvalue) if min(counts.shape) > 1 else None
    yield _test(f"predicted classes by {title_of(result.column, context.schema)}", SHARES, p)


def _of_scores(result: ClassScores, context: Context) -> Iterator[ChanceTest]:
    """Whether the model is right more often than always saying the most frequent class."""
    from scipy.stats import binomtest

    accuracy = result.estimates["accuracy"]
    if result.metric in ("default", "accuracy", "confusion") and accuracy.hits is not None and result.majority_share < 1:
        p = float(binomtest(accuracy.hits, accuracy.rows, result.majority_share, alternative="greater").pvalue)
        yield _test("the accuracy and that of always saying the most frequent class", BINOMIAL, p)


def _of_score_groups(result: ScoresByGroup, context: Context) -> Iterator[ChanceTest]:
    gap = result.gap
    if gap is not None:
        yield _tested(f"{result.names[gap.first]} and {result.names[gap.second]}", gap)


def _of_fairness(result: FairnessByGroup, context: Context) -> Iterator[ChanceTest]:
    for gap in result.gaps:
        yield _tested(f"{METRIC_NAMES[gap.rate]} by {title_of(result.column, context.schema)}", gap.difference)


def _of_line(result: RegressionLine, context: Context) -> Iterator[ChanceTest]:
    names = (title_of(column, context.schema) for column in (result.predictor, result.outcome))
    yield _test(" and ".join(names), SLOPE, result.p)


def _of_left_out(result: WithoutFeature, context: Context) -> Iterator[ChanceTest]:
    name = title_of(result.column, context.schema)
    yield _test(f"the model with {name} and without it", MCNEMAR, result.p)


def _of_models(result: ModelsSideBySide, context: Context) -> Iterator[ChanceTest]:
    if result.scores is not None:
        yield _test(f"the model and {result.others_name}", MCNEMAR, result.scores.p)


TESTS: dict[type, Callable[[Any, Context], Iterator[ChanceTest]]] = {
    Versus: _of_groups,
    Correlations: _of_correlations,
    Comparison: _of_comparison,
    ClassScores: _of_scores,
    ScoresByGroup: _of_score_groups,
    FairnessByGroup: _of_fairness,
    RegressionLine: _of_line,
    WithoutFeature: _of_left_out,
    ModelsSideBySide: _of_models,
    MeansByGroup: lambda result, context: iter(
        [_test(f"{title_of(result.column, context.schema)} by {result.by}", MEANS, result.p)]
    ),
    CrossTable: lambda result, context: iter(
        [_test(f"{result.by} and {result.across}", SHARES, result.p)] if result.across else []
    ),
}
OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Significant: significant}
