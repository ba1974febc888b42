"""What belongs to one browser tab: its conversation, what its screen keeps, and what it is in the middle of."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any

import gradio as gr

from backend.jobs import Job, Jobs
from backend.storage.database import Database
from ttm.chat.catalogue import Loaded, SubjectCatalogue
from ttm.chat.chat_record import KeptChat
from ttm.chat.conversation import Turn
from ttm.chat.instruments.what_if import MovableCase
from ttm.chat.session import ChatSession
from ttm.chat.suggestions import starters
from ttm.language.correction import CorrectionDraft
from ttm.operations.execution_engine import Execution
from ttm.ui.exchange.messages import View, messages, verdicts
from ttm.ui.exchange.question_queue import QuestionQueue

ANSWERS_AT_ONCE = 4  # of one chat: one that is wanted, and some that were stopped and have not noticed yet


@dataclass(frozen=True)
class Exact:
    """A turn whose answer is being made exact: all `rows` are explained by a job."""

    turn: Turn
    rows: int
    job: Job[Execution]


@dataclass(frozen=True)
class JobPace:
    """A job that is looked at, since when (in seconds of the monotonic clock), and how far it was then."""

    job: Job[Any]
    began: float
    fraction: float


class ChatVisit:
    """Kept in a `gr.State`, so each tab and each client of the API has one of its own.

    `commented` is the turn that a comment would be about, `row` the id chosen in the data browser. `exact` is what is being
    explained for the last answer, `declined` the turn for which that has ended. `questions` are those without an answer;
    `chat_id` is the name under which the browser keeps this conversation, `had` are these names so far, `earlier` is a
    conversation that it wants back, and `asked_at_arrival` what the address of the page asks. `updates` numbers what the
    chatbot is sent. `report` is a page about the model that is being written, `case` the one whose values are set by mouse,
    `opened` names the instruments that were looked at, `pins_shown` are the pins on the screen. Not a dataclass, because gradio
    takes the value of a state apart if it is one.
    """

    def __init__(self, subjects: SubjectCatalogue, database: Database, jobs: Jobs) -> None:
        self.session = ChatSession(subjects)
        self.database = database
        self.jobs = jobs
        self.view = View()
        self.random = Random()
        self.draft: CorrectionDraft | None = None
        self.commented: int | None = None
        self.row: str | None = None
        self.job: Job[Loaded] | None = None
        self.questions = QuestionQueue()
        self.answers = Jobs(ANSWERS_AT_ONCE)
        self.chat_id = new_chat_id()
        self.had = {self.chat_id}
        self.earlier: KeptChat | None = None
        self.asked_at_arrival: tuple[str, ...] = ()
        self.exact: Exact | None = None
        self.declined: Turn | None = None
        self.pace: JobPace | None = None
        self.updates: Iterator[int] = count(1)
        self.report: Job[str] | None = None
        self.case: MovableCase | None = None
        self.opened: set[str] = set()
        self.pins_shown = self.session.pins

    def __deepcopy__(self, memo: dict[int, Any]) -> "ChatVisit":
        # Gradio begins each session with a copy of the first value. (A function in the state would run only when a page
        # is loaded, which a client of the API never does, and perhaps after the first event of the page.)
        return ChatVisit(self.session.subjects, self.database, self.jobs)

    def talk_about(self, name: str) -> None:
        """Start again with another data set. Raises DatasetError, before anything has changed, if there is no such one."""
        self.session.load(name)
        self.restart()
        self.session.talk_about(name)
        self.case = None

    def called(self, chat_id: str) -> None:
        """Give the conversation the name under which the browser keeps it."""
        self.chat_id = chat_id
        self.had.add(chat_id)

    def restart(self) -> None:
        """Forget what the screen kept of the conversation before; the browser has it under its own name."""
        self.view.forget()
        self.questions.drop()
        self.called(new_chat_id())
        self.draft = self.commented = self.row = None


def new_chat_id() -> str:
    return secrets.token_hex(8)


def shown(visit: ChatVisit) -> dict[str, Any]:
    """The conversation as an update of the chatbot.

    Two events may end in another order than they looked at the conversation. The number of the update, a class of the
    chatbot, tells `chat.js` that an older one came last.
    """
    number = next(visit.updates)
    if not visit.view.starters:
        visit.view.starters = tuple(starters(visit.session.loaded.subject.dataset, visit.random))
    update: dict[str, Any] = gr.update(
        value=messages(visit.session, visit.view, visit.questions),
        feedback_value=verdicts(visit.session, visit.view),
        elem_classes=[f"ttm-update-{number}"],
    )
    return update
