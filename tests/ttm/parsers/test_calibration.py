"""Confidences: that they stay probabilities, and that what was fitted says what came true."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttm.lab.calibrate import Observed, calibrate
from ttm.parsers.calibration import (
    AS_IS,
    RAW,
    Calibration,
    Scaling,
    calibration_error,
    calibration_from,
    calibration_of,
    fit_scaling,
)
from ttm.parsers.opening import PARSERS

SCALINGS = st.builds(Scaling, st.floats(0.05, 20), st.floats(-10, 10))
SCORES = st.lists(st.floats(0, 1), max_size=6).map(lambda scores: sorted(scores, reverse=True))


@given(st.builds(Calibration, SCALINGS, SCALINGS), SCORES)
def test_confidences_are_probabilities_that_never_rise(calibration: Calibration, scores: list[float]) -> None:
    found = calibration.confidences(scores)
    assert len(found) == len(scores)
    assert all(0 <= one <= 1 for one in found)
    assert list(found) == sorted(found, reverse=True)
    assert sum(found) <= 1.001


def test_scores_are_left_as_they_are_where_nothing_is_known() -> None:
    assert calibration_of("never heard of") is AS_IS
    assert AS_IS.confidences([0.7, 0.2]) == (0.7, 0.2)
    assert RAW.confidences([0.9, 0.8, 0.85]) == (0.9, 0.8, 0.85)


def test_what_is_known_is_of_parsers_that_there_are() -> None:
    assert all(calibration_of(name).best.slope > 0 for name in PARSERS)


def test_a_table_gives_the_same_calibration() -> None:
    calibration = Calibration(Scaling(2.5, -1.0), Scaling(0.3, 0.2))
    assert calibration_from(calibration.as_table()) == calibration
    with pytest.raises(KeyError):
        calibration_from({"best": {"slope": 1.0}})


def drawn(count: int, truth: Scaling, seed: int = 1) -> tuple[list[float], list[bool]]:
    dice = random.Random(seed)
    scores = [dice.random() for _ in range(count)]
    return scores, [dice.random() < truth(score) for score in scores]


def test_the_scaling_that_made_the_data_is_found() -> None:
    truth = Scaling(0.6, -1.2)
    scores, right = drawn(6000, truth)
    found = fit_scaling(scores, right)
    assert found.slope == pytest.approx(truth.slope, abs=0.06)
    assert found.shift == pytest.approx(truth.shift, abs=0.1)


@pytest.mark.parametrize("right", [[True] * 50, [False] * 50, [True, False]])
def test_too_little_to_learn_from_changes_nothing(right: list[bool]) -> None:
    assert fit_scaling([0.5] * len(right), right) == Scaling()


def test_the_error_is_the_gap_between_said_and_come_true() -> None:
    assert calibration_error([1.0, 1.0, 0.0, 0.0], [True, True, False, False], bins=2) == 0.0
    assert calibration_error([0.9] * 10, [True] * 5 + [False] * 5, bins=1) == pytest.approx(0.4)
    assert calibration_error([], []) == 0.0


def test_calibrating_lowers_the_error_on_what_it_was_not_fitted_to() -> None:
    scores, right = drawn(1500, Scaling(0.5, -1.5), seed=2)
    found = calibrate([Observed((score, score / 2), (hit, False)) for score, hit in zip(scores, right, strict=True)])
    assert found.n == 1500
    assert found.before > 0.2
    assert found.after < 0.05
