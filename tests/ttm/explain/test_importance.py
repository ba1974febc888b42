"""The position of a feature among all rows is stated no more exactly than the explained rows allow."""

import numpy as np
from scipy.stats import rankdata, ttest_rel

from ttm.explain.importance import position_bounds


def population(rows: int, width: int) -> np.ndarray:
    """Sizes of weights, skewed and of overlapping means, as those of correlated features are."""
    random = np.random.default_rng(3)
    return np.asarray(random.gamma(2, np.linspace(1, 2.5, width), (rows, width)) + random.gamma(1, 2, (rows, 1)))


def test_of_all_rows_the_positions_are_known() -> None:
    sizes = population(40, 6)
    sizes[:, 3] = sizes[:, 2]
    first, last = position_bounds(sizes, 40)
    assert first.tolist() == rankdata(-sizes.mean(axis=0), method="min").tolist()
    assert last.tolist() == rankdata(-sizes.mean(axis=0), method="max").tolist()


def test_the_interval_counts_the_features_that_a_paired_test_tells_apart() -> None:
    """By SciPy's paired t test, where the rows are few of very many."""
    sizes = population(25, 7)
    first, last = position_bounds(sizes, 10**9)
    for feature in range(7):
        others = np.delete(sizes, feature, axis=1)
        test = ttest_rel(others, sizes[:, [feature]])
        apart = test.pvalue < 0.05 / 6
        assert first[feature] == 1 + (apart & (test.statistic > 0)).sum()
        assert last[feature] == 7 - (apart & (test.statistic < 0)).sum()


def test_samples_hold_the_position_among_all_rows_in_19_of_20_draws() -> None:
    everyone, random = population(250, 8), np.random.default_rng(4)
    truth = rankdata(-everyone.mean(axis=0))
    draws = [position_bounds(everyone[random.choice(250, 30, replace=False)], 250) for _ in range(400)]
    held = np.mean([(first <= truth) & (truth <= last) for first, last in draws], axis=0)
    assert held.min() >= 0.95
    assert np.mean([last - first for first, last in draws]) < 6  # and they are no empty statement


def test_one_row_of_several_leaves_every_position_open() -> None:
    first, last = position_bounds(np.array([[3.0, 2.0, 1.0]]), 5)
    assert (first.tolist(), last.tolist()) == ([1, 1, 1], [3, 3, 3])
