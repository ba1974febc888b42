"""A conversation about one table that is said about another: mentions change, and the fair readings with them."""

import random
from pathlib import Path

import pytest

from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn, RoleSpan
from ttm.lab.learning.schema_files import read_schemas
from ttm.lab.learning.transplant import Transplants

TABLES = Path(__file__).parents[4] / "corpus/tables"
SCHEMAS = {name: schema for name, schema in read_schemas(TABLES).items() if name in ("titanic", "attrition")}


def turn(message: str, *patterns: str, roles: tuple[tuple[str, str, str], ...] = ()) -> CorpusTurn:
    return CorpusTurn(message, patterns, False, False, False, (), tuple(RoleSpan(*one) for one in roles))


def dialogue(table: str, *turns: CorpusTurn) -> CorpusDialogue:
    return CorpusDialogue(f"x-{table}", table, turns)


OTHERS = dialogue(
    "attrition",
    turn("with overtime", "filter overtime true", roles=(("with overtime", "condition", "overtime true"),)),
    turn("those past forty", "filter age greater than 40", roles=(("past forty", "condition", "age greater than 40"),)),
    turn("who quit", "labelfilter 1", roles=(("quit", "condition", "label 1"),)),
)
WOMEN = ("women", "condition", "gender female")
OLD = ("over 60", "condition", "age greater than 60")


def moved(*turns: CorpusTurn, others: CorpusDialogue = OTHERS) -> CorpusDialogue | None:
    own = dialogue("titanic", *turns)
    return Transplants([own, others], SCHEMAS).moved(own, random.Random(0))


def test_a_mention_and_its_readings_become_those_of_another_table() -> None:
    result = moved(turn("how many over 60", "filter age greater than 60{| and countdata}", "filter fare missing", roles=(OLD,)))
    assert result is not None
    assert (result.table, result.turns[0].utterance) == ("attrition", "how many past forty")
    assert result.turns[0].patterns == ("filter age greater than 40", "filter age greater than 40 and countdata")
    assert result.turns[0].roles == (RoleSpan("past forty", "condition", "age greater than 40"),)


def test_what_an_earlier_message_named_stays_the_same_in_a_conversation() -> None:
    result = moved(
        turn("anybody over 60", "filter age greater than 60", roles=(OLD,)),
        turn("why", "filter age greater than 60 and explain features", "previousfilter and explain features"),
    )
    assert result is not None
    assert result.turns[1].patterns == (
        "filter age greater than 40 and explain features",
        "previousfilter and explain features",
    )


def test_a_conversation_ends_where_the_other_table_has_no_such_mention() -> None:
    over, women = (
        turn("over 60", "filter age greater than 60", roles=(OLD,)),
        turn("women", "filter gender female", roles=(WOMEN,)),
    )
    result = moved(over, women)
    assert result is not None
    assert [one.utterance for one in result.turns] == ["past forty"]
    assert moved(women, over) is None


@pytest.mark.parametrize("pattern", ["filter fare greater than 5", "labelfilter 0", "likelihood class 1"])
def test_a_best_reading_with_what_no_mention_names_is_not_moved(pattern: str) -> None:
    assert moved(turn("over 60 and so on", f"filter age greater than 60 and {pattern}", roles=(OLD,))) is None


def test_classes_are_those_of_the_new_mention() -> None:
    result = moved(turn("the dead", "labelfilter 0 and likelihood class 0", roles=(("dead", "condition", "label 0"),)))
    assert result is not None
    assert (result.turns[0].utterance, result.turns[0].patterns) == ("the quit", ("labelfilter 1 and likelihood class 1",))


def test_mentions_that_overlap_are_left() -> None:
    both = ("women over 60", "condition", "age greater than 60")
    assert moved(turn("women over 60", "filter age greater than 60", roles=(both, OLD))) is None
