"""Where an ensemble of trees cuts each feature, so that rows between the same cuts need to be asked only once."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ttm.explain.coding import Coding
from ttm.explain.techniques.tree_inputs import booster_trees
from ttm.tabular.model.model import Model, model_features

Splits = list[npt.NDArray[np.float32]]
BOOSTED = ("XGBClassifier", "XGBRegressor")


def split_points(model: Model, coding: Coding) -> Splits | None:
    """Sorted cuts of each feature in schema order, or None where the model is not known to be made of such cuts alone.

    Two values of a feature of which no cut is above one and not the other get the same answer, all else equal. Known for
    XGBoost trees (boosters "gbtree" and "dart") that read the features themselves, alone or behind our own encoder.
    """
    steps = [step for _, step in getattr(model.estimator, "steps", [("", model.estimator)])]
    if type(steps[-1]).__name__ not in BOOSTED or any(type(step).__name__ != "FrameEncoder" for step in steps[:-1]):
        return None
    return _of_booster(steps[-1], model_features(model.estimator, coding.schema), coding)


def _of_booster(estimator: Any, columns: list[str], coding: Coding) -> Splits | None:
    if estimator.get_params().get("booster") == "gblinear":
        return None
    trees = booster_trees(estimator)
    if any(any(tree.by_category) for tree in trees):
        return None
    splits = [
        (column, split)
        for tree in trees
        for column, split, left in zip(tree.column, tree.split, tree.left, strict=True)
        if left != -1
    ]
    split_columns, values = np.array([column for column, _ in splits]), np.array([split for _, split in splits], np.float32)
    by_column = {column: np.unique(values[split_columns == index]) for index, column in enumerate(columns)}
    return [by_column.get(name, np.zeros(0, np.float32)) for name in coding.names]
