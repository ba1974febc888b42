"""What the trees at the end of a pipeline read."""

from typing import Any

import numpy as np

from ttm.explain.coding import Matrix
from ttm.explain.scoring import Scorer
from ttm.tabular.model.model import model_features


def tree_learner(scorer: Scorer) -> Any:
    """The estimator itself, or the last step of a pipeline."""
    return getattr(scorer.model.estimator, "steps", [("", scorer.model.estimator)])[-1][1]


def tree_inputs(scorer: Scorer, rows: Matrix) -> Matrix:
    """The matrix (n, c) that the last step reads for encoded rows (n, d), columns in the model's order."""
    frame = scorer.coding.decode(rows)[model_features(scorer.model.estimator, scorer.coding.schema)]
    for _, step in getattr(scorer.model.estimator, "steps", [])[:-1]:
        frame = step.transform(frame)
    return np.asarray(frame, dtype=np.float64)
