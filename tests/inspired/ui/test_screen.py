"""The tab's handlers as plain functions, and its HTML."""

import csv
import io
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from backend.errors import InspiredError, KnowledgeBaseError
from backend.jobs import Jobs, ReportProgress
from backend.network.shares.fair_shares import SHARES
from backend.program.settings import Settings
from backend.storage.database import Database
from inspired import ui
from inspired.dialogue.dialogue import Answers, Dialogue, ShownAnswer, start, with_answers
from inspired.dialogue.interface.program_calls import inspired_decompose
from inspired.dialogue.own_graph import own_assistant
from inspired.dialogue.records import InspiredRecord
from inspired.dialogue.session import Assistant, Parts, open_assistant, silent
from inspired.ui import answer_panel, kept_questions, name_offers, own_graph_panel, query_panel, question_panel, step_panel
from inspired.ui.answer_panel import is_doubtful
from inspired.ui.examples import examples
from inspired.ui.render import (
    answer_html,
    change_html,
    choice_words,
    confidence_words,
    history_html,
    plainly,
    problems_html,
    shown_answer_html,
    source_html,
    step_html,
    steps_html,
    unsure_html,
    unused_html,
)
from inspired.ui.visit import AFTER, BEFORE, EDIT, PendingWork, QuestionVisit, working
from tests.inspired.scripted import (
    CURRENCY_FORM,
    HOSTILE,
    LANGUAGE,
    LANGUAGE_FORM,
    LONGER_THAN_ANY_TEST,
    SLOW,
    WORLD,
    Late,
    ScriptedQuestions,
    ScriptedSteps,
    ScriptedWriter,
    small_world,
)

CAPITAL = "SELECT ?x { ?c ns:location.country.capital ns:m.1 . ?c ns:location.country.official_language ?x }"


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    assistant = small_world(tmp_path)
    yield assistant
    if assistant._parts is not None:
        assistant._parts.kb.close()


@pytest.fixture
def desk(assistant: Assistant) -> PendingWork:
    return PendingWork(assistant, Jobs(4))


@pytest.fixture
def visit(desk: PendingWork) -> QuestionVisit:
    return done(question_panel.ask_alone(LANGUAGE, desk))


def last(steps: Iterator[Any]) -> tuple[Any, str]:
    """What a handler gives in the end: the visit, and the line of progress or of what went wrong."""
    visit, told, stop = list(steps)[-1]
    assert stop["visible"] is False
    return visit, told


def done(steps: Iterator[Any]) -> QuestionVisit:
    visit, told = last(steps)
    assert told == ""
    assert isinstance(visit, QuestionVisit)
    return visit


def dialogue_of(now: QuestionVisit) -> Dialogue:
    assert now.asked is not None
    return now.asked.dialogue


def questions(now: QuestionVisit) -> tuple[str, ...]:
    return dialogue_of(now).in_words().questions


def answer(now: QuestionVisit) -> tuple[str, ...]:
    answers = dialogue_of(now).answers
    assert answers is not None
    assert answers.final is not None
    return answers.final.answers


def said(words: str, number: int, writing: str, visit: QuestionVisit, desk: PendingWork, choice: int = 0) -> QuestionVisit:
    """A step said in words, and one way to understand it taken."""
    written = done(step_panel.understand(words, step_panel.write(number, writing, visit), desk))
    return done(step_panel.use_choice(choice, written, desk))


def test_typing_reads_the_knowledge_base_ahead_and_then_gets_names(desk: PendingWork) -> None:
    may_read, open_parts = threading.Event(), desk.assistant.open_parts
    desk.assistant.open_parts = lambda: open_parts() if may_read.wait(LONGER_THAN_ANY_TEST) else pytest.fail("held for ever")
    assert json.loads(name_offers.offer_names("in Aus", desk)) == {"before": "in Aus", "offers": [], "ended": False}
    name_offers.offer_names("in Aus", desk)
    assert desk._reading is not None
    may_read.set()
    desk._reading.result()
    assert json.loads(name_offers.offer_names("in Aus", desk))["offers"] == [["Aus", "Austria", ""]]


def test_a_brought_graph_offers_names_to_who_brought_it(desk: PendingWork, assistant: Assistant, tmp_path: Path) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    (tmp_path / "own.ttl").write_text(f'<http://e.example/1> {label} "Ausonius" ; <http://e.example/is> 1 .', "utf-8")
    other = PendingWork(assistant, Jobs(4))
    assistant.parts(silent)
    desk.turn_to(own_assistant(tmp_path / "own.ttl", silent))
    texts = [[offer[1] for offer in json.loads(name_offers.offer_names("in Aus", each))["offers"]] for each in (desk, other)]
    desk.turn_to(None)
    assert texts == [["Ausonius"], ["Austria"]]


@pytest.mark.slow
def test_the_tab_can_be_placed(settings: Settings, database: Database) -> None:
    with gr.Blocks() as blocks, gr.Tab("Ask"):
        ui.build(settings, database)
    named = blocks.get_api_info()["named_endpoints"]
    assert {"/inspired_ask", "/inspired_decompose"} <= set(named)


def test_nothing_is_read_before_the_first_question(assistant: Assistant) -> None:
    assert assistant.size() == ""
    assert assistant.property_names() == {}
    assert assistant._parts is None


def test_a_question_in_words_is_answered_step_by_step(visit: QuestionVisit) -> None:
    assert questions(visit) == ("Which country has the capital Vienna?", "What is the official language of that country?")
    assert answer(visit) == ("German <b>",)
    assert [found and found.answers for found in map(dialogue_of(visit).answer_of, (1, 2))] == [("Austria",), ("German <b>",)]


def test_steps_are_corrected_in_words(visit: QuestionVisit, desk: PendingWork) -> None:
    edited = said("What is its currency?", 2, EDIT, visit, desk)
    assert questions(edited)[1] == "Which currency is used in that country?"
    assert answer(edited) == ("Euro",)
    assert dialogue_of(edited).words_of(2) == "What is its currency?"
    after = said("Which country uses that currency?", 2, AFTER, edited, desk)
    assert questions(after)[2].startswith("Which country uses")
    assert answer(after) == ("Austria",)
    assert edited.pen is after.pen is None


def test_an_inserted_step_stands_where_it_was_asked_for(visit: QuestionVisit, desk: PendingWork) -> None:
    before = said("Which country has the capital Budapest?", 2, BEFORE, visit, desk)
    assert [len(questions(before)), answer(before)] == [3, ()]
    assert "Budapest" in questions(before)[1]
    assert answer(done(step_panel.delete(2, before, desk))) == ("German <b>",)


def test_steps_are_corrected_by_logical_forms(visit: QuestionVisit, desk: PendingWork) -> None:
    pen = step_panel.write(2, EDIT, visit)
    edited = done(step_panel.save_form("[that country] ns:location.country.currency_used ?x .", pen, desk))
    assert answer(edited) == ("Euro",)
    added = done(step_panel.save_form("?x ns:a.b.c [] .", step_panel.write(1, BEFORE, edited), desk))
    assert len(questions(added)) == 3
    back = answer_panel.go_back(False, answer_panel.go_back(False, added))
    assert dialogue_of(back).current == dialogue_of(visit).current
    assert questions(answer_panel.go_back(True, answer_panel.go_back(True, back))) == questions(added)


def test_words_that_mean_nothing_are_told_and_stay(visit: QuestionVisit, desk: PendingWork) -> None:
    now = done(step_panel.understand("What about <it>?", step_panel.write(1, EDIT, visit), desk))
    assert now.pen is not None
    assert (now.pen.words, now.pen.choices) == ("What about <it>?", ())
    assert now.pen.problem == "The step cannot be read: What about <it>?"
    assert step_panel.stop_writing(now).asked is visit.asked


def test_words_that_a_correction_does_not_use_are_named_before_and_after_it(visit: QuestionVisit, desk: PendingWork) -> None:
    steps = desk.assistant.parts(silent).steps
    assert isinstance(steps, ScriptedSteps)
    steps.unused = ("quickly",)
    written = done(step_panel.understand("What is its currency?", step_panel.write(2, EDIT, visit), desk))
    assert written.pen is not None
    assert choice_words(written.pen.choices[0]).endswith(" (not used: “quickly”)")
    now = done(step_panel.use_choice(0, written, desk))
    assert now.unused == ("quickly",)
    assert dialogue_of(now).feedback[-1].endswith("What is its currency? (not used: “quickly”)")
    assert done(step_panel.delete(2, now, desk)).unused == (), "another correction uses all of its words"


def test_drafts_come_back_until_a_correction_is_made(visit: QuestionVisit, desk: PendingWork) -> None:
    step_panel.keep(1, EDIT, "Which cou", desk)
    assert desk.drafts == {(1, EDIT): "Which cou"}
    said("What is its currency?", 2, EDIT, visit, desk)
    assert desk.drafts == {}


def test_alternatives_of_a_step_come_from_its_words_and_from_other_readings(visit: QuestionVisit, desk: PendingWork) -> None:
    offered = done(step_panel.alternatives(2, visit, desk))
    assert offered.pen is not None
    assert [each.question for each in offered.pen.choices] == ["Which currency is used in that country?"]
    assert answer(done(step_panel.use_choice(0, offered, desk))) == ("Euro",)


def test_another_reading_of_the_whole_question_can_be_taken(visit: QuestionVisit, desk: PendingWork) -> None:
    taken = done(answer_panel.take_reading(1, visit, desk))
    assert answer(taken) == ("Euro",)
    assert taken.asked is not None
    assert taken.asked.taken == 1
    back = answer_panel.go_back(False, taken)
    assert back.asked is not None
    assert (back.asked.taken, answer(back)) == (0, ("German <b>",))


def test_a_name_of_two_things_is_asked_back(visit: QuestionVisit, desk: PendingWork) -> None:
    assert visit.asked is not None
    assert visit.asked.reading is not None
    (name,) = visit.asked.reading.ambiguous
    meanings = desk.assistant.meanings(name)
    assert [(each.name, each.kind) for each in meanings] == [("Vienna", "City"), ("Vienna", "US state")]
    other = done(answer_panel.take_meaning(0, "m.wien2", visit, desk))
    assert answer(other) == ()
    assert "ns:m.wien2" in dialogue_of(other).step_text(1) or "[Vienna]" in dialogue_of(other).step_text(1)
    assert answer(done(answer_panel.take_meaning(0, "m.wien", other, desk))) == ("German <b>",)


def test_wrong_input_is_told_and_nothing_changes(visit: QuestionVisit, desk: PendingWork) -> None:
    for words, told in ((" ", "no question yet"), ("x" * 700, "700 letters"), ("Why <b>?", "Why &lt;b&gt;?")):
        unchanged, problem = last(question_panel.ask_alone(words, desk))
        assert not isinstance(unchanged, QuestionVisit)
        assert told in problem
    show = partial(query_panel.show_steps, desk=desk)
    assert "GRAPH" in last(show("SELECT ?x { GRAPH ?g { ?x ns:a.b.c ?y } }", "", ""))[1]
    assert "Line 1 of the names" in last(show(CAPITAL, "Paris", ""))[1]
    with pytest.raises(gr.Error, match="&lt;img"):
        list(step_panel.save_form("?x ns:a.b.c [<img src=x>] .", step_panel.write(1, EDIT, visit), desk))
    with pytest.raises(gr.Error, match="only step"):
        list(step_panel.delete(1, done(step_panel.delete(1, visit, desk)), desk))


def test_a_query_begins_a_dialogue_too(desk: PendingWork) -> None:
    now = done(query_panel.show_steps(LANGUAGE_FORM, "", "Which language?", desk))
    assert (questions(now)[0], answer(now)) == ("Which country has the capital Vienna?", ("German <b>",))
    assert now.asked is not None
    assert (now.asked.reading, now.asked.dialogue.asked) == (None, "Which language?")
    renamed = done(query_panel.show_steps(LANGUAGE_FORM, "m.wien = Wien", "", desk))
    assert questions(renamed)[0] == "Which country has the capital Wien?"


@pytest.mark.parametrize("prologue", ["", "# of cities\nPREFIX e: <http://e.example/>\n", "#MANUAL SPARQL\n"])
def test_a_pasted_query_for_yes_or_no_is_answered(desk: PendingWork, prologue: str) -> None:
    pattern = LANGUAGE_FORM[LANGUAGE_FORM.index("{") :]
    assert answer(done(query_panel.show_steps(f"{prologue}ASK {pattern}", "", "", desk))) == ("yes",)
    assert answer(done(query_panel.show_steps(f"{prologue}ask{pattern}", "", "", desk))) == ("yes",)


def test_a_refused_query_is_named_over_the_answer_that_still_stands(desk: PendingWork) -> None:
    _, refused = last(query_panel.show_steps("ASK { ?x }", "", "", desk))
    assert '<p class="kb-asked">The query that you pasted</p>' in refused
    assert "A predicate such as" in refused
    _, refused = last(query_panel.show_steps("SELECT ?x", "", "Which <b>?", desk))
    assert '<p class="kb-asked">Which &lt;b&gt;?</p>' in refused


def test_a_question_about_a_graph_that_went_with_the_page_is_asked_of_no_other(desk: PendingWork) -> None:
    kept = json.dumps({"question": "", "waiting": [], "gone": [LANGUAGE]})
    ((visit, status, _),) = kept_questions.open_entry(kept, desk)
    assert visit == gr.skip(), "nothing is answered"
    assert f'data-kb-words="{LANGUAGE}"' in status
    assert kept_questions.GONE in unescape(status)
    assert desk.answered == ()


def test_nothing_is_asked_of_the_former_graph_while_another_is_opened(
    desk: PendingWork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.ttl"
    own.write_text('<http://e.example/1> <http://www.w3.org/2000/01/rdf-schema#label> "Otto" .', "utf-8")
    may_read = threading.Event()

    def held(path: Path, report: ReportProgress) -> Assistant:
        may_read.wait(LONGER_THAN_ANY_TEST)
        return own_assistant(path, report)

    monkeypatch.setattr(own_graph_panel, "own_assistant", held)
    opening = own_graph_panel.bring(str(own), desk)
    next(opening)
    assert list(question_panel.ask_alone(LANGUAGE, desk)) == [(gr.skip(),) * 3], "no answer from the former graph"
    may_read.set()
    status = list(opening)[-1][1]
    assert LANGUAGE in status
    assert question_panel.OPENING in status
    assert not desk.at_home
    assert not desk.opening
    desk.turn_to(None)


def test_what_the_address_names_is_left_when_another_graph_is_opened(desk: PendingWork) -> None:
    assert json.loads(kept_questions.entry(QuestionVisit(), desk)) == {"question": "", "others": [], "own": True}


def test_each_example_is_a_query_with_steps() -> None:
    for label in examples():
        query, names, question = query_panel.choose_example(label)
        assert len(start(query, {}, question).current.steps) >= 2
        assert question in {each.question for each in examples().values()}
        assert names.count("=") >= 1


def test_a_knowledge_base_that_is_late_says_so() -> None:
    late = PendingWork(Assistant("Late", "", lambda: Parts(Late(), None, ScriptedQuestions())), Jobs(1))
    now = done(question_panel.ask_alone(LANGUAGE, late))
    shown = answer_html(dialogue_of(now))
    assert "Not answered" in shown
    assert "more than 10 seconds" in step_html(dialogue_of(now), 1, None)
    assert answer_panel.export_dialogue(now)["content"].count('"final_answer": null') == 1


def test_work_shows_progress_and_can_be_stopped(desk: PendingWork) -> None:
    steps = question_panel.ask_alone(SLOW, desk)
    skipped, told, button = next(steps)
    assert not isinstance(skipped, QuestionVisit)
    assert "<progress" in told
    assert button["visible"] is True
    question_panel.stop(desk)
    assert "Stopped" in last(steps)[1]


def test_the_knowledge_base_is_read_once_for_everybody(tmp_path: Path) -> None:
    opened = []

    def open_parts() -> Parts:
        opened.append(1)
        return Parts(Late(), None, ScriptedQuestions())

    assistant = Assistant("Late", "", open_parts)
    people = [
        threading.Thread(target=lambda: done(question_panel.ask_alone(LANGUAGE, PendingWork(assistant, Jobs(9)))))
        for _ in range(9)
    ]
    for each in people:
        each.start()
    for each in people:
        each.join()
    assert opened == [1]


def test_a_defect_does_not_leave_the_work_on_the_screen(desk: PendingWork) -> None:
    def work(report: object) -> QuestionVisit:
        raise ZeroDivisionError

    steps = working(desk, work)
    assert next(steps)[1:] == ("", gr.update(visible=False))
    with pytest.raises(ZeroDivisionError):
        next(steps)


def test_what_is_exported_can_be_opened(visit: QuestionVisit, desk: PendingWork) -> None:
    corrected = said("What is its currency?", 2, EDIT, visit, desk)
    file = answer_panel.export_dialogue(corrected)
    opened, told, question = query_panel.open_dialogue(file["content"].encode())
    assert (told, question) == ("", LANGUAGE)
    assert (questions(opened), answer(opened)) == (questions(corrected), ("Euro",))
    assert "As recorded in the file" in answer_html(dialogue_of(opened))
    assert answer_panel.export_dialogue(opened) == file
    again = done(answer_panel.look_up(opened, desk))
    assert "As recorded" not in answer_html(dialogue_of(again))
    assert "not JSON" in query_panel.open_dialogue(b"\xff")[1]


def test_answers_are_saved_as_a_table(visit: QuestionVisit) -> None:
    file = answer_panel.export_answers(visit)
    first, *rows = csv.reader(io.StringIO(file["content"]))
    assert (file["name"], first) == (
        "answers.csv",
        ["step", "question", "answer", "value", "latitude", "longitude", "complete"],
    )
    steps = [[str(number), words] for number, words in enumerate(questions(visit), 1)]
    assert [row[:2] for row in rows] == [*steps, ["", LANGUAGE]]
    assert tuple(row[2] for row in rows if not row[0]) == answer(visit)
    assert {tuple(row[3:]) for row in rows} == {("", "", "", "yes")}


def test_programs_get_a_record() -> None:
    record = inspired_decompose(CAPITAL, {"m.1": "Paris"}).model_dump()
    assert [each["sub_question"] for each in record["gold_sub_qs"]] == [
        "Which country has the capital Paris?",
        "What is the official language of that country?",
    ]
    json.dumps(record)


def test_programs_get_an_answer(
    assistant: Assistant, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ui, "open_assistant", lambda settings: assistant)
    with gr.Blocks() as blocks, gr.Tab("Ask"):
        ui.build(settings, database)
    (ask,) = (each.fn for each in blocks.fns.values() if each.api_name == "inspired_ask")
    assert ask is not None
    record = InspiredRecord.model_validate(ask(LANGUAGE))
    assert record.final_answer == ["German <b>"]
    assert [each.answer for each in record.gold_sub_qs] == [["Austria"], ["German <b>"]]


def test_a_visit_of_one_tab_is_not_that_of_another(desk: PendingWork) -> None:
    import copy

    other = copy.deepcopy(desk)
    step_panel.keep(1, EDIT, "words", desk)
    assert other.drafts == {}
    assert other.assistant is desk.assistant


def test_a_trained_model_can_word_the_steps(assistant: Assistant) -> None:
    parts = replace(assistant.parts(silent), writer=ScriptedWriter())
    desk = PendingWork(Assistant("Worded", "", lambda: parts), Jobs(1))
    now = done(question_panel.ask_alone(LANGUAGE, desk))
    dialogue = dialogue_of(now)
    assert dialogue.asked_as(1) == "Which country has the capital Vienna?"
    assert dialogue.asked_as(2) == f"{HOSTILE} What is the official language of that country?"
    assert "<script>" not in step_html(dialogue, 2, None)
    assert "by a trained model" in steps_html(dialogue)
    assert "by templates from" in steps_html(replace(dialogue, wordings=()))
    record = InspiredRecord.model_validate_json(answer_panel.export_dialogue(now)["content"])
    assert [each.sub_question.startswith(HOSTILE) for each in record.gold_sub_qs] == [False, True]
    assert record.gold_sub_qs[1].temp_sub_question == "What is the official language of that country?"


def test_a_reading_that_reads_the_same_is_no_other_one(visit: QuestionVisit) -> None:
    asked = visit.asked
    assert asked is not None
    assert [place for place, _ in asked.others()] == [1]
    twice = replace(asked, readings=(*asked.readings, asked.readings[1], asked.readings[0]))
    assert [place for place, _ in twice.others()] == [1]


def test_a_doubtful_answer_does_not_look_like_a_sure_one(visit: QuestionVisit) -> None:
    asked = visit.asked
    assert asked is not None
    assert asked.reading is not None
    sure = replace(asked.reading, confidence=0.95, unused=())
    for reading, doubtful in (
        (sure, False),
        (replace(sure, confidence=0.3), True),
        (replace(sure, confidence=0.6), False),
        (replace(sure, unused=("larger",)), True),
    ):
        readings = tuple(reading if each is asked.reading else each for each in asked.readings)
        assert is_doubtful(replace(asked, readings=readings)) is doubtful
    assert "9% likely" in unsure_html(replace(sure, confidence=0.09))
    assert "Nothing here seems to answer your question" in unsure_html(replace(sure, confidence=0.05), improbable=True)
    uncalibrated = tuple(replace(each, confidence=0.01) for each in asked.readings)  # as a trained model states it
    assert not replace(asked, readings=uncalibrated, taken=0).is_improbable
    improbable = tuple(replace(each, improbable=True) for each in asked.readings)
    assert [replace(asked, readings=improbable, taken=each).is_improbable for each in (0, 1)] == [True, False]
    assert "words of it were left out" in unsure_html(replace(sure, unused=("larger",)))
    assert "kb-unsure" in answer_html(asked.dialogue, doubtful=True)
    assert "kb-unsure" not in answer_html(asked.dialogue)


def test_the_assistant_is_one_for_the_whole_process(tmp_path: Path) -> None:
    (tmp_path / "world.ttl").write_text(WORLD, encoding="utf-8")
    chosen = Settings(kb=str(tmp_path / "world.ttl"))
    assert open_assistant(chosen) is open_assistant(chosen)
    assert "world.ttl" in source_html(open_assistant(chosen))
    assert "CIA World Factbook" in source_html(open_assistant(Settings()))
    with pytest.raises(KnowledgeBaseError, match=r"absent\.ttl"):
        open_assistant(Settings(kb=str(tmp_path / "absent.ttl")))


def test_an_address_that_does_not_answer_is_named() -> None:
    assistant = open_assistant(Settings(kb="http://127.0.0.1:9/sparql"))
    with pytest.raises(InspiredError, match="9/sparql cannot be reached"):
        assistant.ask(LANGUAGE, silent)
    assert assistant.size() == ""


@pytest.mark.slow
def test_each_example_has_the_same_answers_in_words_and_as_a_query() -> None:
    assistant = open_assistant(Settings())
    for each in examples().values():
        in_words = assistant.ask(each.question, silent).dialogue.answers
        as_query = assistant.start(each.sparql, each.names, "", silent).dialogue.answers
        assert in_words is not None
        assert as_query is not None
        assert in_words.final == as_query.final
        assert in_words.final is not None
        assert in_words.final.answers
    assistant.parts(silent).kb.close()


@pytest.mark.slow
def test_the_world_that_comes_with_parley_can_be_corrected_in_words() -> None:
    assistant = open_assistant(Settings())
    asked = assistant.ask(next(iter(examples().values())).question, silent)
    assert asked.dialogue.answers is not None
    assert asked.dialogue.answers.final == ShownAnswer(("German",))
    assert "facts about" in assistant.size()
    words = "Which currency is used in that country?"
    choices = {each.question: each for each in assistant.understood(asked.dialogue, 2, False, words, silent)}
    answers = assistant.answered(choices[words].dialogue, silent).answers
    assert answers is not None
    assert answers.final == ShownAnswer(("Euro",))
    assistant.parts(silent).kb.close()


def test_what_a_correction_changed_is_told(visit: QuestionVisit, desk: PendingWork) -> None:
    assert change_html(dialogue_of(visit)) == ""
    told = change_html(dialogue_of(said("What is its currency?", 2, EDIT, visit, desk)))
    assert "<s>German &lt;b&gt;</s>" in told
    assert "<b>Euro</b>" in told
    assert "Changed step 2" in told
    assert "Deleted" in change_html(dialogue_of(done(step_panel.delete(2, visit, desk))))


def test_text_of_people_is_escaped(visit: QuestionVisit) -> None:
    dialogue = start(CURRENCY_FORM, {"m.wien": HOSTILE}, HOSTILE)
    found = ShownAnswer((HOSTILE,) * 9, True, HOSTILE)
    dialogue = with_answers(dialogue, Answers((found, found), found))
    shown = [answer_html(dialogue), step_html(dialogue, 1, "keep"), step_html(dialogue, 2, None), unused_html([HOSTILE])]
    for each in [*shown, shown_answer_html(found), source_html(Assistant(HOSTILE, HOSTILE, lambda: Parts(Late())))]:
        assert "document.title" in each
        assert "<script>" not in each
        assert "<img" not in each
    assert "more than 9 answers" in shown[0]
    assert "and more than 5 more" in shown[1]
    assert problems_html(dialogue) == history_html(dialogue) == ""


def test_steps_that_do_not_fit_are_told_without_variables() -> None:
    loose = start("SELECT ?x { ?x ns:location.country.capital ns:m.1 . ?k ns:location.country.currency_used ns:m.2 }", {})
    told = problems_html(loose)
    assert "Nothing links the answer to step" in told
    assert "?" not in told
    assert "variable" not in told
    assert plainly("Step 2 sorts by ?n, which no other step finds.") == "Step 2 sorts by something that no other step finds."
    assert plainly("No step finds ?x, the answer.") == "No step finds the answer."


def test_an_answer_of_none_says_where_it_fails(visit: QuestionVisit) -> None:
    dialogue = with_answers(dialogue_of(visit), Answers((ShownAnswer(("Austria",)), ShownAnswer()), ShownAnswer()))
    assert "Step 2 is the first that finds nothing" in answer_html(dialogue)
    assert "No answer." in step_html(dialogue, 2, None)


@pytest.mark.parametrize(("chance", "told"), [(0.0004, "less than 1%"), (0.5, "50%"), (0.999, "more than 99%")])
def test_no_chance_is_told_as_nothing_or_as_certain(chance: float, told: str) -> None:
    assert confidence_words(chance) == told


def test_only_so_many_questions_wait_behind_one(desk: PendingWork) -> None:
    first = question_panel.ask_alone(SLOW, desk)
    next(first)
    for _ in range(SHARES.of_session):
        assert list(question_panel.ask_alone(LANGUAGE, desk))
    with pytest.raises(gr.Error, match=f"You have {SHARES.of_session} waiting"):
        list(question_panel.ask_alone(LANGUAGE, desk))
    desk.stop()
    first.close()
    assert not desk.answering


def test_a_second_question_waits_for_the_first(desk: PendingWork) -> None:
    first = question_panel.ask_alone(SLOW, desk)
    next(first)
    assert list(question_panel.ask_alone(LANGUAGE, desk)) == [(gr.skip(),) * 3]
    _, progress, _ = next(first)
    assert SLOW in progress
    assert f"Asked next: {LANGUAGE}" in progress
    question_panel.stop(desk)
    shown, refused = last(first)
    assert shown.asked.dialogue.asked == LANGUAGE
    assert SLOW in refused, "the stopped question stays in sight"
    assert not desk.answering


def test_an_example_is_answered_where_nothing_was_asked_and_is_kept_by_nobody(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kept_questions.EXAMPLE in {each.question for each in examples().values()}
    monkeypatch.setattr(kept_questions, "EXAMPLE", LANGUAGE)
    desk = PendingWork(assistant, Jobs(1))
    shown = kept_questions.open_example(QuestionVisit(), desk)
    assert shown.example
    assert shown.asked.dialogue.asked == LANGUAGE
    assert kept_questions.entry(shown, desk) == gr.skip(), "the browser keeps what a person asked"
    *_, (asked, _, _) = working(desk, lambda report: QuestionVisit(desk.ask(LANGUAGE, report)), LANGUAGE)
    assert kept_questions.entry(asked, desk) != gr.skip()
    assert kept_questions.open_example(QuestionVisit(), desk) == gr.skip(), "what was asked comes before an example"
    assert kept_questions.open_example(asked, PendingWork(assistant, Jobs(1))) == gr.skip()
