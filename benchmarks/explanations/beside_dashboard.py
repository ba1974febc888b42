"""Our importance, scores and confusion counts beside those of explainerdashboard, of the same rows and model.

Parley does not need explainerdashboard, which asks for older versions of other packages; its numbers were taken with it in an
environment of its own.
"""

import importlib
import logging
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from benchmarks.explanations.compared import Beside, Vector, missing, of_features, timed

if TYPE_CHECKING:
    from ttm.operations.execution_engine import ExecutionEngine

LIBRARY = "explainerdashboard"
THRESHOLDS = (0.3, 0.5)
SCORES = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "f1": "f1", "roc_auc": "roc_auc_score"}
Sides = tuple[tuple[Vector, float], tuple[Vector, float]]


def dashboard(engine: "ExecutionEngine") -> tuple[Beside, ...]:
    """Importance over all rows, scores, and the counts of right and wrong predictions at two thresholds."""
    subject = engine.subject
    reason = missing(LIBRARY)
    if not reason and (len(subject.schema.target.classes) != 2 or subject.dataset.labels is None):
        reason = "there are no two classes, or no outcomes"
    if not reason and not engine.explainer.techniques.shapley.takes_groups:
        reason = "its tree explainer cannot give probabilities of this model"
    if reason:
        return (Beside("importance, scores and confusion", LIBRARY, left_out=reason),)
    its = _explainer(engine)
    (ours, seconds), (theirs, other) = _scores(engine, its)
    counts = [_confusion(engine, its, threshold) for threshold in THRESHOLDS]
    return (
        of_features("mean |SHAP| of all rows", LIBRARY, *_importance(engine, its)),
        Beside("accuracy, precision, recall, F1, ROC AUC", LIBRARY, seconds, other, float(np.abs(ours - theirs).max())),
        *(Beside(f"confusion at threshold {threshold}", LIBRARY, sides[0][1], sides[1][1], _apart(sides))
          for threshold, sides in zip(THRESHOLDS, counts, strict=True)),
    )  # fmt: skip


def _apart(sides: Sides) -> float:
    return float(np.abs(sides[0][0] - sides[1][0]).max())


def _explainer(engine: "ExecutionEngine") -> Any:
    """Its explainer over the columns that the trees read."""
    from ttm.explain.scoring import Scorer
    from ttm.explain.techniques.tree_inputs import tree_inputs, tree_learner

    explainer, dataset = engine.explainer, engine.subject.dataset
    known = np.flatnonzero(np.asarray(dataset.labels) >= 0)
    scorer = Scorer(engine.subject.model, explainer.coding)
    background = tree_inputs(scorer, explainer.techniques.shapley.background)
    rows = tree_inputs(scorer, explainer.coding.encode(dataset.frame.iloc[known]))
    names = [f"c{number}" for number in range(rows.shape[1])]
    logging.getLogger(LIBRARY).setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(LIBRARY).ClassifierExplainer(
            tree_learner(scorer), pd.DataFrame(rows, columns=names), pd.Series(np.asarray(dataset.labels)[known]),
            shap="tree", X_background=pd.DataFrame(background, columns=names), model_output="probability")  # fmt: skip


def _importance(engine: "ExecutionEngine", its: Any) -> Sides:
    frame = engine.subject.dataset.frame[np.asarray(engine.subject.dataset.labels) >= 0]

    def theirs() -> Vector:
        table = its.mean_abs_shap_df().set_index("Feature")["MEAN_ABS_SHAP"]
        return np.array([table[name] for name in its.X.columns])

    return timed(lambda: engine.explainer.importance(frame).mean_absolute), timed(theirs)


def _scores(engine: "ExecutionEngine", its: Any) -> Sides:
    from ttm.language.grammar import grammar_of

    parse = grammar_of(engine.subject.schema).read("score default")

    def ours() -> Vector:
        result: Any = engine.execute(parse).results[0]
        scores = result.scores
        return np.array([scores[name] for name in SCORES])

    def theirs() -> Vector:
        scores = its.metrics(cutoff=0.5)
        return np.array([scores[name] for name in SCORES.values()])

    return timed(ours), timed(theirs)


def _confusion(engine: "ExecutionEngine", its: Any, threshold: float) -> Sides:
    """Counts by true class, then predicted class."""
    from ttm.language.grammar import grammar_of

    parse = grammar_of(engine.subject.schema).read(f"threshold {threshold} and score confusion")

    def ours() -> Vector:
        result: Any = engine.execute(parse).results[-1]
        return np.array([list(row.values()) for row in result.confusion.values()], dtype=float)

    return timed(ours), timed(lambda: np.asarray(its.confusion_matrix(cutoff=threshold), dtype=float))
