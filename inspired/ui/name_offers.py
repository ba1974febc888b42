"""Names that are offered while somebody types a question or a step: see `names.js`, which asks for them and shows them."""

import json
from dataclasses import astuple
from pathlib import Path

import gradio as gr

from backend.ui import errors_in_words
from inspired.dialogue.offered_names.offers import LONGEST_TEXT
from inspired.ui.question_panel import PRIVATE
from inspired.ui.visit import PendingWork

SCRIPT = Path(__file__).with_name("names.js")
TYPED = "(before, desk) => [window.kbTyped?.() ?? '', desk]"
SHOW = "(reply) => { window.kbOffer?.(reply); }"


@errors_in_words
def offer_names(before: str, desk: PendingWork) -> str:
    """What completes the text before the cursor, as JSON, in the knowledge base that this page asks."""
    desk.read_ahead()
    names = desk.assistant.offered_names(before)
    offers = [astuple(each) for each in names.offers]
    return json.dumps({"before": before, "offers": offers, "ended": names.ended}, ensure_ascii=False)


def place_and_wire(key: str, desk: gr.State) -> None:
    gr.HTML(js_on_load=SCRIPT.read_text("utf-8"), padding=False, elem_classes="kb-style")
    before = gr.Textbox(visible="hidden", label="before", max_length=LONGEST_TEXT)
    reply = gr.Textbox(visible="hidden", label="names")
    button = gr.Button("names", visible="hidden", elem_id=f"{key}-names")
    # Outside of the queue: what is being answered there keeps nobody from typing.
    asked = button.click(
        offer_names, [before, desk], reply, js=TYPED, queue=False, show_progress="hidden", trigger_mode="multiple", **PRIVATE
    )
    asked.then(None, reply, None, js=SHOW, **PRIVATE)
