"""Which context a source holds: the rows of Tables 10, 12 and 13, and that the usual one is what it was."""

import pytest

from backend.errors import InspiredError
from inspired.lab.training.contexts import CONTEXTS, USUAL, checked_context, correction_input, subquestion_input, trained_for
from inspired.parsers.model_inputs import correction_source, subquestion_source
from inspired.parsers.placeholders import Placeholders

NAMES = {"m.1": "Oslo", "m.2": "Norway"}
IDS = ("m.1", "m.2")
HISTORY = [("Which country has Oslo?", "?c ns:a.capital #entity1# ."), ("Is Norway it?", "?c ns:a.is #entity2# .")]


def corrected(context, mentions=None):
    return correction_input("what does Oslo speak?", HISTORY, IDS, Placeholders(dict(NAMES)), context, mentions)


def asked(context):
    turn, earlier = ("What is spoken in Norway?", "?c ns:a.speaks #entity2# ."), [("The country of Oslo?", HISTORY[0][1])]
    return subquestion_input(turn, "Tongue of Oslo?", earlier, IDS, Placeholders(dict(NAMES)), context)


def test_each_context_of_a_correction_holds_its_parts_and_no_others():
    assert corrected("none") == "what does #entity1# speak?"
    assert corrected("h_q") == "what does #entity1# speak? | Which country has #entity1#? | Is #entity2# it?"
    assert corrected("h_lf") == "what does #entity1# speak? | ?c ns:a.capital #entity1# . | ?c ns:a.is #entity2# ."
    assert corrected("h_q+h_lf") == correction_source("what does Oslo speak?", HISTORY, IDS, Placeholders(dict(NAMES)))
    assert corrected("h_lf", {"m.1": "what"}).startswith("#entity1# does Oslo speak? | ")


def test_each_context_of_a_sub_question_holds_its_parts_and_no_others():
    form, template, question, before = (
        "?c ns:a.speaks #entity1# .", "What is spoken in #entity1#?", "Tongue of #entity2#?", "The country of #entity2#?",
    )  # fmt: skip
    assert asked("p") == form
    assert asked("none") == f"{form} | {template}"
    assert asked("h_qt") == f"{form} | {template} | {before}"
    assert asked("q_c") == f"{form} | {template} | {question}"
    assert asked("q_c+h_qt") == f"{form} | {template} | {question} | {before}"
    assert asked("q_c+h_qt+h_lf") == f"{form} | {template} | {question} | {before} | ?c ns:a.capital #entity2# ."
    usual = subquestion_source(
        "?c ns:a.speaks #entity2# .", IDS, "What is spoken in Norway?", "Tongue of Oslo?", ["The country of Oslo?"],
        Placeholders(dict(NAMES)),
    )  # fmt: skip
    assert asked(USUAL["subquestion"]) == usual


def test_a_context_is_of_its_task_and_an_ablation_is_not_taken_for_the_whole():
    assert [checked_context(task, None) for task in CONTEXTS] == ["", "h_q+h_lf", "q_c+h_qt"]
    with pytest.raises(InspiredError, match="--context q_c is none of correction; valid are none, h_q, h_lf, h_q"):
        checked_context("correction", "q_c")
    with pytest.raises(InspiredError, match="a parser is given the question alone"):
        checked_context("parser", "none")
    assert trained_for("correction", "h_q+h_lf") == "correction"
    assert trained_for("correction", "none") != "correction"
