"""What may stand behind the name of the default parser."""

import pytest

from backend.errors import SettingsError
from ttm import parsers
from ttm.parsers import LearnedParser
from ttm.parsers.learned.answering import POLICY, POLICY_OF_TWO
from ttm.parsers.learned.second_opinion.second_reader import SecondReader
from ttm.parsers.opening import open_parser
from ttm.tabular.data.dataset import load_dataset


@pytest.fixture(autouse=True)
def a_reader_that_is_never_loaded(monkeypatch) -> None:
    monkeypatch.setattr(parsers, "second_reader", SecondReader)


@pytest.mark.parametrize(
    ("name", "has_second", "wrong"),
    [
        ("learned", True, POLICY_OF_TWO.wrong),
        ("learned:second=on", True, POLICY_OF_TWO.wrong),
        ("learned:second=off", False, POLICY.wrong),
        ("learned:wrong=9", True, 9),
        ("learned:wrong=9,second=off", False, 9),
        ("learned:second=off,wrong=1", False, 1),
    ],
)
def test_the_second_opinion_and_the_price_of_a_wrong_answer_are_choices(name: str, has_second: bool, wrong: float) -> None:
    parser = open_parser(name, load_dataset("diabetes"))
    assert isinstance(parser, LearnedParser)
    assert (parser.second is not None, parser.policy.wrong) == (has_second, wrong)


@pytest.mark.parametrize("choice", ["second=maybe", "wrong=0.5", "wrong=101", "wrong=nan", "wrong", "third=off", "second=off,"])
def test_another_choice_is_refused_with_those_that_there_are(choice: str) -> None:
    with pytest.raises(SettingsError, match=r"wrong=NUMBER.*second=off"):
        open_parser(f"learned:{choice}", load_dataset("diabetes"))
