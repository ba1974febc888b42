"""Endpoints for programs, with names that stay: `/ttm_chat`, `/ttm_parse` and `/ttm_explain`.

A client's session has one conversation, kept on the server as that of a browser tab is.
"""

from typing import Any

import gradio as gr

from backend.errors import ExecutionError
from backend.ui import errors_in_words
from ttm.browse import row_question
from ttm.chat import check_question
from ttm.describe import parse_words
from ttm.export import turn_json
from ttm.parse import Method
from ttm.ui.visit import Visit


@errors_in_words
def ttm_chat(message: str, dataset: str, visit: Visit) -> tuple[str, str, list[Any]]:
    """Answer a message: text, parse (empty when a question came back), and structured results."""
    _choose(visit, dataset)
    turn = turn_json(visit.session, visit.session.ask(message))
    return turn["text"], turn["parse"] or "", turn["result"]


@errors_in_words
def ttm_parse(message: str, dataset: str, visit: Visit) -> tuple[str, float, list[dict[str, Any]]]:
    """How a message would be understood now: best parse, confidence, and all readings; nothing is answered."""
    _choose(visit, dataset)
    understanding = visit.session.understand(check_question(message))
    readings = [
        {"parse": str(one.parse), "confidence": one.confidence, "words": parse_words(one.parse, visit.session.schema)}
        for one in understanding.candidates
    ]
    best = understanding.best
    return (str(best.parse), best.confidence, readings) if best else ("", 0.0, [])


@errors_in_words
def ttm_explain(id: str, method: str, dataset: str, visit: Visit) -> dict[str, Any]:
    """Why the model predicts what it does for one row; leaves the conversation as it was."""
    _choose(visit, dataset)
    methods = [*(one.value for one in Method), "cfe"]
    if method not in methods:
        raise ExecutionError(f"There is no method {method!r}; there are {', '.join(methods)}.")
    result: dict[str, Any] = visit.session.result_of(row_question(id.strip(), f"explain {method}"))
    return result


def _choose(visit: Visit, dataset: str) -> None:
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
