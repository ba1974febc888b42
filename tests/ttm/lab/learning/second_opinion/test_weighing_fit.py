"""What both opinions add up to, learned from messages with a known truth."""

import numpy as np
import pytest

from backend.models.language_models.packaged import packaged_is_installed
from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn
from ttm.lab.learning.second_opinion.weighing_fit import WeighedOpinions, fit_weighing, weighed_opinions
from ttm.parsers.learned.encoder.network import LEARNED
from ttm.parsers.learned.second_opinion.second_reader import SecondReader
from ttm.parsers.learned.second_opinion.weighing import FEATURES
from ttm.tabular.data.dataset import load_dataset

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


@pytest.mark.slow
@pytest.mark.skipif(not packaged_is_installed(), reason="the packaged language model is not installed")
@pytest.mark.parametrize("was_weighed", [True, False])
def test_opinions_are_gathered_once_a_message_also_before_they_were_ever_weighed(was_weighed, tmp_path, monkeypatch) -> None:
    asked = list[str]()
    opinion = SecondReader.opinion

    def counted(self: SecondReader, utterance: str, *others: object) -> object:
        asked.append(utterance)
        return opinion(self, utterance, *others)

    monkeypatch.setattr(SecondReader, "opinion", counted)
    if not was_weighed:
        missing = lambda weights: tmp_path / "missing.json"  # noqa: E731
        for module in ("ttm.lab.learning.second_opinion.weighing_fit", "ttm.parsers.learned.second_opinion.weighing"):
            monkeypatch.setattr(f"{module}.weighing_file", missing)
    gold = {
        "everyone past 30 with bmi exceeding 35": "filter age greater than 30 and filter bmi greater than 35{| and countdata}",
        "and those over 50?": "filter age greater than 50{| and filter bmi greater than 35}{| and countdata}",
    }
    turns = tuple(CorpusTurn(one, (parse,), False, False, False, (), ()) for one, parse in gold.items())
    weighed = list(weighed_opinions([CorpusDialogue("s1-1", "t", turns)], {"t": load_dataset("diabetes").schema}, LEARNED))
    assert asked == list(gold)
    assert [one.author for one in weighed] == ["s1", "s1"]
    assert weighed[0].fair.max() == 1
