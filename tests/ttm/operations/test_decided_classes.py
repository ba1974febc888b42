"""A model that gives only classes is loaded and talked about, and its answers do not pretend to know how sure it is."""

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from ttm.explain.explainer import Explainer
from ttm.language.grammar import grammar_of
from ttm.operations.decided_classes import NOTE
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.render import render_turn
from ttm.tabular.model.model import DECISIONS
from ttm.tabular.subject import Subject, subject_from_csv


@pytest.fixture(scope="module", params=["ridge", "machine", "numbered", "several"])
def deciding(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Subject, np.ndarray]:
    """A model of a file, and what its estimator predicts for each row, as class numbers."""
    folder = tmp_path_factory.mktemp(request.param)
    draw = np.random.default_rng(0)
    table = pd.DataFrame({"age": draw.integers(18, 80, 300), "weight": draw.normal(70, 10, 300)})
    pain = table["age"] + draw.normal(0, 15, 300)
    numbers = np.digitize(pain, [35, 60]) if request.param == "several" else (pain > 50).astype(int)
    names = np.array(["high", "low", "none"] if request.param == "several" else ["ill", "well"])
    estimator = make_pipeline(StandardScaler(), RidgeClassifier() if request.param == "ridge" else SVC())
    estimator.fit(table, numbers if request.param == "numbered" else names[numbers])
    predicted = estimator.predict(table)
    predicted = predicted if request.param == "numbered" else np.searchsorted(names, predicted)
    skops.io.dump(estimator, folder / "model.skops")
    table.assign(state=names[numbers]).to_csv(folder / "rows.csv", index=False)
    return subject_from_csv(folder / "rows.csv", "state", model=folder / "model.skops"), predicted


def answer(subject: Subject, parse: str) -> str:
    results = ExecutionEngine(subject, Explainer(subject)).execute(grammar_of(subject.schema).read(parse)).results
    return render_turn(results, subject.schema)[-1].text


def test_its_classes_are_those_of_the_estimator(deciding: tuple[Subject, np.ndarray]) -> None:
    subject, predicted = deciding
    assert subject.predictions.tolist() == predicted.tolist()
    assert np.isin(subject.model.predict_proba(subject.dataset.frame), (0.0, 1.0)).all()
    assert DECISIONS in subject.model.description


@pytest.mark.parametrize("parse", ["filter id 5 and likelihood", "filter id 5 and predict", "score roc", "likelihood"])
def test_what_is_said_of_probabilities_has_a_note(deciding: tuple[Subject, np.ndarray], parse: str) -> None:
    assert NOTE in answer(deciding[0], parse)


@pytest.mark.parametrize("parse", ["score accuracy", "filter id 5 and explain features", "important all", "countdata"])
def test_what_needs_none_has_no_note(deciding: tuple[Subject, np.ndarray], parse: str) -> None:
    assert NOTE not in answer(deciding[0], parse)
