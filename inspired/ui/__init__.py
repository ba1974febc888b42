"""The tab "Ask a knowledge base": a question in words, its answer, the steps to it, and corrections of any step."""

from pathlib import Path

import gradio as gr
from gradio.events import api

from backend.jobs import Jobs
from backend.program.settings import Settings
from backend.storage.database import Database
from backend.ui import heading, json_endpoint
from inspired.dialogue.program_calls import KnowledgeCalls
from inspired.dialogue.session import open_assistant
from inspired.ui import answer_panel, kept_questions, query_panel, question_panel
from inspired.ui.visit import PendingWork, QuestionVisit

STYLE = Path(__file__).with_name("ask.css")
QUESTIONS_AT_ONCE = 8


def build(settings: Settings, database: Database) -> None:
    """Place the tab into the present `gr.Tab`. Raises KnowledgeBaseError if there is no such knowledge base."""
    assistant = open_assistant(settings)
    visit = gr.State(lambda: QuestionVisit())  # the class itself would be taken for a value
    desk = gr.State(PendingWork(assistant, Jobs(QUESTIONS_AT_ONCE)))
    gr.HTML(f"<style>{STYLE.read_text('utf-8')}</style>", padding=False, elem_classes="kb-style")
    with gr.Column(elem_id="kb-tab"):
        heading("Ask a knowledge base", "See the answer and each step that led to it, and correct any step.")
        panel = question_panel.place(assistant)
        kept_questions.place_and_wire(panel, visit, desk)
        answer_panel.place(visit, desk, panel)
        query_panel.place(panel, visit, desk)
    question_panel.wire(panel, visit, desk)

    for call in KnowledgeCalls(assistant).calls:
        api(json_endpoint(call), api_name=call.__name__)
