"""Work that takes long: done beside the question and answer, a few at a time, with progress, and stopped on request."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from backend.errors import JobCancelled

Result = TypeVar("Result")
ReportProgress = Callable[[float, str], None]


class JobState(Enum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED})


@dataclass(frozen=True)
class JobProgress:
    """How far a job is: `fraction` from 0 to 1, and what it is doing, in words."""

    fraction: float
    message: str


class Job(Generic[Result]):
    """One piece of work. All methods may be called from any thread."""

    def __init__(self, work: Callable[[ReportProgress], Result]) -> None:
        self._work = work
        self._changed = threading.Condition()
        self._state = JobState.WAITING
        self._progress = JobProgress(0.0, "Waiting for its turn")
        self._changes = 0
        self._stop = False
        self._result: list[Result] = []
        self._error: BaseException | None = None

    @property
    def state(self) -> JobState:
        return self._state

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop and has not ended yet."""
        return self._stop and self._state not in ENDED

    @property
    def stopped(self) -> bool:
        """Whether it was asked to stop before it came to an end of its own; what it still does is for nobody."""
        return self._stop and self._state not in (JobState.DONE, JobState.FAILED)

    @property
    def progress(self) -> JobProgress:
        return self._progress

    @property
    def error(self) -> BaseException | None:
        """What the work raised, None before its end and where it raised nothing."""
        return self._error

    def cancel(self) -> None:
        """Stop the job: at once if it still waits, else at its next report. After its end this does nothing."""
        with self._changed:
            self._stop = True
            if self._state is JobState.WAITING:
                self._become(JobState.CANCELLED)
            else:
                self._notify()  # who watches may go on at once, while the work ends in its own time

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the end, at most `timeout` seconds, and return what the work returned.

        Raises JobCancelled if it was stopped, TimeoutError if it has not ended, and whatever the work itself raised.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._state in ENDED, timeout):
                raise TimeoutError(f"The job has not ended after {timeout} seconds.")
        if self._error is not None:
            raise self._error
        if self._state is JobState.CANCELLED:
            raise JobCancelled("Stopped.")
        return self._result[0]

    def watch(self) -> Iterator[JobProgress]:
        """The present progress and every later one, until the job has ended in whatever way.

        Changes that come faster than they are taken are skipped.
        """
        seen = -1
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._changes > seen)  # noqa: B023  (called before the next round)
                seen, ended, progress = self._changes, self._state in ENDED, self._progress
            yield progress
            if ended:
                return

    def _report(self, fraction: float, message: str) -> None:
        with self._changed:
            if self._stop:
                raise JobCancelled("Stopped.")
            self._progress = JobProgress(min(max(float(fraction), 0.0), 1.0), message)
            self._notify()

    def _run(self) -> None:
        with self._changed:
            if self._state is not JobState.WAITING:
                return
            self._progress = JobProgress(0.0, "Started")
            self._become(JobState.RUNNING)
        try:
            result = self._work(self._report)
        except JobCancelled:
            end = JobState.CANCELLED
        except BaseException as error:  # callers that wait for the result must see any error
            self._error = error
            end = JobState.FAILED
        else:
            self._result.append(result)
            self._progress = JobProgress(1.0, "Done")
            end = JobState.DONE
        with self._changed:
            self._become(end)

    def _become(self, state: JobState) -> None:
        self._state = state
        self._notify()

    def _notify(self) -> None:
        self._changes += 1
        self._changed.notify_all()


def stop_asked(report: ReportProgress, message: str) -> Callable[[], bool]:
    """Return a function that reports and says whether the job was asked to stop, for work that ends in its own time.

    Such work raises JobCancelled itself once what is on its way has been kept.
    """
    asked = threading.Event()

    def stopped() -> bool:
        if not asked.is_set():
            try:
                report(0.0, message)
            except JobCancelled:
                asked.set()
        return asked.is_set()

    return stopped


class Jobs:
    """Runs at most `at_once` jobs side by side; the others wait."""

    def __init__(self, at_once: int = 2) -> None:
        self._turns = threading.Semaphore(at_once)

    def start(self, work: Callable[[ReportProgress], Result]) -> Job[Result]:
        """Begin `work`, which is given a function to report with: `report(fraction, message)`.

        A report is also where a cancelled job ends, by JobCancelled: the work should report at least once a second, and
        let that error pass.
        """
        job = Job(work)
        # A daemon: when the app ends, it does not wait for work that nobody will look at.
        threading.Thread(target=self._in_turn, args=(job,), name="job", daemon=True).start()
        return job

    def _in_turn(self, job: Job[Result]) -> None:
        with self._turns:
            job._run()


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """Return what `call` returns. Raises TimeoutError if it has not by then, and leaves it to itself.

    It bounds a call as a whole: the timeouts of HTTP clients are for each read, so that a server which sends a byte now and
    then is never given up on. Neither the caller nor the end of the process waits for its thread, so that Ctrl-C is heard.
    """
    future: Future[Result] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # the caller must see any error
            future.set_exception(error)

    threading.Thread(target=work, name="bounded call", daemon=True).start()
    return future.result(seconds)
