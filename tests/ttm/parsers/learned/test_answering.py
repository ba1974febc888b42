"""What is answered in doubt names what it leaves out; a question back says where the doubt is, and offers nothing that the
conversation cannot have."""

from dataclasses import replace

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.language.parse import Predict
from ttm.language.row_state import rows_after
from ttm.parsers.learned.answering import POLICY, answer_or_ask
from ttm.parsers.learned.decisions.span_decisions import Decisions
from ttm.parsers.learned.encoder.roles import INGREDIENTS
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.understanding import ALONE, DialogueContext, ParseCandidate
from ttm.tabular.data.schema import Feature, FeatureKind

SCHEMA = SCHEMAS["titanic"]
NOTHING_SURE = dict.fromkeys(INGREDIENTS, -1.0)


AFTER_WOMEN = DialogueContext(
    parse=grammar_of(SCHEMA).read("filter sex female and predict [e]"),
    rows=rows_after(grammar_of(SCHEMA).read("filter sex female and predict [e]"), None),
    operations=(Predict(),),
)


def asked(*parses: str, context: DialogueContext = AFTER_WOMEN) -> str:
    decisions = Decisions("hm", tuple(tokenise("hm")), NOTHING_SURE, ())
    candidates = tuple(ParseCandidate(grammar_of(SCHEMA).read(parse), 0.3) for parse in parses)
    question = answer_or_ask(decisions, candidates, (), SCHEMA, context=context).question
    assert question is not None
    return question


@pytest.mark.parametrize(
    ("readings", "doubt"),
    [
        (("predict [e]", "likelihood [e]"), "what you want to know"),
        (("statistic age [e]", "statistic fare [e]"), "what exactly you want to know"),
        (("filter sex female and predict [e]", "predict [e]"), "which rows you mean"),
        (("previousfilter and predict [e]", "predict [e]"), "which rows you mean"),
    ],
)
def test_the_doubt_is_where_the_readings_differ(readings: tuple[str, str], doubt: str) -> None:
    assert asked(*readings).startswith(f"I am not sure {doubt}. Which do you mean: (1) ")


def test_no_earlier_group_is_offered_before_there_was_one() -> None:
    question = asked("previousfilter and predict [e]", "predict [e]", context=ALONE)
    assert question == "There is no earlier group in this conversation. Do you mean: the predictions?"
    assert "group before" in asked("previousfilter and predict [e]", "predict [e]")


def test_of_readings_that_mean_the_same_one_is_offered() -> None:
    same = ("previousfilter and likelihood [e]", "filter sex female and likelihood [e]")
    question = asked(*same, "previousfilter and previousoperation [e]", "previousfilter and predict [e]", "predict [e]")
    assert question.count("(2)") == 1
    assert question.endswith("(2) the same question as before for the group before (3) the predictions?")


@pytest.mark.parametrize(
    ("message", "probability", "unused"),
    [
        ("predictions", POLICY.answered, ()),
        ("predictions", POLICY.answered - 0.01, None),
        ("predictions for my vineyard", POLICY.naming, ("vineyard",)),
        ("predictions for my vineyard", POLICY.naming - 0.01, None),
    ],
)
def test_what_names_words_it_does_not_rest_on_is_answered_sooner(
    message: str, probability: float, unused: tuple[str, ...] | None
) -> None:
    assert POLICY.naming < POLICY.answered - 0.01
    decisions = Decisions(message, tuple(tokenise(message)), NOTHING_SURE, ())
    understanding = answer_or_ask(decisions, (ParseCandidate(grammar_of(SCHEMA).read("predict [e]"), probability),), (), SCHEMA)
    assert (understanding.question is None) == (unused is not None)
    assert understanding.unused == (unused or ())


@pytest.mark.parametrize(
    ("reading", "asks"), [("filter boarded less than 1912-04-11 and countdata [e]", True), ("countdata [e]", False)]
)
def test_what_may_be_about_dates_is_asked_back_and_not_refused(reading: str, asks: bool) -> None:
    boarded = Feature("boarded", "boarded", FeatureKind.DATE, low=697_000, high=698_000)
    schema = replace(SCHEMA, features=(*SCHEMA.features, boarded))
    decisions = Decisions("hm", tuple(tokenise("hm")), NOTHING_SURE | {"refuse": 2.0}, ())
    understanding = answer_or_ask(decisions, (ParseCandidate(grammar_of(schema).read(reading), 0.05),), (), schema)
    assert understanding.in_scope is asks


@pytest.mark.parametrize(("probability", "asks"), [(0.09, False), (0.11, True)])
def test_what_has_a_likely_reading_is_asked_back_and_not_refused(probability: float, asks: bool) -> None:
    decisions = Decisions("hm", tuple(tokenise("hm")), NOTHING_SURE | {"refuse": 2.0}, ())
    understanding = answer_or_ask(decisions, (ParseCandidate(grammar_of(SCHEMA).read("predict [e]"), probability),), (), SCHEMA)
    assert understanding.in_scope is asks
    assert ("Do you mean: the predictions?" in str(understanding.question)) is asks
