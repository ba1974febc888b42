"""How good the model is on rows whose true outcome is known, and what another decision threshold would do."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from backend.errors import ExecutionError
from ttm.language.parse import Score, Threshold
from ttm.operations.data.run import labelled
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.operations.rows.selection import apply_threshold, check_threshold
from ttm.operations.scores.estimates import ScoreEstimate, area_estimate, binary_estimates, macro_estimates, value_estimates
from ttm.operations.scores.metrics import (
    Array,
    binary_scores,
    calibration_bins,
    confusion_matrix,
    curves,
    macro_scores,
    regression_scores,
    roc_auc,
    undefined_classes,
)
from ttm.tabular.data.schema import Schema

DEFAULT_THRESHOLD = 0.5
TWO_CLASSES_ONLY = {"selection": "selection rate", "baserate": "base rate"}
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))


@dataclass(frozen=True)
class Curve:
    """Points of a curve, at most 200 of them."""

    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True)
class ClassScores(Result):
    """Scores of a classifier on `rows` rows with a known label; `unlabelled` rows were left out.

    `metric` is what was asked and `value` its score; `scores` holds accuracy, balanced (accuracy), precision, recall,
    sensitivity, specificity, ppv, npv, f1, fpr, fnr and roc_auc by name, of two classes also selection (the share predicted to
    be of the positive one) and baserate (the share truly of it); `estimates` has the interval of each. A score whose
    denominator is zero is None: undefined. For two classes they are about `positive`; for more (`averaging` is "macro")
    they are unweighted means over the classes for which they are defined, `undefined` naming the others by score.
    `confusion` counts rows by true class, then predicted class.
    `threshold` is None for the most probable class. `roc` (false against true positive rate) and `precision_recall`
    (recall against precision) are for two classes. `calibration` has a row for each filled tenth of probability.
    """

    metric: str
    value: float | None
    scores: dict[str, float | None]
    rows: int
    unlabelled: int
    positive: str
    averaging: str
    undefined: dict[str, tuple[str, ...]]
    confusion: dict[str, dict[str, int]]
    majority_share: float
    threshold: float | None
    changed: bool
    estimates: dict[str, ScoreEstimate]
    roc: Curve | None = None
    precision_recall: Curve | None = None
    calibration: tuple["CalibrationBin", ...] = ()
    calibration_error: float | None = None


@dataclass(frozen=True)
class CalibrationBin:
    """Rows whose predicted probability lies between `low` and `high`: their mean prediction and what came true."""

    low: float
    high: float
    rows: int
    mean_predicted: float
    observed: float


@dataclass(frozen=True)
class ValueScores(Result):
    """Scores of a regression model: mean absolute error, root mean squared error and R², None where undefined.

    `estimates` has the interval of each.
    """

    metric: str
    value: float | None
    scores: dict[str, float | None]
    rows: int
    unlabelled: int
    changed: bool
    estimates: dict[str, ScoreEstimate]


@dataclass(frozen=True)
class AtThreshold:
    """Scores of the positive class when it is predicted from `threshold` on; `predicted` rows are then predicted so."""

    threshold: float
    predicted: int
    accuracy: float | None
    precision: float | None
    recall: float | None
    specificity: float | None
    f1: float | None


@dataclass(frozen=True)
class ThresholdScores(Result):
    """Scores at the asked threshold beside those at the default one."""

    positive: str
    rows: int
    chosen: AtThreshold
    default: AtThreshold


@dataclass(frozen=True)
class ThresholdTable(Result):
    """Scores at thresholds from 0.05 to 0.95, and the best thresholds among all that make a difference.

    `best_youden` maximises sensitivity + specificity - 1, `best_f1` the F1 score; the lowest such threshold of several.
    """

    positive: str
    rows: int
    current: float
    table: tuple[AtThreshold, ...]
    best_youden: AtThreshold | None
    best_f1: AtThreshold | None


def score(step: Score, context: Context) -> Result:
    labels, known = labelled(context), context.rows.labelled
    operation, unlabelled = f"score {step.metric}", int((~known).sum())
    if not context.schema.target.is_classification:
        return _value_scores(step, operation, context, labels[known], unlabelled)
    truth, predicted = labels[known].astype(int), context.predictions[known].astype(int)
    probabilities, schema = context.probabilities[known], context.schema
    if step.metric == "roc" and len(np.unique(truth)) < 2:
        name = schema.target.classes[truth[0]]
        raise ExecutionError(
            f'An ROC curve compares classes, but all of these rows are truly "{name}". Take a larger group, or ask for '
            "the accuracy."
        )
    matrix = confusion_matrix(truth, predicted, len(schema.target.classes))
    if len(matrix) > 2 and step.metric in TWO_CLASSES_ONLY:
        raise ExecutionError(
            f"A {TWO_CLASSES_ONLY[step.metric]} is about one class against the other, but there are {len(matrix)} classes "
            "here. Ask how many are predicted to be, or truly are, of each class."
        )
    is_binary = len(matrix) == 2
    estimates = binary_estimates(matrix) if is_binary else macro_estimates(matrix)
    estimates["roc_auc"] = area_estimate(truth, probabilities)
    scores = binary_scores(matrix) if is_binary else macro_scores(matrix)
    scores["roc_auc"] = roc_auc(truth, probabilities)
    result = ClassScores(
        operation, context.group, step.metric, _asked(step.metric, scores), scores, len(truth), unlabelled,
        schema.target.classes[-1], "binary" if is_binary else "macro", _undefined(matrix, schema),
        _named(matrix, schema), float(matrix.sum(axis=1).max() / matrix.sum()), context.threshold, context.is_changed,
        estimates,
    )  # fmt: skip
    return _with_detail(result, step.metric, truth, probabilities)


def _asked(metric: str, scores: dict[str, float | None]) -> float | None:
    names = {"default": "accuracy", "confusion": "accuracy", "calibration": "accuracy", "roc": "roc_auc"}
    return scores[names.get(metric, metric)]


def _undefined(matrix: Array, schema: Schema) -> dict[str, tuple[str, ...]]:
    if len(matrix) == 2:
        return {}
    names = schema.target.classes
    return {name: tuple(names[i] for i in numbers) for name, numbers in undefined_classes(matrix).items()}


def _named(matrix: Array, schema: Schema) -> dict[str, dict[str, int]]:
    names = schema.target.classes
    return {name: dict(zip(names, row, strict=True)) for name, row in zip(names, matrix.tolist(), strict=True)}


def _with_detail(result: ClassScores, metric: str, truth: Array, probabilities: Array) -> ClassScores:
    """The curves or bins that a metric is looked at with."""
    binary = probabilities.shape[1] == 2
    if metric == "calibration":
        bins, error = calibration_bins(truth, probabilities)
        named = tuple(CalibrationBin(*row) for row in bins)
        return replace(result, calibration=named, calibration_error=error, value=error)
    if binary and metric in ("roc", "precision", "recall", "f1", "ppv") and 0 < truth.sum() < len(truth):
        roc, precision_recall = curves(truth, probabilities[:, 1])
        return replace(result, roc=Curve(*roc), precision_recall=Curve(*precision_recall))
    return result


def _value_scores(step: Score, operation: str, context: Context, truth: Array, unlabelled: int) -> ValueScores:
    predicted = context.predictions[context.rows.labelled]
    scores = regression_scores(truth, predicted)
    metric = step.metric if step.metric in scores else "default"
    value = scores["mae" if metric == "default" else metric]
    estimates = value_estimates(truth, predicted, scores)
    return ValueScores(operation, context.group, metric, value, scores, len(truth), unlabelled, context.is_changed, estimates)


def threshold(step: Threshold, context: Context) -> Result:
    check_threshold(DEFAULT_THRESHOLD if step.value is None else step.value, context.schema)
    labels, known = labelled(context), context.rows.labelled
    truth, probabilities = labels[known].astype(int), context.probabilities[known]
    positive = context.schema.target.classes[-1]
    if step.value is not None:
        chosen, default = (at_threshold(truth, probabilities, t) for t in (step.value, DEFAULT_THRESHOLD))
        operation = f"threshold {step.value:g}"
        return ThresholdScores(operation, context.group, positive, len(truth), chosen, default)
    table = tuple(at_threshold(truth, probabilities, value) for value in THRESHOLDS)
    youden, f1 = _best(truth, probabilities)
    current = DEFAULT_THRESHOLD if context.threshold is None else context.threshold
    return ThresholdTable("threshold", context.group, positive, len(truth), current, table, youden, f1)


def at_threshold(truth: Array, probabilities: Array, value: float) -> AtThreshold:
    return scores_at(confusion_matrix(truth, apply_threshold(probabilities, value), 2), value)


def scores_at(matrix: Array, value: float) -> AtThreshold:
    """The scores at a threshold from the confusion matrix (2, 2) that it makes."""
    scores = binary_scores(matrix)
    names = ("accuracy", "precision", "recall", "specificity", "f1")
    return AtThreshold(value, int(matrix[:, 1].sum()), *(scores[name] for name in names))


def _best(truth: Array, probabilities: Array) -> tuple[AtThreshold | None, AtThreshold | None]:
    """The thresholds with the largest Youden index and F1, among the predicted probabilities themselves."""
    positives, negatives = int(truth.sum()), int((1 - truth).sum())
    if not positives or not negatives:
        return None, None
    order = np.argsort(-probabilities[:, 1], kind="stable")
    values, hits = probabilities[order, 1], np.cumsum(truth[order])
    last = np.append(values[1:] != values[:-1], True)  # rows of equal probability cross a threshold together
    values, hits, predicted = values[last], hits[last], (np.arange(len(values)) + 1)[last]
    youden = hits / positives - (predicted - hits) / negatives
    f1 = 2 * hits / (predicted + positives)
    best = [float(values[np.flatnonzero(measure >= measure.max() - 1e-12)[-1]]) for measure in (youden, f1)]
    return at_threshold(truth, probabilities, best[0]), at_threshold(truth, probabilities, best[1])


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    Score: score,
    Threshold: threshold,
}
