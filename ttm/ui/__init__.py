"""The tab in which a person chats with a model: panels are placed here and connected with each other."""

from pathlib import Path
from typing import Any

import gradio as gr

from backend.jobs import Jobs
from backend.program.settings import Settings
from backend.storage.database import Database
from backend.text.html_pieces import style_sheet
from backend.ui import errors_in_words, watch_script
from ttm.chat.interface.chat import ModelChat
from ttm.chat.model_card import card
from ttm.ui import chat_panel, corrections_panel, data_panel, endpoints, help_panel, instruments, keep_panel, own_data_panel
from ttm.ui.chats import kept_chats
from ttm.ui.instruments import (
    groups_panel,
    models_panel,
    report_panel,
    scatter_panel,
    second_table_panel,
    threshold_panel,
    what_if_panel,
)
from ttm.ui.opened_chat import subjects_and_database
from ttm.ui.visit import ChatVisit, shown

HERE = Path(__file__).parent
TRAININGS_AT_ONCE = 2
# A button inside a message puts its value here and clicks the hidden button of its name; see chat.js.
HANDED_ON = "(value, ...others) => [window.ttmValue, ...others]"

Update = dict[str, Any]


def build(source: Settings | ModelChat, database: Database | None = None) -> None:
    """Place the tab into the present `gr.Tab`, or anywhere in a `gr.Blocks`, about a chat made in Python or the settings' data.

    Raises a ParleyError if the data set that the settings name cannot be used.
    """
    with gr.Column(elem_classes="ttm-root"):  # by which the script tells several on one page apart
        _place(source, database)


def _place(source: Settings | ModelChat, database: Database | None) -> None:
    subjects, database = subjects_and_database(source, database)
    jobs, brings_own = Jobs(TRAININGS_AT_ONCE), not isinstance(source, ModelChat)
    subjects.load()
    visit = gr.State(ChatVisit(subjects, database, jobs))  # each session gets a copy: see Visit.__deepcopy__
    gr.HTML(
        style_sheet(HERE / "chat.css", instruments.STYLE),
        js_on_load=_script(),
        visible=True,
        padding=False,
        elem_classes="ttm-style",
    )
    newcomer = help_panel.place_newcomer()
    with gr.Row(elem_classes="ttm-main"):
        with gr.Column(scale=7, min_width=320):
            chat = chat_panel.place()
        with gr.Column(scale=4, min_width=300, elem_classes="ttm-beside"):
            dataset = gr.Dropdown(
                _choices(subjects.names),
                value=subjects.default,
                label="Talk about",
                filterable=False,
                elem_id="ttm-dataset",
                visible=brings_own,
            )
            gr.HTML(help_panel.ways_below(brings_own), padding=False, apply_default_css=False, elem_classes="ttm-flush")
            with gr.Tabs(selected="about", elem_id="ttm-side", overflow_behavior="wrap") as side:
                with gr.Tab("About", id="about"):
                    report = report_panel.place()
                    about = gr.Markdown(elem_classes="ttm-prose ttm-card", elem_id="ttm-about")
                with gr.Tab("What if", id="what-if") as what_if_tab:
                    what_if = what_if_panel.place()
                threshold = threshold_panel.place()
                models = models_panel.place()
                groups = groups_panel.place()
                with gr.Tab("Chats", id="chats"):
                    kept_chats.place()
                with gr.Tab("Pinned", id="pinned"):
                    keep = keep_panel.place()
                with gr.Tab("Correct", id="correct"):
                    corrections = corrections_panel.place()
                with gr.Tab("Help", id="help"):
                    help_panel.place()
    with gr.Accordion("Browse the data", open=False, elem_id="ttm-browse"), gr.Tabs(selected="rows", overflow_behavior="wrap"):
        with gr.Tab("As a table", id="rows"):
            data = data_panel.place()
        points = scatter_panel.place()
        second = second_table_panel.place(brings_own)
    with gr.Accordion("Bring your own data and model", open=False, elem_id="ttm-own", visible=brings_own):
        own = own_data_panel.place()

    beside = [
        *data.page, *corrections.opened, *what_if.opened, threshold.slider, *points.choices, points.plot,
        points.note, models.kind,
    ]  # fmt: skip

    def renew(after: Any) -> None:
        """Refresh everything after the data set has changed, first what is looked at first."""
        quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
        after.success(begin, visit, [chat.chatbot, about, dataset], api_visibility="private").success(
            begin_beside, [data.filter, visit], beside, **quiet
        ).then(kept_chats.bring_back, visit, chat.chatbot, **quiet)

    chat_panel.wire(chat, visit)
    keep_panel.wire(keep, visit)
    corrections_panel.wire(corrections, visit, chat.chatbot)
    data_panel.wire(data, visit, chat.chatbot, chat.composer)
    what_if_panel.wire(what_if, what_if_tab, visit)
    threshold_panel.wire(threshold, visit)
    groups_panel.wire(groups, visit, chat.chatbot)
    models_panel.wire(models, visit, chat.chatbot)
    report_panel.wire(report, visit)
    scatter_panel.wire(points, visit, chat.chatbot)
    second_table_panel.wire(second, visit, chat.chatbot)
    data.what_if.click(what_if_panel.open_chosen, visit, what_if.opened, show_progress="hidden", api_visibility="private")
    own_data_panel.wire(own, visit, renew)
    help_panel.wire(newcomer, side)
    endpoints.place_and_wire(visit, subjects)
    answered = {
        "offer": chat_panel.ask_offered,
        "choose": chat_panel.choose,
        "confirm": chat_panel.confirm,
        "takeback": chat_panel.take_back,
        "again": chat_panel.ask_again,
        "putaway": chat_panel.put_away,
        "refresh": chat_panel.refresh,
        "askthreshold": threshold_panel.ask,
        "askrows": scatter_panel.ask_chosen,
        "askmark": scatter_panel.ask_mark,
        "askgroup": groups_panel.ask,
    }
    for act, handler in answered.items():
        _hand_on(act, handler, visit, [chat.chatbot])
    _hand_on("change", chat_panel.change, visit, [chat.chatbot, chat.composer], chat.composer)
    _hand_on("pin", keep_panel.pin, visit, [chat.chatbot, keep.pins])
    _hand_on("unpin", keep_panel.unpin, visit, [chat.chatbot, keep.pins])
    _hand_on("whatif", what_if_panel.open_answer, visit, what_if.opened)
    _hand_on("whatifrow", what_if_panel.open_row, visit, what_if.opened)
    values = gr.Textbox(visible="hidden", label="values")
    case: dict[str, Any] = {"js": what_if_panel.VALUES}
    _hand_on("case", what_if_panel.renew, visit, [what_if.outcome], values, trigger_mode="always_last", **case)
    _hand_on("askcase", what_if_panel.ask, visit, [chat.chatbot], values, **case)
    _hand_on("correct", corrections_panel.correct, visit, corrections.opened)
    kept = kept_chats.wire(visit, chat, groups.groups, keep.pins)
    forgotten = _hand_on("forgetgroup", groups_panel.forget, visit, [groups.groups])
    kept_chats.keep_again(forgotten, visit, kept)
    renew(kept_chats.wire_arrival(visit))
    renew(_hand_on("open", kept_chats.open_chat, visit, []))
    renew(dataset.input(change_dataset, [dataset, visit], None, api_visibility="private"))


@errors_in_words
def begin(visit: ChatVisit) -> tuple[Update, str, Update]:
    """What stands on the screen before the first question."""
    session = visit.session
    session.subjects.warm_up(session.loaded)
    choices = gr.update(choices=_choices(session.names), value=session.name)
    return shown(visit), card(session.loaded.subject), choices


def begin_beside(query: str, visit: ChatVisit) -> tuple[Any, ...]:
    """What stands beside the chat: one event for all of it, since each is a round trip before a conversation comes back."""
    return (
        *data_panel.show(query, visit),
        *corrections_panel.close(visit),
        *what_if_panel.open_again(visit),
        threshold_panel.open_again(visit),
        *scatter_panel.open_again(visit),
        models_panel.open_again(visit),
    )


@errors_in_words
def change_dataset(name: str, visit: ChatVisit) -> None:
    visit.talk_about(name)


def _choices(names: dict[str, str]) -> list[tuple[str, str]]:
    return [(title, name) for name, title in names.items()]


def _hand_on(act: str, handler: Any, visit: gr.State, outputs: list[Any], *others: Any, **options: Any) -> Any:
    """The hidden button that a button of this act inside a message clicks; `others` are inputs beside value and visit."""
    value = gr.Textbox(visible="hidden", label=act)
    button = gr.Button(act, visible="hidden", elem_id=f"ttm-act-{act}")
    usual = {"show_progress": "hidden", "trigger_mode": "multiple", "js": HANDED_ON, "api_visibility": "private"}
    return button.click(handler, [value, *others, visit], outputs, **usual | options)


def _script() -> str:
    scripts = (HERE / "chat.js", kept_chats.SCRIPT, instruments.SCRIPT)
    return watch_script() + "".join(each.read_text("utf-8") for each in scripts)
