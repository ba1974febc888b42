"""Intervals of scores cover the truth as often as they say, and agree with resampling the rows."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn import metrics

from tests.ttm.conftest import Asker
from ttm.operations.render import render
from ttm.operations.scores.estimates import ScoreEstimate, area_estimate, binary_estimates, macro_estimates, value_estimates
from ttm.operations.scores.metrics import binary_scores, confusion_matrix, macro_scores, regression_scores

SAMPLES = 400


def resampled(score: Callable[[np.ndarray], float], rows: int, draws: int = 1000) -> tuple[float, float]:
    """The percentile interval of a score of row places (rows,), drawing rows with replacement."""
    source = np.random.default_rng(5)
    values = [score(source.integers(rows, size=rows)) for _ in range(draws)]
    low, high = np.nanquantile(values, [0.025, 0.975])
    return float(low), float(high)


def covers(estimate: ScoreEstimate, truth: float) -> bool:
    assert estimate.interval is not None
    return estimate.interval[0] <= truth <= estimate.interval[1]


def test_values_are_those_of_the_scores() -> None:
    for cells in ([[40, 7], [9, 21]], [[5, 0], [0, 3]], [[0, 4], [0, 0]], [[0, 0], [6, 0]]):
        matrix = np.array(cells)
        assert {name: one.value for name, one in binary_estimates(matrix).items()} == pytest.approx(binary_scores(matrix))
    matrix = np.array([[12, 3, 0], [4, 9, 2], [1, 1, 20]])
    assert {name: one.value for name, one in macro_estimates(matrix).items()} == pytest.approx(macro_scores(matrix))


def test_false_rates_selection_and_base_rate_are_counted_from_the_definition() -> None:
    truth, predicted = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]), np.array([1, 1, 1, 0, 1, 1, 0, 0, 0, 0])
    found = binary_estimates(confusion_matrix(truth, predicted, 2))
    pairs = {name: (found[name].hits, found[name].rows) for name in ("fpr", "fnr", "selection", "baserate")}
    assert pairs == {"fpr": (2, 6), "fnr": (1, 4), "selection": (5, 10), "baserate": (4, 10)}


def test_nineteen_of_twenty_intervals_of_f1_and_area_cover_the_truth() -> None:
    """Scores are normal, one apart: the area is Phi(1 / sqrt 2), and F1 is counted on very many rows."""
    source = np.random.default_rng(0)

    def drawn(rows: int) -> tuple[np.ndarray, np.ndarray]:
        truth = (source.random(rows) < 0.3).astype(int)
        return truth, source.normal(truth, 1.0)

    truth, scores = drawn(500_000)
    f1, area = metrics.f1_score(truth, scores > 0.6), 0.7602
    hits = {"f1": 0, "area": 0}
    for _ in range(SAMPLES):
        truth, scores = drawn(150)
        found = binary_estimates(confusion_matrix(truth, (scores > 0.6).astype(int), 2))["f1"]
        hits["f1"] += covers(found, f1)
        hits["area"] += covers(area_estimate(truth, np.column_stack([-scores, scores])), area)
    assert hits["f1"] / SAMPLES > 0.92
    assert hits["area"] / SAMPLES > 0.92


def test_nineteen_of_twenty_intervals_of_the_balanced_accuracy_cover_the_truth() -> None:
    source, hits = np.random.default_rng(5), 0
    for _ in range(SAMPLES):
        found, missed = source.binomial(40, 0.7), source.binomial(110, 0.1)
        hits += covers(binary_estimates(np.array([[110 - missed, missed], [40 - found, found]]))["balanced"], (0.7 + 0.9) / 2)
    assert 0.92 < hits / SAMPLES < 0.99


@pytest.mark.slow
def by_definition(matrix: np.ndarray) -> dict[str, float]:
    """Means over the classes of a matrix of true (rows) and predicted classes."""
    right, predicted, true = np.diag(matrix), matrix.sum(axis=0), matrix.sum(axis=1)
    return {"f1": (2 * right / (predicted + true)).mean(), "recall": (right / true).mean(), "ppv": (right / predicted).mean()}


def test_means_over_classes_have_the_interval_of_resampled_rows() -> None:
    source = np.random.default_rng(1)
    truth = source.integers(3, size=200)
    predicted = np.where(source.random(200) < 0.6, truth, source.integers(3, size=200))
    found, cells = macro_estimates(confusion_matrix(truth, predicted, 3)), 3 * truth + predicted
    for name, score in (("f1", metrics.f1_score), ("recall", metrics.recall_score), ("ppv", metrics.precision_score)):

        def drawn(rows: np.ndarray, name: str = name) -> float:
            return by_definition(np.bincount(cells[rows], minlength=9).reshape(3, 3))[name]

        assert drawn(np.arange(200)) == pytest.approx(score(truth, predicted, average="macro"))
        assert found[name].interval == pytest.approx(resampled(drawn, 200), abs=0.015)


@pytest.mark.slow
def test_errors_of_quantities_have_the_interval_of_resampled_rows() -> None:
    source = np.random.default_rng(2)
    truth = source.normal(50, 10, 300)
    predicted = 0.8 * truth + 10 + source.normal(0, 4, 300)
    found = value_estimates(truth, predicted, regression_scores(truth, predicted))
    for name, score in (("mae", metrics.mean_absolute_error), ("rmse", metrics.root_mean_squared_error),
                        ("r2", metrics.r2_score)):  # fmt: skip
        low, high = resampled(lambda rows, score=score: score(truth[rows], predicted[rows]), 300)
        assert found[name].interval == pytest.approx((low, high), abs=0.15 * (high - low))


def test_a_score_on_few_rows_warns_and_one_on_many_does_not(ask: Asker) -> None:
    few, many = (render(ask(text), ask.schema).text for text in ("filter age greater than 80 and score fnr", "score accuracy"))
    assert "too few to say much" in few
    assert "too few" not in many
    assert "95% interval" in many
    assert "n = 77" in many


@pytest.mark.parametrize("metric", ["selection", "baserate"])
def test_of_several_classes_there_is_no_selection_rate(metric: str, asker: Callable[[str], Asker]) -> None:
    refused = asker("several")(f"score {metric}")
    assert "3 classes" in refused.reason
    undefined = render(asker("binary")("labelfilter 1 and score fpr"), asker("binary").schema).text
    assert "undefined" in undefined
    assert "all of these rows are truly" in undefined
