"""Conversations outlive the page and the server, since the browser keeps what was asked and how it was understood.

`chats.js` stores and lists them. When a page is loaded it hands over the conversation of its tab, or what the address asks for;
when one is chosen from the list, that one. Here it becomes the conversation of the visit and is carried out again.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import gradio as gr
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.errors import DatasetError
from backend.jobs import ReportProgress
from backend.text.json_text import read_json
from backend.text.markup import escape_html
from backend.text.templates import Macros
from backend.ui import errors_in_words
from ttm.chat.chat_record import MOST_WAITING, KeptChat, KeptNames, Utterance, read_chat, replay, write_chat
from ttm.chat.conversation import Turn
from ttm.chat.session import ChatSession, check_question
from ttm.ui import keep_panel
from ttm.ui.chat_panel import ChatPanel, answering, asked
from ttm.ui.exchange.question_queue import PendingQuestion
from ttm.ui.instruments import groups_panel
from ttm.ui.visit import ChatVisit

Update = dict[str, Any]
HTML = Macros(__file__)
SCRIPT = Path(__file__).with_name("chats.js")
KEEP = "(record) => { window.ttmKeep?.(record); }"
# The script of the tab empties the line at the very moment of sending, and never else; here it gives what was in it.
HAND_OVER = "(typed, shown, visit) => [window.ttmSent?.shift() ?? typed, window.ttmOpenChat?.() ?? '', visit]"
# A page can be loaded before the script of the tab runs, so this stands on its own.
ARRIVAL = """(arrival, visit) => {
  const address = new URL(location.href).searchParams;
  const wanted = {dataset: address.get("dataset") ?? "", questions: address.getAll("q"), groups: NAMES};
  const name = sessionStorage.getItem("parley-open-chat");
  const kept = name && localStorage.getItem("parley-chat:" + name);
  if (wanted.questions.length) {
    const rest = new URL(location.href);
    rest.searchParams.delete("q");
    history.replaceState(history.state, "", rest);
  } else if (kept) {
    const chat = JSON.parse(kept);
    if (!wanted.dataset || wanted.dataset === chat.dataset) wanted.chat = chat;
  }
  return [JSON.stringify(wanted), visit];
}"""


# Names of rows, by data set: one entry of the browser's store each. What cannot be read counts as nothing.
NAMES = """Object.fromEntries(Object.keys(localStorage).filter((key) => key.startsWith("parley-groups:")).map((key) => {
    try { return [key.slice("parley-groups:".length), JSON.parse(localStorage.getItem(key)) ?? {}]; } catch { return ["", {}]; }
  }))"""
MOST_DATASETS = 200


class Arrival(BaseModel):
    """What a page wants when it is loaded: its conversation back, or a data set and questions from its address.

    `groups` are the names that were given to rows, by data set.
    """

    model_config = ConfigDict(frozen=True)

    chat: dict[str, Any] | None = None
    dataset: str = Field("", max_length=200)
    questions: tuple[Utterance, ...] = Field((), max_length=MOST_WAITING)
    groups: dict[Annotated[str, Field(max_length=200)], KeptNames] = Field(default_factory=dict, max_length=MOST_DATASETS)


@errors_in_words
def arrive(arrival: str, visit: ChatVisit) -> None:
    """Take up what the page wants. What cannot be had is said, and the chat begins as it would without."""
    try:
        wanted = Arrival.model_validate_json(arrival or "{}")
        for dataset, kept in wanted.groups.items():
            visit.session.bring_names(dataset, kept)
        if wanted.chat is not None:
            _switch(visit, read_chat(wanted.chat))
        elif wanted.dataset and wanted.dataset != visit.session.name:
            visit.talk_about(wanted.dataset)
        visit.asked_at_arrival = wanted.questions
    except ValidationError:
        gr.Warning("The address of this page asks for something that cannot be read, so the chat begins as it would without.")
    except DatasetError as error:
        gr.Warning(escape_html(f"{error.message} This chat is about {visit.session.names[visit.session.name]}."))


@errors_in_words
def open_chat(record: str, visit: ChatVisit) -> None:
    """Go on with a conversation from the list."""
    chat = read_chat(_json(record))
    if chat.id != visit.chat_id or not (visit.session.turns or visit.questions.busy):
        _switch(visit, chat)


@errors_in_words
def ask(utterance: str, record: str, visit: ChatVisit) -> Iterator[Update]:
    """Answer what was in the line when it was sent. `record` is the conversation that the page shows.

    It is carried out again before, if the server was started again meanwhile and knows nothing of it.
    """
    if visit.questions.busy and not utterance.strip():  # the second click of a double click
        yield gr.skip()
        return
    question = asked(check_question(utterance))
    if _is_unknown(record, visit):
        try:
            _switch(visit, read_chat(_json(record)))
        except DatasetError as error:
            gr.Warning(escape_html(error.message))
        yield from bring_back(visit, question)
    else:
        yield from answering(visit, question)


def _is_unknown(record: str, visit: ChatVisit) -> bool:
    """Whether the page shows a conversation that this visit never had."""
    if not record or visit.session.turns or visit.questions.busy:
        return False
    return read_chat(_json(record)).id not in visit.had


def _json(text: str) -> object:
    try:
        return read_json(text)
    except ValueError:
        return None


def _switch(visit: ChatVisit, chat: KeptChat) -> None:
    if chat.dataset not in visit.session.names:
        raise DatasetError(
            "This conversation is about a table that is not loaded here. Bring the same file again under “Bring your own data "
            "and model”, then open the conversation: it is still in the list."
        )
    visit.talk_about(chat.dataset)
    visit.session.bring_names(chat.dataset, chat.groups)
    visit.called(chat.id)
    visit.earlier = chat


@errors_in_words
def bring_back(visit: ChatVisit, *more: PendingQuestion) -> Iterator[Update]:
    """Carry the conversation that was taken up out again, then answer what waited, what the address asks, and `more`."""
    chat, questions = visit.earlier, [*map(asked, filter(str.strip, visit.asked_at_arrival)), *more]
    if chat is not None:
        questions = [*map(asked, filter(str.strip, chat.waiting)), *questions]
        questions = [PendingQuestion("", partial(_replayed, chat), replays=True)] * bool(chat.turns) + questions
    if not questions:
        visit.earlier = None
        yield gr.skip()
        return
    for index, update in enumerate(answering(visit, *questions)):
        if not index:  # from here on, the questions themselves say what waits
            visit.earlier, visit.asked_at_arrival = None, ()
        yield update


def _replayed(chat: KeptChat, session: ChatSession, report: ReportProgress) -> Turn | None:
    replay(chat, session.conversation, session.schema, report)
    for name in chat.forgotten:
        session.named_groups.forget(name)
    session.pin_again(chat.pinned)
    return None


def record(visit: ChatVisit) -> Any:
    """The conversation for the browser to keep; nothing while it is only being brought back."""
    current = visit.questions.current
    if visit.earlier is not None or (current is not None and current.replays):
        return gr.skip()
    return write_chat(visit.session, visit.chat_id, visit.questions.utterances).model_dump_json()


def record_and_list(visit: ChatVisit) -> tuple[Any, Any, Any]:
    """The conversation for the browser to keep, the groups that have names, and the pins where some came back."""
    kept = record(visit)
    listed = groups_panel.show(visit) if isinstance(kept, str) else gr.skip()
    return kept, listed, keep_panel.shown_pins(visit) if visit.session.pins is not visit.pins_shown else gr.skip()


def place() -> None:
    """Place the list."""
    gr.HTML(HTML("list"), padding=False, apply_default_css=False)


def wire(visit: gr.State, chat: ChatPanel, groups: gr.HTML, pins: gr.Chatbot) -> list[Any]:
    """Keep the conversation after each change of the chatbot. Returns what `keep_again` takes, for other changes."""
    chatbot, composer, shown = chat.chatbot, chat.composer, gr.Textbox(visible="hidden", label="shown")
    gr.on([composer.submit, chat.send.click], ask, [composer, shown, visit], chatbot, js=HAND_OVER, show_progress="hidden",
          trigger_mode="multiple", api_visibility="private")  # fmt: skip
    kept = gr.Textbox(visible="hidden", label="kept")
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    kept_and_listed = [kept, groups, pins]
    chatbot.change(record_and_list, visit, kept_and_listed, concurrency_limit=8, trigger_mode="always_last", **quiet).then(
        None, kept, None, js=KEEP, **quiet
    )
    return kept_and_listed


def keep_again(after: Any, visit: gr.State, kept_and_listed: list[Any]) -> None:
    """Have the browser keep the conversation after an event that changed what belongs to it."""
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    after.success(record_and_list, visit, kept_and_listed, **quiet).then(None, kept_and_listed[0], None, js=KEEP, **quiet)


def wire_arrival(visit: gr.State) -> Any:
    """Returns the event that a page was loaded and what it wants was taken up. Not to be called inside a tab that is closed."""
    blocks = gr.context.Context.root_block
    assert blocks is not None, "the panel is placed inside gr.Blocks"
    wanted = gr.Textbox(visible="hidden", label="wanted")
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    return gr.on([blocks.load], arrive, [wanted, visit], None, js=ARRIVAL.replace("NAMES", NAMES), **quiet)
