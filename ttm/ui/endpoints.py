"""Endpoints for programs, with names that stay: those of `ProgramCalls`, and `/ttm_chat` and `/ttm_parse` from before these.

For the older two a client's session has one conversation, kept on the server as that of a browser tab is.
"""

from copy import deepcopy
from typing import Any

import gradio as gr
from gradio.events import api

from backend.ui import errors_in_plain_words, json_endpoint
from ttm.chat.catalogue import SubjectCatalogue
from ttm.chat.export import readings_json, turn_json
from ttm.chat.interface.program_calls import ProgramCalls
from ttm.chat.session import check_question
from ttm.ui.visit import ChatVisit

NO_TOOL = "endpoint"  # anything but "tool": the older endpoints need a session, which an agent's call has not
SENT_BY, MCP = "x-gradio-user", "mcp"  # the header with which gradio marks what came through MCP


@errors_in_plain_words
def ttm_chat(message: str, dataset: str, visit: ChatVisit, request: gr.Request) -> tuple[str, str, list[Any]]:
    """Answer a question about a predictive model and the table that it was trained on, in plain language.

    It can be about rows of the table, predictions, the reasons for them, what would change them (counterfactuals, what-if),
    mistakes and scores of the model, and what the data set holds.

    Args:
        message: The question, such as "why is the prediction for id 5 what it is?" or "how accurate is the model?".
        dataset: Name of a data set that this Parley offers; empty for the one that is open.

    Returns:
        the answer in words
        how the question was understood, in the parse language (empty if Parley asks back)
        the results as a list of JSON objects
    """
    visit = _conversation(visit, request)
    _choose(visit, dataset)
    turn = turn_json(visit.session, visit.session.ask(message))
    visit.session.forget_rendered()  # a program has no screen on which it is drawn again, and a figure takes 80 kB
    return turn["text"], turn["parse"] or "", turn["result"]


@errors_in_plain_words
def ttm_parse(message: str, dataset: str, visit: ChatVisit, request: gr.Request) -> tuple[str, float, list[dict[str, Any]]]:
    """Show how a question about the model would be understood, without answering it.

    Args:
        message: The question in plain language.
        dataset: Name of a data set that this Parley offers; empty for the one that is open.

    Returns:
        the best parse in the parse language (empty if there is none)
        its confidence from 0 to 1
        all readings as a list of objects with parse, confidence and words
    """
    visit = _conversation(visit, request)
    _choose(visit, dataset)
    understanding = visit.session.understand(check_question(message))
    readings = readings_json(understanding, visit.session.schema)
    best = understanding.best
    return (str(best.parse), best.confidence, readings) if best else ("", 0.0, [])


def _conversation(visit: ChatVisit, request: gr.Request) -> ChatVisit:
    """The conversation that a call belongs to: of its session, or through MCP a new one.

    Gradio sends every MCP call through one client of its own, so that all its callers would share one conversation.
    """
    return deepcopy(visit) if request.headers.get(SENT_BY) == MCP else visit


def _choose(visit: ChatVisit, dataset: str) -> None:
    if dataset and dataset != visit.session.name:
        visit.talk_about(dataset)


def place_and_wire(visit: gr.State, subjects: SubjectCatalogue) -> None:
    """Make the endpoints: those of `ProgramCalls` are tools for agents as well, the two older ones are not."""
    for call in ProgramCalls(subjects).calls:
        api(json_endpoint(call), api_name=call.__name__)
    with gr.Row(visible=False):
        message, dataset = gr.Textbox(label="message"), gr.Textbox("", label="dataset")
        text, parse, confidence = gr.Textbox(label="text"), gr.Textbox(label="parse"), gr.Number(label="confidence")
        results, readings = (gr.JSON(label=name) for name in ("results", "readings"))
        chat, understand = gr.Button(), gr.Button()
    for older in (ttm_chat, ttm_parse):
        older.__dict__["_mcp_type"] = NO_TOOL
    chat.click(ttm_chat, [message, dataset, visit], [text, parse, results], api_name="ttm_chat")
    understand.click(ttm_parse, [message, dataset, visit], [parse, confidence, readings], api_name="ttm_parse")
