"""A reply to a question back picks one of the readings that were offered, or several, or none."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.parsers import DialogueContext, LearnedParser
from ttm.parsers.learned.replies import replied
from ttm.parsers.linker.words.tokens import tokenise

SCHEMA = SCHEMAS["titanic"]
GRAMMAR = grammar_of(SCHEMA)
NUMBERS = [feature.token for feature in SCHEMA.features if feature.kind == "numeric"][:2]
ONE, OTHER = (f"effect {name}" for name in NUMBERS)


def asked(*offered: str) -> DialogueContext:
    return DialogueContext(utterance="hm", question="Which?", candidates=tuple(GRAMMAR.read(text) for text in offered))


def reply(message: str, *offered: str) -> str | None:
    found = replied(tokenise(message), asked(*offered), SCHEMA)
    return None if found is None or found.parse is None else str(found.parse).removesuffix(" [e]")


@pytest.mark.parametrize(
    "message", ["the first", "first one", "1", "number 1 please", "yes", NUMBERS[0], f"the {NUMBERS[0]} one"]
)
def test_the_first_is_picked(message: str) -> None:
    assert reply(message, ONE, OTHER) == ONE


@pytest.mark.parametrize("message", ["the second", "2nd", "the latter", "last one", "I mean number two", NUMBERS[1]])
def test_the_second_is_picked(message: str) -> None:
    assert reply(message, ONE, OTHER) == OTHER


@pytest.mark.parametrize("message", ["both", "both please", "the two"])
def test_both_are_done_one_after_the_other(message: str) -> None:
    assert reply(message, ONE, OTHER) == f"{ONE} and {OTHER}"


def test_both_groups_stand_side_by_side() -> None:
    rows = [f"filter {name} greater than 5 and score accuracy" for name in NUMBERS]
    wanted = " versus ".join(f"filter {name} greater than 5" for name in NUMBERS)
    assert reply("both", *rows) == f"{wanted} and score accuracy"


def test_a_number_fills_the_place_where_the_readings_differ() -> None:
    low, high = (f"filter {NUMBERS[0]} greater than {number} and show" for number in (10, 20))
    assert reply("15", low, high) == f"filter {NUMBERS[0]} greater than 15 and show"
    assert reply("20", low, high) == high


def test_a_number_that_no_reading_has_is_never_left_out() -> None:
    group, all_rows = f"filter {NUMBERS[0]} greater than 40 and show", "show"
    assert reply(f"{NUMBERS[0]} above 60", group, all_rows) == f"filter {NUMBERS[0]} greater than 60 and show"


@pytest.mark.parametrize("message", ["no", "neither", "none of them"])
def test_none_is_picked_where_all_are_turned_down(message: str) -> None:
    found = replied(tokenise(message), asked(ONE, OTHER), SCHEMA)
    assert found is not None
    assert found.parse is None


@pytest.mark.parametrize(
    "message",
    [
        "how accurate is the model for women",
        "why?",
        "",
        f"{NUMBERS[0]} but only for men under 30",
        "is the second one predicted correctly?",
        "the second, open him",
        "first one, did it see that coming",
        "the third",
    ],
)
def test_new_words_are_no_reply(message: str) -> None:
    assert replied(tokenise(message), asked(ONE, OTHER), SCHEMA) is None


def test_nothing_is_picked_where_nothing_was_offered() -> None:
    assert replied(tokenise("yes"), DialogueContext(), SCHEMA) is None


def test_the_parser_answers_a_reply_and_asks_again_after_a_refusal() -> None:
    parser = LearnedParser(SCHEMA)
    picked = parser.understand("the second one", asked(ONE, OTHER))
    assert picked.best is not None
    assert picked.question is None
    assert str(picked.best.parse) == f"{OTHER} [e]"
    turned_down = parser.understand("neither", asked(ONE, OTHER))
    assert turned_down.candidates == ()
    assert turned_down.question is not None
    assert "other words" in turned_down.question


@pytest.mark.slow
def test_a_short_message_completes_the_one_that_was_asked_about() -> None:
    open_question = DialogueContext(utterance="how many of the passengers are old", question="Above or below what number?")
    readings = [str(one.parse) for one in LearnedParser(SCHEMA).understand("age above 60", open_question).candidates]
    assert any(f"filter {NUMBERS[0]} greater than 60 and countdata" in text for text in readings)
