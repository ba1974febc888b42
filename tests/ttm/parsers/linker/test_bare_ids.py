"""Rows named without a noun for rows, or by one that the data set does not state, and what is supposed of them."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.parsers import LinkingParser

PARSERS: dict[str, LinkingParser] = {}


def understood(name: str, utterance: str) -> str:
    if name not in PARSERS:
        PARSERS[name] = LinkingParser(SCHEMAS[name])
    best = PARSERS[name].understand(utterance).best
    return str(best.parse).removesuffix(" [e]") if best else ""


@pytest.mark.parametrize(
    "words", ["client 12", "dossier 12", "dossier #12", "customer no. 12", "number 12", "the 12th one", "#12", "12"]
)
def test_a_row_can_be_called_anything(words: str) -> None:
    assert understood("credit", f"what do you predict for {words}?") == "filter id 12 and predict"


@pytest.mark.parametrize(
    ("utterance", "parse"),
    [
        ("suppose 73 rents a house, what is the prediction", "filter id 73 and change rentshouse true and predict"),
        ("what if 73 was 3 years older, predict", "filter id 73 and change age increase 3 and predict"),
        ("make 81 twenty years older and predict", "filter id 81 and change age increase 20 and predict"),
        ("raise the loan amount of 76 by 3000 and predict", "filter id 76 and change loanamount increase 3000 and predict"),
        ("set the age of 76 to 30 and predict", "filter id 76 and change age set 30 and predict"),
        ("with an age of 40, how likely is 12 to be a good credit risk", "filter id 12 and change age set 40 and likelihood"),
        ("how likely is it that 19 is a good credit risk", "filter id 19 and likelihood"),
    ],
)
def test_what_is_said_of_a_single_row_is_supposed(utterance: str, parse: str) -> None:
    assert understood("credit", utterance) == parse


@pytest.mark.parametrize(
    ("utterance", "parse"),
    [
        ("how many people are 30 or older", "filter age greater equal than 30 and countdata"),
        ("predict people over the age of 60 who rent", "filter age greater than 60 and filter rentshouse true and predict"),
        ("how likely is a good credit risk with an age of 25", "filter age equal to 25 and likelihood"),
        ("top 5 features", "important topk 5"),
        ("what if they were 5 years older", "change age increase 5 and previousoperation"),
    ],
)
def test_other_numbers_are_no_ids(utterance: str, parse: str) -> None:
    assert understood("credit", utterance) == parse


def test_every_candidate_differs_and_the_first_stays_the_analysis() -> None:
    parser = LinkingParser(SCHEMAS["credit"])
    for utterance in ("show people over 30 or single", "what if 12 was single", "importance of age for 12"):
        parses = [str(candidate.parse) for candidate in parser.understand(utterance).candidates]
        assert len(parses) == len(set(parses)) > 1
