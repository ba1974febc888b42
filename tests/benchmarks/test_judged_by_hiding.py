"""The measures that judge explanations know a right one: of a linear model SHAP's values are the truth."""

import pytest

from benchmarks.explanations.judged_by_hiding import JudgedByHiding, judge
from tests.ttm.explain.conftest import linear, mixed
from ttm.explain.explainer import Explainer


@pytest.fixture(scope="module")
def of_linear() -> JudgedByHiding:
    subject = linear(4)
    return judge(Explainer(subject), subject.dataset.frame.iloc[:6])


def test_the_truth_of_a_linear_model_is_judged_right(of_linear: JudgedByHiding) -> None:
    shap = of_linear.techniques["SHAP"]
    assert shap.correlation > 0.98
    assert shap.infidelity < min(one.infidelity for label, one in of_linear.techniques.items() if label != "SHAP")


def test_a_chosen_order_lies_between_random_ones_and_the_best(of_linear: JudgedByHiding) -> None:
    assert of_linear.random < of_linear.selected.hiding <= of_linear.best + 1e-12
    assert of_linear.selected.hiding <= of_linear.greedy + 1e-12
    assert of_linear.of_best == pytest.approx(of_linear.selected.hiding / of_linear.best)


def test_where_shap_is_chosen_everywhere_its_figures_are_those_of_the_choice() -> None:
    subject = mixed("ill")
    found = judge(Explainer(subject), subject.dataset.frame.iloc[:3])
    assert found.rows == 3
    assert set(found.techniques) >= {"SHAP"}
    if not found.not_shap:
        assert found.selected == found.techniques["SHAP"]
