"""What a model of some kind says of rows that it was not trained on: fitted again on other rows, in folds where it must be."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ttm.operations.rows.context import Context
from ttm.tabular.model.cross_validation import folds_of

Array = npt.NDArray[Any]
FOLDS = 5
MOST_TRAINED = 20_000


def model_outputs_of(model: Any, frame: pd.DataFrame, context: Context) -> Array:
    """What a model says of rows: class probabilities (m, k), or values (m,)."""
    return np.asarray(model.predict_proba(frame) if context.schema.target.is_classification else model.predict(frame))


def unseen_outputs(estimator: Any, columns: list[str], context: Context) -> tuple[Array, int | None]:
    """Outputs of an estimator fitted again on `columns` for rows that it has not seen, and by how many folds.

    None for the folds where the rows are others than those that are trained on anyway.
    """
    dataset = context.subject.dataset
    frame, labels = dataset.train_frame, dataset.train_labels
    assert labels is not None, "a model that was trained here had labels"
    kept = np.sort(np.random.default_rng(context.seed).permutation(len(frame))[:MOST_TRAINED])
    frame, labels = frame.iloc[kept][columns], labels[kept]
    if not context.subject.trained_on_rows:
        return _fitted(estimator, frame, labels, context.rows.frame[columns], context), None
    return _cross_fitted(estimator, frame, labels, context), FOLDS


def _cross_fitted(estimator: Any, frame: pd.DataFrame, labels: Array, context: Context) -> Array:
    """What is said of the rows by models trained on the other folds; rows that are not trained on by all of the first."""
    rows, width = context.rows.frame[list(frame.columns)], len(context.schema.target.classes)
    outputs = np.zeros((len(rows), width)) if width else np.zeros(len(rows))
    for fold in folds_of(labels, width > 0, FOLDS, context.seed):
        mine = np.flatnonzero(rows.index.isin(_ids(context, frame.iloc[fold.test])))
        if len(mine):
            outputs[mine] = _fitted(estimator, frame.iloc[fold.train], labels[fold.train], rows.iloc[mine], context)
    return outputs


def _ids(context: Context, part: pd.DataFrame) -> pd.Index:
    """The ids of training rows in the data set, which has the same labelled rows in the same order."""
    dataset = context.subject.dataset
    if dataset.train_frame.index.equals(dataset.frame.index):
        return part.index
    labels = np.asarray(dataset.labels)
    known = ~np.isnan(labels) if labels.dtype.kind == "f" else labels >= 0
    return dataset.frame.index[known][dataset.train_frame.index.get_indexer(part.index)]


def _fitted(estimator: Any, frame: pd.DataFrame, labels: Array, rows: pd.DataFrame, context: Context) -> Array:
    from sklearn.base import clone

    return model_outputs_of(clone(estimator).fit(frame, labels), rows, context)
