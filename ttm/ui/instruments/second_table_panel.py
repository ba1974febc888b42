"""A second table by upload: which columns have drifted, and which rows are outliers, is asked in the conversation."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from backend.errors import DatasetError
from backend.ui import errors_in_words
from ttm.chat.suggestions import SuggestedQuestion
from ttm.ui.chat_panel import answering, asked
from ttm.ui.visit import ChatVisit

Update = dict[str, Any]
ABOUT = """Upload newer rows, or rows of another place, as a CSV file with the columns that the model reads. Each column is
compared with the rows that the model was trained on; with a column of true outcomes, scores are compared too. The file stays on
this server and is not shown to others."""
# What can be asked of it with one click: the button, the question in words and its parse.
QUESTIONS = {
    "drift": ("What has drifted?", "Which columns have drifted?", "drift"),
    "outliers": ("Which rows are outliers?", "Which rows are outliers?", "outliers"),
}


@dataclass(frozen=True)
class SecondTablePanel:
    tab: gr.Tab
    data: gr.File
    ask: dict[str, gr.Button]


def place(brings_own: bool) -> SecondTablePanel:
    """Place the tab; it is not shown where visitors bring nothing."""
    with gr.Tab("Beside a second table", id="second", visible=brings_own) as tab:
        gr.Markdown(ABOUT, elem_classes="ttm-prose")
        data = gr.File(label="Second table (CSV)", file_types=[".csv", ".tsv", ".txt"], height=140, elem_id="ttm-second")
        with gr.Row(elem_classes="ttm-buttons"):
            ask = {name: gr.Button(label, size="sm", min_width=150, scale=0, elem_id=f"ttm-second-{name}")
                   for name, (label, _, _) in QUESTIONS.items()}  # fmt: skip
    return SecondTablePanel(tab, data, ask)


@errors_in_words
def ask_drift(data: str | None, visit: ChatVisit) -> Iterator[Update]:
    """Set the table beside the one that is talked about and ask what has drifted."""
    yield from _ask("drift", data, visit)


@errors_in_words
def ask_outliers(data: str | None, visit: ChatVisit) -> Iterator[Update]:
    """Set the table beside the one that is talked about and ask which rows are outliers."""
    yield from _ask("outliers", data, visit)


def _ask(kind: str, data: str | None, visit: ChatVisit) -> Iterator[Update]:
    if not data:
        raise DatasetError("Choose a CSV file with the same columns first.")
    session = visit.session
    try:
        session.set_beside(session.subjects.bring_second(Path(data), session.loaded))
    except DatasetError as error:
        error.message = error.message.replace(f"{Path(data).parent}/", "")
        raise
    _, words, parse = QUESTIONS[kind]
    question = session.offer(SuggestedQuestion(words, parse))
    yield from answering(visit, asked(question.utterance))


def wire(panel: SecondTablePanel, visit: gr.State, chatbot: gr.Chatbot) -> None:
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private", "trigger_mode": "multiple"}
    for kind, handler in (("drift", ask_drift), ("outliers", ask_outliers)):
        panel.ask[kind].click(handler, [panel.data, visit], chatbot, **quiet)
