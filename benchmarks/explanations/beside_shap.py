"""Importance by SHAP values beside the library that they come from: over all rows, and over every group of a feature."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.explanations.compared import TOP, Beside, Vector, of_features, timed
from ttm.tabular.data.schema import FeatureKind, Schema

if TYPE_CHECKING:
    from ttm.explain.explainer import Explainer
    from ttm.operations.execution_engine import ExecutionEngine

FEWEST = 40  # rows of a group
QUARTERS = 4


def beside_shap(engine: "ExecutionEngine") -> tuple[Beside, ...]:
    """The mean absolute SHAP values of all rows by both sides, and the first features of groups by the same values."""
    from ttm.explain.explainer import MOST_TOGETHER
    from ttm.explain.importance import evenly
    from ttm.explain.scoring import Scorer
    from ttm.explain.techniques.tree_inputs import tree_inputs, tree_learner
    from ttm.explain.techniques.tree_shapley import shap_library

    what, explainer, frame = "mean |SHAP| of all rows", engine.explainer, engine.subject.dataset.frame
    frame = frame.iloc[evenly(len(frame), MOST_TOGETHER)]
    if not explainer.techniques.shapley.takes_groups:
        return (Beside(what, "shap", left_out="its tree explainer cannot give probabilities of this model"),)
    scorer = Scorer(engine.subject.model, explainer.coding)
    inputs = [tree_inputs(scorer, rows) for rows in (explainer.coding.encode(frame), explainer.techniques.shapley.background)]
    output = "probability" if scorer.is_classifier else "raw"

    def theirs() -> Vector:
        library = shap_library().TreeExplainer(tree_learner(scorer), inputs[1], model_output=output)
        values = np.abs(np.asarray(library.shap_values(inputs[0], check_additivity=False)))
        return np.asarray(values if values.ndim == 2 else values[:, :, -1])

    explainer.warm_up()
    ours = timed(lambda: explainer.importance(frame).mean_absolute)
    rows, seconds = timed(theirs)
    return of_features(what, "shap", ours, (rows.mean(axis=0), seconds)), _of_groups(explainer, frame, rows)


def _of_groups(explainer: "Explainer", frame: pd.DataFrame, rows: Vector) -> Beside:
    """The first features of each group by ours, and by the library's values (n, d) of its rows."""
    masks = list(groups(frame, explainer.subject.schema))
    what = f"first {TOP} features of {len(masks)} groups"
    if not masks:
        return Beside(what, "shap", left_out=f"no feature makes a group of {FEWEST} rows")
    pairs = [(explainer.importance(frame[mask]).mean_absolute, rows[mask].mean(axis=0)) for mask in masks]
    compared = [of_features(what, "shap", (ours, 0.0), (theirs, 0.0)) for ours, theirs in pairs]
    return Beside(
        what, "shap", difference=max(one.difference for one in compared), same_first=all(one.same_first for one in compared)
    )


def groups(frame: pd.DataFrame, schema: Schema) -> Iterator[npt.NDArray[np.bool_]]:
    """The rows (n,) of each group of at least FEWEST rows that a feature makes: by its value, or by quarters of a number."""
    for feature in schema.features:
        column = frame[feature.name]
        if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
            column = pd.qcut(column.rank(method="average"), QUARTERS, duplicates="drop").cat.codes.where(column.notna())
        for _, members in column.groupby(column):
            if len(members) >= FEWEST:
                yield np.asarray(frame.index.isin(members.index))
