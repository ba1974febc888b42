"""Counterfactuals proposed by DiCE: at random, by a genetic algorithm or from the nearest training rows.

DiCE is shown only the features that may change and have a value, so missing values, dates and features that stay as they are
never reach it. It seeds and disturbs numpy's and Python's global generators, so it runs alone, and they are put back after.

Source: Mothilal et al., "Explaining Machine Learning Classifiers through Diverse Counterfactual Explanations".
"""

import random
import threading
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.counterfactuals.goal import Goal
from ttm.explain.counterfactuals.moves import Moves
from ttm.explain.scoring import RowScorer

METHODS = ("random", "genetic", "kdtree")
MOST_FEATURES = 60  # beyond this its searches take minutes
TRAINING_ROWS = 2_000
OUTCOME = "outcome of the goal"

_alone = threading.Lock()


@dataclass(frozen=True)
class _GoalModel:
    """What DiCE takes for a classifier: class 1 where the goal is reached, on the features that may change."""

    row: Vector
    places: npt.NDArray[np.int_]
    names: list[str]
    goal: Goal
    scorer: RowScorer

    def predict_proba(self, frame: pd.DataFrame) -> Matrix:
        margin = self.goal.margin(self.scorer.outputs(self.full(frame)))
        reached = np.where(margin >= 0, 0.5 + np.minimum(margin, 1) / 2, 0.5 + np.maximum(margin, -1) / 2 - 1e-9)
        return np.column_stack([1 - reached, np.clip(reached, 0, 1)])

    def predict(self, frame: pd.DataFrame) -> npt.NDArray[np.int_]:
        return (self.predict_proba(frame)[:, 1] >= 0.5).astype(int)

    def full(self, frame: pd.DataFrame) -> Matrix:
        """Encoded rows (n, d) for DiCE's columns, which hold numbers or the text of a category's place."""
        rows = np.tile(self.row, (len(frame), 1))
        rows[:, self.places] = frame[self.names].astype(float).to_numpy()
        return rows


def proposals(row: Vector, goal: Goal, count: int, method: str, scorer: RowScorer, moves: Moves, seed: int) -> Matrix:
    """Changed rows (n, d) that DiCE proposes for one that does not reach the goal, to be checked; perhaps none."""
    places = _variable(row, moves)
    if not 0 < len(places) <= MOST_FEATURES:
        return np.zeros((0, len(row)))
    names = [scorer.coding.names[index] for index in places]
    model = _GoalModel(row, places, names, goal, scorer)
    with _alone, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own use of pandas; nothing here depends on it
        kept, kept_python = np.random.get_state(), random.getstate()
        np.random.seed(seed)
        random.seed(seed)
        try:
            proposed = _asked(model, count, method, scorer.coding, moves, seed)
        finally:
            np.random.set_state(kept)
            random.setstate(kept_python)
    return proposed


def _variable(row: Vector, moves: Moves) -> npt.NDArray[np.int_]:
    fixed = np.isnan(row) | ~moves.mutable
    return np.array([p for p in np.flatnonzero(~fixed) if len(moves.values(row, int(p)))], dtype=int)


def _asked(model: _GoalModel, count: int, method: str, coding: Coding, moves: Moves, seed: int) -> Matrix:
    import dice_ml
    from raiutils.exceptions import UserConfigValidationException

    _silence()
    discrete = coding.discrete[model.places]
    known = coding.complete[:: max(1, len(coding.complete) // TRAINING_ROWS)]
    training = _as_dice(known[:, model.places], model.names, discrete)
    training[OUTCOME] = model.predict(training)
    continuous = [name for name, is_discrete in zip(model.names, discrete, strict=True) if not is_discrete]
    data = dice_ml.Data(dataframe=training, continuous_features=continuous, outcome_name=OUTCOME)
    dice = dice_ml.Dice(data, dice_ml.Model(model=model, backend="sklearn", model_type="classifier"), method=method)
    query = _as_dice(model.row[None, model.places], model.names, discrete)
    extra: dict[str, Any] = {"random_seed": seed} if method == "random" else {}
    try:
        result = dice.generate_counterfactuals(
            query, total_CFs=count, desired_class=1, permitted_range=_permitted(model, coding, moves),
            posthoc_sparsity_algorithm="binary", verbose=False, **extra,
        )  # fmt: skip
    except (UserConfigValidationException, ValueError, TypeError, KeyError, IndexError):
        return np.zeros((0, len(model.row)))  # it found nothing, or its data were not to its liking
    frame = result.cf_examples_list[0].final_cfs_df
    return model.full(frame) if frame is not None and len(frame) else np.zeros((0, len(model.row)))


def _silence() -> None:
    """DiCE prints how it fares and draws a progress bar for a single row; take both from it."""
    from dice_ml.explainer_interfaces import dice_genetic, dice_KD, dice_random, explainer_base

    explainer_base.tqdm = lambda items, **_: items
    for module in (dice_genetic, dice_KD, dice_random):
        module.print = lambda *_, **__: None


def _as_dice(rows: Matrix, names: list[str], discrete: npt.NDArray[np.bool_]) -> pd.DataFrame:
    columns = {}
    for index, name in enumerate(names):
        columns[name] = rows[:, index].astype(int).astype(str) if discrete[index] else rows[:, index]
    return pd.DataFrame(columns)


def _permitted(model: _GoalModel, coding: Coding, moves: Moves) -> dict[str, list[Any]]:
    permitted: dict[str, list[Any]] = {}
    for index, name in zip(model.places, model.names, strict=True):
        if coding.discrete[index]:
            values = np.append(moves.values(model.row, int(index)), model.row[index])
            permitted[name] = [str(int(value)) for value in np.sort(values)]
        else:
            permitted[name] = list(moves.bounds(model.row, int(index)))
    return permitted
