"""The cheapest threshold is the cheapest of all that exist, and gains are counted by hand."""

import numpy as np
import pytest
from sklearn import metrics

from tests.ttm.conftest import Asker, awkward_engine
from ttm.explain.explainer import Explainer
from ttm.language.selection import number_text
from ttm.operations.decisions.run import CheapestThreshold, CumulativeGain, ReachingThreshold, shortest_between
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.render import render
from ttm.operations.results import Refused
from ttm.tabular.subject import Subject, load_subject


@pytest.fixture(scope="module")
def compas() -> Subject:
    return load_subject("compas")


@pytest.mark.parametrize("ratio", [0.1, 1, 5, 50])
def test_no_threshold_is_cheaper(compas: Subject, ratio: float) -> None:
    result = Asker(ExecutionEngine(compas, Explainer(compas)))(f"threshold cost {ratio:g}")
    assert isinstance(result, CheapestThreshold)
    truth, chance = np.asarray(compas.dataset.labels) == 1, compas.probabilities[:, 1]

    def cost(threshold: float) -> float:
        said = chance >= threshold
        return float(ratio * (truth & ~said).sum() + (~truth & said).sum())

    assert result.best.cost == pytest.approx(min(cost(value) for value in (*np.unique(chance), 2.0)))
    assert cost(result.best.at.threshold) == pytest.approx(result.best.cost)
    assert result.default.cost == pytest.approx(cost(0.5))
    assert (result.never, result.always) == (pytest.approx(ratio * truth.sum()), (~truth).sum())


def scores_from(subject: Subject, threshold: float) -> dict[str, float]:
    truth, predicted = np.asarray(subject.dataset.labels), subject.probabilities[:, 1] >= threshold
    return {
        "recall": metrics.recall_score(truth, predicted), "precision": metrics.precision_score(truth, predicted),
        "specificity": metrics.recall_score(truth, predicted, pos_label=0),
    }  # fmt: skip


def scores_from_each(subject: Subject, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Each probability that occurs, as a threshold, and the score with it, counted row by row."""
    truth, chance = np.asarray(subject.dataset.labels) == 1, subject.probabilities[:, 1]
    every = np.unique(chance)
    predicted = chance >= every[:, None]
    shares = {
        "recall": (predicted & truth).sum(axis=1) / truth.sum(),
        "precision": (predicted & truth).sum(axis=1) / predicted.sum(axis=1),
        "specificity": (~predicted & ~truth).sum(axis=1) / (~truth).sum(),
    }
    return every, shares[metric]


@pytest.mark.parametrize("metric", ["recall", "precision", "specificity"])
@pytest.mark.parametrize("least", [0.25, 0.8, 0.9, 1])
def test_a_threshold_reaches_a_score_and_no_better_one_does(compas: Subject, metric: str, least: float) -> None:
    """Against each threshold that predicts anything else; the scores there by scikit-learn."""
    asker = Asker(ExecutionEngine(compas, Explainer(compas)))
    result = asker(f"threshold {metric} {least}")
    assert isinstance(result, ReachingThreshold)
    every, scores = scores_from_each(compas, metric)
    reaching = every[scores >= least]
    assert result.is_reached == bool(len(reaching))
    best = every[scores.argmax()]
    if len(reaching):
        best = max(reaching) if metric == "recall" else min(reaching)
    predicted = compas.probabilities[:, 1] >= result.chosen.threshold
    assert predicted.tolist() == (compas.probabilities[:, 1] >= best).tolist()
    expected = scores_from(compas, best)
    assert {name: getattr(result.chosen, name) for name in expected} == pytest.approx(expected)
    assert result.estimate.value == pytest.approx(expected[metric])
    assert result.estimate.low < result.estimate.high
    assert result.default.recall == pytest.approx(scores_from(compas, 0.5)["recall"])
    answer = render(result, asker.schema)
    assert f"**{number_text(result.chosen.threshold)}**" in answer.text
    assert ("whatever the threshold" in answer.text) != result.is_reached
    assert asker(answer.next_parses[0]).threshold == result.chosen.threshold


def test_thresholds_have_as_few_decimals_as_predict_the_same() -> None:
    assert shortest_between(0.2, 0.3149) == 0.31
    assert shortest_between(0.314151, 0.314188) == 0.31418
    assert shortest_between(0.0, 0.004) == 0.004
    assert shortest_between(0.3, np.nextafter(0.3, 1)) == np.nextafter(0.3, 1)


def test_gain_counts_the_rows_with_the_highest_probability(compas: Subject) -> None:
    result = Asker(ExecutionEngine(compas, Explainer(compas)))("gain")
    assert isinstance(result, CumulativeGain)
    truth = np.asarray(compas.dataset.labels) == 1
    chance = compas.probabilities[:, 1]
    for tenth in result.tenths:
        cut = np.sort(chance)[::-1][tenth.rows - 1]
        above, tied = chance > cut, chance == cut
        hits = truth[above].sum() + (tenth.rows - above.sum()) * truth[tied].mean()
        assert tenth.hits == pytest.approx(hits)
        assert tenth.lift == pytest.approx(hits / tenth.rows / truth.mean())
    assert result.tenths[-1].gain == pytest.approx(1)
    assert result.asked is None


@pytest.mark.parametrize(("text", "rows"), [("gain 100", 100), ("gain 8 percent", 99), ("gain 1235", 1235)])
def test_gain_of_an_amount(compas: Subject, text: str, rows: int) -> None:
    asker = Asker(ExecutionEngine(compas, Explainer(compas)))
    asked = asker(text).asked
    truth, chance = np.asarray(compas.dataset.labels) == 1, compas.probabilities[:, 1]
    cut = np.sort(chance)[::-1][rows - 1]
    above, tied = chance > cut, chance == cut
    hits = truth[above].sum() + (rows - above.sum()) * truth[tied].mean()
    assert (asked.rows, asked.hits, asked.lowest) == (rows, pytest.approx(hits), pytest.approx(cut))
    assert f"({rows:,} of 1,235 rows)" in render(asker(text), asker.schema).text


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("several", "gain"), ("regression", "threshold cost 2"), ("binary", "threshold cost 0"),
        ("several", "threshold recall 0.9"), ("regression", "threshold recall 0.9"), ("binary", "threshold recall 90"),
        ("binary", "threshold precision 0"), ("binary", "filter id 110 and gain"),
        ("binary", "gain 0"), ("binary", "gain 101 percent"),
    ],
)  # fmt: skip
def test_what_cannot_be_weighed_is_refused_in_words(kind: str, text: str) -> None:
    result = Asker(awkward_engine(kind))(text)
    assert isinstance(result, Refused)
    assert len(result.reason) > 30
