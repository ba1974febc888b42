"""Folds of labelled rows, and the scores of predictions made for rows that a model was not trained on."""

from dataclasses import dataclass

import numpy as np

from ttm.tabular.model.model import CrossValidationScores, most_probable

BINS = 10
# Scores where the mean over folds of a few rows would mislead are computed over all folds together.
POOLED = "calibration_error"


@dataclass(frozen=True)
class Fold:
    """Places of the rows to train on and of the rows to score."""

    train: np.ndarray
    test: np.ndarray


def folds_of(labels: np.ndarray, classification: bool, count: int, seed: int) -> list[Fold]:
    """Shuffled folds; with classes each fold has its share of every class.

    A class with fewer rows than folds is missing from some test parts, and a class with a single row from all of them:
    that row is always trained on, because a class that was never seen cannot be predicted.
    """
    shuffled = np.random.default_rng(seed).permutation(len(labels))
    if classification:
        shuffled = shuffled[np.argsort(labels[shuffled], kind="stable")]
        alone = np.isin(labels, [value for value in np.unique(labels) if (labels == value).sum() == 1])
    else:
        alone = np.zeros(len(labels), dtype=bool)
    number = np.empty(len(labels), dtype=np.int64)
    number[shuffled] = np.arange(len(labels)) % count
    number[alone] = -1
    return [Fold(np.flatnonzero(number != fold), np.flatnonzero(number == fold)) for fold in range(count)]


def score_folds(labels: np.ndarray, folds: list[Fold], predicted: list[np.ndarray], classes: int) -> CrossValidationScores:
    """Scores of `predicted`, one array a fold: probabilities (rows, classes), or floats (rows,) if `classes` is 0."""
    of_fold = [_scores(labels[fold.test], part, classes) for fold, part in zip(folds, predicted, strict=True)]
    names = [name for name in of_fold[0] if all(not np.isnan(scores[name]) for scores in of_fold)]
    means = {name: float(np.mean([scores[name] for scores in of_fold])) for name in names}
    deviations = {name: float(np.std([scores[name] for scores in of_fold])) for name in names}
    tested = np.concatenate([labels[fold.test] for fold in folds])
    if classes:
        means[POOLED] = calibration_error(tested, np.concatenate(predicted))
        baseline = float(np.bincount(tested).max() / len(tested))
    else:
        baseline = float(np.abs(tested - np.median(tested)).mean())
    return CrossValidationScores(len(folds), len(tested), means, deviations, baseline)


def _scores(labels: np.ndarray, predicted: np.ndarray, classes: int) -> dict[str, float]:
    from sklearn.metrics import f1_score

    if not classes:
        error = labels - predicted
        spread = float(((labels - labels.mean()) ** 2).sum())
        return {
            "r2": 1 - float((error**2).sum()) / spread if spread else float("nan"),
            "mean_absolute_error": float(np.abs(error).mean()),
        }
    chosen = most_probable(predicted)
    average = "binary" if classes == 2 else "macro"
    return {
        "accuracy": float((chosen == labels).mean()),
        "f1": float(f1_score(labels, chosen, zero_division=0, average=average)),
        "roc_auc": _roc_auc(labels, predicted, classes),
        "log_loss": log_loss(labels, predicted),
    }


def _roc_auc(labels: np.ndarray, predicted: np.ndarray, classes: int) -> float:
    """One class against the rest, averaged over the classes that are there; NaN if there is only one."""
    from sklearn.metrics import roc_auc_score

    asked = [1] if classes == 2 else range(classes)
    mixed = [value for value in asked if 0 < (labels == value).sum() < len(labels)]
    areas = [roc_auc_score(labels == value, predicted[:, value]) for value in mixed]
    return float(np.mean(areas)) if areas else float("nan")


def log_loss(labels: np.ndarray, probabilities: np.ndarray) -> float:
    """Mean negative logarithm of the probability given to the true class; lower is better."""
    true = probabilities[np.arange(len(labels)), labels]
    return float(-np.log(np.clip(true, 1e-12, 1.0)).mean())


def calibration_error(labels: np.ndarray, probabilities: np.ndarray) -> float:
    """Mean absolute gap between predicted and observed frequency over BINS groups of equal size.

    For two classes of the positive one, else of the most probable one (expected calibration error; Naeini et al. 2015,
    with groups of equal size instead of equal width).
    """
    if probabilities.shape[1] == 2:
        confidence, happened = probabilities[:, 1], labels == 1
    else:
        confidence, happened = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    groups = np.array_split(np.argsort(confidence, kind="stable"), min(BINS, len(labels)))
    gaps = [abs(confidence[group].mean() - happened[group].mean()) * len(group) for group in groups]
    return float(sum(gaps) / len(labels))
