"""A model that is judged on the rows it was trained on is said to be."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ttm.explain.explainer import Explainer
from ttm.language.grammar import grammar_of
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.render import render_turn
from ttm.tabular.subject import Subject, load_subject, subject_from_csv

SEEN = "trained on these very rows"


def answer(subject: Subject, parse: str) -> str:
    results = ExecutionEngine(subject, Explainer(subject)).execute(grammar_of(subject.schema).read(parse)).results
    return render_turn(results, subject.schema)[-1].text


@pytest.fixture(scope="module")
def ill(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """A model of two classes that is trained here on all rows."""
    return trained(tmp_path_factory.mktemp("ill"), "ill")


@pytest.fixture(scope="module")
def cost(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """A model of a quantity that is trained here on all rows."""
    return trained(tmp_path_factory.mktemp("cost"), "cost")


def trained(folder: Path, target: str) -> Subject:
    draw = np.random.default_rng(0)
    table = pd.DataFrame(
        {"age": draw.integers(18, 80, 300), "weight": draw.normal(70, 10, 300), "sex": draw.choice(["m", "f"], 300)}
    )
    pain = table["age"] + draw.normal(0, 15, 300)
    table[target] = np.where(pain > 50, "yes", "no") if target == "ill" else (100 * pain).round(1)
    table.to_csv(folder / "rows.csv", index=False)
    return subject_from_csv(folder / "rows.csv", target)


@pytest.mark.slow
def test_scores_on_the_rows_of_the_training_say_so_once(ill: Subject) -> None:
    assert answer(ill, "score accuracy and mistake count").count("trained on these very rows") == 1
    assert f"right for {ill.model.scores.means['accuracy']:.1%}" in answer(ill, "score accuracy")
    assert SEEN not in answer(ill, "countdata")
    assert SEEN not in answer(ill, "score baserate")


@pytest.mark.slow
@pytest.mark.parametrize("parse", [
    "score accuracy by sex", "score fpr by age", "fairness sex", "gain", "residuals 3", "compare sex", "threshold recall 0.9",
    "threshold cost 2", "threshold 0.3 and score recall by sex",
    "filter sex m versus filter sex f and score accuracy", "filter sex m versus filter sex f and threshold 0.4 0.6",
])  # fmt: skip
def test_all_that_judges_the_model_says_so(ill: Subject, parse: str) -> None:
    text = answer(ill, parse)
    assert text.count(SEEN) == 1
    assert ("between groups on such rows" in text) == (" by " in parse or "versus" in parse or "fairness" in parse)


@pytest.mark.slow
def test_the_score_that_was_asked_for_is_cited_from_the_cross_validation(ill: Subject, cost: Subject) -> None:
    means, off = ill.model.scores.means, cost.model.scores.means
    assert f"its area under the ROC curve was {means['roc_auc']:.3f} (cross" in answer(ill, "score roc")
    assert f"its area under the ROC curve was {means['roc_auc']:.3f} (cross" in answer(ill, "score roc by sex")
    assert f"its F1 score was {means['f1']:.1%} (cross" in answer(ill, "score f1")
    assert f"off by {100 * means['calibration_error']:.1f} points" in answer(ill, "score calibration").partition(SEEN)[2]
    assert f"right for {means['accuracy']:.1%} (cross-validation); its recall there is not known" in answer(ill, "score recall")
    assert f"its R² was {off['r2']:.3f} (cross" in answer(cost, "score r2")
    assert f"off by {off['mean_absolute_error']:,.0f} on average (cross-validation)." in answer(cost, "score mae")
    assert "; its root mean squared error there is not known" in answer(cost, "score rmse")


def test_scores_on_held_out_rows_need_no_warning() -> None:
    assert SEEN not in answer(load_subject("diabetes"), "score accuracy")
