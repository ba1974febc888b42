"""The tab "Ask a knowledge base": a question in words, its answer, the steps to it, and corrections of any step."""

from pathlib import Path
from typing import Any

import gradio as gr
from gradio.events import api

from backend.jobs import Jobs
from backend.program.settings import Settings
from backend.storage.database import Database
from backend.text.html_pieces import style_sheet
from backend.ui import heading, json_endpoint, number_on_page
from inspired.dialogue.interface.program_calls import KnowledgeCalls
from inspired.dialogue.remembered_questions import RememberedQuestions
from inspired.dialogue.session import Assistant, assistant_for, open_assistant
from inspired.ui import answer_panel, kept_questions, name_offers, own_graph_panel, query_panel, question_panel
from inspired.ui.visit import PendingWork, QuestionVisit

STYLE = Path(__file__).with_name("ask.css")
QUESTIONS_AT_ONCE = 8


ROOT = "kb-root"


def build(source: Settings | str | Path | None = None, database: Database | None = None) -> None:
    """Place the tab into the present `gr.Tab`, or anywhere in a `gr.Blocks`, as often as wanted.

    `source` is a knowledge base as in `inspired.ask`: a file, a folder, the address of an endpoint, or None for the graph of
    the world that comes with Parley; or the settings of an app. In the `database` stand the corrections that people
    leave for review; without one none is kept. Raises KnowledgeBaseError if there is no such knowledge base.
    """
    number = number_on_page(ROOT)
    key = f"kb{number + 1}" if number else "kb"  # the name in the address and in what the browser keeps
    with gr.Column(elem_classes=[ROOT, f"{key}-root"]):
        _place(_assistant(source), key, database)


def _assistant(source: Settings | str | Path | None) -> Assistant:
    if isinstance(source, Settings):
        return open_assistant(source)
    return assistant_for(None if source is None else str(source))


def _place(assistant: Assistant, key: str, database: Database | None) -> None:
    visit: Any = gr.State(QuestionVisit())  # each session begins with a copy
    remembered = None if database is None else RememberedQuestions(database, assistant.label)
    desk = gr.State(PendingWork(assistant, Jobs(QUESTIONS_AT_ONCE), remembered))
    gr.HTML(style_sheet(STYLE), padding=False, elem_classes="kb-style")
    with gr.Column(elem_id="kb-tab"):
        heading(
            "Ask a knowledge base",
            "See the answer and each step that led to it, correct any step, and go on: “which of them …?”",
        )
        panel = question_panel.place(assistant, key)
        name_offers.place_and_wire(key, desk)
        kept_questions.place_and_wire(panel, visit, desk, assistant)
        answer_panel.place(visit, desk, panel)
        query_panel.place(panel, visit, desk)
        own_graph_panel.place_and_wire(panel, visit, desk)
    question_panel.wire(panel, visit, desk)

    for call in KnowledgeCalls(assistant, remembered).calls:
        api(json_endpoint(call), api_name=call.__name__)
