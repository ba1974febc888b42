"""From the weights of single rows to what matters over a group: mean absolute weights, and mean ranks, with intervals.

Features are ordered by their mean absolute weight by one technique: mean ranks let rows vote in which nothing matters, and
weights of several techniques have no common unit. Sources: Lundberg et al., "From local explanations to global understanding
with explainable AI for trees"; TalkToModel, appendix B.1 (the mean rank of a feature and its 95 % interval); Mogstad, Romano,
Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility across neighbourhoods and academic achievement
across countries" (the interval of a feature's position).
"""

import numpy as np
import numpy.typing as npt

from backend.intervals import Z95
from ttm.explain.attribution import Importance
from ttm.explain.coding import Matrix
from ttm.language.parse import Method

Positions = npt.NDArray[np.int_]


def evenly(total: int, limit: int) -> npt.NDArray[np.int_]:
    """Places of at most `limit` of `total` rows, spread evenly from the first to the last."""
    if total <= limit:
        return np.arange(total)
    return np.unique(np.linspace(0, total - 1, limit).round().astype(int))


def summarised(names: list[str], weights: Matrix, method: Method, total: int, by: str, is_scaled: bool = False) -> Importance:
    """Importance of features from the weights (m, d) of m >= 1 rows by one technique, `by`."""
    from scipy.stats import rankdata

    sizes = np.abs(weights)
    ranks, half = _with_half(rankdata(-sizes, axis=1))
    absolute, half_absolute = _with_half(sizes)
    first, last = position_bounds(-rankdata(-sizes, axis=1) if method is Method.PAPER else sizes, total)
    return Importance(
        features=tuple(names),
        mean_rank=ranks,
        low=np.maximum(ranks - half, 1.0),
        high=np.minimum(ranks + half, len(names)),
        mean_absolute=absolute,
        absolute_low=np.maximum(absolute - half_absolute, 0.0),
        absolute_high=absolute + half_absolute,
        mean_weight=weights.mean(axis=0),
        first=first,
        last=last,
        rows=len(weights),
        total=total,
        method=method,
        by=by,
        is_scaled=is_scaled,
    )


def _with_half(values: Matrix) -> tuple[Matrix, Matrix]:
    """The mean over rows (m, d) of each column, and half the width of its 95 % interval."""
    spread = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])
    return values.mean(axis=0), Z95 * spread / np.sqrt(len(values))


def position_bounds(sizes: Matrix, total: int) -> tuple[Positions, Positions]:
    """The first and the last position (d,) that each feature may have among all `total` rows, 1 the largest mean size.

    `sizes` (m, d) are those of m >= 1 rows out of them. Before a feature stand at least those whose mean size is larger by a
    paired t test, behind it those whose mean size is smaller; the d - 1 tests of a feature share the 5 % of its 95 %
    interval (Bonferroni), and the rows left out count as drawn from `total` (finite population correction). Of all rows the
    bounds are the positions themselves, which features of the same mean size share.
    """
    from scipy.stats import t

    rows, width = sizes.shape
    gaps = sizes.mean(axis=0)[:, None] - sizes.mean(axis=0)  # (d, d): by how much the first is larger than the second
    margin = np.zeros((width, width))
    if rows == 1 < total:
        return np.ones(width, dtype=int), np.full(width, width)
    if rows < total:
        factor = t.ppf(1 - 0.025 / max(1, width - 1), rows - 1) * np.sqrt((total - rows) / (total - 1) / rows)
        margin = np.array([factor * (sizes - column[:, None]).std(axis=0, ddof=1) for column in sizes.T])
    return 1 + (gaps > margin).sum(axis=0), width - (gaps < -margin).sum(axis=0)
