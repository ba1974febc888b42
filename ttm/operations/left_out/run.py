"""How good the model is without one of its features: refitted where it was trained here, with the feature hidden otherwise."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from backend.intervals import Z95
from ttm.explain.threads import one_thread
from ttm.language.operations.scores import Without
from ttm.operations.data.run import labelled
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.operations.rows.selection import apply_threshold
from ttm.operations.scores.estimates import ScoreEstimate, binary_estimates, macro_estimates, value_estimates
from ttm.operations.scores.metrics import Array, confusion_matrix, regression_scores
from ttm.tabular.data.schema import Feature
from ttm.tabular.model.cross_validation import folds_of
from ttm.tabular.model.model import most_probable

DRAWS = 25  # values of training rows that a hidden feature takes, one after the other
FOLDS = 5
MOST_TRAINED = 20_000


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
        before, after = _outputs(context.subject.model, context.rows.frame, context)[known], _hidden(feature, context)[known]
    if not context.schema.target.is_classification:
        worse = np.abs(truth - after) - np.abs(truth - before)
        estimates = [value_estimates(truth, one, regression_scores(truth, one)) for one in (before, after)]
    else:
        classes = [_classes(one, context) for one in (before, after)]
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


def _outputs(model: Any, frame: pd.DataFrame, context: Context) -> Array:
    """What a model says of rows: class probabilities (m, k), or values (m,)."""
    return np.asarray(model.predict_proba(frame) if context.schema.target.is_classification else model.predict(frame))


def _classes(probabilities: Array, context: Context) -> Array:
    if context.threshold is None:
        return most_probable(probabilities)
    return apply_threshold(probabilities, context.threshold)


def _hidden(feature: Feature, context: Context) -> Array:
    """The mean of what the model says when the feature takes the values of random training rows."""
    frame = context.rows.frame
    pool = context.subject.dataset.train_frame[feature.name]
    chosen = np.random.default_rng(context.seed).choice(len(pool), min(DRAWS, len(pool)), replace=False)
    total: Any = 0.0
    for index in chosen:
        value = pool.iloc[[index]].repeat(len(frame)).set_axis(frame.index)
        total = total + _outputs(context.subject.model, frame.assign(**{feature.name: value}), context)
    return np.asarray(total / len(chosen))


def _refitted(feature: Feature, context: Context) -> tuple[Array, Array, int | None]:
    """What is said of the rows with and without a feature by models trained on other rows, and by how many folds."""
    dataset = context.subject.dataset
    frame, labels = dataset.train_frame, dataset.train_labels
    assert labels is not None, "a model that was trained here had labels"
    kept = np.sort(np.random.default_rng(context.seed).permutation(len(frame))[:MOST_TRAINED])
    frame, labels = frame.iloc[kept], labels[kept]
    names = [list(frame.columns), [name for name in frame.columns if name != feature.name]]
    if not context.subject.trained_on_rows:
        before, after = (_fit(frame[own], labels, context.rows.frame[own], context) for own in names)
        return before, after, None
    return (*(_cross_fitted(frame[own], labels, context) for own in names), FOLDS)  # type: ignore[return-value]


def _cross_fitted(frame: pd.DataFrame, labels: Array, context: Context) -> Array:
    """What is said of the rows by models trained on the other folds; rows that are not trained on by all of the first."""
    rows, width = context.rows.frame[list(frame.columns)], len(context.schema.target.classes)
    outputs = np.zeros((len(rows), width)) if width else np.zeros(len(rows))
    for fold in folds_of(labels, width > 0, FOLDS, context.seed):
        mine = np.flatnonzero(rows.index.isin(_ids(context, frame.iloc[fold.test])))
        if len(mine):
            outputs[mine] = _fit(frame.iloc[fold.train], labels[fold.train], rows.iloc[mine], context)
    return outputs


def _ids(context: Context, part: pd.DataFrame) -> pd.Index:
    """The ids of training rows in the data set, which has the same labelled rows in the same order."""
    dataset = context.subject.dataset
    if dataset.train_frame.index.equals(dataset.frame.index):
        return part.index
    labels = np.asarray(dataset.labels)
    known = ~np.isnan(labels) if labels.dtype.kind == "f" else labels >= 0
    return dataset.frame.index[known][dataset.train_frame.index.get_indexer(part.index)]


def _fit(frame: pd.DataFrame, labels: Array, rows: pd.DataFrame, context: Context) -> Array:
    from sklearn.base import clone

    return _outputs(clone(context.subject.model.estimator).fit(frame, labels), rows, context)


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Without: without}
