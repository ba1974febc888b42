"""What a person keeps: pinned answers beside the chat, the conversation as a file, and the corrections made in it."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from backend.errors import ExecutionError
from backend.text.html_pieces import paragraph
from backend.text.templates import Macros
from backend.ui import SAVE_FILE, errors_in_words, page_number
from ttm.chat.export import EXPORTS, corrections_of, gold_suite, json_lines
from ttm.ui.exchange.messages import pin_messages
from ttm.ui.visit import ChatVisit, shown

Update = dict[str, Any]
HTML = Macros(__file__)
FORMATS = {"html": ("HTML", "text/html"), "md": ("Markdown", "text/markdown"), "json": ("JSON", "application/json")}
CORRECTIONS = {
    "txt": ("Gold suite", "text/plain", gold_suite),
    "jsonl": ("JSON Lines", "application/jsonl", json_lines),
}


@dataclass(frozen=True)
class KeepPanel:
    pins: gr.Chatbot
    saves: dict[str, gr.Button]
    corrections: dict[str, gr.Button]
    file: gr.JSON


def place() -> KeepPanel:
    pins = gr.Chatbot(
        elem_id="ttm-pins", show_label=False, height=420, layout="panel", latex_delimiters=[], allow_tags=False, buttons=[],
        autoscroll=False, feedback_options=None,
        placeholder=HTML("nothing_pinned"),
    )  # fmt: skip
    gr.HTML(paragraph("Save this conversation as"), padding=False, elem_classes="ttm-note")
    with gr.Row(elem_classes="ttm-buttons"):
        saves = {kind: gr.Button(label, size="sm", min_width=80, elem_id=f"ttm-save-{kind}")
                 for kind, (label, _) in FORMATS.items()}  # fmt: skip
    gr.HTML(paragraph("Save your corrections in it as"), padding=False, elem_classes="ttm-note")
    with gr.Row(elem_classes="ttm-buttons"):
        corrections = {kind: gr.Button(label, size="sm", min_width=80) for kind, (label, _, _) in CORRECTIONS.items()}
    return KeepPanel(pins, saves, corrections, gr.JSON(visible=False))


@errors_in_words
def pin(value: str, visit: ChatVisit) -> tuple[Update, Update]:
    """Pin the answer of a turn or take its pin away; `last` is the last turn."""
    turns = visit.session.turns
    if value == "last" and not turns:
        raise ExecutionError("There is no answer to pin yet.")
    visit.session.toggle_pin(turns[-1].number if value == "last" else page_number(value))
    return shown(visit), shown_pins(visit)


@errors_in_words
def unpin(value: str, visit: ChatVisit) -> tuple[Update, Update]:
    visit.session.unpin(page_number(value))
    return shown(visit), shown_pins(visit)


def shown_pins(visit: ChatVisit) -> Update:
    visit.pins_shown = visit.session.pins
    update: Update = gr.update(value=pin_messages(visit.pins_shown))
    return update


@errors_in_words
def save(kind: str, visit: ChatVisit) -> dict[str, str]:
    """The conversation as a file for the browser to save."""
    if not visit.session.turns:
        raise ExecutionError("There is nothing to save yet: ask something first.")
    name = f"parley-{visit.session.loaded.subject.dataset.name}.{kind}"
    return {"name": name, "type": FORMATS[kind][1], "content": EXPORTS[kind](visit.session)}


@errors_in_words
def save_corrections(kind: str, visit: ChatVisit) -> dict[str, str]:
    """The corrections of this conversation as a file for the browser to save."""
    corrections = corrections_of(visit.session)
    if not corrections:
        raise ExecutionError("You have corrected nothing in this conversation.")
    _, media_type, write = CORRECTIONS[kind]
    name = f"parley-corrections-{visit.session.loaded.subject.dataset.name}.{kind}"
    return {"name": name, "type": media_type, "content": write(corrections)}


def wire(panel: KeepPanel, visit: gr.State) -> None:
    for kind, button in panel.saves.items():
        button.click(partial(save, kind), visit, panel.file, api_visibility="private").success(
            fn=None, inputs=panel.file, js=SAVE_FILE, api_visibility="private"
        )
    for kind, button in panel.corrections.items():
        button.click(partial(save_corrections, kind), visit, panel.file, api_visibility="private").success(
            fn=None, inputs=panel.file, js=SAVE_FILE, api_visibility="private"
        )
