"""What stands under the question: the answer, the steps as cards to correct, and beside them what helps to check."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import gradio as gr

from backend.text.csv_cells import csv_text
from backend.ui import SAVE_FILE, errors_in_words, session_of_call
from inspired.dialogue.dialogue import Dialogue, answer_rows, redo, undo
from inspired.dialogue.last_change import last_change
from inspired.dialogue.readings import AskedQuestion, Meaning
from inspired.dialogue.records import write_record
from inspired.dialogue.references import with_names
from inspired.dialogue.remembered_questions import is_corrected
from inspired.dialogue.session import WORLD_FACTS
from inspired.logical_form.sparql_writer import write_compact, write_sparql
from inspired.ui import step_panel
from inspired.ui.answer_table import SCRIPT, answer_table_html
from inspired.ui.drawing.picture import query_graph
from inspired.ui.drawing.svg import draw
from inspired.ui.question_panel import PRIVATE, QuestionPanel, ask_alone
from inspired.ui.render import (
    answer_html,
    change_html,
    corrected_html,
    doubt_html,
    drawing_html,
    empty_html,
    example_html,
    follow_up_html,
    history_html,
    keeping_html,
    offered_html,
    problems_html,
    question_html,
    reading_html,
    steps_html,
    unsure_html,
    unused_html,
)
from inspired.ui.visit import PendingWork, QuestionVisit, Shown, working

CONSENT = (
    "Others may ask the same. If you leave your correction, your question in your words and the corrected query are kept, "
    "without your name, and a reviewer decides whether others are understood so."
)
KEPT = "Your correction waits for a reviewer. Thank you."
UNSURE = 0.4  # likely to this degree or more, a reading is shown without a warning


def place(visit: gr.State, desk: gr.State, panel: QuestionPanel) -> None:
    outputs: list[Any] = [visit, *panel.outputs]
    gr.HTML(js_on_load=SCRIPT.read_text("utf-8"), padding=False, elem_classes="kb-style")

    # One at a time: gradio 6.31 goes through all components of a page while another of its answers may be adding some.
    @gr.render(  # type: ignore[untyped-decorator]  # no types
        inputs=[visit, desk], triggers=[_blocks().load, visit.change], concurrency_limit=1, concurrency_id="answer"
    )
    def answer(now: QuestionVisit, at: PendingWork) -> None:
        if now.asked is None:
            example_comes = at.assistant.label == WORLD_FACTS and at.job is None
            gr.HTML(empty_html(example_comes), padding=False, elem_id="kb-answer")
            return
        asked, dialogue = now.asked, now.asked.dialogue
        with gr.Row(elem_classes="kb-main"):
            with gr.Column(scale=7, min_width=320, elem_id="kb-answer"):
                if now.example:
                    gr.HTML(example_html(), padding=False)
                gr.HTML(question_html(dialogue), padding=False)
                if asked.follows:
                    _place_follow_up(asked, visit, desk, outputs)
                doubtful = is_doubtful(asked)
                _place_notes(now, asked, doubtful)
                if not asked.is_improbable:
                    _place_answer(now, dialogue, doubtful)
                if doubtful:
                    _place_readings(asked, visit, desk, outputs)
                if dialogue.answers and dialogue.answers.recorded:
                    again = gr.Button("Look the answers up again", size="sm", elem_id="kb-again")
                    again.click(look_up, [visit, desk], outputs, show_progress="hidden", **PRIVATE)
                if change := change_html(dialogue):
                    gr.HTML(change, padding=False)
                _place_doubts(asked, at, visit, desk, outputs)
                gr.HTML(steps_html(dialogue, asked.is_improbable), padding=False)
                changed = last_change(dialogue)
                for number in range(1, len(dialogue.current.steps) + 1):
                    step_panel.place(now, at, number, changed, visit, desk, outputs)
            with gr.Column(scale=4, min_width=300, elem_classes="kb-side"):
                _place_side(asked, at, visit, desk, outputs)


def _place_follow_up(asked: AskedQuestion, visit: gr.State, desk: gr.State, outputs: list[Any]) -> None:
    """What the question goes on from, with a button to ask it by itself."""
    with gr.Row(elem_classes="kb-follow-up"):
        gr.HTML(follow_up_html(asked), padding=False)
        if asked.stands_alone:
            alone = gr.Button("Ask it by itself", size="sm", scale=0, min_width=80, elem_classes="kb-chip", elem_id="kb-alone")
            alone.click(partial(ask_alone, asked.dialogue.asked), desk, outputs, show_progress="hidden", **PRIVATE)


def _place_answer(now: QuestionVisit, dialogue: Dialogue, doubtful: bool) -> None:
    gr.HTML(problems_html(dialogue) or answer_html(dialogue, doubtful or bool(now.unused)), padding=False)
    if table := answer_table_html(dialogue.answers.final if dialogue.answers else None):
        gr.HTML(table, padding=False)


def _place_notes(now: QuestionVisit, asked: AskedQuestion, doubtful: bool) -> None:
    """What to know before the answer: who corrected it, and how sure it is."""
    notes = [corrected_html(asked.corrected_by)] if asked.corrected_by else []
    notes += [offered_html(asked.offered_by)] if asked.offered_by else []
    notes += [unsure_html(asked.reading, asked.is_improbable)] if doubtful and asked.reading is not None else []
    notes += [unused_html(now.unused)] if now.unused else []
    for note in notes:
        gr.HTML(note, padding=False)


def is_doubtful(asked: AskedQuestion) -> bool:
    """Whether it is unlikely that the question was understood, so that its answer is not to look like a sure one."""
    reading = asked.reading
    if reading is None or asked.dialogue.feedback:
        return False
    return bool(reading.unused) or reading.confidence < UNSURE


def _place_doubts(asked: AskedQuestion, at: PendingWork, visit: gr.State, desk: gr.State, outputs: list[Any]) -> None:
    """Names that could mean something else, with a button for each thing, and words that were not used."""
    reading = asked.reading
    if reading is None:
        return
    for index, name in enumerate(reading.ambiguous):
        gr.HTML(doubt_html(name.text), padding=False)
        with gr.Row(elem_classes="kb-meanings"):
            for each in at.assistant.meanings(name):
                button = gr.Button(_meaning(each, asked), size="sm", scale=0, min_width=80, elem_classes="kb-chip")
                button.click(partial(take_meaning, index, each.id), [visit, desk], outputs, show_progress="hidden", **PRIVATE)
    if reading.unused:
        gr.HTML(unused_html(reading.unused), padding=False)


def _meaning(meaning: Meaning, asked: AskedQuestion) -> str:
    taken = "✓ " if meaning.id in write_sparql(asked.dialogue.form, prefixes=True) else ""
    return f"{taken}{meaning.name}: {meaning.kind}" if meaning.kind else f"{taken}{meaning.name}"


def _place_side(asked: AskedQuestion, at: PendingWork, visit: gr.State, desk: gr.State, outputs: list[Any]) -> None:
    dialogue = asked.dialogue
    graph = query_graph(dialogue.current, {**at.assistant.property_names(), **dialogue.names})
    gr.HTML(drawing_html(draw(graph), graph.sentences()), padding=False)
    if not is_doubtful(asked):
        _place_readings(asked, visit, desk, outputs)
    _place_history(dialogue, at, visit, desk)
    if at.remembered is not None and is_corrected(dialogue) and not asked.follows:  # a follow-up means nothing by itself
        _place_keeping(at, dialogue, visit, desk)
    with gr.Accordion("The complete logical form", open=False):
        _place_form("named", "With names", with_names(write_sparql(dialogue.form, prefixes=True), dialogue.names))
        _place_form("standard", "SPARQL 1.1, ready to run", write_sparql(dialogue.form))
        _place_form("compact", "Compact, as in the paper", write_compact(dialogue.form), wrapped=True)


def _place_keeping(at: PendingWork, dialogue: Dialogue, visit: gr.State, desk: gr.State) -> None:
    """The button by which an author leaves their correction, with what it means to press it."""
    if at.kept == (dialogue.predicted, dialogue.current):
        gr.HTML(keeping_html(KEPT), padding=False)
        return
    status = gr.HTML(keeping_html(CONSENT), padding=False)
    button = gr.Button("Leave my correction for review", size="sm", elem_id="kb-keep")
    button.click(keep_correction, [visit, desk], [status, button], **PRIVATE)


def _place_readings(asked: AskedQuestion, visit: gr.State, desk: gr.State, outputs: list[Any]) -> None:
    others = asked.others()
    if not others:
        return
    with gr.Accordion(
        f"Other readings of your question ({len(others)})",
        open=is_doubtful(asked) or bool(asked.offered_by),
        elem_id="kb-readings",
    ):
        for index, each in others:
            with gr.Row(elem_classes="kb-reading"):
                gr.HTML(reading_html(each), padding=False)
                take = gr.Button("Take this", size="sm", scale=0, min_width=90)
                take.click(partial(take_reading, index), [visit, desk], outputs, show_progress="hidden", **PRIVATE)


def _place_history(dialogue: Dialogue, at: PendingWork, visit: gr.State, desk: gr.State) -> None:
    """Corrections so far, to take back or make again, and the export of all."""
    if dialogue.feedback:
        gr.HTML(history_html(dialogue), padding=False)
    with gr.Row(elem_classes="kb-buttons"):
        if dialogue.before is not None:
            gr.Button("Undo", size="sm").click(partial(go_back, False), visit, visit, **PRIVATE)
        if dialogue.undone is not None:
            gr.Button("Redo", size="sm").click(partial(go_back, True), visit, visit, **PRIVATE)
        if dialogue.asked and at.at_home:
            gr.Button("Copy link", size="sm", elem_id="kb-copy")
        export = gr.Button("Export as JSON", size="sm", elem_id="kb-export")
        table = gr.Button("Answers as CSV", size="sm", elem_id="kb-csv") if dialogue.answers else None
    file = gr.JSON(visible="hidden")
    if table is not None:
        table.click(export_answers, visit, file, **PRIVATE).success(None, file, None, js=SAVE_FILE, **PRIVATE)
    export.click(export_dialogue, visit, file, **PRIVATE).success(None, file, None, js=SAVE_FILE, **PRIVATE)


def _place_form(name: str, label: str, text: str, wrapped: bool = False) -> None:
    # In a closed fold the browser cannot measure the text, so the height is set here.
    lines = len(text) // 40 + 1 if wrapped else text.count("\n") + text.count("http://rdf")
    gr.Textbox(text.rstrip(), label=label, lines=min(lines, 16), max_lines=16, interactive=False, buttons=["copy"],
               elem_classes="kb-query", elem_id=f"kb-{name}")  # fmt: skip


def _blocks() -> gr.Blocks:
    blocks = gr.context.Context.root_block
    assert blocks is not None, "build is called inside gr.Blocks"
    return blocks


# --- handlers ------------------------------------------------------------------------------------------------------------


def asked_of(visit: QuestionVisit) -> AskedQuestion:
    assert visit.asked is not None, "nothing to correct stands on the screen"
    return visit.asked


@errors_in_words
def take_reading(index: int, visit: QuestionVisit, desk: PendingWork) -> Iterator[Shown]:
    asked = asked_of(visit)
    yield from working(desk, lambda report: QuestionVisit(desk.assistant.take(asked, index, report)))


@errors_in_words
def take_meaning(index: int, meant: str, visit: QuestionVisit, desk: PendingWork) -> Iterator[Shown]:
    asked = asked_of(visit)
    assert asked.reading is not None
    name = asked.reading.ambiguous[index]
    yield from working(desk, lambda report: QuestionVisit(desk.assistant.take_meaning(asked, name, meant, report)))


@errors_in_words
def look_up(visit: QuestionVisit, desk: PendingWork) -> Iterator[Shown]:
    """The answers that the knowledge base gives now, in place of those recorded in a file."""
    asked = asked_of(visit)
    yield from working(desk, lambda report: QuestionVisit(asked.now(desk.assistant.answered(asked.dialogue, report))))


@errors_in_words
def keep_correction(visit: QuestionVisit, desk: PendingWork) -> tuple[str, Any]:
    """Keep what was corrected, with the consent that pressing the button gives."""
    dialogue = asked_of(visit).dialogue
    assert desk.remembered is not None
    if desk.kept != (dialogue.predicted, dialogue.current):
        desk.remembered.keep(dialogue, session_of_call())
        desk.kept = (dialogue.predicted, dialogue.current)
    return keeping_html(KEPT), gr.update(visible=False)


@errors_in_words
def go_back(again: bool, visit: QuestionVisit) -> QuestionVisit:
    """Take the last correction back, or with `again` make the one that was taken back."""
    asked = asked_of(visit)
    dialogue = redo(asked.dialogue) if again else undo(asked.dialogue)
    return QuestionVisit(asked.now(dialogue))


@errors_in_words
def export_dialogue(visit: QuestionVisit) -> dict[str, str]:
    """The dialogue as an INSPIRED record, in a file for the browser to save."""
    text = json.dumps(write_record(asked_of(visit).dialogue).model_dump(), ensure_ascii=False, indent=2)
    return {"name": "dialogue.json", "type": "application/json", "content": text}


@errors_in_words
def export_answers(visit: QuestionVisit) -> dict[str, str]:
    """The answers to each step and to the whole question as a table, in a file for the browser to save."""
    return {"name": "answers.csv", "type": "text/csv", "content": csv_text(answer_rows(asked_of(visit).dialogue))}
