"""Work that takes long: done beside the question and answer, a few at a time, with progress, and stopped on request.

And calls beside others: one that is waited for only so long, and many in flight.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from enum import Enum
from functools import partial
from queue import SimpleQueue
from typing import Generic, TypeVar

from backend.errors import JobCancelled

Result = TypeVar("Result")
ReportProgress = Callable[[float, str], None]
LOOK = 0.2  # seconds


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


def beside(call: Callable[[], Result], name: str = "beside") -> Future[Result]:
    """Begin a call in a thread of its own, and return where its result, or what it raises, will be."""
    future: Future[Result] = Future()
    threading.Thread(target=_fulfil, args=(future, call), name=name, daemon=True).start()
    return future


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """Return what `call` returns. Raises TimeoutError if it has not by then, and leaves it to itself.

    It bounds a call as a whole: the timeouts of HTTP clients are for each read, so that a server which sends a byte now and
    then is never given up on. Neither the caller nor the end of the process waits for its thread, so that Ctrl-C is heard.
    """
    return beside(call, "bounded call").result(seconds)


class DaemonPool(Generic[Result]):
    """So many threads; what is submitted waits its turn, and can be cancelled until then.

    Unlike those of ThreadPoolExecutor, the end of the process does not wait for them.
    """

    def __init__(self, threads: int, name: str) -> None:
        self._work: SimpleQueue[tuple[Future[Result], Callable[[], Result]] | None] = SimpleQueue()
        self._threads = threads
        for number in range(threads):
            threading.Thread(target=self._run, name=f"{name} {number}", daemon=True).start()

    def submit(self, call: Callable[[], Result]) -> Future[Result]:
        future: Future[Result] = Future()
        self._work.put((future, call))
        return future

    def close(self) -> None:
        """Let the threads end, each after the call that it has in hand."""
        for _ in range(self._threads):
            self._work.put(None)

    def _run(self) -> None:
        while (item := self._work.get()) is not None:
            future, call = item
            if future.set_running_or_notify_cancel():
                _fulfil(future, call)


def in_flight(calls: Sequence[Callable[[], Result]], at_once: int) -> Iterator[Result]:
    """What each call returns, as it does, so many at the same time. Raises what a call raises; the others are then dropped."""
    pool: DaemonPool[Result] = DaemonPool(min(at_once, max(1, len(calls))), "in flight")
    waiting = {pool.submit(call) for call in calls}
    try:
        while waiting:
            done, waiting = wait(waiting, timeout=LOOK, return_when=FIRST_COMPLETED)  # Ctrl-C is heard between two looks
            yield from [future.result() for future in done]
    finally:
        for future in waiting:
            future.cancel()
        pool.close()


def side_by_side(calls: Sequence[Callable[[], Result]], at_once: int) -> list[Result]:
    """What the calls return, in their order, so many at the same time. Raises what a call raises."""
    numbered = [partial(_numbered, number, call) for number, call in enumerate(calls)]
    results = dict(in_flight(numbered, at_once))
    return [results[number] for number in range(len(calls))]


def _numbered(number: int, call: Callable[[], Result]) -> tuple[int, Result]:
    return number, call()


def _fulfil(future: Future[Result], call: Callable[[], Result]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:  # the reader of the result must see any error
        future.set_exception(error)
