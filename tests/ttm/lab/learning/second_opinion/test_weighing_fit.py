"""What both opinions add up to, learned from messages with a known truth."""

import numpy as np
import pytest

from ttm.lab.learning.second_opinion.weighing_fit import WeighedOpinions, fit_weighing
from ttm.parsers.learned.second_opinion.weighing import FEATURES

STATED = FEATURES.index("stated")


def messages(author: str, shift: float, count: int = 800) -> list[WeighedOpinions]:
    """Messages with one reading each, fair with the log-odds that are stated, less `shift`."""
    drawn = np.random.default_rng(ord(author[-1]))
    features = np.zeros((count, 1, len(FEATURES)))
    features[:, 0, STATED] = drawn.normal(0, 2, count)
    fair = drawn.random(count) < 1 / (1 + np.exp(-(features[:, 0, STATED] - shift)))
    return [WeighedOpinions(author, *one) for one in zip(features, fair[:, None].astype(float), strict=True)]


def test_what_it_states_comes_true_for_the_authors_that_calibrate() -> None:
    friends = [one for name in ("f1", "f2", "f3") for one in messages(name, shift=0.0)]
    strangers = [one for name in ("s4", "s5", "s6") for one in messages(name, shift=1.5)]
    fitted = fit_weighing([*friends, *strangers], ("s4", "s5", "s6"))
    others = messages("s7", shift=1.5)
    stated = np.array([fitted.probabilities(one.features)[0] for one in others])
    fair = np.array([one.fair[0] for one in others])
    assert stated.mean() == pytest.approx(fair.mean(), abs=0.05)  # without the calibration 0.13 apart
    assert np.corrcoef(stated, fair)[0, 1] > 0.4
