"""The threshold of a classifier of two classes beside the chat, over all rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gradio as gr

from backend.errors import ExecutionError
from backend.ui import errors_in_words, page_number
from ttm.chat.instruments.threshold_scale import threshold_question, threshold_scale
from ttm.chat.suggestions import SuggestedQuestion
from ttm.operations.rows.context import Memory
from ttm.operations.scores.run import DEFAULT_THRESHOLD
from ttm.ui.chat_panel import answering, asked
from ttm.ui.exchange.threshold_slider import HTML, slider
from ttm.ui.visit import ChatVisit

Update = dict[str, Any]
NAME = "threshold"


@dataclass(frozen=True)
class ThresholdPanel:
    tab: gr.Tab
    slider: gr.HTML


def place() -> ThresholdPanel:
    with gr.Tab("Threshold", id="threshold") as tab:
        return ThresholdPanel(
            tab, gr.HTML(padding=False, apply_default_css=False, elem_classes="ttm-flush", elem_id="ttm-threshold")
        )


@errors_in_words
def show(visit: ChatVisit) -> str:
    """The slider over all rows, or why there is none."""
    visit.opened.add(NAME)
    try:
        scale = threshold_scale(visit.session.loaded.engine, Memory())
    except ExecutionError as error:
        return HTML("refused", error.message)
    return HTML("headed", scale.words, slider(scale, DEFAULT_THRESHOLD))


@errors_in_words
def open_again(visit: ChatVisit) -> Any:
    """What stands in the tab after another data set was chosen, if it was looked at before."""
    return show(visit) if NAME in visit.opened else gr.skip()


@errors_in_words
def ask(value: str, visit: ChatVisit) -> Iterator[Update]:
    """Put a threshold into the conversation: `value` is the number of the turn whose rows it is about, and the threshold."""
    number, _, threshold = value.partition(" ")
    try:
        least = float(threshold)
    except ValueError:
        raise ExecutionError(f"A threshold is a number from 0 to 1, not {threshold:.40}.") from None
    words, parse = threshold_question(visit.session.turns, page_number(number), least)
    question = visit.session.offer(SuggestedQuestion(words, parse))
    yield from answering(visit, asked(question.utterance))


def wire(panel: ThresholdPanel, visit: gr.State) -> None:
    panel.tab.select(show, visit, panel.slider, api_visibility="private", show_progress="hidden")
