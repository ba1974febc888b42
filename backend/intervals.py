"""Confidence intervals of what was measured."""

from collections.abc import Sequence

import numpy as np

RESAMPLES = 2000


def bootstrap_interval(scores: Sequence[tuple[str, float]], seed: int = 0, share: float = 0.95) -> tuple[float, float] | None:
    """The percentile bootstrap interval of the mean, resampling passages: scores of one passage stay together.

    `scores` are (passage, score); None for fewer than two passages. Source: Efron and Tibshirani (1993), chapter 13, with
    clusters as units since questions share passages.
    """
    passages = sorted({passage for passage, _ in scores})
    if len(passages) < 2:
        return None
    places = {passage: index for index, passage in enumerate(passages)}
    sums, counts = np.zeros(len(passages)), np.zeros(len(passages))
    for passage, score in scores:
        sums[places[passage]] += score
        counts[places[passage]] += 1
    drawn = np.random.default_rng(seed).integers(len(passages), size=(RESAMPLES, len(passages)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - share) / 2, (1 + share) / 2])
    return float(low), float(high)
