"""Our explanations beside those of other libraries: `python -m benchmarks beside-libraries --dataset german`.

The same rows, model and background rows go to both sides; seconds are of processor time on what the environment allows. A
library that is not installed, or that cannot take the model, is named and left out.
"""

import argparse
import importlib
import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.explanations.beside_dashboard import dashboard
from benchmarks.explanations.beside_measures import ROWS, measures
from benchmarks.explanations.beside_shap import beside_shap
from benchmarks.explanations.compared import Beside, Vector, line_of, missing, of_features, timed
from ttm.chat.session_options import add_subject, session_of

if TYPE_CHECKING:
    from ttm.operations.execution_engine import ExecutionEngine

RATES = {"selection": "selection_rate", "recall": "true_positive_rate", "fpr": "false_positive_rate"}


def measure(engine: "ExecutionEngine", column: str | None = None, rows: int = ROWS) -> tuple[Beside, ...]:
    """Importance, permutation importance, rates by the groups of `column` (a feature's token), measures of the explanations of
    so many `rows`, and what a dashboard shows, each by both sides."""
    return *beside_shap(engine), _permutation(engine), _rates(engine, column), *measures(engine, rows), *dashboard(engine)


# --- permutation importance ----------------------------------------------------------------------------------------------


class _Predicting:
    """The model as scikit-learn's functions expect one, on the rows as they stand in the table."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def fit(self, rows: Any, truth: Any) -> None:
        """It is trained already."""

    def predict(self, rows: Any) -> Any:
        return self._model.predict(rows)


def _permutation(engine: "ExecutionEngine") -> Beside:
    from sklearn.inspection import permutation_importance

    from ttm.explain.permutation import REPEATS

    dataset, what = engine.subject.dataset, "permutation importance"
    if dataset.labels is None:
        return Beside(what, "scikit-learn", left_out="no true outcome is known")
    known = dataset.labels >= 0 if dataset.schema.target.is_classification else ~np.isnan(dataset.labels)
    frame, truth = dataset.frame[known], dataset.labels[known]

    def score(model: _Predicting, rows: Any, truth: Vector) -> float:
        hit = model.predict(rows) == truth if dataset.schema.target.is_classification else -np.abs(model.predict(rows) - truth)
        return float(hit.mean())

    ours, seconds = timed(lambda: engine.explainer.permutation_importance(frame, truth))
    if ours is None:
        return Beside(what, "scikit-learn", left_out="there are too few rows")
    theirs = timed(lambda: permutation_importance(
        _Predicting(engine.subject.model), frame[[feature.name for feature in dataset.schema.features]], truth,
        scoring=score, n_repeats=REPEATS, random_state=engine.seed).importances_mean)  # fmt: skip
    return of_features(what, "scikit-learn", (ours, seconds), theirs)


# --- rates by group ------------------------------------------------------------------------------------------------------


def _rates(engine: "ExecutionEngine", column: str | None) -> Beside:
    from ttm.language.grammar import grammar_of

    what, absent, subject = "rates by group", missing("fairlearn"), engine.subject
    yes_no = [feature.token for feature in subject.schema.features if len(feature.values) == 2]
    column = column or (yes_no[0] if yes_no else None)
    if absent or column is None or len(subject.schema.target.classes) != 2 or subject.dataset.labels is None:
        return Beside(what, "fairlearn", left_out=absent or "there are no two classes, or no groups")
    from sklearn.metrics import accuracy_score

    library, truth = importlib.import_module("fairlearn.metrics"), subject.dataset.labels
    known, name = truth >= 0, subject.schema.by_token[column].name
    metrics = {rate: getattr(library, name) for rate, name in RATES.items()} | {"accuracy": accuracy_score}
    parse = grammar_of(subject.schema).read(f"fairness {column}")
    result, seconds = timed(lambda: engine.execute(parse).results[0])
    theirs, other = timed(lambda: library.MetricFrame(
        metrics=metrics, y_true=truth[known], y_pred=subject.predictions[known],
        sensitive_features=subject.dataset.frame[name][known]).by_group)  # fmt: skip
    differences = [abs(group.rates[rate].value - theirs.loc[group.value, rate]) for group in result.groups for rate in metrics]
    return Beside(f"{what} of {column}", "fairlearn", seconds, other, float(max(differences)))


# --- the command ---------------------------------------------------------------------------------------------------------


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `python -m benchmarks beside-libraries`."""
    add_subject(parser)
    parser.add_argument(
        "--by", metavar="F", help="the feature, as parses name it, whose groups rates are of (the first yes/no)"
    )
    parser.add_argument("--rows", type=int, default=ROWS, metavar="N", help=f"rows whose explanations are judged ({ROWS})")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")


def run(args: argparse.Namespace) -> None:
    """Measure and print a line for each library."""
    figures = measure(session_of(args).loaded.engine, args.by, max(1, args.rows))
    if args.json:
        sys.stdout.write(json.dumps([asdict(one) | {"ratio": one.ratio} for one in figures]) + "\n")
        return
    sys.stdout.write("\n".join(line_of(one) for one in figures) + "\n")
