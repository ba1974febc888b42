"""Whether a column is distributed otherwise in newer rows than in earlier ones, and by how much.

Measures are compared by the two-sample test of Kolmogorov and Smirnov, whose statistic is the largest distance of the two
cumulative distributions; categories by Pearson's chi-squared test, with the total variation distance, the largest difference
of the probability of any set of values. Both sizes go from 0 (the same) to 1 (nothing in common). Missing values are compared
by themselves.

Source: Rabanser et al. (2019), "Failing loudly: an empirical study of methods for detecting dataset shift" (univariate tests
with a correction for being many); Cochran (1954) for pooling values that are expected fewer than five times.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.intervals import difference_p

FEWEST_EXPECTED = 5
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class DistributionTest:
    """One test: its `size` (0 to 1) and its p-value, None where nothing can be tested."""

    size: float
    p: float | None


def measures(before: Array, after: Array) -> DistributionTest:
    """Compare known values (n,) and (m,) of a measure."""
    from scipy.stats import ks_2samp

    if len(before) < 2 or len(after) < 2:
        return DistributionTest(0.0, None)
    test = ks_2samp(before, after)
    return DistributionTest(float(test.statistic), float(test.pvalue))


def categories(before: pd.Series, after: pd.Series) -> DistributionTest:
    """Compare known values (n,) and (m,) of a category."""
    from scipy.stats import chi2_contingency

    if not len(before) or not len(after):
        return DistributionTest(0.0, None)
    values = sorted(set(before) | set(after))
    counts = np.array([[(column == value).sum() for value in values] for column in (before, after)], dtype=float)
    shares = counts / counts.sum(axis=1, keepdims=True)
    size = float(np.abs(shares[0] - shares[1]).sum() / 2)
    pooled = _pooled(counts)
    if pooled.shape[1] < 2:
        return DistributionTest(size, None)
    if pooled.shape[1] == 2:
        return DistributionTest(size, difference_p(*(int(n) for row in pooled for n in (row[0], row.sum()))))
    return DistributionTest(size, float(chi2_contingency(pooled, correction=False).pvalue))


def _pooled(counts: Array) -> Array:
    """Counts (2, k) with the values that are expected fewer than FEWEST_EXPECTED times in a table taken together.

    A single one of them is taken together with the next rarest value.
    """
    expected = counts.sum(axis=0) * counts.sum(axis=1, keepdims=True) / counts.sum()
    rare = (expected < FEWEST_EXPECTED).any(axis=0)
    if not rare.any() or counts.shape[1] <= 2:
        return counts
    if rare.sum() == 1:
        rare[np.argsort(counts.sum(axis=0), kind="stable")[:2]] = True
    return np.concatenate([counts[:, ~rare], counts[:, rare].sum(axis=1, keepdims=True)], axis=1)


def missing(before: pd.Series, after: pd.Series) -> DistributionTest | None:
    """Compare the shares of missing values of two columns, None where neither has any."""
    gone = int(before.isna().sum()), int(after.isna().sum())
    if not any(gone):
        return None
    size = abs(gone[0] / len(before) - gone[1] / len(after))
    return DistributionTest(size, difference_p(gone[0], len(before), gone[1], len(after)))
