"""What an utterance means depends on what was said before it; alone, it follows the conventions of the gold data."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.row_state import RowState
from ttm.parsers import ALONE, DialogueContext, LinkingParser

TALKING = DialogueContext(rows=RowState())


def understood(utterance: str, context: DialogueContext = ALONE, name: str = "recidivism") -> str:
    best = LinkingParser(SCHEMAS[name]).understand(utterance, context).best
    return str(best.parse).removesuffix(" [e]") if best else ""


@pytest.mark.parametrize(
    ("utterance", "alone", "talking"),
    [
        (
            "what if they were twenty years older?",
            "change age increase 20 and previousoperation",
            "previousfilter and change age increase 20 and previousoperation",
        ),
        ("how likely are they to commit a crime?", "previousfilter and likelihood", "previousfilter and likelihood"),
        (
            "why did you predict that for these people?",
            "previousfilter and explain features",
            "previousfilter and explain features",
        ),
        (
            "how accurate is the model for this subset?",
            "previousfilter and score accuracy",
            "previousfilter and score accuracy",
        ),
        ("how accurate is the model?", "score accuracy", "score accuracy"),
        ("what about women?", "filter woman true and previousoperation", "filter woman true and previousoperation"),
    ],
)
def test_pronouns_reach_back(utterance: str, alone: str, talking: str) -> None:
    assert understood(utterance) == alone
    assert understood(utterance, TALKING) == talking


@pytest.mark.parametrize(
    ("utterance", "operation"),
    [
        ("why?", "explain features"),
        ("how sure are you?", "likelihood"),
        ("what are the chances?", "likelihood"),
        ("what would change that?", "explain cfe"),
        ("and the accuracy?", "score accuracy"),
        ("and the most important features?", "important all"),
        ("any mistakes?", "mistake sample"),
        ("what is your prediction?", "predict"),
    ],
)
def test_a_question_without_a_group_is_about_the_one_before(utterance: str, operation: str) -> None:
    assert understood(utterance, TALKING) == f"previousfilter and {operation}"


@pytest.mark.parametrize(
    "utterance",
    [
        "how accurate is it overall?",
        "how accurate is the model for everyone?",
        "how likely is a crime in the whole data?",
        "what are the most important features?",
        "how do you make predictions?",
        "what can you do?",
        "show me all the data",
    ],
)
def test_a_question_about_everything_is_not(utterance: str) -> None:
    assert "previousfilter" not in understood(utterance, TALKING)


def test_rows_named_in_the_question_are_meant_by_its_pronouns() -> None:
    assert understood("how likely are men over 30 to commit a crime if they were 5 years younger?", TALKING) == (
        "filter man true and filter age greater than 30 and change age decrease 5 and likelihood"
    )


@pytest.mark.parametrize("utterance", ["yes", "yes please", "sure", "show me the rest", "go on", "tell me more", "ok"])
def test_follow_ups(utterance: str) -> None:
    assert understood(utterance) == "followup"


def test_two_questions_in_one() -> None:
    assert understood("Show me person 3. Why was that predicted, and what could they change?") == (
        "filter id 3 and show and explain features and explain cfe"
    )


def test_a_number_without_a_column_is_asked_about() -> None:
    understanding = LinkingParser(SCHEMAS["wine"]).understand("how many wines are above 12?")
    assert understanding.question
    assert "12" in understanding.question
