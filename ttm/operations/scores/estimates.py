"""How sure a score is: its value with a 95 % interval and the number of rows that it rests on.

A share of rows has Wilson's interval; the F1 score, a function of the share of true hits among all rows that are or are
predicted to be of the class, that of this share; the area under the ROC curve DeLong's on the log odds; means over several
classes a bootstrap interval; errors of quantities the interval that their influence functions give.

Source: DeLong, DeLong and Clarke-Pearson (1988), "Comparing the areas under two or more correlated receiver operating
characteristic curves"; Efron and Tibshirani (1993), "An introduction to the bootstrap"; Zou and Donner (2008), "Construction
of confidence limits about effect measures" (the sum of two independent shares).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from backend.intervals import RESAMPLES, Z95, Interval, difference_interval, wilson_interval
from ttm.operations.scores.metrics import Array, Scores, macro_scores

FEW_ROWS = 30  # fewer make a score that says little


@dataclass(frozen=True)
class ScoreEstimate:
    """A score with its 95 % interval, all None where it is undefined.

    `rows` are those that it rests on: for recall those truly of the class, for precision those predicted to be of it.
    `hits` are the rows among them that it counts, None where it is not a share of rows.
    """

    value: float | None
    low: float | None
    high: float | None
    rows: int
    hits: int | None = None

    @property
    def interval(self) -> Interval | None:
        return None if self.low is None or self.high is None else (self.low, self.high)


def share(hits: int, rows: int) -> ScoreEstimate:
    """A share of rows, undefined where there are none."""
    if not rows:
        return ScoreEstimate(None, None, None, 0, 0)
    return ScoreEstimate(hits / rows, *wilson_interval(hits, rows), rows, hits)


def binary_estimates(matrix: Array) -> dict[str, ScoreEstimate]:
    """The scores of the second of two classes, from a confusion matrix (2, 2) of true and predicted classes."""
    (rejected, alarms), (missed, hits) = matrix.tolist()
    total = rejected + alarms + missed + hits
    recall, precision = share(hits, hits + missed), share(hits, hits + alarms)
    specificity = share(rejected, rejected + alarms)
    return {
        "accuracy": share(hits + rejected, total),
        "balanced": _mean_of_shares(recall, specificity),
        "precision": precision,
        "recall": recall,
        "sensitivity": recall,
        "specificity": specificity,
        "ppv": precision,
        "npv": share(rejected, rejected + missed),
        "f1": _f1(hits, hits + missed + alarms),
        "fpr": share(alarms, rejected + alarms),
        "fnr": share(missed, hits + missed),
        "selection": share(hits + alarms, total),
        "baserate": share(hits + missed, total),
    }


def _mean_of_shares(one: ScoreEstimate, other: ScoreEstimate) -> ScoreEstimate:
    """The mean of two shares of different rows, undefined where one of them is."""
    rows = one.rows + other.rows
    if one.value is None or other.value is None or one.interval is None or other.interval is None:
        return ScoreEstimate(None, None, None, rows)
    low, high = other.interval
    total = difference_interval(one.value, one.interval, -other.value, (-high, -low))
    return ScoreEstimate((one.value + other.value) / 2, total[0] / 2, total[1] / 2, rows)


def _f1(hits: int, named: int) -> ScoreEstimate:
    """F1 is 2 s / (1 + s) for the share s of hits among the `named` rows, which grows with s; so its bounds are s's."""
    if not named:
        return ScoreEstimate(None, None, None, 0)
    value, low, high = (2 * s / (1 + s) for s in (hits / named, *wilson_interval(hits, named)))
    return ScoreEstimate(value, low, high, named)


def macro_estimates(matrix: Array) -> dict[str, ScoreEstimate]:
    """The means over classes of `macro_scores`, from a confusion matrix (k, k); only the accuracy is a share of rows."""
    total, scores = int(matrix.sum()), macro_scores(matrix)
    drawn = np.random.default_rng(0).multinomial(total, matrix.ravel() / total, RESAMPLES).reshape(-1, *matrix.shape)
    means = {name: _drawn_means(drawn, name) for name in scores if name != "accuracy"}
    estimates = {"accuracy": share(int(matrix.trace()), total)}
    for name, values in means.items():
        known = values[~np.isnan(values)]
        if scores[name] is None or not len(known):
            estimates[name] = ScoreEstimate(scores[name], None, None, total)
        else:
            low, high = np.quantile(known, [0.025, 0.975])
            estimates[name] = ScoreEstimate(scores[name], float(low), float(high), total)
    return estimates


# Of counts of hits, rows truly of a class, rows predicted to be of it, and all rows: what is divided by what.
Parts = tuple[Array, Array]
RATIOS: dict[str, Callable[[Array, Array, Array, Array], Parts]] = {
    "precision": lambda hit, true, predicted, n: (hit, predicted),
    "recall": lambda hit, true, predicted, n: (hit, true),
    "specificity": lambda hit, true, predicted, n: (n - true - predicted + hit, n - true),
    "npv": lambda hit, true, predicted, n: (n - true - predicted + hit, n - predicted),
    "f1": lambda hit, true, predicted, n: (2 * hit, true + predicted),
    "fpr": lambda hit, true, predicted, n: (predicted - hit, n - true),
    "fnr": lambda hit, true, predicted, n: (true - hit, true),
}
ALIASES = {"sensitivity": "recall", "ppv": "precision", "balanced": "recall"}


def _drawn_means(drawn: Array, name: str) -> Array:
    """The mean over classes (draws,) of a score in each confusion matrix (draws, k, k), NaN where it is undefined in all."""
    hit, true, predicted = np.einsum("nkk->nk", drawn), drawn.sum(axis=2), drawn.sum(axis=1)
    part, whole = RATIOS[ALIASES.get(name, name)](hit, true, predicted, drawn.sum(axis=(1, 2))[:, None])
    known = whole > 0
    ratios = np.where(known, part / np.where(known, whole, 1), 0.0)
    return np.asarray(ratios.sum(axis=1) / np.where(known.any(axis=1), known.sum(axis=1), np.nan))


def area_estimate(truth: Array, probabilities: Array) -> ScoreEstimate:
    """The area under the ROC curve of `roc_auc`; undefined where no class occurs without being all there is."""
    numbers = [1] if probabilities.shape[1] == 2 else range(probabilities.shape[1])
    usable = [n for n in numbers if 0 < (truth == n).sum() < len(truth)]
    if not usable:
        return ScoreEstimate(None, None, None, len(truth))
    pairs = [_area_influence(truth == n, probabilities[:, n]) for n in usable]
    area = float(np.mean([value for value, _ in pairs]))
    error = float(np.sqrt((np.mean([influence for _, influence in pairs], axis=0) ** 2).sum()))
    fewest = min(int(min((truth == n).sum(), (truth != n).sum())) for n in usable)
    return ScoreEstimate(area, *_area_interval(area, error, fewest), len(truth))


def _area_influence(positive: Array, scores: Array) -> tuple[float, Array]:
    """The area, and how much each row (m,) moves it; their squares sum to DeLong's variance."""
    from scipy.stats import rankdata

    ranks, influence = rankdata(scores), np.zeros(len(scores))
    positives, negatives = int(positive.sum()), int((~positive).sum())
    above = (ranks[positive] - rankdata(scores[positive])) / negatives  # share of negatives below each positive
    below = 1 - (ranks[~positive] - rankdata(scores[~positive])) / positives
    area = float(above.mean())
    for mask, shares, count in ((positive, above, positives), (~positive, below, negatives)):
        influence[mask] = (shares - area) / math.sqrt(count * max(count - 1, 1))
    return area, influence


def _area_interval(area: float, error: float, fewest: int) -> Interval:
    """On the log odds; where the rows show no spread, being few or well separated, as for a share of the rarer rows."""
    if not 0 < area < 1 or not error:
        return wilson_interval(round(area * fewest), fewest)
    centre, half = math.log(area / (1 - area)), Z95 * error / (area * (1 - area))
    return 1 / (1 + math.exp(half - centre)), 1 / (1 + math.exp(-half - centre))


def value_estimates(truth: Array, predicted: Array, scores: Scores) -> dict[str, ScoreEstimate]:
    """Intervals of the scores of quantities (m,) by their influence functions: large samples, errors that do not depend."""
    off, rows = truth - predicted, len(truth)
    spread = truth.var()
    estimates = {"mae": _normal(scores["mae"], np.abs(off), rows)}
    squares = _normal(float((off**2).mean()), off**2, rows)
    low, high = (None if bound is None else math.sqrt(max(bound, 0.0)) for bound in (squares.low, squares.high))
    estimates["rmse"] = ScoreEstimate(scores["rmse"], low, high, rows)
    if scores["r2"] is None:
        return estimates | {"r2": ScoreEstimate(None, None, None, rows)}
    influence = -(off**2) / spread + (off**2).mean() / spread**2 * (truth - truth.mean()) ** 2
    bent = _normal(scores["r2"], influence, rows)
    return estimates | {"r2": ScoreEstimate(bent.value, bent.low, None if bent.high is None else min(bent.high, 1.0), rows)}


def _normal(value: float | None, influences: Array, rows: int) -> ScoreEstimate:
    if rows < 2 or value is None:
        return ScoreEstimate(value, None, None, rows)
    half = Z95 * float(influences.std(ddof=1)) / math.sqrt(rows)
    return ScoreEstimate(value, max(0.0, value - half) if influences.min() >= 0 else value - half, value + half, rows)
