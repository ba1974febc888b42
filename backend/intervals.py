"""Confidence intervals of what was measured, and tests of whether two measured shares differ."""

import math
from collections.abc import Sequence

import numpy as np

RESAMPLES = 2000
Z95 = 1.959963984540054  # the 97.5 % point of the normal distribution
FEWEST_CLUSTERS = 10  # fewer give no interval
MANY_CLUSTERS = 30
FEWEST_EXPECTED = 5  # in each cell of a 2 x 2 table, for the chi-squared test to be trusted

Interval = tuple[float, float]


def mean_of(values: Sequence[float]) -> float | None:
    """The mean, None of nothing."""
    return sum(values) / len(values) if values else None


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


def clustered_interval(scores: Sequence[tuple[str, float]], seed: int = 0, within: Interval = (0.0, 1.0)) -> Interval | None:
    """Return the 95 % interval of a mean of `scores`, (cluster, score): those of one cluster, as a passage, stay together.

    None for fewer than FEWEST_CLUSTERS clusters, of which nothing useful can be said. Up to MANY_CLUSTERS by Student's t of
    the ratio of sums (Cochran, 1977, "Sampling techniques", 6.4), beyond by the bias-corrected and accelerated bootstrap
    (Efron, 1987). The scores lie `within` bounds; where all are at the same bound, Wilson's interval of a share is taken.
    """
    sums, counts = _clusters(scores)
    clusters = len(sums)
    if clusters < FEWEST_CLUSTERS:
        return None
    low, high = within
    values = {score for _, score in scores}
    if values in ({low}, {high}):
        bounds = wilson_interval(clusters if values == {high} else 0, clusters)
        return low + bounds[0] * (high - low), low + bounds[1] * (high - low)
    if clusters < MANY_CLUSTERS or np.ptp(sums / counts) == 0:
        from scipy.stats import t

        mean, error = _ratio(sums, counts)
        half = float(t.ppf(0.975, clusters - 1)) * error
        return max(low, mean - half), min(high, mean + half)
    return _accelerated(sums, counts, seed)


def paired_p(differences: Sequence[tuple[str, float]]) -> float | None:
    """Return the two-sided p-value of a mean difference of zero, by Student's t over clusters; None for too few."""
    from scipy.stats import t

    sums, counts = _clusters(differences)
    if len(sums) < FEWEST_CLUSTERS:
        return None
    mean, error = _ratio(sums, counts)
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * t.sf(abs(mean) / error, len(sums) - 1))


def _clusters(scores: Sequence[tuple[str, float]]) -> tuple[np.ndarray, np.ndarray]:
    """The sum of the scores of each cluster, and how many they are."""
    _, owners = np.unique([cluster for cluster, _ in scores], return_inverse=True)
    counts = np.bincount(owners) if len(scores) else np.zeros(0)
    return np.bincount(owners, weights=[score for _, score in scores]) if len(scores) else counts, counts


def _ratio(sums: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """The mean over all scores, a ratio of two sums over clusters, and its standard error."""
    mean, clusters = float(sums.sum() / counts.sum()), len(sums)
    rest = sums - mean * counts
    return mean, math.sqrt(clusters / (clusters - 1) * float(rest @ rest)) / float(counts.sum())


def _accelerated(sums: np.ndarray, counts: np.ndarray, seed: int) -> Interval:
    from scipy.stats import bootstrap

    def mean(sums: np.ndarray, counts: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.asarray(sums.sum(axis=axis) / counts.sum(axis=axis))

    drawn = bootstrap(
        (sums, counts.astype(float)), mean, paired=True, vectorized=True, n_resamples=RESAMPLES, method="BCa",
        rng=np.random.default_rng(seed),
    )  # fmt: skip
    return float(drawn.confidence_interval.low), float(drawn.confidence_interval.high)


def mean_interval(values: Sequence[float], seed: int = 0, resamples: int = RESAMPLES) -> tuple[float, float]:
    """The 95% percentile bootstrap interval of a mean of independent values, of which there must be one or more."""
    drawn = np.random.default_rng(seed).integers(len(values), size=(resamples, len(values)))
    low, high = np.quantile(np.asarray(values, dtype=float)[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)
