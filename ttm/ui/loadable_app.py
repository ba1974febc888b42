"""A chat made in Python as a page of plain Gradio components, which `gr.load` can place into the apps of others.

`gr.load` rebuilds a page from its list of components and calls its public endpoints through one client that all visitors share.
So the conversation is kept by its name, which lies in the page of each visitor, and neither endpoints made by `gr.api` nor
handlers of the full tab, which belong to a browser's session, are used here.
"""

import gradio as gr
from markupsafe import Markup

from backend.text.templates import Macros
from backend.ui import errors_in_words
from ttm.chat.interface.chat import ModelChat
from ttm.chat.interface.notebook_display import answer_html
from ttm.chat.interface.program_calls import ProgramCalls
from ttm.chat.session import LONGEST_QUESTION

HTML = Macros(__file__)
ANSWERS_SHOWN = 20


def place(chat: ModelChat) -> None:
    """Place a question, its answer and those before it into the present `gr.Blocks`."""
    calls = ProgramCalls(chat.subjects)

    @errors_in_words
    def ask(message: str, conversation: str) -> tuple[str, str, str]:
        """Answer a question about a predictive model and its table, in plain language.

        Args:
            message: The question, such as "how accurate is the model?".
            conversation: What an earlier answer gave as its conversation; empty begins a new one.

        Returns:
            the conversation so far as HTML
            the name of the conversation, to go on with
            an empty text, for the next question
        """
        name, kept = calls.conversation("", conversation)
        kept.ask(message)
        shown = reversed(kept.answers[-ANSWERS_SHOWN:])
        turns = [(one.utterance, Markup(answer_html(one, in_python=False))) for one in shown]
        return str(HTML("conversation", turns)), name, ""

    gr.Markdown(f"Ask about a model that predicts {chat.schema.objective}.")
    conversation = gr.Textbox(label="conversation", visible=False)
    message = gr.Textbox(label="Your question", placeholder="how accurate is the model?", max_length=LONGEST_QUESTION)
    send = gr.Button("Ask", variant="primary")
    answers = gr.HTML(label="answers")
    gr.on([send.click, message.submit], ask, [message, conversation], [answers, conversation, message], api_name="ask")
