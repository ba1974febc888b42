"""The tab in which a person chats with a model: panels are placed here and connected with each other."""

from pathlib import Path
from typing import Any

import gradio as gr

from backend.jobs import Jobs
from backend.program.settings import Settings
from backend.storage.database import Database
from backend.ui import errors_in_words
from ttm.chat.catalogue import SubjectCatalogue
from ttm.chat.model_card import card
from ttm.ui import chat_panel, corrections_panel, data_panel, endpoints, help_panel, keep_panel, own_data_panel
from ttm.ui.visit import ChatVisit, shown

HERE = Path(__file__).parent
TRAININGS_AT_ONCE = 2
# A button inside a message puts its value here and clicks the hidden button of its name; see chat.js.
HANDED_ON = "(value, visit) => [window.ttmValue, visit]"

Update = dict[str, Any]


def build(settings: Settings, database: Database) -> None:
    """Place the tab into the present `gr.Tab`. Raises a ParleyError if the data set that the settings name cannot be used."""
    subjects, jobs = SubjectCatalogue(settings, database), Jobs(TRAININGS_AT_ONCE)
    subjects.load()
    visit = gr.State(ChatVisit(subjects, database, jobs))  # each session gets a copy: see Visit.__deepcopy__
    gr.HTML(_style(), js_on_load=_script(), visible=True, padding=False, elem_classes="ttm-style")
    newcomer = help_panel.place_newcomer()
    with gr.Row(elem_classes="ttm-main"):
        with gr.Column(scale=7, min_width=320):
            chat = chat_panel.place()
        with gr.Column(scale=4, min_width=300):
            dataset = gr.Dropdown(
                _choices(subjects.names), value=subjects.default, label="Talk about", filterable=False, elem_id="ttm-dataset"
            )
            with gr.Tabs(selected="about", elem_id="ttm-side") as side:
                with gr.Tab("About", id="about"):
                    about = gr.Markdown(elem_classes="ttm-prose ttm-card", elem_id="ttm-about")
                with gr.Tab("Pinned", id="pinned"):
                    keep = keep_panel.place()
                with gr.Tab("Correct", id="correct"):
                    corrections = corrections_panel.place()
                with gr.Tab("Help", id="help"):
                    help_panel.place()
    with gr.Accordion("Browse the data", open=False, elem_id="ttm-browse"):
        data = data_panel.place()
    with gr.Accordion("Bring your own data and model", open=False, elem_id="ttm-own"):
        own = own_data_panel.place()

    def renew(after: Any) -> None:
        """Refresh everything after the data set has changed."""
        after.success(begin, visit, [chat.chatbot, about, dataset], api_visibility="private").success(
            data_panel.show, [data.filter, visit], data.page, api_visibility="private"
        ).success(corrections_panel.close, visit, corrections.opened, api_visibility="private")

    chat_panel.wire(chat, visit)
    keep_panel.wire(keep, visit)
    corrections_panel.wire(corrections, visit, chat.chatbot)
    data_panel.wire(data, visit, chat.chatbot, chat.composer)
    own_data_panel.wire(own, visit, renew)
    help_panel.wire(newcomer, side)
    endpoints.place_and_wire(visit)
    _hand_on("choose", chat_panel.choose, visit, [chat.chatbot])
    _hand_on("pin", keep_panel.pin, visit, [chat.chatbot, keep.pins])
    _hand_on("unpin", keep_panel.unpin, visit, [chat.chatbot, keep.pins])
    _hand_on("correct", corrections_panel.correct, visit, corrections.opened)
    renew(gr.on([_blocks().load], lambda: None, api_visibility="private"))
    renew(dataset.input(change_dataset, [dataset, visit], None, api_visibility="private"))


@errors_in_words
def begin(visit: ChatVisit) -> tuple[Update, str, Update]:
    """What stands on the screen before the first question."""
    session = visit.session
    session.subjects.warm_up(session.loaded)
    choices = gr.update(choices=_choices(session.names), value=session.name)
    return shown(visit), card(session.loaded.subject), choices


@errors_in_words
def change_dataset(name: str, visit: ChatVisit) -> None:
    visit.talk_about(name)


def _choices(names: dict[str, str]) -> list[tuple[str, str]]:
    return [(title, name) for name, title in names.items()]


def _hand_on(act: str, handler: Any, visit: gr.State, outputs: list[Any]) -> None:
    """The hidden button that a button of this act inside a message clicks."""
    value = gr.Textbox(visible="hidden", label=act)
    button = gr.Button(act, visible="hidden", elem_id=f"ttm-act-{act}")
    button.click(handler, [value, visit], outputs, js=HANDED_ON, api_visibility="private")


def _blocks() -> gr.Blocks:
    blocks = gr.context.Context.root_block
    assert blocks is not None, "build is called inside gr.Blocks"
    return blocks


def _style() -> str:
    return f"<style>{(HERE / 'chat.css').read_text('utf-8')}</style>"


def _script() -> str:
    return (HERE / "chat.js").read_text("utf-8")
