"""The data browser: rows with the model's predictions, a filter, and questions about the row that was clicked."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr
import pandas as pd

from backend.errors import ExecutionError
from backend.text.html_pieces import paragraph
from backend.text.templates import Macros
from backend.ui import errors_in_words
from ttm.chat.row_browser import Page, browse, row_question
from ttm.chat.suggestions import SuggestedQuestion
from ttm.ui.chat_panel import answering, asked
from ttm.ui.visit import ChatVisit

Update = dict[str, Any]
# What can be asked about a row with one click: the button, the question in words and the parse after the id.
ROW_QUESTIONS = {
    "predict": ("Prediction", "What does the model predict for id {id}?", "predict"),
    "why": ("Why?", "Why does the model predict this for id {id}?", "explain features"),
    "change": ("What would change it?", "What would have to change for id {id} to be predicted differently?", "explain cfe"),
    "similar": ("Similar rows", "Which rows are most like id {id}?", "similar 5"),
}
HTML = Macros(__file__)
HINT = "Click a row to ask about it."


@dataclass(frozen=True)
class DataPanel:
    filter: gr.Textbox
    count: gr.HTML
    table: gr.Dataframe
    chosen: gr.HTML
    ask: dict[str, gr.Button]
    what_if: gr.Button
    compose: gr.Button

    @property
    def page(self) -> list[Any]:
        return [self.count, self.table]


def place() -> DataPanel:
    with gr.Row(equal_height=True, elem_classes="ttm-filter"):
        filter_ = gr.Textbox(
            label="Filter", placeholder="for example: age > 40, bmi <= 30", scale=3, max_length=300, elem_id="ttm-filter",
            info="Parts between commas must all hold; words are looked for in named values and ids.", min_width=240,
        )  # fmt: skip
    matches = gr.HTML(padding=False, elem_classes="ttm-note")
    with gr.Row(elem_classes="ttm-buttons ttm-row-questions", equal_height=True):
        chosen = gr.HTML(HTML("hint", HINT), padding=False, elem_classes="ttm-tools-label")
        ask = {name: gr.Button(label, size="sm", min_width=90, scale=0, interactive=False)
               for name, (label, _, _) in ROW_QUESTIONS.items()}  # fmt: skip
        what_if = gr.Button("What if", size="sm", min_width=80, scale=0, interactive=False, elem_id="ttm-row-whatif")
        compose = gr.Button("Write my own …", size="sm", min_width=110, scale=0, interactive=False)
    table = gr.Dataframe(
        interactive=False, show_label=False, label="Rows", max_height=380, elem_id="ttm-rows", wrap=False, buttons=[],
        type="pandas",
    )  # fmt: skip
    return DataPanel(filter_, matches, table, chosen, ask, what_if, compose)


@errors_in_words
def show(query: str | None, visit: ChatVisit) -> tuple[str, Update]:
    """The rows that fit the filter; those before, and the reason, if it cannot be read."""
    try:
        page = browse(visit.session.loaded.subject, query or "")
    except ExecutionError as error:
        return paragraph(error.message, "ttm-unanswered", "alert"), gr.skip()
    return _count_html(page), gr.update(value=pd.DataFrame(page.rows, columns=page.columns))


def _count_html(page: Page) -> str:
    if not page.matching:
        return paragraph("No row fits this filter.")
    shown = f" The first {len(page.rows):,} are shown." if page.matching > len(page.rows) else ""
    return paragraph(f"{page.matching:,} of {page.total:,} rows.{shown}")


@errors_in_words
def choose_row(visit: ChatVisit, selected: gr.SelectData) -> tuple[Any, ...]:
    """Remember the row that was clicked, and let it be asked about."""
    cells = selected.row_value
    if not isinstance(cells, list) or not cells:
        raise ExecutionError("No row was chosen; click on one in the table.")
    visit.row = str(cells[0])
    return HTML("chosen", visit.row), *[gr.update(interactive=True)] * (len(ROW_QUESTIONS) + 2)


@errors_in_words
def ask_about_row(kind: str, visit: ChatVisit) -> Iterator[Update]:
    """Ask a question about the chosen row."""
    if visit.row is None:
        return
    _, words, parse = ROW_QUESTIONS[kind]
    question = visit.session.offer(SuggestedQuestion(words.format(id=visit.row), row_question(visit.row, parse)))
    yield from answering(visit, asked(question.utterance))


def compose_about_row(visit: ChatVisit) -> Update:
    """Begin a question about the chosen row in the composer."""
    return gr.update(value=f"For id {visit.row}, ")


def wire(panel: DataPanel, visit: gr.State, chatbot: gr.Chatbot, composer: gr.Textbox) -> None:
    private: dict[str, Any] = {"api_visibility": "private"}
    quiet = {"show_progress": "hidden", **private}
    buttons = [*panel.ask.values(), panel.what_if, panel.compose]
    gr.on([panel.filter.submit, panel.filter.blur], show, [panel.filter, visit], panel.page, **private)
    panel.table.select(choose_row, visit, [panel.chosen, *buttons], **private)
    for kind, button in panel.ask.items():
        button.click(partial(ask_about_row, kind), visit, chatbot, trigger_mode="multiple", **quiet)
    panel.compose.click(compose_about_row, visit, composer, **private)
