"""The tab "Ask a knowledge base": a question in words, its answer, the steps to it, and corrections of any step."""

from pathlib import Path
from typing import Any

import gradio as gr
from gradio.events import api

from backend.jobs import Jobs
from backend.program.settings import Settings
from backend.storage.database import Database
from backend.ui import errors_in_words, heading
from inspired.dialogue.dialogue import start
from inspired.dialogue.records import write_record
from inspired.dialogue.session import open_assistant, silent
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

    @errors_in_words
    def inspired_ask(question: str) -> dict[str, Any]:
        """Answer a question about the world by a knowledge base, with the steps that lead to the answer.

        Args:
            question: A question in plain language, such as "what is the official language of the country with capital Vienna?".

        Returns:
            an INSPIRED record: final_answer, the sub-questions under gold_sub_qs, their queries, and the SPARQL query
        """
        return write_record(assistant.ask(question, silent).dialogue).model_dump()

    api(inspired_ask, api_name="inspired_ask")
    api(inspired_decompose, api_name="inspired_decompose")


@errors_in_words
def inspired_decompose(sparql: str, names: dict[str, str]) -> dict[str, Any]:
    """Decompose a SPARQL query into simple steps, each worded as a question; nothing is looked up.

    Args:
        sparql: A query of the kind that ComplexWebQuestions holds: SELECT DISTINCT ?x with triple patterns and filters.
        names: The names of the entities in the query by their id, such as {"m.0345h": "Germany"}; may be empty.

    Returns:
        an INSPIRED record without answers: the sub-questions under gold_sub_qs and their queries
    """
    return write_record(start(sparql, names)).model_dump()
