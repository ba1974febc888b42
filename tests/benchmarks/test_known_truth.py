"""Where the truth is known, right answers are counted as right and wrong ones as wrong."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmarks.explanations import known_truth
from benchmarks.explanations.known_truth import counterfactuals, mistakes, techniques
from tests.ttm.explain.conftest import mixed
from ttm.explain.explainer import Explainer
from ttm.explain.mistakes.typical_mistakes import Typical


@pytest.mark.slow
def test_planted_patterns_are_counted_and_errors_at_random_too(monkeypatch: pytest.MonkeyPatch) -> None:
    explainer = Explainer(mixed("ill"))
    monkeypatch.setattr(known_truth, "ELSEWHERE", 0.02)
    measured = mistakes(explainer, 2)
    assert (measured.draws, measured.noticed) == (2, 1.0)
    assert abs(measured.overstated) < 0.3

    def everywhere(rows: object, errors: object) -> Typical:
        rule = explainer_rules[0]
        return Typical((replace(rule, error=1.0),), 240, 0.3, 72)

    frame = explainer.subject.dataset.frame
    errors = (explainer.coding.encode(frame)[:, 1] > 80).astype(float)
    explainer_rules = explainer.typical_mistakes(frame, errors).rules
    monkeypatch.setattr(explainer, "typical_mistakes", everywhere)
    always = mistakes(explainer, 2)
    assert (always.false_alarms, always.noticed) == (1.0, 1.0)
    assert always.overstated > 0.3, "an error of 1 is stated where it is at most 0.6"


def test_each_changed_row_is_put_to_the_model_again() -> None:
    measured = counterfactuals(Explainer(mixed("ill")), 4)
    assert (measured.rows, measured.valid) == (4, 1.0)
    assert measured.copies > 0.5


def test_parts_of_a_product_are_half_of_it_for_each() -> None:
    frame = pd.DataFrame(np.random.default_rng(1).standard_normal((5, 7)))
    parts = known_truth._terms(frame, pair=True)
    assert parts[:, 3] == pytest.approx(frame[3] * frame[4] / 2)
    assert (parts[:, 5:] == 0).all()
    assert known_truth._terms(frame, pair=False)[:, 3] == pytest.approx(np.sin(frame[3]))


def test_shap_finds_the_parts_of_a_sum() -> None:
    measured = techniques(False, 4)
    assert measured["SHAP"].correlation > 0.95
    assert set(measured) > {"selected", "SHAP"}
