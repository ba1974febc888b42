"""The figures on explanations: what they are of, and that they are what the explainer itself says."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from backend.errors import SettingsError
from benchmarks.explanations.command import ExplainBench, measure, report, table9
from tests.ttm.explain.conftest import linear, logistic, mixed
from ttm.explain.explainer import Explainer
from ttm.explain.importance import evenly
from ttm.explain.selection.fidelity import SelectionSettings
from ttm.language.grammar import grammar_of
from ttm.language.parse import Method
from ttm.tabular.subject import Subject

SAMPLES = 300


@pytest.fixture(scope="module")
def found() -> ExplainBench:
    return measure(mixed("ill"), limit=5, seeds=2, samples=SAMPLES)


@pytest.mark.slow
def test_the_figures_are_those_of_the_explanations(found: ExplainBench) -> None:
    subject = mixed("ill")
    frame = subject.dataset.frame
    frame = frame.iloc[evenly(len(frame), 5)]
    explainer = Explainer(subject, settings=SelectionSettings(samples=SAMPLES))
    expected = [explainer.explain(frame.iloc[[place]], Method.PAPER) for place in range(5)]
    worth = np.array([[candidate.fidelity for candidate in one.candidates] for one in expected])
    chosen = np.array([one.chosen.fidelity for one in expected])
    assert found.fidelity.selected.mean == pytest.approx(chosen.mean())
    assert found.fidelity.median.mean == pytest.approx(np.median(worth, axis=1).mean())
    assert found.fidelity.worst.mean == pytest.approx(worth.min(axis=1).mean())
    assert found.samples == SAMPLES
    assert found.never_below_median


@pytest.mark.slow
def test_time_is_spent_on_the_rows_that_were_asked_for(found: ExplainBench) -> None:
    times = found.seconds_per_instance
    assert found.rows == 5
    assert sum(found.methods.values()) == 5
    assert 0 < times.median <= times.p95 <= times.max
    assert found.total_seconds >= found.preparation_seconds + times.max
    assert 0 < found.share_in_model < 1
    assert found.rows_per_instance > 0
    assert found.what_if_importance_seconds > 0
    grammar_of(mixed("ill").schema).read(found.what_if)


def test_agreement_across_seeds_is_a_share(found: ExplainBench) -> None:
    assert found.same_method_across_seeds is not None
    assert 0 <= found.same_method_across_seeds <= 1
    assert found.same_top_feature_across_seeds in {0, 0.2, 0.4, 0.6, 0.8, 1}


def test_one_object_can_be_written_out(found: ExplainBench) -> None:
    written = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert {"rows", "total_seconds", "rows_per_instance", "share_in_model", "what_if_importance_seconds"} <= set(written)
    assert set(written["seconds_per_instance"]) == {"median", "p95", "max"}
    assert set(written["fidelity"]) == {"selected", "median", "worst"}
    assert "never below the median method" in report(found)


@pytest.mark.parametrize(("make", "width"), [(logistic, 3), (linear, 3)])
def test_other_models_can_be_measured(make: Callable[[int], Subject], width: int) -> None:
    found = measure(make(width), limit=2, seeds=1, samples=SAMPLES)
    assert found.same_method_across_seeds is None
    assert "one seed only" in report(found)


def test_table_9_leaves_rows_without_fidelity_out_of_percentages() -> None:
    selected, median, worst = np.array([0.4, 0.2, 0.0]), np.array([0.2, 0.2, 0.0]), np.array([0.1, 0.0, 0.0])
    table = table9(selected, median, worst)
    assert table.percent_decrease_median.mean == pytest.approx(25.0)
    assert table.percent_decrease_worst.mean == pytest.approx((75 + 100) / 2)
    assert table.percent_decrease_worst.sd == pytest.approx(12.5)
    assert table.improvement_over_median.mean == pytest.approx(0.2 / 3)
    assert table.improvement_over_worst.mean == pytest.approx(0.5 / 3)
    assert table.rows_without_fidelity == 1


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"seeds": 0}, {"samples": 0}])
def test_numbers_below_one_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="at least 1"):
        measure(linear(3), **wrong)
