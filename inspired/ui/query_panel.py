"""The other ways in: a query in SPARQL, or a dialogue that was exported."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from backend.errors import InspiredError, ParleyError
from backend.jobs import ReportProgress
from backend.ui import errors_in_words
from inspired.dialogue.dialogue import read_names, write_names
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.records import read_record
from inspired.ui.examples import examples
from inspired.ui.question_panel import PRIVATE, QuestionPanel, then_show
from inspired.ui.render import problem_html
from inspired.ui.visit import PendingWork, QuestionVisit, Shown, working

LARGEST_DIALOGUE = 1_000_000  # bytes
PASTED = "The query that you pasted"


def place(panel: QuestionPanel, visit: gr.State, desk: gr.State) -> None:
    with gr.Accordion("Start from SPARQL, or open a dialogue", open=False, elem_id="kb-sparql"):
        example = gr.Dropdown(list(examples()), value=None, label="Begin with an example", filterable=False)
        query = gr.Textbox(
            label="SPARQL query", lines=7, max_lines=18, placeholder="SELECT DISTINCT ?x WHERE { ... }",
            info="As in ComplexWebQuestions, standard SPARQL 1.1, or the compact form", elem_classes="kb-query",
        )  # fmt: skip
        in_words = gr.Textbox(label="The question it answers (optional)", max_lines=3)
        names = gr.Textbox(
            label="Names of its entities (optional)", lines=2, max_lines=8, placeholder="m.city_2761369 = Vienna",
            info="One a line: id = name. Names that the knowledge base has are found without this.",
        )  # fmt: skip
        with gr.Row():
            show = gr.Button("Show steps and answers", variant="primary")
            opened = gr.UploadButton("Open an exported dialogue", file_types=[".json"], type="binary", size="md")
    example.input(choose_example, example, [query, names, in_words], **PRIVATE)
    outputs: list[Any] = [visit, *panel.outputs]
    shown = show.click(show_steps, [query, names, in_words, desk], outputs, show_progress="hidden", **PRIVATE)
    then_show(shown, panel, desk)
    opened.upload(open_dialogue, opened, [visit, panel.status, panel.question], **PRIVATE).success(
        None, None, None, js=panel.to_answer, **PRIVATE
    )


@errors_in_words
def show_steps(query: str, names: str, question: str, desk: PendingWork) -> Iterator[Shown]:
    """Answer a query; `question` says in words what it asks, or is empty."""

    def work(report: ReportProgress) -> QuestionVisit:
        return QuestionVisit(desk.assistant.start(query, read_names(names), question, report))

    yield from working(desk, work, about=question.strip() or PASTED)


def choose_example(label: str) -> tuple[str, str, str]:
    """Query, names and question of an example."""
    chosen = examples()[label]
    return chosen.sparql, write_names(chosen.names), chosen.question


@errors_in_words
def open_dialogue(content: bytes | None) -> tuple[Any, str, Any]:
    """The exported dialogue with the answers that were recorded, and the question line for it."""
    try:
        if content is None:
            raise InspiredError("There is no file yet; choose a dialogue that was exported here.")
        if len(content) > LARGEST_DIALOGUE:
            raise InspiredError(f"The file has {len(content):,} bytes; a dialogue has at most {LARGEST_DIALOGUE:,}.")
        dialogue = read_record(content.decode("utf-8", "replace"))
    except ParleyError as error:
        return gr.skip(), problem_html(error.shown), gr.skip()
    return QuestionVisit(AskedQuestion(dialogue)), "", dialogue.asked or gr.skip()
