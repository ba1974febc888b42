"""What the trees at the end of a pipeline read."""

from typing import Any

import numpy as np

from ttm.explain.coded_inputs import coded_inputs
from ttm.explain.coding import Matrix
from ttm.explain.scoring import Scorer
from ttm.tabular.model.model import model_features


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
