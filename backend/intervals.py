"""Confidence intervals of what was measured."""

from collections.abc import Sequence

import numpy as np

RESAMPLES = 2000


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


def share_interval(hits: int, trials: int, share: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a share; (0, 1) without a trial."""
    from scipy.stats import binomtest

    if not trials:
        return 0.0, 1.0
    interval = binomtest(hits, trials).proportion_ci(share, method="wilson")
    return float(interval.low), float(interval.high)
