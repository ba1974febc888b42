"""The questions of one chat that have no answer yet: one is answered at a time, in the order in which they were asked."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from backend.errors import ExecutionError
from backend.jobs import ReportProgress
from backend.network.shares.fair_shares import SHARES, you_have_waiting
from ttm.chat.conversation import Turn
from ttm.chat.session import ChatSession

Act = Callable[[ChatSession, ReportProgress], Turn | None]
WORKING = "Working on it"


@dataclass(eq=False)
class PendingQuestion:
    """A question and what answers it; `after` is called with the answer once it is part of the conversation.

    `progress` is shown meanwhile; `replays` tells that it brings an earlier chat back, and is no question itself.
    A `stopped` one stays in sight, unless it was `dropped` because the chat became another one.
    """

    utterance: str
    act: Act
    after: Callable[[Turn], None] | None = None
    progress: str = WORKING
    replays: bool = False
    stopped: bool = False
    dropped: bool = False


@dataclass(frozen=True)
class UnansweredQuestion:
    """A question that was stopped, taken back or could not be answered, and why; it stays in sight until it is put away."""

    utterance: str
    reason: str
    is_error: bool = False


@dataclass(eq=False)
class QuestionQueue:
    """The call that adds the first question answers all that are added meanwhile. All methods may be called from any thread."""

    current: PendingQuestion | None = None
    waiting: tuple[PendingQuestion, ...] = ()
    unanswered: tuple[UnansweredQuestion, ...] = ()
    changes: int = 0
    _busy: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def busy(self) -> bool:
        return self._busy

    @property
    def utterances(self) -> tuple[str, ...]:
        """The questions that were asked and have no answer."""
        pending = (self.current, *self.waiting) if self.current else self.waiting
        return tuple(question.utterance for question in pending if question.utterance)

    def add(self, *questions: PendingQuestion) -> bool:
        """Put questions at the end. Returns whether the caller has to answer them, because nobody is answering.

        Raises ExecutionError if as many wait as a session may have.
        """
        with self._lock:
            if (count := len(self.waiting)) >= SHARES.of_session:
                raise ExecutionError(you_have_waiting(count))
            self.changes += 1
            if not self._busy:
                self.unanswered = ()
            self.waiting = (*self.waiting, *questions)
            mine, self._busy = not self._busy, True
            return mine

    def next(self) -> PendingQuestion | None:
        """The question to be answered now; None, and the work is over, if there is none."""
        with self._lock:
            self.changes += 1
            self.current, self.waiting = (self.waiting[0], self.waiting[1:]) if self.waiting else (None, ())
            self._busy = self.current is not None
            return self.current

    def end(self, unanswered: UnansweredQuestion | None = None) -> None:
        """End the present question, which stays in sight if it has no answer; `next` then tells what follows."""
        with self._lock:
            self.changes += 1
            self.current = None
            if unanswered is not None:
                self.unanswered = (*self.unanswered, unanswered)

    def leave(self) -> None:
        """End the work early, as when a page was closed; what waits is dropped."""
        with self._lock:
            self.current, self.waiting, self._busy = None, (), False

    def stop(self) -> None:
        """Stop the question that is being answered; the next one then is answered."""
        with self._lock:
            if self.current is not None:
                self.current.stopped = True

    def drop(self) -> None:
        """Stop the question that is being answered, and forget all others: the chat becomes another one."""
        with self._lock:
            self.changes += 1
            self.waiting, self.unanswered = (), ()
            if self.current is not None:
                self.current.stopped = self.current.dropped = True

    def take_back(self, index: int) -> None:
        """Take a waiting question back; it stays in sight, to be asked later or put away."""
        with self._lock:
            if 0 <= index < len(self.waiting):
                self.changes += 1
                question = self.waiting[index]
                self.waiting = (*self.waiting[:index], *self.waiting[index + 1 :])
                self.unanswered = (*self.unanswered, UnansweredQuestion(question.utterance, "Not asked."))

    def set_aside(self, question: UnansweredQuestion) -> None:
        """Keep a question in sight that has no answer."""
        with self._lock:
            self.changes += 1
            self.unanswered = (*self.unanswered, question)

    def put_away(self, index: int) -> UnansweredQuestion | None:
        """Take a question that was not answered out of sight, and return it."""
        with self._lock:
            if not 0 <= index < len(self.unanswered):
                return None
            self.changes += 1
            question = self.unanswered[index]
            self.unanswered = (*self.unanswered[:index], *self.unanswered[index + 1 :])
            return question
