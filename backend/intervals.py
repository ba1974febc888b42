"""Confidence intervals of what was measured, and tests of whether two measured shares differ."""

import math
from collections.abc import Sequence

import numpy as np

RESAMPLES = 2000
Z95 = 1.959963984540054  # the 97.5 % point of the normal distribution
FEWEST_EXPECTED = 5  # in each cell of a 2 x 2 table, for the chi-squared test to be trusted

Interval = tuple[float, float]


def wilson_interval(hits: int, rows: int) -> Interval:
    """Return the 95 % interval of a share of `hits` in `rows`, the whole of 0 to 1 where there are no rows.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference".
    """
    if not rows:
        return 0.0, 1.0
    share, unsure = hits / rows, Z95**2 / rows
    centre = (share + unsure / 2) / (1 + unsure)
    half = Z95 * math.sqrt(share * (1 - share) / rows + unsure / (4 * rows)) / (1 + unsure)
    return (0.0 if not hits else centre - half), (1.0 if hits == rows else centre + half)


def difference_interval(first: float, of_first: Interval, second: float, of_second: Interval) -> Interval:
    """Return the 95 % interval of `first - second`, from the interval of each, for independent samples.

    For shares with Wilson intervals it is the hybrid score interval (method 10) of Newcombe (1998), "Interval estimation for
    the difference between independent proportions"; in general, Zou and Donner (2008), "Construction of confidence limits
    about effect measures".
    """
    (low, high), (other_low, other_high) = of_first, of_second
    difference = first - second
    return (
        difference - math.hypot(first - low, other_high - second),
        difference + math.hypot(high - first, second - other_low),
    )


def difference_p(hits: int, rows: int, other_hits: int, other_rows: int) -> float:
    """Return the two-sided p-value of two shares of independent rows being the same; 1 where it cannot be tested.

    Pearson's chi-squared test without correction, or Fisher's exact test where a cell is expected to hold fewer than
    FEWEST_EXPECTED rows.
    """
    from scipy.stats import chi2, fisher_exact

    table = np.array([[hits, rows - hits], [other_hits, other_rows - other_hits]])
    if not rows or not other_rows or not table.sum(axis=0).all():
        return 1.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    if expected.min() < FEWEST_EXPECTED:
        return float(fisher_exact(table).pvalue)
    return float(chi2.sf(((table - expected) ** 2 / expected).sum(), 1))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for being many, in the same order.

    Source: Holm (1979), "A simple sequentially rejective multiple test procedure".
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, largest = [1.0] * len(p_values), 0.0
    for step, number in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - step) * p_values[number]))
        adjusted[number] = largest
    return adjusted


def bootstrap_interval(scores: Sequence[tuple[str, float]], seed: int = 0, share: float = 0.95) -> tuple[float, float] | None:
    """The percentile bootstrap interval of the mean, resampling passages: scores of one passage stay together.

    `scores` are (passage, score); None for fewer than two passages. Source: Efron and Tibshirani (1993), chapter 13, with
    clusters as units since questions share passages.
    """
    passages, owners = np.unique([passage for passage, _ in scores], return_inverse=True)
    if len(passages) < 2:
        return None
    sums = np.bincount(owners, weights=[score for _, score in scores])
    return _percentiles(sums, np.bincount(owners), seed, share)


def mean_interval(values: Sequence[float], seed: int = 0, resamples: int = RESAMPLES) -> tuple[float, float]:
    """The 95% percentile bootstrap interval of a mean of independent values, of which there must be one or more."""
    return _percentiles(np.asarray(values, dtype=float), np.ones(len(values)), seed, 0.95, resamples)


def _percentiles(
    sums: np.ndarray, counts: np.ndarray, seed: int, share: float, resamples: int = RESAMPLES
) -> tuple[float, float]:
    # scipy.stats.bootstrap resamples the values of one sample, not clusters; a mean over clusters is a ratio of two sums.
    drawn = np.random.default_rng(seed).integers(len(sums), size=(resamples, len(sums)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)
