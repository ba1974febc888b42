"""What belongs to one browser tab: its conversation, what its screen keeps, and what it is in the middle of."""

from dataclasses import dataclass
from random import Random
from typing import Any

import gradio as gr

from backend.jobs import Job, Jobs
from backend.storage.database import Database
from ttm.chat.catalogue import Loaded, SubjectCatalogue
from ttm.chat.conversation import Turn
from ttm.chat.session import ChatSession
from ttm.chat.suggestions import starters
from ttm.language.correction import CorrectionDraft
from ttm.operations.execution_engine import Execution
from ttm.ui.messages import View, messages, verdicts


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
    explained for the last answer, `declined` the turn for which that has ended, `answering` whether a question is being
    answered. Not a dataclass, because gradio takes the value of a state apart if it is one.
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
        self.answering = False
        self.exact: Exact | None = None
        self.declined: Turn | None = None
        self.pace: JobPace | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> "ChatVisit":
        # Gradio begins each session with a copy of the first value. (A function in the state would run only when a page
        # is loaded, which a client of the API never does, and perhaps after the first event of the page.)
        return ChatVisit(self.session.subjects, self.database, self.jobs)

    def talk_about(self, name: str) -> None:
        """Start again with another data set."""
        self.session.talk_about(name)
        self.restart()

    def restart(self) -> None:
        """Forget what the screen kept of the conversation before."""
        self.view.forget()
        self.draft = self.commented = self.row = None


def shown(visit: ChatVisit) -> dict[str, Any]:
    """The conversation as an update of the chatbot."""
    if not visit.view.starters:
        visit.view.starters = tuple(starters(visit.session.loaded.subject.dataset, visit.random))
    update: dict[str, Any] = gr.update(
        value=messages(visit.session, visit.view), feedback_value=verdicts(visit.session, visit.view)
    )
    return update
