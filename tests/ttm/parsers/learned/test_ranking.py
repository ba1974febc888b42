"""Readings compete with each other and with none of them: shares add up, a fit finds what was planted, files keep it."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from backend.models.boosted_trees import Array, fit_trees
from ttm.lab.learning.ranking.fitting import TREES, WeighedTurn, fit_ranking, fit_uncalibrated
from ttm.parsers.learned.evidence import FEATURES, MESSAGE_FEATURES
from ttm.parsers.learned.ranking import read_ranking, write_ranking

pytestmark = pytest.mark.slow

VARIED = 6  # pieces of evidence that differ; the others stay 0, which makes a fit quick


def drawn(rng: np.random.Generator) -> tuple[Array, Array]:
    """The evidence for four readings and for none of them."""
    features, message = np.zeros((4, len(FEATURES))), np.zeros(len(MESSAGE_FEATURES))
    features[:, :VARIED], message[:VARIED] = rng.normal(size=(4, VARIED)), rng.normal(size=VARIED)
    return features, message


def planted(count: int, seed: int) -> list[WeighedTurn]:
    """Messages whose fair reading has the largest first feature, or none where the first feature of the message is high."""
    rng = np.random.default_rng(seed)
    turns = []
    for number in range(count):
        features, message = drawn(rng)
        fair = np.zeros(4)
        if message[0] < 1:
            fair[int(features[:, 0].argmax())] = 1.0
        turns.append(WeighedTurn(features, message, fair, f"a{number % 3}"))
    return turns


def test_the_planted_evidence_decides() -> None:
    fitted = fit_uncalibrated(planted(900, 0))
    fresh = [turn for turn in planted(300, 1) if turn.fair.any()]
    right = [turn.fair[int(fitted.probabilities(turn.features, turn.message).argmax())] for turn in fresh]
    assert np.mean(right) > 0.9
    weights = np.abs(fitted.readings.weights)
    assert weights[0] == weights.max()


def test_stated_probabilities_come_true() -> None:
    fitted = fit_ranking(planted(900, 2))
    pairs = [
        (float(probabilities.max()), float(turn.fair[int(probabilities.argmax())]))
        for turn in planted(600, 3)
        for probabilities in [fitted.probabilities(turn.features, turn.message)]
    ]
    stated, true = np.array(pairs).T
    assert abs(stated.mean() - true.mean()) < 0.06


def test_shares_of_all_readings_and_of_none_are_a_whole() -> None:
    fitted = fit_uncalibrated(planted(90, 4))
    turn = planted(1, 5)[0]
    shares = fitted.shares(turn.features, turn.message)
    assert 0 < shares.sum() < 1
    higher = turn.message.copy()
    higher[0] += 10
    assert fitted.shares(turn.features, higher).sum() < shares.sum()


def test_a_file_keeps_the_ranking(tmp_path: Path) -> None:
    fitted = fit_uncalibrated(planted(90, 6))
    write_ranking(tmp_path / "r.json", fitted)
    turn = planted(1, 7)[0]
    kept = read_ranking(tmp_path / "r.json").probabilities(turn.features, turn.message)
    assert kept == pytest.approx(fitted.probabilities(turn.features, turn.message), abs=1e-3)


def test_trees_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(8)
    rows, fair = rng.normal(size=(2_000, 5)), rng.random(2_000)
    fair = (fair < 1 / (1 + np.exp(-3 * rows[:, 0] * rows[:, 1]))).astype(float)
    weights = rng.choice([0.25, 0.5, 1.0], 2_000)
    model = HistGradientBoostingClassifier(**TREES, random_state=0).fit(rows, fair, weights)
    assert fit_trees(rows, fair, weights, **TREES).of(rows[:300]) == pytest.approx(
        model.decision_function(rows[:300]), abs=1e-9
    )


def test_trees_see_what_only_two_features_say_together() -> None:
    def turns(count: int, seed: int) -> list[WeighedTurn]:
        own = np.random.default_rng(seed)
        asked = (drawn(own) for _ in range(count))
        return [WeighedTurn(each, message, (each[:, 0] * each[:, 1] > 0.5).astype(float), "") for each, message in asked]

    fitted = fit_uncalibrated(turns(600, 9))
    best = [(one.fair[int(fitted.probabilities(one.features, one.message).argmax())], one.fair.any()) for one in turns(300, 10)]
    right, possible = np.sum(best, axis=0)
    assert right > 0.9 * possible
