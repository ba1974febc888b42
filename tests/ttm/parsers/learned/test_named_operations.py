"""Operations that are named plainly reach the language, whatever the ranking thought was asked."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.parsers import LearnedParser
from ttm.parsers.learned.composition.named_operations import with_named_operations
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.understanding import ParseCandidate
from ttm.tabular.subject import load_subject

SCHEMA = SCHEMAS["titanic"]
GRAMMAR = grammar_of(SCHEMA)
LINKER = Linker(SCHEMA)


def refined(message: str, *readings: tuple[str, float]) -> list[tuple[str, float]]:
    tokens = tokenise(message)
    candidates = [ParseCandidate(GRAMMAR.read(text), confidence) for text, confidence in readings]
    found = with_named_operations(candidates, tokens, LINKER.mentions(tokens), SCHEMA)
    assert all(GRAMMAR.read(str(one.parse)) == one.parse for one in found)
    return [(str(one.parse).removesuffix(" [e]"), round(one.confidence, 2)) for one in found]


@pytest.mark.parametrize(
    ("message", "metric"),
    [
        ("the false positive rate?", "fpr"),
        ("fnr", "fnr"),
        ("its selection rate", "selection"),
        ("what is the base rate", "baserate"),
    ],
)
def test_rates_by_name(message: str, metric: str) -> None:
    found = refined(message, ("filter id 5 and score confusion", 0.4), ("filter id 5 and mistake count", 0.2), ("show", 0.1))
    assert found == [(f"filter id 5 and score {metric}", 0.69), (f"score {metric}", 0.11)]  # six to one, as before, of 0.8


@pytest.mark.parametrize("message", ["is it fair by sex", "any bias against women?", "demographic parity for men and women"])
def test_fairness_is_about_the_column_and_not_about_one_of_its_values(message: str) -> None:
    assert refined(message, ("filter sex female and show", 0.3), ("compare sex", 0.3)) == [("fairness sex", 0.6)]


def test_fairness_without_a_column_offers_some() -> None:
    found = refined("is this model fair?", ("score default", 0.5))
    assert len(found) > 1
    assert all(text.startswith("fairness ") and confidence < 0.3 for text, confidence in found)


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("what would flip number 5 without changing age and fare", "explain cfe keep age keep fare"),
        ("flip number 5 by only changing age", "explain cfe only age"),
        ("what is the smallest change in age that flips number 5", "explain cfe only age"),
        ("the smallest change for number 5 to be flipped", "explain cfe"),
        ("change at most 2 features to flip number 5", "explain cfe most 2"),
        ("dice counterfactuals for number 5", "explain cfe dice"),
        ("could number 5 get there by age alone", "explain cfe only age"),
        ("flip number 5 with two things at most", "explain cfe most 2"),
    ],
)
def test_limits_on_what_a_counterfactual_changes(message: str, wanted: str) -> None:
    found = refined(message, ("filter id 5 and explain cfe", 0.5), ("filter id 5 and change age set 2 and explain cfe", 0.2))
    assert found[0][0] == f"filter id 5 and {wanted}"


def test_what_alone_may_change_is_no_request_of_its_own_and_leaves_no_other_limit() -> None:
    readings = [
        ("filter id 5 and explain cfe keep age only age", 0.2), ("filter id 5 and explain cfe only age and compare age", 0.2),
        ("filter id 5 and crossing age", 0.1),
    ]  # fmt: skip
    assert refined("what would flip number 5 by age only", *readings) == [("filter id 5 and explain cfe only age", 0.8)]


@pytest.mark.parametrize(
    ("message", "reading", "wanted"),
    [
        ("and flip number 5 without changing age", "filter id 5 and explain cfe", "filter id 5 and explain cfe keep age"),
        ("and the cheapest cutoff if an alarm costs 4 times a miss", "threshold cost 4", "threshold cost 0.25"),
        ("the 3 least likely to have survived", "highest 3 probability", "lowest 3 probability"),
    ],
)
def test_what_words_settle_is_as_likely_in_a_conversation(message: str, reading: str, wanted: str) -> None:
    tokens = tokenise(message)
    candidates = [ParseCandidate(GRAMMAR.read(reading), 0.7)]
    best = with_named_operations(candidates, tokens, LINKER.mentions(tokens), SCHEMA, follows=True, weighed=True)[0]
    assert str(best.parse) == f"{wanted} [e]"
    assert best.confidence >= 0.7


def test_a_message_that_is_a_name_is_as_named_in_a_conversation() -> None:
    candidates = [ParseCandidate(GRAMMAR.read("threshold"), 0.9)]
    best = with_named_operations(candidates, tokenise("lift"), [], SCHEMA, follows=True, weighed=True)[0]
    assert str(best.parse) == "gain [e]"


def test_nothing_changes_where_nothing_is_named() -> None:
    readings = [("filter id 5 and explain features", 0.5), ("filter id 5 and predict", 0.2)]
    assert refined("why number 5?", *readings) == readings


def test_the_paper_chooses_the_explanation() -> None:
    best = LearnedParser(SCHEMA).understand("explain passenger 5 as in the paper").best
    assert best is not None
    assert str(best.parse) == "filter id 5 and explain paper [e]"


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("is the gap in f1 between women and men just luck?", "score f1 and significant"),
        ("is that gap between women and men mere noise?", "predict and significant"),
    ],
)
def test_groups_are_tested_by_what_the_message_is_about(message: str, wanted: str) -> None:
    groups = "filter sex female versus filter sex male"
    assert refined(message, ("filter sex female and predict", 0.5), (f"{groups} and predict", 0.3)) == [
        (f"{groups} and {wanted}", 0.8)
    ]


def of_races(message: str, reading: str) -> list[str]:
    schema = load_subject("compas").schema
    tokens, grammar = tokenise(message), grammar_of(schema)
    found = with_named_operations([ParseCandidate(grammar.read(reading), 0.6)], tokens, Linker(schema).mentions(tokens), schema)
    return [str(one.parse).removesuffix(" [e]") for one in found]


def test_a_word_for_several_columns_sets_their_rows_side_by_side() -> None:
    [text] = of_races("false positive rate by race", "filter otherrace true and compare otherrace")
    groups = text.removesuffix(" and score fpr").split(" versus ")
    assert text.endswith(" and score fpr")
    assert "filter black true" in groups
    assert "filter otherrace true" in groups
    assert len(groups) == 6
    [young] = of_races("accuracy by race for those under 30", "filter age less than 30 and score accuracy")
    assert young.startswith(
        "filter age less than 30 and filter black true versus filter age less than 30 and filter white true"
    )


def test_of_other_operations_each_column_is_offered() -> None:
    assert of_races("accuracy without race", "score accuracy") == ["without black", "without white", "without hispanic"]
    assert of_races("show other race", "filter otherrace true and show") == ["filter otherrace true and show"]


def test_a_likely_reading_of_a_follow_up_stays_first() -> None:
    tokens = tokenise("is that difference real or just luck?")
    groups = "filter sex female versus filter sex male and score f1"
    readings = [ParseCandidate(GRAMMAR.read("significant"), 0.85), ParseCandidate(GRAMMAR.read(groups), 0.1)]
    alone, later = (with_named_operations(readings, tokens, (), SCHEMA, follows)[0] for follows in (False, True))
    assert later == readings[0]
    assert str(alone.parse).startswith("filter sex female versus")


def test_what_a_follow_up_names_is_less_sure_than_what_a_first_message_names() -> None:
    tokens = tokenise("the false positive rate?")
    readings = [ParseCandidate(GRAMMAR.read("score accuracy"), 0.4)]
    alone, later = (with_named_operations(readings, tokens, (), SCHEMA, follows)[0] for follows in (False, True))
    assert str(alone.parse) == str(later.parse) == "score fpr [e]"
    assert later.confidence < alone.confidence


def test_a_reading_with_more_scores_or_numbers_of_the_message_stays_first() -> None:
    for message, parse in (
        ("f1 and specificity and npv", "score f1 and score specificity and score npv"),
        ("give me the odd ones out, 4 of them", "outliers 4"),
    ):
        readings = [ParseCandidate(GRAMMAR.read(parse), 0.8)]
        assert with_named_operations(readings, tokenise(message), (), SCHEMA)[0] == readings[0]


@pytest.mark.parametrize(
    ("message", "likeliest", "wanted"),
    [
        ("how many false positives are there?", "mistake count", "predictionfilter 1 and labelfilter 0 and countdata"),
        ("how many false positives are there?", "score fpr", "predictionfilter 1 and labelfilter 0 and countdata"),
        ("how many false positives are there at 0.4?", "threshold 0.4 and score fpr", "threshold 0.4 and score fpr"),
        ("how many does it predict to have survived when they actually did not?",
         "predictionfilter 1 and labelfilter 1 and countdata", "predictionfilter 1 and labelfilter 0 and countdata"),
        ("does it rely more on age than on fare?", "explain features", "important age and important fare"),
        ("does it rely more on age than on fare?", "predict", "important age and important fare"),
    ],
)  # fmt: skip
def test_what_says_less_gives_way_though_both_opinions_hold_it_likely(message: str, likeliest: str, wanted: str) -> None:
    tokens = tokenise(message)
    candidates = [ParseCandidate(GRAMMAR.read(f"{likeliest} [e]"), 0.8)]
    first, *_ = with_named_operations(candidates, tokens, LINKER.mentions(tokens), SCHEMA, weighed=True)
    assert str(first.parse) == f"{wanted} [e]"
