"""Scores of predictions, by scikit-learn's definitions, except that a zero denominator gives None (undefined), not 0."""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Scores = dict[str, float | None]
POINTS = 200
CALIBRATION_BINS = 10


def confusion_matrix(truth: Array, predicted: Array, classes: int) -> Array:
    """Counts (k, k) by true class (row) and predicted class (column), for class numbers (m,)."""
    return np.bincount(truth * classes + predicted, minlength=classes * classes).reshape(classes, classes)


def _ratio(part: float, whole: float) -> float | None:
    return float(part / whole) if whole else None


def _one_class(matrix: Array, number: int) -> Scores:
    """Scores of one class against the rest, from a confusion matrix (k, k)."""
    total, hits = matrix.sum(), matrix[number, number]
    actual, predicted = matrix[number].sum(), matrix[:, number].sum()
    rejected = total - actual - predicted + hits
    recall, precision = _ratio(hits, actual), _ratio(hits, predicted)
    return {
        "precision": precision,
        "recall": recall,
        "sensitivity": recall,
        "specificity": _ratio(rejected, total - actual),
        "ppv": precision,
        "npv": _ratio(rejected, total - predicted),
        "f1": _ratio(2 * hits, actual + predicted),
        "fpr": _ratio(predicted - hits, total - actual),
        "fnr": _ratio(actual - hits, actual),
    }


def binary_scores(matrix: Array) -> Scores:
    """Scores of the second of two classes, from a confusion matrix (2, 2).

    The balanced accuracy is the mean of the recalls of both classes, as of more classes the mean recall is. Source: Brodersen,
    Ong, Stephan and Buhmann (2010), "The balanced accuracy and its posterior distribution".
    """
    total = matrix.sum()
    shares = {"selection": _ratio(matrix[:, 1].sum(), total), "baserate": _ratio(matrix[1].sum(), total)}
    scores = _one_class(matrix, 1)
    recall, specificity = scores["recall"], scores["specificity"]
    balanced = None if recall is None or specificity is None else (recall + specificity) / 2
    return {"accuracy": _ratio(matrix.trace(), total), "balanced": balanced} | scores | shares


def macro_scores(matrix: Array) -> Scores:
    """Unweighted means over the classes for which a score is defined, from a confusion matrix (k, k)."""
    single = [_one_class(matrix, number) for number in range(len(matrix))]
    means: Scores = {}
    for name in single[0]:
        known = [value for scores in single if (value := scores[name]) is not None]
        means[name] = float(np.mean(known)) if known else None
    return {"accuracy": _ratio(matrix.trace(), matrix.sum()), "balanced": means["recall"]} | means


def undefined_classes(matrix: Array) -> dict[str, list[int]]:
    """For each score the class numbers for which it is undefined, where there are any."""
    single = [_one_class(matrix, number) for number in range(len(matrix))]
    for scores in single:
        scores["balanced"] = scores["recall"]
    undefined = {name: [number for number, scores in enumerate(single) if scores[name] is None] for name in single[0]}
    return {name: numbers for name, numbers in undefined.items() if numbers}


def roc_auc(truth: Array, probabilities: Array) -> float | None:
    """Area under the ROC curve of the second of two classes; for more, the mean of each class against the rest.

    Classes that do not occur, or are all there is, have no such area and are left out; None if none has one.
    """
    numbers = [1] if probabilities.shape[1] == 2 else range(probabilities.shape[1])
    areas = [area for n in numbers if (area := _area(truth == n, probabilities[:, n])) is not None]
    return float(np.mean(areas)) if areas else None


def _area(positive: Array, scores: Array) -> float | None:
    """The probability that a positive row scores above a negative one, ties counting half (Mann-Whitney)."""
    from scipy.stats import rankdata

    positives, negatives = int(positive.sum()), int((~positive).sum())
    if not positives or not negatives:
        return None
    ranks = rankdata(scores)[positive].sum()
    return float((ranks - positives * (positives + 1) / 2) / (positives * negatives))


Points = tuple[tuple[float, ...], tuple[float, ...]]


def curves(truth: Array, scores: Array) -> tuple[Points, Points]:
    """ROC curve (false positive rate, true positive rate) and precision-recall curve (recall, precision), thinned."""
    from sklearn.metrics import precision_recall_curve, roc_curve

    false_rate, true_rate, _ = roc_curve(truth, scores)
    precision, recall, _ = precision_recall_curve(truth, scores)
    return (_thinned(false_rate), _thinned(true_rate)), (_thinned(recall), _thinned(precision))


def _thinned(values: Array) -> tuple[float, ...]:
    if len(values) <= POINTS:
        return tuple(values.tolist())
    return tuple(values[np.linspace(0, len(values) - 1, POINTS).round().astype(int)].tolist())


def calibration_bins(truth: Array, probabilities: Array) -> tuple[list[tuple[float, float, int, float, float]], float]:
    """Tenths of predicted probability: low, high, rows, mean prediction, observed share; and the expected gap.

    For two classes it is the probability of the second; for more, that of the predicted class, which came true or not.
    The gap is the mean over rows of |mean prediction - observed share| of their bin.
    """
    if probabilities.shape[1] == 2:
        predicted, came_true = probabilities[:, 1], truth == 1
    else:
        predicted, came_true = probabilities.max(axis=1), truth == probabilities.argmax(axis=1)
    places = np.minimum((predicted * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    rows, gap = [], 0.0
    for index in range(CALIBRATION_BINS):
        inside = places == index
        count = int(inside.sum())
        if count:
            mean, observed = float(predicted[inside].mean()), float(came_true[inside].mean())
            rows.append((index / CALIBRATION_BINS, (index + 1) / CALIBRATION_BINS, count, mean, observed))
            gap += count / len(truth) * abs(mean - observed)
    return rows, gap


def regression_scores(truth: Array, predicted: Array) -> Scores:
    """Mean absolute error, root mean squared error, and R², which is undefined where the truth does not vary."""
    errors = truth - predicted
    spread = float(((truth - truth.mean()) ** 2).sum())
    return {
        "mae": float(np.abs(errors).mean()),
        "rmse": float(np.sqrt((errors**2).mean())),
        "r2": None if spread == 0 else 1 - float((errors**2).sum()) / spread,
    }
