"""One model over many rows: a set number of calls in flight, every finished sample on disk at once, memory bounded.

Rows are taken up one after another, as many at a time as there may be calls in flight; each goes through the rounds of
the method (`faithfulness.method.explain.due`). A sample with a call that failed is put aside and tried again at the end.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import partial

from backend.errors import LanguageModelError, SpendingLimitReached
from backend.jobs import DaemonPool
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import ModelCall, Plan, SampleReport, ask, begin, due, with_calls
from faithfulness.method.prompting import Protocol
from faithfulness.runs.breaker import Breaker
from faithfulness.runs.call_store import RememberingModel
from faithfulness.runs.rows import Row

PASSES = 3
LOOK = 0.1  # seconds between two looks at whether to stop


@dataclass(frozen=True)
class Setup:
    """What a run asks with. `in_flight` is the number of calls that may wait for a reply at the same time, `pause` the
    seconds before what failed is tried again (twice as long the second time). `grace` is how many seconds a run that is
    stopped waits for the calls in flight, None for as long as they take. `breaker` ends a run that cannot come to anything."""

    model: RememberingModel
    protocol: Protocol
    metric: Metric
    plan: Plan
    in_flight: int = 4
    pause: float = 2.0
    grace: float | None = None
    breaker: Breaker = field(default_factory=Breaker)


@dataclass(frozen=True)
class Finished:
    row: Row
    report: SampleReport


@dataclass(frozen=True)
class Failed:
    """A sample that could not be finished in any pass; `reason` is the error of the last failed call."""

    row: Row
    reason: str


@dataclass
class _Active:
    row: Row
    report: SampleReport
    waiting: set[Future[ModelCall]] = field(default_factory=set)
    reason: str = ""


Pass = Callable[[Iterable[Row], Setup, Callable[[], bool]], Iterator[Finished | Failed]]


def run(
    rows: Iterable[Row], setup: Setup, stopped: Callable[[], bool] = lambda: False, one_pass: Pass | None = None
) -> Iterator[Finished | Failed]:
    """Each row's report as it is finished, in no order. When `stopped` says so nothing new is begun; calls in flight are
    awaited, as long as the setup says, so that their replies are kept. Raises ModelUnusable as its breaker does, and
    SpendingLimitReached once the calls in flight at the limit are back.

    A row whose call fails is tried in up to PASSES passes over what failed, with a pause between them. `one_pass` takes
    each row once: in threads of this process (`in_threads`), unless another is given.
    """
    one_pass = one_pass or in_threads
    aside: list[tuple[Row, str]] = []
    for number in range(PASSES):
        failed: list[tuple[Row, str]] = []
        for outcome in one_pass(rows, setup, stopped):
            if isinstance(outcome, Failed):
                failed.append((outcome.row, outcome.reason))
            else:
                yield outcome
        aside = failed
        if spent_out(setup):
            raise SpendingLimitReached(spent_out(setup))
        if not failed or stopped():
            break
        rows = [row for row, _ in failed]
        if number + 1 < PASSES:
            _sleep(setup.pause * (number + 1), stopped)
    for row, reason in aside:
        yield Failed(row, reason)


def spent_out(setup: Setup) -> str:
    """Which limit of the run is reached, in words; empty as long as none is."""
    return setup.model.limit.reached if setup.model.limit else ""


def _sleep(seconds: float, stopped: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not stopped() and (left := end - time.monotonic()) > 0:
        time.sleep(min(LOOK, left))


def in_threads(rows: Iterable[Row], setup: Setup, stopped: Callable[[], bool]) -> Iterator[Finished | Failed]:
    """Each row once. A row that was begun when `stopped` became true is left out, unless it happened to be done.

    One row is asked alone until a call has worked, so that a wrong key or name costs a call or two.
    """
    flight = _Flight(iter(rows), setup, stopped)
    try:
        while flight.goes_on():
            for future in wait(flight.calls, timeout=LOOK, return_when=FIRST_COMPLETED).done:
                outcome = flight.land(future)
                if outcome is not None:
                    yield outcome
    finally:
        flight.end()


class _Flight:
    """The calls in flight and the rows that they are for."""

    def __init__(self, rows: Iterator[Row], setup: Setup, stopped: Callable[[], bool]) -> None:
        self._rows, self._setup, self._stopped = rows, setup, stopped
        self._samples = 0
        self._leave_at: float | None = None
        self._pool: DaemonPool[ModelCall] = DaemonPool(setup.in_flight, "faithfulness")
        self.calls: dict[Future[ModelCall], _Active] = {}

    def goes_on(self) -> bool:
        """Take up rows as long as there may be more calls; whether there is anything to wait for."""
        setup = self._setup
        at_once = setup.in_flight if setup.breaker.worked else 1
        while self._samples < at_once and not self._ends() and (row := next(self._rows, None)) is not None:
            sample = _Active(row, begin(row.sample, setup.plan, setup.model.name, setup.protocol.name))
            self._samples += self._submit(sample)
        if self._leave_at is None and self._ends():
            self._leave_at = float("inf") if setup.grace is None or not self._stopped() else time.monotonic() + setup.grace
            for sample in list(self.calls.values()):
                self._drop_waiting(sample)
        return bool(self.calls) and (self._leave_at is None or time.monotonic() <= self._leave_at)

    def _ends(self) -> bool:
        return self._stopped() or bool(spent_out(self._setup))

    def land(self, future: Future[ModelCall]) -> Finished | Failed | None:
        """Take what came back, and send what it leads to; the outcome of its row, if that is known now."""
        sample = self.calls.pop(future)
        sample.waiting.discard(future)
        _take(sample, future, self._setup)
        if self._ends() or sample.reason:
            self._drop_waiting(sample)
        if self._submit(sample):
            return None
        self._samples -= 1
        if sample.report.done:
            return Finished(sample.row, sample.report)
        return Failed(sample.row, sample.reason) if sample.reason else None

    def end(self) -> None:
        for future in self.calls:
            future.cancel()
        self._pool.close()

    def _submit(self, sample: _Active) -> bool:
        """Whether the sample has anything left to wait for."""
        if not sample.waiting and not sample.reason and not self._ends():
            setup = self._setup
            for request in due(sample.report):
                future = self._pool.submit(partial(ask, request, sample.report, setup.model, setup.protocol, setup.metric))
                sample.waiting.add(future)
                self.calls[future] = sample
        return bool(sample.waiting)

    def _drop_waiting(self, sample: _Active) -> None:
        """Take back what has not been sent yet; what is in flight stays, since its reply is worth keeping."""
        for future in [each for each in sample.waiting if each.cancel()]:
            sample.waiting.discard(future)
            self.calls.pop(future, None)


def _take(sample: _Active, future: Future[ModelCall], setup: Setup) -> None:
    try:
        sample.report = with_calls(sample.report, [future.result()])
        setup.breaker.succeeded()
    except SpendingLimitReached as error:
        sample.reason = error.message
    except LanguageModelError as error:
        sample.reason = error.message
        setup.model.store.note_failure(setup.model.name, error.message)
        setup.breaker.failed(error, setup.model.made.calls)
