"""The measures that judge explanations know a right one: of a linear model SHAP's values are the truth."""

import numpy as np
import pytest

from benchmarks.explanations.judged_by_hiding import JudgedByHiding, judge
from benchmarks.explanations.judged_row import JudgedRow
from tests.ttm.explain.conftest import linear, mixed
from ttm.explain.explainer import Explainer
from ttm.explain.selection.hiding import Hiding


@pytest.fixture(scope="module")
def of_linear() -> JudgedByHiding:
    subject = linear(4)
    return judge(Explainer(subject), subject.dataset.frame.iloc[:6])


def test_the_truth_of_a_linear_model_is_judged_right(of_linear: JudgedByHiding) -> None:
    shap = of_linear.techniques["SHAP"]
    assert shap.correlation > 0.98
    assert shap.infidelity < min(one.infidelity for label, one in of_linear.techniques.items() if label != "SHAP")


@pytest.mark.slow
def test_a_chosen_order_lies_between_random_ones_and_the_best(of_linear: JudgedByHiding) -> None:
    assert of_linear.random < of_linear.selected.hiding <= of_linear.best + 1e-12
    assert of_linear.selected.hiding <= of_linear.greedy + 1e-12
    assert of_linear.of_best == pytest.approx(of_linear.selected.hiding / of_linear.best)


@pytest.mark.slow
def test_where_shap_is_chosen_everywhere_its_figures_are_those_of_the_choice() -> None:
    subject = mixed("ill")
    found = judge(Explainer(subject), subject.dataset.frame.iloc[:3])
    assert found.rows == 3
    assert set(found.techniques) >= {"SHAP"}
    if not found.not_shap:
        assert found.selected == found.techniques["SHAP"]


def test_max_sensitivity_of_a_linear_model_is_that_of_its_coefficients() -> None:
    subject = linear(3)
    explainer, frame = Explainer(subject), subject.dataset.frame.iloc[:1]
    result = explainer.explain(frame)
    row = JudgedRow(explainer, Hiding(explainer.coding, 1), frame, result)
    weights = np.array([candidate.weights for candidate in result.candidates])
    moved = (row.neighbours - row.encoded) * subject.model.estimator.coef_  # SHAP's values move by coefficient times step
    expected = np.linalg.norm(moved, axis=1).max() / np.linalg.norm(weights[0])
    assert row.sensitivities(weights)[0] == pytest.approx(expected, rel=1e-6)
