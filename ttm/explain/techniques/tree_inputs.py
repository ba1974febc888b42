"""What the trees at the end of a pipeline read, and how those of XGBoost split."""

import json
from typing import Any, NamedTuple

import numpy as np

from ttm.explain.coded_inputs import coded_inputs
from ttm.explain.coding import Matrix
from ttm.explain.scoring import Scorer
from ttm.tabular.model.model import model_features


class BoosterTree(NamedTuple):
    """One tree, node by node, from the root.

    `left` and `right` are the nodes that follow, -1 at a leaf. A value of input `column` below `split` goes left, a missing one
    where `missing_left`; at a leaf, `split` is what it adds to the margin. `by_category` marks nodes that split otherwise.
    """

    left: list[int]
    right: list[int]
    column: list[int]
    split: list[float]
    missing_left: list[int]
    by_category: list[int]


SAVED_AS = ("left_children", "right_children", "split_indices", "split_conditions", "default_left", "split_type")


def booster_trees(estimator: Any) -> list[BoosterTree]:
    """All trees of an XGBoost estimator whose booster is "gbtree" or "dart", as its JSON format has them."""
    booster = json.loads(estimator.get_booster().save_raw("json"))["learner"]["gradient_booster"]
    return [BoosterTree(*(tree[name] for name in SAVED_AS)) for tree in booster.get("gbtree", booster)["model"]["trees"]]


def tree_learner(scorer: Scorer) -> Any:
    """The estimator itself, or the last step of a pipeline."""
    return getattr(scorer.model.estimator, "steps", [("", scorer.model.estimator)])[-1][1]


def tree_inputs(scorer: Scorer, rows: Matrix) -> Matrix:
    """The matrix (n, c) that the last step reads for encoded rows (n, d), columns in the model's order."""
    coded = coded_inputs(scorer.model.estimator, scorer.coding)
    steps = [step for _, step in getattr(scorer.model.estimator, "steps", [])][:-1]
    inputs: Any
    if coded is None:
        inputs = scorer.coding.decode(rows)[model_features(scorer.model.estimator, scorer.coding.schema)]
    else:
        inputs, steps = coded.of(rows), steps[1:]
    for step in steps:
        inputs = step.transform(inputs)
    return np.asarray(inputs, dtype=np.float64)
