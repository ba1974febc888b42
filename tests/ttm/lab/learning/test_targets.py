"""What the decoder should write: fair readings first without open numbers, rows of a list as such, or a verdict."""

from pathlib import Path

import pytest

from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn
from ttm.lab.learning.decoding.targets import RARE, TargetMaker, fair_parses, words_of_corpus
from ttm.lab.learning.schema_files import read_schemas
from ttm.language.grammar import grammar_of
from ttm.parsers.learned.decoder.symbols import ASKS, CHATS, END, REFUSES, SPECIAL
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.understanding import ALONE

SCHEMA = read_schemas(Path(__file__).parents[4] / "corpus/tables")["titanic"]
WORDS = (*SPECIAL, "countdata", "explain", "features", "filter", "filter-id", "greater-than", "show")


def turn(message: str, *patterns: str, refuses: bool = False, chats: bool = False) -> CorpusTurn:
    return CorpusTurn(message, patterns, not patterns, refuses, chats, (), ())


def texts(one: CorpusTurn) -> list[str]:
    tokens = tokenise(one.utterance)
    example = TargetMaker(SCHEMA, WORDS).of_turn(one, tokens, [], ALONE)
    return [example.table.surface(target) for target in example.targets] if example is not None else []


def test_readings_without_open_numbers_come_first() -> None:
    one = turn("people above 30", "filter age greater than {*|30} and countdata")
    parses = fair_parses(one, tokenise(one.utterance), grammar_of(SCHEMA))
    assert [str(parse) for parse in parses] == ["filter age greater than 30 and countdata [e]"] * 2
    assert texts(one) == ["filter age greater than 30 and countdata [e]"]


def test_an_open_id_is_a_row_of_the_list() -> None:
    assert texts(turn("the second, why", "filter id * and explain features")) == ["filter id <listed> and explain features [e]"]


@pytest.mark.parametrize(
    ("one", "verdict"),
    [(turn("thanks", chats=True), CHATS), (turn("sing", refuses=True), REFUSES), (turn("the large ones"), ASKS)],
)
def test_where_no_parse_is_meant_a_verdict_is_written(one: CorpusTurn, verdict: str) -> None:
    assert texts(one) == [f"{verdict} {END}"]


def test_a_reading_with_words_that_cannot_be_written_is_left_out() -> None:
    assert texts(turn("how many above 30", "filter age greater than 30 and predict")) == []
    assert texts(turn("people above 30", "filter age greater than 30 and {predict|show}")) == [
        "filter age greater than 30 and show [e]"
    ]


def test_words_are_those_that_enough_messages_need() -> None:
    common = [CorpusDialogue(f"x-{at}", "titanic", (turn("show them", "filter age missing and show"),)) for at in range(RARE)]
    rare = [CorpusDialogue("y", "titanic", (turn("data", "data"),))]
    assert words_of_corpus([*common, *rare], (), {"titanic": SCHEMA}) == (*SPECIAL, "filter", "missing", "show")
