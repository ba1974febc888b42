"""What an answer does not rest on is named; words that belong to questions about any table are not."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn, RoleSpan
from ttm.lab.learning.general_words import gather_general_words
from ttm.language.grammar import grammar_of
from ttm.parsers.learned.decisions.general_words import is_general, write_general_words
from ttm.parsers.learned.decisions.span_decisions import Decisions
from ttm.parsers.learned.unused_words import unused_words
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.tokens import tokenise
from ttm.tabular.data.schema import Feature, FeatureKind

SCHEMA = SCHEMAS["titanic"]


def unused(utterance: str, parse: str) -> tuple[str, ...]:
    decisions = Decisions(utterance, tuple(tokenise(utterance)), {}, ())
    return unused_words(decisions, grammar_of(SCHEMA).read(parse), (), SCHEMA)


@pytest.mark.parametrize(
    ("utterance", "parse", "words"),
    [
        ("What does the model predict for number 12?", "filter id 12 and predict [e]", ()),
        ("how many of them play the violin professionally", "countdata [e]", ("violin professionally",)),
        ("which vineyard is it from, and how sure is it", "likelihood [e]", ("vineyard",)),
        ("show me the survivors", "labelfilter 1 and show [e]", ()),  # the reading in words has "survived"
        ("cabin 12 please", "filter id 12 and show [e]", ()),  # says which row
        ("waht does it predcit for number 12", "filter id 12 and predict [e]", ()),  # slips of general words
    ],
)
def test_strange_words_are_named(utterance: str, parse: str, words: tuple[str, ...]) -> None:
    assert unused(utterance, parse) == words


def test_a_denial_that_is_the_name_of_a_value_is_used() -> None:
    smoker = Feature("smoker", "smoker", FeatureKind.CATEGORICAL, ("current", "former", "never"))
    schema = replace(SCHEMA, features=(*SCHEMA.features, smoker))
    utterance = "accuracy for smoker never"
    tokens = tokenise(utterance)
    decisions, mentions = Decisions(utterance, tuple(tokens), {}, ()), Linker(schema).mentions(tokens)
    held = grammar_of(schema).read("filter smoker never and score accuracy [e]")
    assert unused_words(decisions, held, mentions, schema) == ()
    assert "never" in str(unused_words(decisions, grammar_of(schema).read("score accuracy [e]"), mentions, schema))


def dialogue(author: str, table: str, utterance: str, *names: str) -> CorpusDialogue:
    roles = tuple(RoleSpan(name, "condition", "") for name in names)
    return CorpusDialogue(f"{author}-1", table, (CorpusTurn(utterance, (), False, False, False, (), roles),))


def test_words_that_pick_rows_by_themselves_are_not_general(tmp_path: Path) -> None:
    dialogues = [
        each
        for author in "abcd"
        for each in (
            dialogue(author, author, "the zebras over 60, how zippy", "zebras", "over 60"),
            dialogue(author, author, "a zebra here", "a zebra"),
            dialogue(author, author, "zebras and zippy", "zippy"),
        )
    ]
    words = gather_general_words(dialogues, tmp_path, tmp_path)
    assert not {"zebra", "zebras"} & words, "named eight times, said four times outside of names"
    assert "zippy" in words, "once each"


def test_general_are_words_of_two_authors_about_two_tables_outside_of_names(tmp_path: Path) -> None:
    dialogues = [
        dialogue("one", "wine", "please list fizzy bottles", "fizzy"),
        dialogue("two", "cars", "list fizzy engines please", "fizzy"),
        dialogue("two", "wine", "list red bottles"),
        dialogue("one", "wine", "list bottles of wine"),
        dialogue("unmarked", "cars", "list red engines"),
        dialogue("unmarked", "wine", "list red bottles"),
    ]
    words = gather_general_words(dialogues, tmp_path, tmp_path)
    assert {"please", "list"} < words  # and those of the templates
    assert not {"bottles", "engines", "fizzy", "red"} & words  # of one table, a name, or of another who marks no names
    write_general_words(("please", "list"), tmp_path / "w.txt")
    assert [is_general(word, tmp_path / "w.txt") for word in ("please", "lists", "pleese", "bottles")] == [
        True, True, True, False,
    ]  # fmt: skip


def test_the_words_that_come_with_the_weights_are_of_no_table() -> None:
    known = [word for word in ("average", "predicted", "people", "wrong") if not is_general(word)]
    assert known == []
    assert not any(is_general(word) for word in ("vineyard", "violin", "powerpoint", "women", "married", "girls"))
