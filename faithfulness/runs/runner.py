"""One model over many rows: a set number of calls in flight, every finished sample on disk at once, memory bounded.

Rows are taken up one after another, as many at a time as there may be calls in flight; each goes through the rounds of
the method (`faithfulness.method.explain.due`). A sample with a call that failed is put aside and tried again at the end.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from backend.errors import LanguageModelError
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import ModelCall, Plan, SampleReport, ask, begin, due, with_calls
from faithfulness.method.prompting import Protocol
from faithfulness.runs.call_store import RememberingModel
from faithfulness.runs.rows import Row

PASSES = 3


@dataclass(frozen=True)
class Setup:
    """What a run asks with. `in_flight` is the number of calls that may wait for a reply at the same time, `pause` the
    seconds before what failed is tried again (twice as long the second time)."""

    model: RememberingModel
    protocol: Protocol
    metric: Metric
    plan: Plan
    in_flight: int = 4
    pause: float = 2.0


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
    awaited, so that their replies are kept.

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
        if not failed or stopped():
            break
        rows = [row for row, _ in failed]
        if number + 1 < PASSES:
            time.sleep(setup.pause * (number + 1))
    for row, reason in aside:
        yield Failed(row, reason)


def in_threads(rows: Iterable[Row], setup: Setup, stopped: Callable[[], bool]) -> Iterator[Finished | Failed]:
    """Each row once. A row that was begun when `stopped` became true is left out, unless it happened to be done."""
    remaining = iter(rows)
    active: dict[Future[ModelCall], _Active] = {}
    samples = 0
    with ThreadPoolExecutor(setup.in_flight, thread_name_prefix="faithfulness") as pool:

        def submit(sample: _Active) -> bool:
            """Whether the sample has anything left to wait for."""
            if not sample.waiting and not sample.reason and not stopped():
                for request in due(sample.report):
                    future = pool.submit(ask, request, sample.report, setup.model, setup.protocol, setup.metric)
                    sample.waiting.add(future)
                    active[future] = sample
            return bool(sample.waiting)

        while True:
            while samples < setup.in_flight and not stopped() and (row := next(remaining, None)) is not None:
                sample = _Active(row, begin(row.sample, setup.plan, setup.model.name, setup.protocol.name))
                samples += submit(sample)
            if not active:
                return
            for future in wait(active, return_when=FIRST_COMPLETED).done:
                sample = active.pop(future)
                sample.waiting.discard(future)
                _take(sample, future, setup)
                if stopped() or sample.reason:
                    _drop_waiting(sample, active)
                if submit(sample):
                    continue
                samples -= 1
                if sample.report.done:
                    yield Finished(sample.row, sample.report)
                elif sample.reason:
                    yield Failed(sample.row, sample.reason)


def _take(sample: _Active, future: Future[ModelCall], setup: Setup) -> None:
    try:
        sample.report = with_calls(sample.report, [future.result()])
    except LanguageModelError as error:
        sample.reason = error.message
        setup.model.store.note_failure(setup.model.name, error.message)


def _drop_waiting(sample: _Active, active: dict[Future[ModelCall], _Active]) -> None:
    """Take back what has not been sent yet; what is in flight stays, since its reply is worth keeping."""
    for future in [each for each in sample.waiting if each.cancel()]:
        sample.waiting.discard(future)
        active.pop(future, None)
