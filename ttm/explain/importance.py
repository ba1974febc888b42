"""From the explanations of single rows to what matters over a group: mean ranks with intervals.

Source: TalkToModel, appendix B.1 (an importance answer gives the mean rank of a feature and its 95 % interval).
"""

from collections import Counter

import numpy as np
import numpy.typing as npt

from ttm.explain.attribution import ExplanationCandidate, Importance
from ttm.language.parse import Method

Z95 = 1.96


def evenly(total: int, limit: int) -> npt.NDArray[np.int_]:
    """Places of at most `limit` of `total` rows, spread evenly from the first to the last."""
    if total <= limit:
        return np.arange(total)
    return np.unique(np.linspace(0, total - 1, limit).round().astype(int))


def summarised(names: list[str], candidates: list[ExplanationCandidate], method: Method, total: int) -> Importance:
    """Importance of features over the rows (m >= 1) whose chosen explanations are given."""
    from scipy.stats import rankdata

    weights = np.array([candidate.weights for candidate in candidates])
    ranks = rankdata(-np.abs(weights), axis=1)
    mean = ranks.mean(axis=0)
    spread = ranks.std(axis=0, ddof=1) if len(ranks) > 1 else np.zeros(len(names))
    half = Z95 * spread / np.sqrt(len(ranks))
    return Importance(
        features=tuple(names),
        mean_rank=mean,
        low=np.maximum(mean - half, 1.0),
        high=np.minimum(mean + half, len(names)),
        mean_absolute=np.abs(weights).mean(axis=0),
        mean_weight=weights.mean(axis=0),
        rows=len(candidates),
        total=total,
        method=method,
        methods=dict(Counter(candidate.technique for candidate in candidates).most_common()),
        fidelity=float(np.mean([candidate.fidelity for candidate in candidates])),
    )
