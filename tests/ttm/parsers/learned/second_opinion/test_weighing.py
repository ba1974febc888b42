"""What both opinions say about each reading, and what they add up to."""

import numpy as np

from ttm.parsers.learned.encoder.network import LEARNED
from ttm.parsers.learned.second_opinion.second_reader import SecondOpinion
from ttm.parsers.learned.second_opinion.weighing import (
    ASKED_ABOUT,
    FEATURES,
    asked_about,
    opinion_features,
    verdict_log_odds,
    weighing,
    weighing_file,
    write_weighing,
)
from ttm.parsers.understanding import ALONE, DialogueContext

VERDICTS = {"<ask>": -7.0, "<refuse>": -8.0, "<chat>": -9.0}
WORDS = 6
FOLLOWS = DialogueContext(utterance="how many are old?", trust=0.5)


def weighed(stated: list[float], opinion: SecondOpinion) -> np.ndarray:
    shares = np.array(stated) / 2
    return weighing(LEARNED).probabilities(opinion_features(np.array(stated), shares, opinion, ALONE, WORDS))


def test_what_both_hold_likely_is_likelier_than_what_one_does() -> None:
    both = weighed([0.8, 0.2], SecondOpinion((-0.1, -4.0), VERDICTS))
    against = weighed([0.8, 0.2], SecondOpinion((-4.0, -0.1), VERDICTS))
    assert both[0] > against.max() > against.min() > both[1]


def test_the_one_that_the_model_wrote_stands_last() -> None:
    features = opinion_features(
        np.array([0.6]), np.array([0.5]), SecondOpinion((-5.0,), VERDICTS, "show [e]", -0.2), FOLLOWS, WORDS
    )
    assert features.shape == (2, len(FEATURES))
    by_name = dict(zip(FEATURES, features.T, strict=True))
    assert by_name["only by model"].tolist() == [0, 1]
    assert by_name["first by model"].tolist() == [0, 1]
    assert by_name["first stated"].tolist() == [1, 0]
    assert by_name["goes on"].tolist() == [1, 1]
    np.testing.assert_allclose(by_name["trust"], np.log(0.5))
    np.testing.assert_allclose(by_name["words"], np.log(WORDS))
    assert by_name["rank by model"].tolist() == [1, 0]
    assert by_name["rank stated"].tolist() == [0, 1]


def test_no_reading_is_likely_where_the_model_would_ask_or_refuse() -> None:
    refuses = SecondOpinion((-6.0,), {"<ask>": -5.0, "<refuse>": -0.1, "<chat>": -9.0})
    assert weighed([0.6], refuses)[0] < 0.5 < weighed([0.6], SecondOpinion((-0.3,), VERDICTS))[0]
    log_odds = verdict_log_odds(refuses)
    assert log_odds["refuse"] > 2 > 0 > log_odds["ask"] > log_odds["chat"]


def test_what_was_written_merges_with_the_reading_that_means_the_same() -> None:
    opinion = SecondOpinion((-6.0, -3.0), VERDICTS, "show [e]", -0.5)
    merged = opinion.merged([True, False])
    assert merged.written is None
    np.testing.assert_allclose(merged.readings, [np.logaddexp(-6.0, -0.5), -3.0])
    assert opinion.merged([False, False]) is opinion


def test_the_model_is_asked_about_the_likeliest_and_about_one_at_least() -> None:
    shares = np.array([0.001, 0.4, 0.003, 0.5, 0.0015])
    assert asked_about(shares) == [3, 1, 2]
    assert asked_about(np.array([0.0001, 0.0002])) == [1]
    assert len(asked_about(np.full(40, 0.02))) == ASKED_ABOUT
    assert asked_about(np.zeros(0)) == []


def test_a_weighing_is_read_as_it_was_written(tmp_path) -> None:
    own = weighing(LEARNED)
    write_weighing(weighing_file(tmp_path / "weights.safetensors"), own)
    again = weighing(tmp_path / "weights.safetensors")
    rows = np.random.default_rng(0).normal(0, 3, (50, len(FEATURES)))
    np.testing.assert_allclose(again.probabilities(rows), own.probabilities(rows))
    assert (again.slope, again.offset) == (own.slope, own.offset)
