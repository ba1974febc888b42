"""The cheapest threshold is the cheapest of all that exist, and gains are counted by hand."""

import numpy as np
import pytest

from tests.ttm.conftest import Asker, awkward_engine
from ttm.explain.explainer import Explainer
from ttm.operations.decisions.run import CheapestThreshold, CumulativeGain
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
        ("binary", "filter id 110 and gain"), ("binary", "gain 0"), ("binary", "gain 101 percent"),
    ],
)  # fmt: skip
def test_what_cannot_be_weighed_is_refused_in_words(kind: str, text: str) -> None:
    result = Asker(awkward_engine(kind))(text)
    assert isinstance(result, Refused)
    assert len(result.reason) > 30
