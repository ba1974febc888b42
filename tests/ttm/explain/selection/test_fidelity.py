"""Fidelity is what equation 1 says, stability what Jaccard said; both decide in the right direction."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ttm.explain.attribution import ExplanationCandidate
from ttm.explain.coding import Coding
from ttm.explain.scoring import Scorer
from ttm.explain.selection.explanation_selection import choose, near_best
from ttm.explain.selection.fidelity import Fidelity, Perturbation, SelectionSettings, depth, jaccard
from ttm.tabular.subject import Subject

Make = Callable[[Any], Subject]
DEFAULTS = SelectionSettings()


def candidate(fidelity: float, stability: float | None = None, technique: str = "shap") -> ExplanationCandidate:
    return ExplanationCandidate(technique, np.zeros(3), 0.0, fidelity, stability)


def slowly(subject: Subject, coding: Coding, fidelity: Fidelity, row: np.ndarray, order: np.ndarray, column: int) -> float:
    """The curve point by point, every perturbed row put to the model."""
    scorer = Scorer(subject.model, coding)
    base = scorer.scores(row[None, :], column)[0]
    total = 0.0
    for k in range(1, fidelity.depth + 1):
        rows = np.tile(row, (fidelity.perturbation.samples, 1))
        for place in order[:k]:
            rows[:, place] = fidelity.perturbation.column(row, int(place))
        total += np.abs(scorer.scores(rows, column) - base).mean()
    return total / fidelity.depth


@pytest.mark.parametrize(("target", "column"), [("ill", 1), ("stage", 0), ("cost", 0)])
def test_fidelity_equals_the_slow_computation(mixed_subject: Make, target: str, column: int) -> None:
    subject = mixed_subject(target)
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer = Scorer(subject.model, coding)
    fidelity = Fidelity(scorer, SelectionSettings(samples=400, sigma=0.5), 0)
    fidelity.depth = 3
    random = np.random.default_rng(0)
    for row in coding.encode(subject.dataset.frame.iloc[:6]):
        orders = [random.permutation(coding.width) for _ in range(3)]
        score = float(scorer.scores(row[None, :], column)[0])
        found = fidelity.measure(row, score, column, orders, scorer)
        assert found == pytest.approx([slowly(subject, coding, fidelity, row, order, column) for order in orders])


def test_wide_data_are_put_to_the_model_in_chunks(linear_subject: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = linear_subject(15)
    coding = Coding(subject.schema, subject.dataset.train_frame)
    row = coding.encode(subject.dataset.frame.iloc[[0]])[0]
    scorer, scores, asked = Scorer(subject.model, coding), Scorer.scores, []
    monkeypatch.setattr(Scorer, "scores", lambda self, rows, column: asked.append(len(rows)) or scores(self, rows, column))
    fidelity = Fidelity(scorer, SelectionSettings(samples=100), 0)
    orders = [np.arange(15), np.arange(15)[::-1]]
    in_one = fidelity.measure(row, float(subject.predictions[0]), 0, orders, scorer)
    assert asked == [2 * 3 * 100]
    monkeypatch.setattr("ttm.explain.selection.fidelity.CHUNK_VALUES", 250 * 15)
    in_chunks = fidelity.measure(row, float(subject.predictions[0]), 0, orders, scorer)
    assert asked[1:] == [200, 200, 200]
    assert in_chunks == pytest.approx(in_one)


def test_equal_rows_of_a_tree_model_are_asked_once(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer = Scorer(subject.model, coding)
    fidelity = Fidelity(scorer, SelectionSettings(samples=2_000), 0)
    row = coding.encode(subject.dataset.frame.iloc[[0]])[0]
    fidelity.measure(row, 0.5, 1, [np.arange(coding.width)], scorer)
    assert 0 < scorer.effort.rows < 100


def test_fidelity_of_a_linear_model_is_known(linear_subject: Make) -> None:
    """A slope b on a feature of deviation s moves the output by sigma |b| s sqrt(2 / pi) on average."""
    subject = linear_subject(4)
    coding = Coding(subject.schema, subject.dataset.train_frame)
    scorer = Scorer(subject.model, coding)
    fidelity = Fidelity(scorer, DEFAULTS, 0)
    row = coding.encode(subject.dataset.frame.iloc[[0]])[0]
    score = float(subject.predictions[0])
    found = fidelity.measure(row, score, 0, [np.roll(np.arange(4), -place) for place in range(4)], scorer)
    slopes = np.abs(subject.model.estimator.coef_) * coding.scale
    assert found == pytest.approx(0.05 * slopes * np.sqrt(2 / np.pi), rel=1e-3)


def test_perturbations_have_the_stated_spread(mixed_subject: Make) -> None:
    subject = mixed_subject("ill")
    coding = Coding(subject.schema, subject.dataset.train_frame)
    drawn = Perturbation(coding, DEFAULTS, 0, 10_000)
    row = coding.encode(subject.dataset.frame)[np.flatnonzero(subject.dataset.frame.notna().all(axis=1))[0]]
    weight = coding.names.index("weight")
    moved = drawn.column(row, weight) - row[weight]
    assert moved.std() == pytest.approx(0.05 * coding.scale[weight], rel=1e-2)
    assert moved.mean() == pytest.approx(0, abs=1e-3)
    for name in ("smoker", "region"):
        place = coding.names.index(name)
        assert (drawn.column(row, place) != row[place]).mean() == pytest.approx(0.3, abs=1e-3)
    gone = row.copy()
    gone[weight] = np.nan
    assert np.isnan(drawn.column(gone, weight)).all()


@pytest.mark.parametrize(("features", "expected"), [(1, 1), (4, 1), (8, 1), (10, 2), (38, 7)])
def test_depth_is_a_fifth_of_the_features(features: int, expected: int) -> None:
    assert depth(features) == expected


def test_jaccard_by_hand() -> None:
    first, others = np.array([0, 1, 2, 3]), np.array([[0, 1, 2, 3], [1, 0, 3, 2]])
    assert jaccard(first, others[:1], 3) == 1
    # {0} and {1} share nothing, {0, 1} is the same, {0, 1, 2} and {1, 0, 3} share 2 of 4
    assert jaccard(first, others[1:], 3) == pytest.approx((0 + 1 + 0.5) / 3)


def test_the_most_faithful_wins_where_it_is_clear() -> None:
    chosen, reason = choose((candidate(0.05, 0.9), candidate(0.2, 0.1)), DEFAULTS)
    assert (chosen.fidelity, reason) == (0.2, "fidelity")


def test_the_more_stable_wins_a_tie() -> None:
    chosen, reason = choose((candidate(0.205, 0.4), candidate(0.2, 0.9), candidate(0.01, 1.0)), DEFAULTS)
    assert (chosen.fidelity, reason) == (0.2, "stability")


def test_where_stability_tells_nothing_the_preferred_one_is_taken() -> None:
    tied = (candidate(0.2, 0.96), candidate(0.2, 1.0, "lime-0.75"))
    assert choose(tied, DEFAULTS)[0].technique == "shap"
    assert choose((candidate(0.2, 0.9), tied[1]), DEFAULTS)[0].technique == "lime-0.75"


def test_a_tie_never_takes_what_is_below_the_median() -> None:
    candidates = [candidate(value) for value in (0.105, 0.104, 0.103, 0.102, 0.096)]
    assert near_best(candidates, 0.01) == [0, 1, 2]


def test_a_difference_of_delta_is_no_tie() -> None:
    assert near_best([candidate(0.5), candidate(0.25)], 0.25) == [0]
