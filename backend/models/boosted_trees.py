"""Boosted trees (Friedman 2001) as arrays: fitted by scikit-learn, kept as JSON, asked without it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Indexes = npt.NDArray[np.int64]


@dataclass(frozen=True)
class BoostedTrees:
    """Trees whose values add up to log-odds: arrays (trees, nodes). Values up to the threshold go left; a leaf leads to
    itself."""

    feature: Indexes
    threshold: Array
    left: Indexes
    right: Indexes
    value: Array
    bias: float = 0.0

    def of(self, rows: Array) -> Array:
        """The log-odds (n,) of rows (n, f)."""
        each, trees = np.arange(len(rows))[:, None], np.arange(len(self.feature))
        at = np.zeros((len(rows), len(trees)), np.int64)
        while True:
            goes_left = rows[each, self.feature[trees, at]] <= self.threshold[trees, at]
            following = np.where(goes_left, self.left[trees, at], self.right[trees, at])
            if np.array_equal(following, at):
                return np.asarray(self.value[trees, at].sum(axis=1) + self.bias)
            at = following

    def stored(self) -> dict[str, Any]:
        """The trees as lists, for JSON; `read_trees` makes trees of them again."""
        return {name: np.round(values, 5).tolist() for name, values in vars(self).items()}


_NOWHERE, _NOTHING = np.zeros((1, 1), np.int64), np.zeros((1, 1))
NO_TREES = BoostedTrees(_NOWHERE, _NOTHING, _NOWHERE, _NOWHERE, _NOTHING)


def read_trees(stored: Mapping[str, Any]) -> BoostedTrees:
    """The trees that `BoostedTrees.stored` gave."""
    feature, left, right = (np.array(stored[name], np.int64) for name in ("feature", "left", "right"))
    threshold, value = (np.array(stored[name], np.float64) for name in ("threshold", "value"))
    return BoostedTrees(feature, threshold, left, right, value, float(stored["bias"]))


def fit_trees(rows: Array, labels: Array, weights: Array | None = None, **settings: Any) -> BoostedTrees:
    """The trees that tell rows (n, f) with label 1 from those with 0; `settings` as of HistGradientBoostingClassifier."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    if len(set(labels.tolist())) < 2:
        return NO_TREES
    model = HistGradientBoostingClassifier(**settings, random_state=0).fit(rows, labels, weights)
    nodes = [predictors[0].nodes for predictors in model._predictors]
    shape = len(nodes), max(map(len, nodes))
    feature, left, right = (np.zeros(shape, np.int64) for _ in range(3))
    threshold, value = np.zeros(shape), np.zeros(shape)
    for tree, own in enumerate(nodes):
        count, leaf, itself = len(own), own["is_leaf"].astype(bool), np.arange(len(own))
        feature[tree, :count] = np.where(leaf, 0, own["feature_idx"])
        threshold[tree, :count] = np.where(leaf, 0, own["num_threshold"])
        left[tree, :count], right[tree, :count] = np.where(leaf, itself, own["left"]), np.where(leaf, itself, own["right"])
        value[tree, :count] = own["value"]
    return BoostedTrees(feature, threshold, left, right, value, float(model._baseline_prediction[0, 0]))
