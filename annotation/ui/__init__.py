"""The tab "Annotate": today, the review of parses that were collected in the chat or brought in as a file."""

from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from annotation.tasks.parses import ParseReader
from annotation.ui import exchange_panel, review_panel
from annotation.ui.review_panel import Tools
from backend.database import Database
from backend.settings import Settings
from backend.ui import heading

HERE = Path(__file__).parent.parent


def build(settings: Settings, database: Database) -> None:
    """Place the tab's components; called inside its `gr.Tab`."""
    tools = Tools(database, ParseReader(settings))
    heading(
        "Review collected parses",
        "People who chat with a model correct how they were understood. Here you decide which of these corrections become "
        "gold parses. Not built yet: studies with workers and phases, dialogues, rewriting and rating.",
    )
    review = review_panel.place(tools)
    exchange = exchange_panel.place()
    review_panel.wire(review, tools)
    exchange_panel.wire(exchange, review, tools)
    shown = gr.on(_arrivals(), partial(review_panel.refresh, tools), review.inputs, review.outputs, api_visibility="private")
    shown.then(None, None, None, js=review_panel.NOTE_CARD, api_visibility="private")
    shown.then(partial(exchange_panel.refresh, tools), review.dataset, exchange.outputs, api_visibility="private")
    gr.HTML(f"<style>{_text('review.css')}</style>", js_on_load=_text("keys.js"), padding=False)


def _arrivals() -> list[Any]:
    """When somebody comes to the tab: the page is loaded, or the tab is chosen after work in another."""
    blocks, tab = gr.context.Context.root_block, gr.context.Context.block
    assert blocks is not None, "build is called inside gr.Blocks"
    return [blocks.load, *([tab.select] if isinstance(tab, gr.Tab) else [])]


def _text(file: str) -> str:
    return (HERE / file).read_text("utf-8")
