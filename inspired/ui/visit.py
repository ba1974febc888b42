"""What belongs to one browser tab: the question on its screen, and what it is in the middle of."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from backend.errors import JobCancelled, ParleyError
from backend.jobs import Job, Jobs, ReportProgress
from backend.network.shares.spending import SPENDING
from inspired.decomposition.steps import Decomposition
from inspired.dialogue.asked_after import ask_after
from inspired.dialogue.readings import AskedQuestion
from inspired.dialogue.remembered_questions import RememberedQuestions
from inspired.dialogue.session import Assistant, Parts
from inspired.dialogue.step_choices import StepChoice
from inspired.ui.render import RefusedQuestion, progress_html, refusals_html, refused_html

EDIT, BEFORE, AFTER, OTHERS = "Edit", "Insert before", "Insert after", "Alternatives"
AT_ONCE = 0.3  # seconds: what is done by then shows no progress
LOOK = 0.25


@dataclass(frozen=True)
class Pen:
    """What is being written at a step, `number` from 1: the words so far, what they can mean, or why they mean nothing."""

    number: int
    writing: str = EDIT
    words: str = ""
    choices: tuple[StepChoice, ...] = ()
    problem: str = ""

    @property
    def inserts(self) -> bool:
        return self.writing in (BEFORE, AFTER)

    @property
    def place(self) -> int:
        """The number that the step will have."""
        return self.number + (self.writing == AFTER)


# Compared by identity: gradio hashes a state to see whether it changed, and each handler returns a new one.
@dataclass(frozen=True, eq=False)
class QuestionVisit:
    """What the screen shows; every change gives a new one. `example`: answered before anybody asked, to show what comes.

    `unused` are the words of the last correction that its step does not explain.
    """

    asked: AskedQuestion | None = None
    pen: Pen | None = None
    example: bool = False
    unused: tuple[str, ...] = ()

    def write(self, pen: Pen | None) -> "QuestionVisit":
        return replace(self, pen=pen)


@dataclass(frozen=True)
class AskedBefore:
    """A question with those that it goes on from, the oldest first."""

    question: str
    earlier: tuple[str, ...] = ()


class PendingWork:
    """What is not shown but needed beside it: the work that is going on, and words typed but not yet used.

    `waiting` are questions that were sent while another one is `answering`, `refused` those that got no answer since nothing
    was being answered, `answered` those with an answer of which the browser was not told yet. While a graph of the visitor is
    `opening`, nothing is asked of the one before. Not a dataclass, which gradio would take apart as the value of a state.
    """

    def __init__(self, assistant: Assistant, jobs: Jobs, remembered: RememberedQuestions | None = None) -> None:
        self.assistant = assistant
        self.home = assistant  # which the assistant over a graph of their own may replace
        self.remembered = remembered
        self._remembered_at_home = remembered
        self.kept: tuple[Decomposition, Decomposition] | None = None  # the correction that was left for review last
        self.jobs = jobs
        self.job: Job[QuestionVisit] | None = None
        self.drafts: dict[tuple[int, str], str] = {}
        self.waiting: tuple[str, ...] = ()
        self.answering = False
        self.opening = False
        self.refused: tuple[RefusedQuestion, ...] = ()
        self.answered: tuple[AskedBefore, ...] = ()
        self._reading: Job[Parts] | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> "PendingWork":
        # Gradio begins each session with a copy of the first value.
        return PendingWork(self.home, self.jobs, self._remembered_at_home)

    @property
    def at_home(self) -> bool:
        return self.assistant is self.home

    def turn_to(self, own: Assistant | None) -> None:
        """Ask a graph of the visitor from now on, or again what everybody asks; corrections of the former are not kept."""
        if not self.at_home:
            self.assistant.put_away()
        self.assistant = own or self.home
        self.remembered = None if own else self._remembered_at_home
        self.drafts.clear()

    def read_ahead(self) -> None:
        """Begin to read the knowledge base, unless that was begun before: somebody types, so a question comes soon."""
        if self._reading is None and self.at_home and not self.assistant.is_read:
            self._reading = self.jobs.start(SPENDING.carried(self.assistant.parts))

    def ask(self, question: str, report: ReportProgress, after: AskedQuestion | None = None) -> AskedQuestion:
        """What a question is understood as, `after` another, with its answers. Raises InspiredError if it is not understood."""
        return ask_after(self.assistant, self.remembered, after, question, report)

    def stop(self) -> None:
        """Cancel the work that is going on; callers that wait for it learn it at once."""
        job, self.job = self.job, None
        if job is not None:
            job.cancel()


Shown = tuple[Any, str, Any]


def asked_now(shown: Shown, asked: AskedQuestion | None) -> AskedQuestion | None:
    """The question that stands on the screen after `shown`, where that was `asked` until then."""
    return shown[0].asked if isinstance(shown[0], QuestionVisit) else asked


def working(
    desk: PendingWork, work: Callable[[ReportProgress], QuestionVisit], question: str = "", about: str = ""
) -> Iterator[Shown]:
    """Do `work` and show how far it is: the visit, the line of progress or of what went wrong, the button that stops it.

    `question` is what is being asked, to be shown above the progress, with those that wait. `about` names what is answered
    where it is not asked in words, so that the answer that still stands below is not taken for one to it.
    """
    desk.stop()
    if not desk.answering:
        desk.refused = ()
    job = desk.job = desk.jobs.start(SPENDING.carried(work))
    wait = AT_ONCE
    try:
        while (visit := _result(job, wait)) is None:
            if desk.job is not job:
                raise JobCancelled("Stopped. What you typed is still there.")
            progress = progress_html(job.progress.fraction, job.progress.message, question or about, desk.waiting, desk.refused)
            yield gr.skip(), progress, gr.update(visible=True)
            wait = LOOK
        if question:
            asked = visit.asked.goes_on_from if visit.asked is not None else ()
            desk.answered = (*desk.answered, AskedBefore(" ".join(question.split()), asked))
        yield visit, refusals_html(desk.refused), gr.update(visible=False)
    except ParleyError as error:
        yield gr.skip(), _refused(desk, question, about, error.shown), gr.update(visible=False)
    except Exception:
        yield gr.skip(), "", gr.update(visible=False)
        raise


def _refused(desk: PendingWork, question: str, about: str, reason: str) -> str:
    """What went wrong; where something was asked, under it, since the answer on the screen is that of another question."""
    if not question.strip():
        return refused_html(about, reason)
    desk.refused = (*desk.refused, RefusedQuestion(" ".join(question.split()), reason))
    return refusals_html(desk.refused, latest=True)


def _result(job: Job[QuestionVisit], seconds: float) -> QuestionVisit | None:
    try:
        return job.result(seconds)
    except TimeoutError:
        return None
