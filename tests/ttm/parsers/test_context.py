"""What an utterance means depends on what was said before it; alone, it follows the conventions of the gold data."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.parsers import ALONE, DialogueContext, default_parser

TALKING = DialogueContext(has_previous_filter=True, has_previous_operation=True)


def understood(utterance: str, context: DialogueContext = ALONE, name: str = "recidivism") -> str:
    best = default_parser(SCHEMAS[name]).understand(utterance, context).best
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


def test_rows_named_in_the_question_are_meant_by_its_pronouns() -> None:
    assert understood("how likely are men over 30 to commit a crime if they were 5 years younger?", TALKING) == (
        "filter man true and filter age greater than 30 and change age decrease 5 and likelihood"
    )


@pytest.mark.parametrize("utterance", ["yes", "yes please", "sure", "show me the rest", "go on", "tell me more", "ok"])
def test_follow_ups(utterance: str) -> None:
    assert understood(utterance, DialogueContext(offers_followup=True)) == "followup"


def test_two_questions_in_one() -> None:
    assert understood("Show me person 3. Why was that predicted, and what could they change?") == (
        "filter id 3 and show and explain features and explain cfe"
    )


def test_a_number_without_a_column_is_asked_about() -> None:
    understanding = default_parser(SCHEMAS["wine"]).understand("how many wines are above 12?")
    assert understanding.question
    assert "12" in understanding.question
