"""Intervals and tests against scipy, published examples and the definition."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom, binomtest, bootstrap, chi2_contingency, fisher_exact, ttest_1samp

from backend.intervals import clustered_interval, difference_interval, difference_p, holm, paired_p, wilson_interval

CASES = [(0, 1), (1, 1), (0, 12), (3, 10), (12, 12), (206, 299), (999, 1000), (1, 40_000)]


@pytest.mark.parametrize(("hits", "rows"), CASES)
def test_a_share_has_wilsons_interval(hits: int, rows: int) -> None:
    wanted = binomtest(hits, rows).proportion_ci(method="wilson")
    assert wilson_interval(hits, rows) == pytest.approx((wanted.low, wanted.high), abs=1e-12)
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_nineteen_of_twenty_intervals_cover_the_truth() -> None:
    rows = 60
    covered = []
    for truth in np.linspace(0.02, 0.98, 97):
        bounds = [wilson_interval(hits, rows) for hits in range(rows + 1)]
        inside = np.array([low <= truth <= high for low, high in bounds])
        covered.append(binom.pmf(range(rows + 1), rows, truth) @ inside)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.01)


# Newcombe (1998), table II, method 10.
PUBLISHED = [
    ((56, 70), (48, 80), (0.0524, 0.3339)),
    ((9, 10), (3, 10), (0.1705, 0.8090)),
    ((6, 7), (2, 7), (0.0582, 0.8062)),
    ((5, 56), (0, 29), (-0.0381, 0.1926)),
    ((0, 10), (0, 20), (-0.1611, 0.2775)),
    ((0, 10), (0, 10), (-0.2775, 0.2775)),
    ((10, 10), (0, 20), (0.6791, 1.0)),
    ((10, 10), (0, 10), (0.6075, 1.0)),
]


@pytest.mark.parametrize(("one", "other", "wanted"), PUBLISHED)
def test_the_difference_of_two_shares_has_newcombes_interval(
    one: tuple[int, int], other: tuple[int, int], wanted: tuple[float, float]
) -> None:
    first, second = one[0] / one[1], other[0] / other[1]
    bounds = difference_interval(first, wilson_interval(*one), second, wilson_interval(*other))
    assert bounds == pytest.approx(wanted, abs=5e-5)
    low, high = difference_interval(second, wilson_interval(*other), first, wilson_interval(*one))
    assert (-high, -low) == pytest.approx(bounds)


def test_the_test_of_a_difference_is_the_chi_squared_or_the_exact_one() -> None:
    large, small = [[206, 93], [260, 90]], [[1, 9], [6, 4]]
    assert difference_p(206, 299, 260, 350) == pytest.approx(chi2_contingency(large, correction=False).pvalue)
    assert difference_p(1, 10, 6, 10) == pytest.approx(fisher_exact(small).pvalue)
    for nothing in ((0, 0, 3, 9), (3, 9, 0, 0), (0, 9, 0, 5), (9, 9, 5, 5)):
        assert difference_p(*nothing) == 1.0


@pytest.mark.slow
def test_equal_shares_are_rarely_called_different() -> None:
    """All outcomes of two groups of 40 and 55 rows with the same true share, by their probability."""
    sizes = (40, 55)
    for truth in (0.05, 0.3, 0.5):
        chances = [binom.pmf(range(size + 1), size, truth) for size in sizes]
        pairs = itertools.product(range(sizes[0] + 1), range(sizes[1] + 1))
        false_alarm = sum(chances[0][a] * chances[1][b] for a, b in pairs if difference_p(a, sizes[0], b, sizes[1]) < 0.05)
        assert false_alarm < 0.06


def test_many_tests_are_adjusted_by_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def single(values: list[float]) -> list[tuple[str, float]]:
    return [(str(number), value) for number, value in enumerate(values)]


def test_few_scores_have_students_interval_and_too_few_none() -> None:
    values = [float(value) for value in np.random.default_rng(0).random(12)]
    wanted = ttest_1samp(values, 0).confidence_interval(0.95)
    assert clustered_interval(single(values)) == pytest.approx((wanted.low, wanted.high))
    assert paired_p(single(values)) == pytest.approx(ttest_1samp(values, 0).pvalue)
    assert clustered_interval(single(values[:9])) is None
    assert paired_p(single(values[:9])) is None
    assert clustered_interval([("one passage", value) for value in values]) is None
    assert clustered_interval([]) is None


def test_many_scores_have_the_accelerated_bootstrap_of_scipy() -> None:
    values = [float(value) for value in np.random.default_rng(1).beta(5, 1, 60)]
    wanted = bootstrap((values,), np.mean, n_resamples=9999, method="BCa", rng=np.random.default_rng(2)).confidence_interval
    assert clustered_interval(single(values)) == pytest.approx((wanted.low, wanted.high), abs=0.01)


def test_scores_of_one_passage_count_as_one() -> None:
    """Each passage three times: the interval is that of the passages, not narrower."""
    values = [float(value) for value in np.random.default_rng(3).random(15)]
    assert clustered_interval(single(values) * 3) == pytest.approx(clustered_interval(single(values)))


def test_scores_that_are_all_alike() -> None:
    wilson = binomtest(20, 20).proportion_ci(method="wilson")
    assert clustered_interval(single([1.0] * 20)) == pytest.approx((wilson.low, 1.0))
    assert clustered_interval(single([0.5] * 40)) == (0.5, 0.5)
    assert paired_p(single([0.0] * 12)) == 1.0


def test_nineteen_of_twenty_intervals_of_few_scores_cover_the_mean() -> None:
    generator, covered = np.random.default_rng(4), 0
    for _ in range(1000):
        bounds = clustered_interval(single([float(value) for value in generator.choice([0.0, 0.5, 0.75, 1.0], size=15)]))
        assert bounds is not None
        covered += bounds[0] <= 0.5625 <= bounds[1]
    assert 0.93 <= covered / 1000 <= 0.97
