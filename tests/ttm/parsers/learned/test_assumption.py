"""What follows a question back that nobody answered is read after its likeliest reading, and says so itself."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.language.row_state import rows_after
from ttm.parsers import DialogueContext, LearnedParser
from ttm.parsers.learned.assumption import assuming, rests_on_before, spelled_out
from ttm.parsers.understanding import ASSUMED, ParseCandidate, Understanding

SCHEMA = SCHEMAS["titanic"]
TRUST = 0.3
GRAMMAR = grammar_of(SCHEMA)
BEFORE = (
    "filter sex female and predict [e]",
    "filter sex female or filter age less than 10 and countdata [e]",
    "filter age greater than 30 and change age increase 5 and predict [e]",
)
AFTER = (
    "previousfilter and explain features [e]",
    "previousfilter and filter ticketclass first and previousoperation [e]",
    "previousfilter or filter ticketclass first and predict [e]",
    "filter ticketclass first and previousoperation [e]",
)


def asked(likeliest: str) -> DialogueContext:
    parse = GRAMMAR.read(likeliest)
    return DialogueContext(utterance="hm", question="Which?", candidates=(parse,), likeliest=parse, trust=TRUST)


@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("after", AFTER)
def test_what_is_spelled_out_is_about_the_same_rows_and_refers_to_nothing(before: str, after: str) -> None:
    context, parse = assuming(asked(before)), GRAMMAR.read(after)
    spelled = spelled_out(parse, context)
    assert "previous" not in str(spelled)
    assert rows_after(spelled, None) == rows_after(parse, context.rows)
    assert GRAMMAR.read(str(spelled)) == spelled
    repeated = str(GRAMMAR.read(before)).removesuffix(" [e]").rsplit(" and ", 1)[1]
    assert repeated in str(spelled) or "previousoperation" not in after


def test_each_of_two_groups_is_narrowed() -> None:
    context = assuming(asked("filter sex female versus filter sex male and statistic age [e]"))
    spelled = spelled_out(GRAMMAR.read("previousfilter and filter age less than 9 and predict [e]"), context)
    pairs = "filter sex female and filter age less than 9 versus filter sex male and filter age less than 9"
    assert str(spelled) == f"{pairs} and predict [e]"


def test_without_a_question_back_nothing_is_assumed() -> None:
    context = DialogueContext(parse=GRAMMAR.read(BEFORE[0]), rows=rows_after(GRAMMAR.read(BEFORE[0]), None))
    assert assuming(context) is context
    parse = GRAMMAR.read(AFTER[0])
    assert spelled_out(parse, context) is parse


def test_a_reading_is_assumed_where_it_was_likely_enough() -> None:
    likely, unlikely = ((ParseCandidate(GRAMMAR.read(BEFORE[0]), confidence),) for confidence in (ASSUMED, ASSUMED / 2))
    assert Understanding("hm", likely, True, "Which?").likeliest == likely[0].parse
    assert Understanding("hm", unlikely, True, "Which?").likeliest is None
    assert Understanding("hm", likely, True, None).likeliest is None, "it was answered"


def test_a_follow_up_of_what_was_not_answered_names_its_rows_and_is_doubted() -> None:
    parser, message = LearnedParser(SCHEMA), "what does the model predict for them?"
    doubted = parser.understand(message, asked("filter sex female and countdata [e]"))
    known = GRAMMAR.read("filter sex female and countdata [e]")
    sure = parser.understand(message, DialogueContext(parse=known, utterance="hm", rows=rows_after(known, None)))
    assert str(doubted.candidates[0].parse) == "filter sex female and predict [e]"
    assert str(sure.candidates[0].parse) == "previousfilter and predict [e]"
    assert doubted.candidates[0].confidence < sure.candidates[0].confidence


def test_only_what_rests_on_the_turn_before_is_as_doubtful() -> None:
    before = assuming(asked("filter sex female and countdata [e]"))
    for text in ("previousfilter and predict", "filter age less than 9 and previousoperation", "significant"):
        assert rests_on_before(GRAMMAR.read(text), before)
    assert rests_on_before(GRAMMAR.read("filter sex female and predict"), before), "its rows are written out"
    assert not rests_on_before(GRAMMAR.read("filter age less than 9 and predict"), before)
