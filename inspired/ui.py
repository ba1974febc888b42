"""The tab "Ask a knowledge base": a query as steps in plain questions, and corrections of any step."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.events import api

from backend.database import Database
from backend.settings import Settings
from backend.ui import errors_in_words, heading
from inspired.dialogue import Dialogue, delete_step, insert_step, read_names, replace_step, start, undo, write_names
from inspired.examples import examples
from inspired.records import read_record, write_record
from inspired.references import with_names
from inspired.render import history_html, problems_html, step_html, type_html
from inspired.sparql_text import write_compact, write_sparql

NOTE = (
    "Two things are not here yet: answering from a knowledge base, and turning a typed question into a query. "
    "So you start from a query, and see questions without answers."
)
HOW_TO_EDIT = "Write an entity by its name in brackets, as in [Paris], by a phrase such as [that country], or by its id."
WRITING = {
    "Edit": "Sub-logical form of step {0}",
    "Insert before": "New step before step {0}",
    "Insert after": "New step after step {0}",
}
STYLE = Path(__file__).parent / "ask.css"
# On a narrow screen the steps are below the form.
TO_STEPS = '() => { if (innerWidth < 800) document.getElementById("kb-steps").scrollIntoView({behavior: "smooth"}) }'
DOWNLOAD = """(text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type: "application/json"}));
  link.download = "dialogue.json";
  link.click();
  URL.revokeObjectURL(link.href);
}"""


# Compared by identity: gradio hashes a state to see whether it changed, and each handler returns a new one.
@dataclass(frozen=True, eq=False)
class Visit:
    """What one browser tab holds: its dialogue, and the step at which something is being written, if any.

    `writing` is one of WRITING: the step itself, or a new one before or after it.
    """

    dialogue: Dialogue | None = None
    step: int | None = None
    writing: str = "Edit"


def build(settings: Settings, database: Database) -> None:
    """Place the tab into the present `gr.Tab`."""
    visit = gr.State(lambda: Visit())  # the class itself would be taken for a value
    gr.HTML(f"<style>{STYLE.read_text('utf-8')}</style>", padding=False, elem_classes="kb-style")
    heading("Ask a knowledge base", "See a complex query as steps in plain questions, and correct any step.")
    gr.HTML(f'<p class="kb-note">{NOTE}</p>', padding=False)
    with gr.Row():
        with gr.Column(scale=4, min_width=320):
            example = gr.Dropdown(list(examples()), value=None, label="Begin with an example", filterable=False)
            query = gr.Textbox(
                label="SPARQL query", lines=9, max_lines=18, placeholder="SELECT DISTINCT ?x WHERE { ... }",
                info="As in ComplexWebQuestions, standard SPARQL 1.1, or the compact form", elem_classes="kb-query",
            )  # fmt: skip
            question = gr.Textbox(label="The question it answers (optional)", max_lines=3)
            names = gr.Textbox(
                label="Names of its entities (optional)", lines=2, max_lines=8, placeholder="m.05qtj = Paris",
                info="One a line: id = name",
            )  # fmt: skip
            show = gr.Button("Show the steps", variant="primary")
            opened = gr.UploadButton("Open an exported dialogue", file_types=[".json"], type="binary", size="md")
        with gr.Column(scale=6, min_width=320, elem_id="kb-steps"):
            _place_dialogue(visit)
    example.input(choose_example, example, [query, question, names], api_visibility="private").success(
        begin, [query, names, question], visit, api_visibility="private"
    )
    show.click(show_steps, [query, names, question, visit], visit, api_visibility="private").success(
        None, None, None, js=TO_STEPS, api_visibility="private"
    )
    opened.upload(open_dialogue, opened, [visit, query, question, names], api_visibility="private")
    api(decompose_query, api_name="inspired_decompose")


def _place_dialogue(visit: gr.State) -> None:
    @gr.render(inputs=visit)  # type: ignore[untyped-decorator]  # gradio gives it no types
    def steps(now: Visit) -> None:
        if now.dialogue is None:
            gr.HTML('<div class="kb-empty">The steps of your query appear here.</div>', padding=False)
            return
        dialogue = now.dialogue
        gr.HTML(type_html(dialogue), padding=False)
        if problem := problems_html(dialogue):
            gr.HTML(problem, padding=False)
        for number, said in enumerate(dialogue.in_words().questions, 1):
            _place_step(visit, now, number, said)
        _place_rest(visit, dialogue)


def _place_step(visit: gr.State, now: Visit, number: int, said: str) -> None:
    assert now.dialogue is not None
    writes_here = now.step == number
    code = "" if writes_here and now.writing == "Edit" else now.dialogue.step_text(number)
    with gr.Column(elem_classes="kb-card"):
        gr.HTML(step_html(number, said, code), padding=False)
        if writes_here:
            _place_editor(visit, now, number)
            return
        with gr.Row(elem_classes="kb-buttons"):
            for label in WRITING:
                gr.Button(label, size="sm").click(partial(write, number, label), visit, visit, api_visibility="private")
            gr.Button("Delete", size="sm", variant="stop").click(
                partial(delete, number), visit, visit, api_visibility="private"
            )


def _place_editor(visit: gr.State, now: Visit, number: int) -> None:
    assert now.dialogue is not None
    text = gr.Textbox(
        now.dialogue.step_text(number) if now.writing == "Edit" else "", label=WRITING[now.writing].format(number),
        info=HOW_TO_EDIT, lines=3, max_lines=12, elem_classes="kb-editor", autofocus=True, interactive=True,
        placeholder="?x ns:location.country.currency_used [Euro] .",
    )  # fmt: skip
    with gr.Row(elem_classes="kb-buttons"):
        gr.Button("Cancel", size="sm").click(stop_writing, visit, visit, api_visibility="private")
        save = gr.Button("Save" if now.writing == "Edit" else "Insert", size="sm", variant="primary")
    save.click(save_step, [visit, text], visit, api_visibility="private")


def _place_rest(visit: gr.State, dialogue: Dialogue) -> None:
    """What stands under the steps: corrections so far, the complete form, export."""
    if dialogue.feedback:
        gr.HTML(history_html(dialogue), padding=False)
    with gr.Row(elem_classes="kb-buttons"):
        if dialogue.before is not None:
            gr.Button("Undo", size="md").click(undo_correction, visit, visit, api_visibility="private")
        export = gr.Button("Export as JSON", size="md", elem_id="kb-export")
    with gr.Accordion("The complete logical form", open=False):
        _place_form("named", "With names", with_names(write_sparql(dialogue.form, prefixes=True), dialogue.names))
        _place_form("standard", "SPARQL 1.1, ready to run", write_sparql(dialogue.form))
        _place_form("compact", "Compact, as in the paper", write_compact(dialogue.form), wrapped=True)
    record = gr.Textbox(visible="hidden")
    export.click(export_dialogue, visit, record, api_visibility="private").success(
        None, record, None, js=DOWNLOAD, api_visibility="private"
    )


def _place_form(name: str, label: str, text: str, wrapped: bool = False) -> None:
    # In a closed fold the browser cannot measure the text, so the height is set here.
    lines = len(text) // 60 + 1 if wrapped else text.count("\n") + text.count("http://rdf") // 2
    gr.Textbox(text.rstrip(), label=label, lines=min(lines, 16), max_lines=16, interactive=False, buttons=["copy"],
               elem_classes="kb-query", elem_id=f"kb-{name}")  # fmt: skip


def choose_example(label: str) -> tuple[str, str, str]:
    """Query, question and names of an example."""
    chosen = examples()[label]
    return chosen.sparql, chosen.question, write_names(chosen.names)


@errors_in_words
def begin(query: str, names: str, question: str) -> Visit:
    return Visit(start(query, read_names(names), question))


@errors_in_words
def show_steps(query: str, names: str, question: str, now: Visit) -> Visit:
    """The steps of the query; if it is the one on the screen, its corrections stay and names and question are renewed."""
    asked = start(query, read_names(names), question)
    if now.dialogue is None or now.dialogue.predicted != asked.predicted:
        return Visit(asked)
    return Visit(replace(now.dialogue, names=asked.names, question=asked.question))


def write(step: int, writing: str, now: Visit) -> Visit:
    return replace(now, step=step, writing=writing)


def stop_writing(now: Visit) -> Visit:
    return replace(now, step=None)


@errors_in_words
def delete(number: int, now: Visit) -> Visit:
    assert now.dialogue is not None
    return Visit(delete_step(now.dialogue, number))


@errors_in_words
def save_step(now: Visit, text: str) -> Visit:
    assert now.dialogue is not None
    assert now.step is not None
    if now.writing == "Edit":
        return Visit(replace_step(now.dialogue, now.step, text))
    return Visit(insert_step(now.dialogue, now.step - (now.writing == "Insert before"), text))


def undo_correction(now: Visit) -> Visit:
    assert now.dialogue is not None
    return Visit(undo(now.dialogue))


def export_dialogue(now: Visit) -> str:
    """The dialogue as an INSPIRED record, in JSON."""
    assert now.dialogue is not None
    return json.dumps(write_record(now.dialogue).model_dump(), ensure_ascii=False, indent=2)


@errors_in_words
def open_dialogue(content: bytes) -> tuple[Visit, str, str, str]:
    """The exported dialogue, and what goes into the form for it."""
    dialogue = read_record(content.decode("utf-8", "replace"))
    return Visit(dialogue), write_sparql(dialogue.form, prefixes=True), dialogue.question, write_names(dialogue.names)


@errors_in_words
def decompose_query(sparql: str, names: dict[str, str]) -> dict[str, Any]:
    """For programs: the steps of a query as an INSPIRED record without answers."""
    return write_record(start(sparql, names)).model_dump()
