"""Hiding features measures what the definition says, and SHAP gives way only to what is clearly better."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ttm.explain.coding import Coding
from ttm.explain.explainer import Explainer
from ttm.explain.scoring import Scorer
from ttm.explain.selection.hiding import HiddenCurves, Hiding, hiding_depth
from ttm.language.parse import Method
from ttm.tabular.subject import Subject

Make = Callable[[Any], Subject]


@pytest.mark.parametrize(("features", "expected"), [(1, 1), (2, 2), (4, 3), (15, 3), (20, 4), (48, 9)])
def test_at_least_three_features_are_hidden_and_a_fifth_of_many(features: int, expected: int) -> None:
    assert hiding_depth(features) == expected


def measured(subject: Subject, orders: list[np.ndarray]) -> tuple[Hiding, HiddenCurves, np.ndarray]:
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer, hiding = Scorer(subject.model, coding), Hiding(coding, 0)
    row = coding.encode(subject.dataset.frame.iloc[[3]])[0]
    column = 1 if subject.schema.target.is_classification else 0
    score = float(scorer.scores(row[None, :], column)[0])
    return hiding, hiding.measure(row, score, column, orders, scorer), row


def test_a_linear_model_moves_by_what_was_hidden(linear_subject: Make) -> None:
    """By k features hidden: the mean of |sum of slope times difference to the drawn row|."""
    subject = linear_subject(5)
    orders = [np.array([0, 1, 2, 3, 4]), np.array([4, 2, 0, 1, 3])]
    hiding, found, row = measured(subject, orders)
    apart = subject.model.estimator.coef_ * (hiding.drawn - row)
    for place, order in enumerate(orders):
        for k in range(1, 4):
            wanted = np.abs(apart[:, order[:k]].sum(axis=1))
            assert found.moved[place, k - 1] == pytest.approx(wanted)
        assert found.of_together[place] == pytest.approx(np.abs(apart[:, order[:3]].sum(axis=1)).mean())
    subsets = [np.abs(apart[:, [a, b, c]].sum(axis=1)).mean() for a in range(5) for b in range(a) for c in range(b)]
    assert found.at_random == pytest.approx(np.mean(subsets), rel=0.15)


def test_any_kind_of_feature_takes_the_value_of_a_training_row(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    hiding, found, row = measured(subject, [np.array([4, 0, 5, 1, 2, 3])])
    frame = Coding(subject.schema, subject.dataset.train_frame)
    rows = np.tile(row, (len(hiding.drawn), 1))
    rows[:, [4, 0]] = hiding.drawn[:, [4, 0]]
    outputs = subject.model.predict_proba(frame.decode(rows))[:, 1]
    before = subject.model.predict_proba(frame.decode(row[None, :]))[0, 1]
    assert found.moved[0, 1] == pytest.approx(np.abs(outputs - before))
    known = {tuple(one) for one in np.nan_to_num(frame.train, nan=-1.0)}
    assert all(tuple(one) in known for one in np.nan_to_num(hiding.drawn, nan=-1.0))


def curves(source: np.random.Generator, lifts: list[float]) -> HiddenCurves:
    """Rankings whose areas share most of their noise, apart by these amounts on average."""
    shared = source.exponential(0.2, 100)
    moved = np.array([[np.abs(shared + lift + source.normal(0, 0.05, 100))] * 3 for lift in lifts])
    return HiddenCurves(moved, 0.1, 3)


def test_what_is_as_good_hardly_ever_takes_the_place_of_shap() -> None:
    source = np.random.default_rng(0)
    alarms = [curves(source, [0.0] * 5).better_than_first() != 0 for _ in range(400)]
    assert np.mean(alarms) <= 0.06


def test_what_is_clearly_better_is_taken_and_what_is_worse_is_not() -> None:
    source = np.random.default_rng(1)
    assert [curves(source, [0.0, -0.1, 0.05, 0.1, 0.0]).better_than_first() for _ in range(20)] == [3] * 20
    assert [curves(source, [0.1, 0.0, 0.0]).better_than_first() for _ in range(20)] == [0] * 20
    equal = HiddenCurves(np.ones((5, 3, 50)), 0.5, 3)
    assert equal.better_than_first() == 0


@pytest.mark.parametrize("target", ["ill", "stage", "cost"])
@pytest.mark.slow
def test_the_chosen_one_hides_more_than_shap_or_is_shap(mixed_subject: Make, target: str) -> None:
    subject = mixed_subject(target)
    explain = Explainer(subject)
    for place in range(12):
        found = explain.explain(subject.dataset.frame.iloc[[place]])
        assert found.hidden is not None
        if found.reason == "tie":
            assert found.chosen.technique == "shap"
        else:
            assert (found.reason, found.hidden.better_than_shap) == ("fidelity", True)
            assert found.chosen.fidelity > found.candidates[0].fidelity
        assert found.chosen.fidelity >= 0.95 * max(one.fidelity for one in found.candidates) or found.reason == "tie"


def test_equation_1_is_still_there_to_be_asked_for(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    row = subject.dataset.frame.iloc[[2]]
    paper = Explainer(subject).explain(row, Method.PAPER)
    assert paper.hidden is None
    assert paper.samples == 10_000
    assert paper.reason in ("fidelity", "stability")
