"""Endpoints for programs, with names that stay: `/ttm_chat`, `/ttm_parse` and `/ttm_explain`.

A client's session has one conversation, kept on the server as that of a browser tab is. A call through MCP stands alone.
Gradio reads the docstrings: programs and language models see the first lines as what an endpoint does, and each line under
`Args:` as what a parameter means; such an entry must stay in one line.
"""

from copy import deepcopy
from typing import Any

import gradio as gr

from backend.errors import ExecutionError
from backend.ui import errors_in_words
from ttm.chat.export import readings_json, turn_json
from ttm.chat.row_browser import row_question
from ttm.chat.session import check_question
from ttm.language.parse import Method
from ttm.ui.visit import ChatVisit

SENT_BY, MCP = "x-gradio-user", "mcp"  # the header with which gradio marks what came through MCP


@errors_in_words
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
    return turn["text"], turn["parse"] or "", turn["result"]


@errors_in_words
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


@errors_in_words
def ttm_explain(id: str, method: str, dataset: str, visit: ChatVisit, request: gr.Request) -> dict[str, Any]:
    """Explain why the model predicts what it does for one row of its table.

    Args:
        id: The id of the row, as the first column of the table has it.
        method: features (the most faithful), lime, shap, compare (all), paper (by equation 1), or cfe (counterfactuals).
        dataset: Name of a data set that this Parley offers; empty for the one that is open.

    Returns:
        the explanation as a JSON object
    """
    visit = _conversation(visit, request)
    _choose(visit, dataset)
    methods = [*(one.value for one in Method), "cfe"]
    if method not in methods:
        raise ExecutionError(f"There is no method {method!r}; there are {', '.join(methods)}.")
    result: dict[str, Any] = visit.session.result_of(row_question(id.strip(), f"explain {method}"))
    return result


def _conversation(visit: ChatVisit, request: gr.Request) -> ChatVisit:
    """The conversation that a call belongs to: of its session, or through MCP a new one.

    Gradio sends every MCP call through one client of its own, so that all its callers would share one conversation.
    """
    return deepcopy(visit) if request.headers.get(SENT_BY) == MCP else visit


def _choose(visit: ChatVisit, dataset: str) -> None:
    if dataset and dataset != visit.session.name:
        visit.talk_about(dataset)


def place_and_wire(visit: gr.State) -> None:
    with gr.Row(visible=False):
        message, id_ = gr.Textbox(label="message"), gr.Textbox(label="id")
        method, dataset = gr.Textbox("features", label="method"), gr.Textbox("", label="dataset")
        text, parse, confidence = gr.Textbox(label="text"), gr.Textbox(label="parse"), gr.Number(label="confidence")
        results, readings, explanation = (gr.JSON(label=name) for name in ("results", "readings", "explanation"))
        chat, understand, explain = gr.Button(), gr.Button(), gr.Button()
    chat.click(ttm_chat, [message, dataset, visit], [text, parse, results], api_name="ttm_chat")
    understand.click(ttm_parse, [message, dataset, visit], [parse, confidence, readings], api_name="ttm_parse")
    explain.click(ttm_explain, [id_, method, dataset, visit], explanation, api_name="ttm_explain")
