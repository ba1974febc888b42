"""The tab "Annotate": the review of parses that were collected in the chat or brought in as a file, and studies."""

from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from annotation.interface import OpenedStudy
from annotation.parses.parse_reader import ParseReader
from annotation.studies.beginning.sandbox import Sandbox
from annotation.studies.people.joining import open_with_lead
from annotation.studies.shelf import OpenStudies
from annotation.ui import exchange_panel, review_panel, study_panel
from annotation.ui.review_panel import Tools
from annotation.ui.review_rights import ASK_CODE, NO_CODE, ReviewRights
from backend.program.settings import Settings, read_settings
from backend.storage.database import Database
from backend.text.html_pieces import paragraph, style_sheet
from backend.ui import errors_in_words, heading

HERE = Path(__file__).parent


def build(source: Settings | OpenedStudy | None = None, database: Database | None = None) -> None:
    """Place the tab into the present `gr.Tab`, or anywhere in a `gr.Blocks`, as often as wanted.

    `source` is a study that was opened in Python, of which only the pages are placed; or the settings of an app, those of the
    environment if None. Raises AnnotationError if the study to be opened is wrong.
    """
    if isinstance(source, OpenedStudy):
        study_panel.place(study_panel.alone(source.study))
        return
    settings = source or read_settings()
    _place(settings, database or Database(settings.database_address))


def _place(settings: Settings, database: Database) -> None:
    if settings.study is not None:
        open_with_lead(database, settings.study, settings.study_lead)
    blocks, outer = gr.context.Context.root_block, gr.context.Context.block
    assert blocks is not None, "build is called inside gr.Blocks"
    arrivals = [blocks.load, *([outer.select] if isinstance(outer, gr.Tab) else [])]
    with gr.Tabs(elem_id="annotation-kinds"):
        with gr.Tab("Studies"):
            heading(
                "Studies with workers",
                "Tasks that people qualify for, do one by one, and are graded on: dialogues, rewriting, rating, checks, "
                "comparisons of interfaces, marking of evidence.",
            )
            home = None if settings.open_to_strangers else settings.data_dir / "studies"
            study_panel.place(OpenStudies(database, sandbox=Sandbox(), home=home))
        with gr.Tab("Parses from chats") as parses:
            _build_review(settings, database, [*arrivals, parses.select])
    blocks.load(None, None, None, js=study_panel.FOLLOW_LINK, api_visibility="private")


def _build_review(settings: Settings, database: Database, arrivals: list[Any]) -> None:
    """`arrivals`: when somebody comes to the review; the page is loaded, or a tab is chosen after work in another."""
    tools = Tools(database, ParseReader(settings), ReviewRights(settings))
    heading(
        "Review collected parses",
        "People who chat with a model correct how they were understood. Here you decide which of these corrections become "
        "gold parses.",
    )
    entered = _place_code(tools.rights)
    review = review_panel.place(tools)
    exchange = exchange_panel.place()
    review_panel.wire(review, tools)
    exchange_panel.wire(exchange, review, tools)
    private: dict[str, Any] = {"api_visibility": "private"}
    refresh = partial(review_panel.refresh, tools)
    shown = [gr.on(arrivals, refresh, review.inputs, review.outputs, **private)]
    shown += [entered.success(refresh, review.inputs, review.outputs, **private)] if entered else []
    for each in shown:
        each.then(None, None, None, js=review_panel.NOTE_CARD, **private)
        each.then(partial(exchange_panel.refresh, tools), review.dataset, exchange.outputs, **private)
    gr.HTML(style_sheet(HERE / "review.css"), js_on_load=(HERE / "keys.js").read_text("utf-8"), padding=False)


def _place_code(rights: ReviewRights) -> Any:
    """Say what is seen where strangers can come, and take the code of reviewers; returns that event, if any."""
    if rights.shared:
        return None
    gr.HTML(paragraph(ASK_CODE if rights.has_code else NO_CODE, role="note"), elem_id="annotation-rights")
    if not rights.has_code:
        return None
    with gr.Row():
        code = gr.Textbox(label="Review code", type="password", max_length=200)
        enter = gr.Button("Review everybody's", size="md", min_width=170, scale=0)
    return gr.on([enter.click, code.submit], partial(enter_code, rights), code, code, api_visibility="private")


@errors_in_words
def enter_code(rights: ReviewRights, code: str) -> str:
    """Let a reviewer in; the field is emptied."""
    rights.let_in(code)
    return ""
