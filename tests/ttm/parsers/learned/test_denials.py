"""A reading that holds what the message denies is turned round; denials that nobody uttered are counted."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.parsers.learned.decisions.span_decisions import Decisions, SpanDecision
from ttm.parsers.learned.denials import Denials
from ttm.parsers.learned.encoder.schema_items import SchemaItem, items_of
from ttm.parsers.learned.value_ranges import values_out_of_range
from ttm.parsers.linker.words.tokens import tokenise

SCHEMA = SCHEMAS["titanic"]
GRAMMAR = grammar_of(SCHEMA)
ITEMS = {item.key: item for item in items_of(SCHEMA)}


def denials(message: str, **named: str) -> Denials:
    """The denials of a message in which each word (by keyword) means an item (by key)."""
    tokens = tuple(tokenise(message))
    links: dict[str, SchemaItem] = {word: ITEMS[key] for word, key in named.items()}
    spans = tuple(
        SpanDecision(at, at + 1, "condition", 0.0, (token,), ((links[token.text], 0.0),))
        for at, token in enumerate(tokens)
        if token.text in links
    )
    return Denials(Decisions(message, tokens, {}, spans), SCHEMA)


@pytest.mark.parametrize(
    ("message", "parse", "turned"),
    [
        ("accuracy without the women", "filter sex female and score accuracy", "filter sex male and score accuracy"),
        ("accuracy, women excluded", "filter sex female and score accuracy", "filter sex male and score accuracy"),
        ("leaving out the women, accuracy", "filter sex female and score accuracy", "filter sex male and score accuracy"),
        ("accuracy for women", "filter sex female and score accuracy", None),
        ("do not hurry: accuracy for people who are women", "filter sex female and score accuracy", None),
        ("accuracy without the women", "filter sex male and score accuracy", None),
    ],
)
def test_what_is_denied_is_turned_round(message: str, parse: str, turned: str | None) -> None:
    result = denials(message, women="sex=female").denied(GRAMMAR.read(parse))
    assert result == (GRAMMAR.read(turned) if turned else None)


@pytest.mark.parametrize(
    ("words", "corrected"),
    [
        ("predicted not to survive", "predictionfilter 0 and labelfilter 1 and countdata"),
        ("really did not survive", "predictionfilter 1 and labelfilter 0 and countdata"),
        ("did not survive", None),
        ("predicted to survive", None),
    ],
)
def test_the_class_that_is_denied_is_the_predicted_or_the_true_one(words: str, corrected: str | None) -> None:
    tokens = tuple(tokenise(words))
    span = SpanDecision(0, len(tokens), "condition", 0.0, tokens, ((ITEMS["class 1"], 0.0),))
    own = Denials(Decisions(words, tokens, {}, (span,)), SCHEMA)
    result = own.corrected(GRAMMAR.read("predictionfilter 1 and labelfilter 1 and countdata"))
    assert result == (GRAMMAR.read(corrected) if corrected else None)


def test_only_the_condition_beside_the_denial_is_turned() -> None:
    own = denials("women but not adults", women="sex=female", adults="age")
    parse = GRAMMAR.read("filter sex female and countdata")
    assert own.denied(parse) is None


def test_denials_that_nobody_uttered_are_counted() -> None:
    parse = GRAMMAR.read("filter sex not female and countdata")
    assert denials("how many women", women="sex=female").made_up(parse, None) == 1
    assert denials("how many women", women="sex=female").made_up(parse, parse) == 0
    assert denials("how many who are no women", women="sex=female").made_up(parse, None) == 0


@pytest.mark.parametrize(
    ("parse", "outside"),
    [
        ("instance age 30 fare 1000000 and predict", 1),
        ("filter age greater than 30 and countdata", 0),
        ("filter age greater than 4000 and change fare set -5000 and predict", 2),
        ("change fare increase 1000000 and predict", 0),
    ],
)
def test_values_that_no_row_has_are_counted(parse: str, outside: int) -> None:
    assert values_out_of_range(GRAMMAR.read(parse), SCHEMA) == outside
