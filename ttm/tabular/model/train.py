"""Training a model where nobody brought one: boosted trees whose number is chosen by cross-validated log loss.

People see probabilities, so the choice is made by a proper scoring rule and not by accuracy.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from backend.errors import DatasetError
from backend.jobs import side_by_side
from backend.program import freed_memory
from ttm.tabular.data.dataset import Dataset
from ttm.tabular.model.cross_validation import Fold, folds_of, score_folds
from ttm.tabular.model.model import CrossValidationScores, Model

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

Progress = Callable[[float, str], None]
NAME = "gradient boosting (XGBoost)"
MIN_ROWS = 10
MAX_CELLS = 10_000_000  # rows times columns of the final training
SELECTION_CELLS = 400_000  # and of cross-validation
MAX_TREES = 500
PATIENCE = 30


@dataclass(frozen=True)
class Recipe:
    """Settings of boosted trees; `classes` is 0 for regression, `trees` the number of boosting rounds.

    One thread is the fastest for small data when other work runs beside it: threads waiting for each other cost more
    than they bring. `threads` None means all cores.
    """

    classes: int
    seed: int
    depth: int
    leaf_weight: float
    learning_rate: float = 0.05
    trees: int = MAX_TREES
    threads: int | None = 1

    def pipeline(self, **more: Any) -> "Pipeline":
        """The unfitted pipeline: an encoder that leaves missing values as such, and trees that send them either way."""
        from sklearn.pipeline import Pipeline
        from xgboost import XGBClassifier, XGBRegressor

        from ttm.tabular.data.encoding import FrameEncoder

        boosting = XGBClassifier if self.classes else XGBRegressor
        trees = boosting(
            n_estimators=self.trees,
            max_depth=self.depth,
            learning_rate=self.learning_rate,
            min_child_weight=self.leaf_weight,
            subsample=0.8,
            colsample_bytree=0.8,
            tree_method="hist",
            random_state=self.seed,
            n_jobs=self.threads,
            **more,
        )
        return Pipeline([("encode", FrameEncoder()), ("boost", trees)])


@dataclass(frozen=True)
class _Trial:
    """A recipe with its best number of trees, its mean loss there, and the fold models."""

    recipe: Recipe
    loss: float
    fitted: list["Pipeline"]


def train_model(dataset: Dataset, *, seed: int = 0, progress: Progress | None = None) -> Model:
    """Train boosted trees on the labelled rows and score them by cross-validation.

    Large data sets are sampled (the model's description says so). The same data and seed give the same model.
    `progress` is called with a share of 1 and a few words. Raises DatasetError if there are too few rows or a class has
    none.
    """
    report = progress or (lambda share, text: None)
    classes = len(dataset.schema.target.classes)
    check_trainable(dataset)
    frame, labels = sampled_rows(dataset, SELECTION_CELLS, seed)
    folds = folds_of(labels, classes > 0, 5 if len(labels) <= 5_000 else 3, seed)
    recipe, scores = _cross_validated(frame, labels, folds, _candidates(classes, seed), report)
    report(0.8, "Training on all rows")
    frame, labels = sampled_rows(dataset, MAX_CELLS, seed)
    if frame.size > SELECTION_CELLS:
        recipe = replace(recipe, threads=None)
    pipeline = recipe.pipeline().fit(frame, labels)
    freed_memory.give_back()  # what the boosters of the folds took
    report(1.0, "Trained")
    return Model(
        pipeline,
        dataset.schema,
        name=NAME,
        description=_description(dataset, len(frame), recipe),
        fingerprint=hashlib.sha256(f"{dataset.fingerprint} {recipe}".encode()).hexdigest(),
        scores=scores,
    )


def _candidates(classes: int, seed: int) -> list[Recipe]:
    """From shallow and careful to deeper. The weight of a leaf counts rows in regression, uncertain rows otherwise."""
    scale = 1.0 if classes else 4.0
    return [Recipe(classes, seed, depth, weight * scale) for depth, weight in ((2, 2.0), (3, 4.0), (5, 6.0))]


def check_trainable(dataset: Dataset) -> None:
    """Raise DatasetError if there are too few rows to train a model on, or a class has none."""
    labels, classes = dataset.train_labels, len(dataset.schema.target.classes)
    if labels is None or len(labels) < MIN_ROWS:
        count = 0 if labels is None else len(labels)
        raise DatasetError(f"{count} labelled rows are too few to train a model; at least {MIN_ROWS} are needed.")
    absent = sorted(set(range(classes)) - set(np.unique(labels).tolist())) if classes else []
    if absent:
        names = ", ".join(dataset.schema.target.classes[value] for value in absent)
        raise DatasetError(f"No row to train on belongs to {names}; every class needs some.")


def sampled_rows(dataset: Dataset, cells: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """The labelled rows, or so many of them that there are about `cells` values; no class gets lost."""
    frame, labels = dataset.train_frame, dataset.train_labels
    assert labels is not None
    wanted = max(1_000, cells // frame.shape[1])
    if len(frame) <= wanted:
        return frame, labels
    order = np.random.default_rng(seed).permutation(len(frame))
    kept = set(order[:wanted].tolist())
    if labels.dtype.kind == "i":
        for value in np.unique(labels):
            kept.update(order[labels[order] == value][:10].tolist())
    places = np.array(sorted(kept))
    return frame.iloc[places], labels[places]


def _cross_validated(
    frame: pd.DataFrame, labels: np.ndarray, folds: list[Fold], recipes: list[Recipe], report: Progress
) -> tuple[Recipe, CrossValidationScores]:
    """The recipe with the lowest loss on rows not trained on, and its scores there."""
    best: _Trial | None = None
    for number, recipe in enumerate(recipes):
        report(0.8 * number / len(recipes), f"Cross-validating recipe {number + 1} of {len(recipes)}")
        trial = _trial(frame, labels, folds, recipe)
        best = trial if best is None or trial.loss < best.loss else best
    assert best is not None
    predicted = [
        _fold_prediction(pipeline, frame.iloc[fold.test], best.recipe)
        for pipeline, fold in zip(best.fitted, folds, strict=True)
    ]
    return best.recipe, score_folds(labels, folds, predicted, best.recipe.classes)


def _trial(frame: pd.DataFrame, labels: np.ndarray, folds: list[Fold], recipe: Recipe) -> _Trial:
    def fit(fold: Fold) -> "Pipeline":
        pipeline = recipe.pipeline(early_stopping_rounds=PATIENCE)
        encode, boost = pipeline.named_steps.values()
        matrix = encode.fit_transform(frame.iloc[fold.train])
        held_out = (encode.transform(frame.iloc[fold.test]), labels[fold.test])
        boost.fit(matrix, labels[fold.train], eval_set=[held_out], verbose=False)
        return pipeline

    # Each is of one thread, and the folds know nothing of each other.
    fitted = side_by_side([partial(fit, fold) for fold in folds], os.cpu_count() or 1)
    curves = [next(iter(pipeline[-1].evals_result()["validation_0"].values())) for pipeline in fitted]
    length = max(map(len, curves))
    loss = np.mean([curve + [curve[-1]] * (length - len(curve)) for curve in curves], axis=0)
    return _Trial(replace(recipe, trees=int(loss.argmin()) + 1), float(loss.min()), fitted)


def _fold_prediction(pipeline: "Pipeline", frame: pd.DataFrame, recipe: Recipe) -> np.ndarray:
    encode, boost = pipeline.named_steps.values()
    rounds = (0, min(recipe.trees, boost.get_booster().num_boosted_rounds()))
    method = boost.predict_proba if recipe.classes else boost.predict
    return np.asarray(method(encode.transform(frame), iteration_range=rounds), dtype=np.float64)


def _description(dataset: Dataset, rows: int, recipe: Recipe) -> str:
    known = len(dataset.train_frame)
    basis = (
        f"{rows:,} {dataset.schema.entity}"
        if rows == known
        else (f"a random sample of {rows:,} of {known:,} {dataset.schema.entity}")
    )
    return f"{NAME}: {recipe.trees} small decision trees, each at most {recipe.depth} questions deep, trained on {basis}"
