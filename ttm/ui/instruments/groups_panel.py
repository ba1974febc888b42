"""Groups of rows that have a name: listed, asked about, forgotten; and the rows of the last answer get one by mouse."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import gradio as gr

from backend.errors import ExecutionError
from backend.text.templates import Macros
from backend.ui import errors_in_words
from ttm.chat.instruments.chosen_rows import QUESTIONS
from ttm.chat.remembered.named_groups import LONGEST_NAME, checked_name
from ttm.chat.session import ChatSession
from ttm.chat.suggestions import SuggestedQuestion
from ttm.language.parse import Parse, Selection
from ttm.ui.chat_panel import answering, asked
from ttm.ui.visit import ChatVisit

Update = dict[str, Any]
HTML = Macros(__file__)
ASKED = (("show", "Show"), ("accuracy", "How accurate?"), ("important", "What matters?"))


class ListedGroup(NamedTuple):
    """A named group as it is listed; `questions` are the codes and labels of what can be asked of it."""

    name: str
    words: str
    rows: int
    total: int
    questions: tuple[tuple[str, str], ...] = ASKED


@dataclass(frozen=True)
class GroupsPanel:
    tab: gr.Tab
    groups: gr.HTML
    name: gr.Textbox
    keep: gr.Button


def place() -> GroupsPanel:
    with gr.Tab("Groups", id="groups") as tab:
        groups = gr.HTML(padding=False, apply_default_css=False, elem_classes="ttm-flush", elem_id="ttm-groups")
        name = gr.Textbox(label="Name the rows of the last answer", max_length=LONGEST_NAME, elem_id="ttm-group-name")
        with gr.Row(elem_classes="ttm-buttons"):
            keep = gr.Button("Keep under this name", size="sm", min_width=140, scale=0, elem_id="ttm-group-keep")
    return GroupsPanel(tab, groups, name, keep)


@errors_in_words
def show(visit: ChatVisit) -> str:
    """The named groups of the data set that is talked about."""
    return HTML("groups", [_listed(name, visit.session) for name in visit.session.named_groups.groups])


def _listed(name: str, session: ChatSession) -> ListedGroup:
    groups, engine = session.named_groups, session.loaded.engine.groups
    (rows,) = engine.select(engine.everything(), Selection((groups.groups[name],)), None, None)
    return ListedGroup(name, groups.words(name), engine.summary(rows).rows, engine.total)


@errors_in_words
def keep(name: str, visit: ChatVisit) -> Iterator[tuple[Update, Update]]:
    """Put the naming of the last rows into the conversation, in the words that do it there as well."""
    kept = checked_name(name)
    for update in answering(visit, asked(f'Call these "{kept}"')):
        yield update, gr.update(value="")


@errors_in_words
def ask(value: str, visit: ChatVisit) -> Iterator[Update]:
    """Ask about a named group: `value` is what is asked, and the name."""
    asks, _, name = value.partition(" ")
    group = visit.session.named_groups.groups.get(name)
    if group is None or asks not in QUESTIONS:
        raise ExecutionError(f"There is no group {name!r} any more. Ask about its rows, and name them again.")
    words, operation = QUESTIONS[asks]
    parse = f"{str(Parse((Selection((group,)),))).removesuffix(' [e]')} and {operation}"
    question = visit.session.offer(SuggestedQuestion(words.format(rows=name), parse))
    yield from answering(visit, asked(question.utterance))


def forget(value: str, visit: ChatVisit) -> str:
    """Forget a name, and list the others."""
    visit.session.named_groups.forget(value)
    return show(visit)


def wire(panel: GroupsPanel, visit: gr.State, chatbot: gr.Chatbot) -> None:
    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    panel.tab.select(show, visit, panel.groups, **quiet)
    gr.on([panel.keep.click, panel.name.submit], keep, [panel.name, visit], [chatbot, panel.name],
          trigger_mode="multiple", **quiet)  # fmt: skip
