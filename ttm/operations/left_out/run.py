"""How good the model is without one of its features: refitted where it was trained here, with the feature hidden otherwise."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backend.intervals import Z95
from ttm.explain.threads import one_thread
from ttm.language.operations.scores import Without
from ttm.operations.data.run import labelled
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.operations.rows.refitting import model_outputs_of, unseen_outputs
from ttm.operations.rows.selection import apply_threshold
from ttm.operations.scores.estimates import ScoreEstimate, binary_estimates, macro_estimates, value_estimates
from ttm.operations.scores.metrics import Array, confusion_matrix, regression_scores
from ttm.tabular.data.schema import Feature

DRAWS = 25  # values of training rows that a hidden feature takes, one after the other


@dataclass(frozen=True)
class WithoutFeature(Result):
    """Scores with and without a feature on `rows` rows with a known outcome.

    `refitted`: the model was trained again without it, both on rows that it had not seen (`folds` of cross-validation, None
    where there are rows of their own to train on); otherwise the feature took values of random training rows, averaged.
    `broken` rows are right (or nearer to the truth) only with the feature, `mended` only without it; `p` is the p-value of
    McNemar's exact test that both are as frequent. `loss` is what is lost without the feature: accuracy, or mean absolute error
    gained, with its 95 % interval for paired rows (None for a single row).
    """

    column: str
    refitted: bool
    folds: int | None
    rows: int
    before: dict[str, ScoreEstimate]
    after: dict[str, ScoreEstimate]
    broken: int
    mended: int
    p: float
    loss: float
    low: float | None
    high: float | None


def without(step: Without, context: Context) -> WithoutFeature:
    feature, known = context.schema.by_token[step.feature], context.rows.labelled
    truth = labelled(context)[known]
    refitted = context.subject.model.scores is not None and len(context.schema.features) > 1
    folds: int | None = None
    if refitted:
        with one_thread():
            before, after, folds = _refitted(feature, context)
        before, after = before[known], after[known]
    else:
        before = model_outputs_of(context.subject.model, context.rows.frame, context)[known]
        after = _hidden(feature, context)[known]
    if not context.schema.target.is_classification:
        worse = np.abs(truth - after) - np.abs(truth - before)
        estimates = [value_estimates(truth, one, regression_scores(truth, one)) for one in (before, after)]
    else:
        classes = [apply_threshold(one, context.threshold) for one in (before, after)]
        worse = (classes[0] == truth).astype(float) - (classes[1] == truth)
        matrices = [confusion_matrix(truth.astype(int), one, len(context.schema.target.classes)) for one in classes]
        estimates = [binary_estimates(one) if len(one) == 2 else macro_estimates(one) for one in matrices]
    return _compared(step, context, feature, (refitted, folds), worse, estimates)


def _compared(
    step: Without, context: Context, feature: Feature, how: tuple[bool, int | None], worse: Array,
    estimates: list[dict[str, ScoreEstimate]],
) -> WithoutFeature:  # fmt: skip
    """The result, from how much worse each row (m,) is without the feature."""
    from scipy.stats import binomtest

    broken, mended = int((worse > 0).sum()), int((worse < 0).sum())
    p = float(binomtest(broken, broken + mended).pvalue) if broken + mended else 1.0
    loss = float(worse.mean())
    half = Z95 * float(worse.std(ddof=1)) / len(worse) ** 0.5 if len(worse) > 1 else None
    return WithoutFeature(
        f"without {step.feature}", context.group, feature.name, how[0], how[1], len(worse), estimates[0], estimates[1],
        broken, mended, p, loss, *((None, None) if half is None else (loss - half, loss + half)),
    )  # fmt: skip


def _hidden(feature: Feature, context: Context) -> Array:
    """The mean of what the model says when the feature takes the values of random training rows."""
    frame = context.rows.frame
    pool = context.subject.dataset.train_frame[feature.name]
    chosen = np.random.default_rng(context.seed).choice(len(pool), min(DRAWS, len(pool)), replace=False)
    total: Any = 0.0
    for index in chosen:
        value = pool.iloc[[index]].repeat(len(frame)).set_axis(frame.index)
        total = total + model_outputs_of(context.subject.model, frame.assign(**{feature.name: value}), context)
    return np.asarray(total / len(chosen))


def _refitted(feature: Feature, context: Context) -> tuple[Array, Array, int | None]:
    """What is said of the rows with and without a feature by models trained on other rows, and by how many folds."""
    names = list(context.subject.dataset.train_frame.columns)
    estimator = context.subject.model.estimator
    before, folds = unseen_outputs(estimator, names, context)
    after, _ = unseen_outputs(estimator, [name for name in names if name != feature.name], context)
    return before, after, folds


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Without: without}
