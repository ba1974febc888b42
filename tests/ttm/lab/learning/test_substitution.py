"""A mention that takes the place of another: the words around stay, and what is known of it moves with it."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn, RoleSpan
from ttm.lab.learning.examples import ExampleMaker, MessageExample
from ttm.lab.learning.schema_files import read_schemas
from ttm.lab.learning.substitution import Substitution
from ttm.parsers.learned.decoder.symbols import SPECIAL
from ttm.parsers.learned.encoder.network import open_tokenizer

TABLES = Path(__file__).parents[4] / "corpus/tables"


def _turn(message: str, parse: str, *roles: tuple[str, str]) -> CorpusTurn:
    spans = tuple(RoleSpan(text, "condition", means) for text, means in roles)
    return CorpusTurn(message, (parse,), False, False, False, (), spans)


TURNS = {
    "titanic": _turn("how many women left the ship alive", "filter gender female and countdata", ("women", "gender female")),
    "attrition": _turn(
        "show everybody with overtime please", "filter overtime true and show", ("with overtime", "overtime true")
    ),
}


@pytest.fixture(scope="module")
def examples() -> list[MessageExample]:
    tokenizer = open_tokenizer()
    maker = ExampleMaker(read_schemas(TABLES), tokenizer, SPECIAL)
    return list(maker.examples(CorpusDialogue(f"x-{table}", table, (turn,)) for table, turn in TURNS.items()))


def _words(example: MessageExample) -> Iterator[str]:
    tokenizer = open_tokenizer()
    for first, last in example.input.words:
        yield tokenizer.decode(example.input.pieces[first:last].tolist())


@pytest.mark.slow
def test_a_mention_takes_the_place_of_one_that_does_the_same(examples: list[MessageExample]) -> None:
    drawn = {
        tuple(_words(one)): one for seed in range(60) for one in Substitution(examples).changed(examples, random.Random(seed))
    }
    assert {" ".join(words) for words in drawn} == {
        "how many women left the ship alive",
        "how many with overtime left the ship alive",
        "show everybody with overtime please",
        "show everybody women please",
    }
    longer = drawn[tuple("how many with overtime left the ship alive".split())]
    assert [(span.start, span.end, span.table, span.label.links) for span in longer.spans] == [
        (2, 4, "attrition", {"overtime=true"})
    ]
    assert longer.readings == examples[0].readings
    assert longer.input.pieces[-1] == examples[0].input.pieces[-1]
    assert len(longer.input.pieces) == len(longer.input.segments) == len(longer.input.kinds)
    shorter = drawn[tuple("show everybody women please".split())]
    assert [(span.start, span.end, span.table) for span in shorter.spans] == [(2, 3, "titanic")]


@pytest.mark.slow
def test_what_shares_words_with_another_mention_stays(examples: list[MessageExample]) -> None:
    filtered = "filter gender female and countdata"
    turn = _turn("how many women alive", filtered, ("women", "gender female"), ("women alive", "label 1"))
    maker = ExampleMaker(read_schemas(TABLES), open_tokenizer(), SPECIAL)
    overlapping = list(maker.examples([CorpusDialogue("x", "titanic", (turn,))]))
    substitution = Substitution([*overlapping, *examples])
    for seed in range(20):
        assert [list(_words(one)) for one in substitution.changed(overlapping, random.Random(seed))] == [
            "how many women alive".split()
        ]
