"""The model beside another one of the same table: scores, disagreements, what each rests on; for one row what both predict."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from backend.intervals import Z95
from ttm.explain.mistakes.typical_mistakes import typical
from ttm.explain.permutation import permutation_importance
from ttm.explain.scoring import Scorer
from ttm.explain.threads import one_thread
from ttm.language.operations.scores import Models
from ttm.operations.data.run import labelled
from ttm.operations.mistakes.run import FoundRule, rules_in_values
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.operations.rows.refitting import model_outputs_of, unseen_outputs
from ttm.operations.rows.selection import apply_threshold
from ttm.operations.scores.estimates import (
    ScoreEstimate,
    area_estimate,
    binary_estimates,
    macro_estimates,
    share,
    value_estimates,
)
from ttm.operations.scores.metrics import Array, confusion_matrix, regression_scores
from ttm.tabular.data.dataset import python_value
from ttm.tabular.model.model import Model
from ttm.tabular.model.other_models import BROUGHT

EXAMPLES = 10
FEWEST_RIGHT = 2


@dataclass(frozen=True)
class BothPredictions:
    """One row: what the model and the other one predict (class name or value), how sure each is, and what is true.

    `probabilities` are those of each model for the class that it predicts; None for quantities. `truth` None: unknown.
    """

    id: Any
    own: str | float
    other: str | float
    probabilities: tuple[float, float] | None
    truth: str | float | None


@dataclass(frozen=True)
class RowUnderModels(Result):
    """What both models predict for one row; `other` is the kind of the other one.

    `classes` has both probabilities of each class.
    """

    other: str
    row: BothPredictions
    classes: dict[str, tuple[float, float]]


@dataclass(frozen=True)
class PairedScores:
    """Scores of both models on the same `rows` rows with a known outcome, by name, each with its interval.

    `unseen`: both were judged on rows that they had not been trained on, `folds` tells in how many folds of cross-validation
    (None where there are rows of their own to train on). `own_better` rows are right (nearer to the truth) under the model
    alone, `other_better` under the other alone; `p` is the p-value of McNemar's exact test that both are as frequent. `gain` is
    how much better the model is: in accuracy, or in mean absolute error, with its 95 % interval for paired rows.
    """

    rows: int
    unseen: bool
    folds: int | None
    own: dict[str, ScoreEstimate]
    other: dict[str, ScoreEstimate]
    own_better: int
    other_better: int
    p: float
    gain: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class FeatureUnderModels:
    """What each model loses when a feature is shuffled among the rows: accuracy, or mean absolute error that is gained."""

    feature: str
    own: float
    other: float


@dataclass(frozen=True)
class ModelsSideBySide(Result):
    """Two models on the same rows; `other` is the kind of the other one, `others_name` what it is called.

    `scores` is None where no outcome is known. `differing` rows get another class from each, as `estimate`; None for
    quantities, for which `gap` is the mean difference of both predictions without its sign. `predicted` counts rows by the
    class under the model, then under the other. `examples` are the rows where they are furthest apart, `rules` describe where
    they differ most, `importance` is empty for few known outcomes.
    """

    other: str
    others_name: str
    scores: PairedScores | None
    differing: int | None
    estimate: ScoreEstimate | None
    gap: float | None
    predicted: dict[str, dict[str, int]]
    examples: tuple[BothPredictions, ...]
    rules: tuple[FoundRule, ...]
    importance: tuple[FeatureUnderModels, ...]


def models(step: Models, context: Context) -> Result:
    """Set the model beside another one; "both models" are those of the last comparison where no file was brought."""
    if step.kind == BROUGHT and context.subject.brought is None and context.memory.other_model:
        step = replace(step, kind=context.memory.other_model)
    other = context.subject.other_model(step.kind)
    with one_thread():
        outputs = _outputs(context), model_outputs_of(other, context.rows.frame, context)
        if context.is_single:
            return _one_row(step, context, outputs)
        return _side_by_side(step, context, other, outputs)


def _outputs(context: Context) -> Array:
    return context.probabilities if context.schema.target.is_classification else context.predictions


def _one_row(step: Models, context: Context, outputs: tuple[Array, Array]) -> RowUnderModels:
    own, other = outputs
    names = context.schema.target.classes
    classes = {name: (float(own[0, n]), float(other[0, n])) for n, name in enumerate(names)}
    return RowUnderModels(f"models {step.kind}", context.group, step.kind, _both(context, outputs, 0), classes)


def _both(context: Context, outputs: tuple[Array, Array], index: int) -> BothPredictions:
    classes, known = context.schema.target.classes, bool(context.rows.labelled[index])
    truth = context.rows.labels[index] if known and context.rows.labels is not None else None
    id = python_value(context.rows.frame.index[index])
    if not classes:
        own_value, others_value = (float(one[index]) for one in outputs)
        return BothPredictions(id, own_value, others_value, None, None if truth is None else float(truth))
    own, other = (int(apply_threshold(one[[index]], context.threshold)[0]) for one in outputs)
    sure = float(outputs[0][index, own]), float(outputs[1][index, other])
    return BothPredictions(id, classes[own], classes[other], sure, None if truth is None else classes[int(truth)])


def _side_by_side(step: Models, context: Context, other: Model, outputs: tuple[Array, Array]) -> ModelsSideBySide:
    names = context.schema.target.classes
    if names:
        own, others = (apply_threshold(one, context.threshold) for one in outputs)
        apart = (own != others).astype(float)
        how_far = np.abs(outputs[0] - outputs[1]).max(axis=1) + apart
        counts = confusion_matrix(own, others, len(names)).tolist()
        predicted = {name: dict(zip(names, row, strict=True)) for name, row in zip(names, counts, strict=True)}
        differing, estimate, gap = int(apart.sum()), share(int(apart.sum()), len(apart)), None
        furthest = [int(index) for index in np.argsort(-how_far, kind="stable")[:EXAMPLES] if apart[index]]
    else:
        apart = np.abs(outputs[0] - outputs[1])
        differing, estimate, gap, predicted = None, None, float(apart.mean()), {}
        furthest = np.argsort(-apart, kind="stable")[:EXAMPLES].tolist()
    coding = context.explainer.coding
    rules = rules_in_values(typical(coding, coding.encode(context.rows.frame), apart, bool(names)), coding)
    return ModelsSideBySide(
        f"models {step.kind}", context.group, step.kind, other.name, _scores(context, other, outputs), differing, estimate, gap,
        predicted, tuple(_both(context, outputs, index) for index in furthest), rules, _importance(context, other),
    )  # fmt: skip


def _scores(context: Context, other: Model, outputs: tuple[Array, Array]) -> PairedScores | None:
    from scipy.stats import binomtest

    known = context.rows.labelled
    if known.sum() < FEWEST_RIGHT:
        return None
    truth, (own, others, unseen, folds) = labelled(context)[known], _judged(context, other, outputs)
    own, others = own[known], others[known]
    if context.schema.target.is_classification:
        right = [(apply_threshold(one, context.threshold) == truth).astype(float) for one in (own, others)]
        better = right[0] - right[1]
    else:
        better = np.abs(truth - others) - np.abs(truth - own)
    ahead, behind = int((better > 0).sum()), int((better < 0).sum())
    p = float(binomtest(ahead, ahead + behind).pvalue) if ahead + behind else 1.0
    gain, half = float(better.mean()), Z95 * float(better.std(ddof=1)) / len(better) ** 0.5
    scores = _estimates(own, truth, context), _estimates(others, truth, context)
    return PairedScores(len(truth), unseen, folds, scores[0], scores[1], ahead, behind, p, gain, gain - half, gain + half)


def _judged(context: Context, other: Model, outputs: tuple[Array, Array]) -> tuple[Array, Array, bool, int | None]:
    """Outputs by which the models are judged, whether the rows were new to both, and in how many folds.

    Where there are no rows but those that were trained on, both are fitted again in folds; that needs models made here.
    """
    subject = context.subject
    if not subject.trained_on_rows or context.is_changed:
        return *outputs, not subject.trained_on_rows, None
    if subject.model.scores is None or other is subject.brought:
        return *outputs, False, None
    columns = list(subject.dataset.train_frame.columns)
    own, folds = unseen_outputs(subject.model.estimator, columns, context)
    others, _ = unseen_outputs(other.estimator, columns, context)
    return own, others, True, folds


def _estimates(outputs: Array, truth: Array, context: Context) -> dict[str, ScoreEstimate]:
    classes = len(context.schema.target.classes)
    if not classes:
        return value_estimates(truth, outputs, regression_scores(truth, outputs))
    matrix = confusion_matrix(truth.astype(int), apply_threshold(outputs, context.threshold), classes)
    scores = binary_estimates(matrix) if classes == 2 else macro_estimates(matrix)
    return scores | {"roc_auc": area_estimate(truth.astype(int), outputs)}


def _importance(context: Context, other: Model) -> tuple[FeatureUnderModels, ...]:
    """The same shuffled rows for both, so that the difference is theirs; most important to the model first."""
    known, coding = context.rows.labelled, context.explainer.coding
    if not known.any():
        return ()
    rows, truth = coding.encode(context.rows.frame[known]), labelled(context)[known].astype(float)
    losses = [
        permutation_importance(rows, truth, Scorer(model, coding), quick=False, seed=context.seed)
        for model in (context.subject.model, other)
    ]
    own, others = losses
    if own is None or others is None:
        return ()
    order = np.argsort(-own, kind="stable")
    return tuple(FeatureUnderModels(coding.names[i], float(own[i]), float(others[i])) for i in order)


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Models: models}
