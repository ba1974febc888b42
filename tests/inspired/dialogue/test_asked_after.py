"""A question after another, wherever it is asked: on the page, by a program, in Python; kept, and opened again, as it was."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import inspired
from backend.jobs import Jobs
from inspired.dialogue.asked_after import ask_all
from inspired.dialogue.dialogue import begin
from inspired.dialogue.interface.program_calls import KnowledgeCalls
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.session import Assistant, assistant_for, silent
from inspired.logical_form.forms import Entity, LogicalForm, Triple, Variable
from inspired.parsers.follow_ups.before import Before
from inspired.ui import answer_panel, kept_questions, question_panel
from inspired.ui.render import follow_up_html
from inspired.ui.visit import PendingWork, QuestionVisit

SPAIN = "Which neighbours of Spain use the euro?"
GERMANY = ("Austria", "Belgium", "France", "Luxembourg", "Netherlands")


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    return assistant_for(None)


@pytest.fixture
def desk(assistant: Assistant) -> PendingWork:
    return PendingWork(assistant, Jobs(2))


def visit_of(steps: Iterator[Any]) -> QuestionVisit:
    *_, (visit, status, _) = steps
    assert status == ""
    assert isinstance(visit, QuestionVisit)
    return visit


def answers(visit: QuestionVisit) -> tuple[str, ...]:
    assert visit.asked is not None
    assert visit.asked.dialogue.answers is not None
    assert visit.asked.dialogue.answers.final is not None
    return visit.asked.dialogue.answers.final.answers


def test_a_follow_up_on_the_page_is_kept_and_opened_again_as_one(desk: PendingWork) -> None:
    first = visit_of(question_panel.ask(SPAIN, QuestionVisit(), desk))
    second = visit_of(question_panel.ask("and of Germany?", first, desk))
    assert answers(second) == GERMANY
    assert second.asked is not None
    note = follow_up_html(second.asked)
    assert f"a follow-up to “{SPAIN}”, as “Which neighbours of Germany use the euro?”" in note
    entry = json.loads(kept_questions.entry(second, desk))
    assert (entry["question"], entry["earlier"], entry["record"]) == ("and of Germany?", [SPAIN], None)
    assert entry["others"] == [{"question": SPAIN, "earlier": []}], "the browser was not told of the first"
    third = visit_of(question_panel.ask("which of them have a king?", second, desk))
    assert answers(third) == ("Belgium", "Netherlands")
    entry = json.loads(kept_questions.entry(third, desk))
    assert entry["earlier"] == [SPAIN, "Which neighbours of Germany use the euro?"]
    again = visit_of(kept_questions.open_entry(json.dumps({**entry, "others": None}), PendingWork(desk.home, Jobs(1))))
    assert answers(again) == answers(third)
    assert json.loads(kept_questions.entry(again, PendingWork(desk.home, Jobs(1))))["earlier"] == entry["earlier"]


def test_a_corrected_follow_up_stays_one(desk: PendingWork) -> None:
    first = visit_of(question_panel.ask(SPAIN, QuestionVisit(), desk))
    second = visit_of(question_panel.ask("and of Germany?", first, desk))
    other = visit_of(answer_panel.take_reading(second.asked.others()[0][0], second, desk))
    assert other.asked.follows == SPAIN
    entry = json.loads(kept_questions.entry(other, desk))
    assert entry["record"]
    again = visit_of(kept_questions.open_entry(json.dumps(entry), desk))
    assert again.asked.follows == SPAIN
    assert again.asked.dialogue.current == other.asked.dialogue.current


def test_it_can_be_asked_by_itself(desk: PendingWork) -> None:
    first = visit_of(question_panel.ask(SPAIN, QuestionVisit(), desk))
    second = visit_of(question_panel.ask("which of them border Poland?", first, desk))
    assert answers(second) == ()
    assert second.asked.stands_alone
    alone = visit_of(question_panel.ask_alone("which of them border Poland?", desk))
    assert "Czechia" in answers(alone)
    assert alone.asked.follows == ""
    assert json.loads(kept_questions.entry(alone, desk))["earlier"] == []


def test_what_waits_is_asked_after_what_was_asked_before_it(desk: PendingWork) -> None:
    steps = question_panel.ask(SPAIN, QuestionVisit(), desk)
    shown = [next(steps)]
    desk.waiting = ("and of Germany?",)
    shown += list(steps)
    _, second = [visit for visit, *_ in shown if isinstance(visit, QuestionVisit)]
    assert answers(second) == GERMANY
    assert second.asked.follows == SPAIN


def test_an_older_question_that_is_gone_on_from_is_named_as_a_doubt(assistant: Assistant) -> None:
    asked = AskedQuestion(begin(LogicalForm(Variable("x"), (Triple(Entity("a"), "b", Variable("x")),)), {}, "and its king?"))
    earlier = Before("Last", asked.dialogue.form, (), Before("First", asked.dialogue.form))
    of_last, of_first = (
        follow_up_html(replace(asked, earlier=earlier, follows=each, whole="and its king?")) for each in ("Last", "First")
    )
    assert ("kb-doubt" in of_last, "kb-doubt" in of_first) == (False, True)
    assert "a follow-up to “First”." in of_first


def test_programs_give_the_questions_before(assistant: Assistant) -> None:
    calls = KnowledgeCalls(assistant)
    assert calls.inspired_ask("and of Germany?", [SPAIN]).final_answer == list(GERMANY)
    assert calls.inspired_ask("What is the capital of Peru?", [SPAIN]).final_answer == ["Lima"]
    misread = ["xyzzy?", SPAIN, "xyzzy?"]
    assert calls.inspired_ask("which of them have a king?", [*misread, "and of Germany?"]).final_answer == [
        "Belgium",
        "Netherlands",
    ]


def test_python_goes_on_from_an_answer() -> None:
    first = inspired.ask(SPAIN)
    second = first.ask("and of Germany?")
    assert second.answers == GERMANY
    assert first.answers != second.answers
    query = inspired.decompose(
        "SELECT ?x { <http://rdf.freebase.com/ns/m.country_fr> <http://rdf.freebase.com/ns/location.country.capital> ?x }"
    )
    assert query.ask("and of Spain?").answers == ("Madrid",)


def test_a_question_that_nothing_was_asked_before_is_read_by_itself(assistant: Assistant) -> None:
    assert ask_all(assistant, None, (), silent) is None
    assert ask_all(assistant, None, ["xyzzy?"], silent) is None
    assert ask_all(assistant, None, [SPAIN, "xyzzy?"], silent).dialogue.asked == SPAIN
