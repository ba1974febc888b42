"""A long job tells how far it is, ends when it is told to, and gives its result or its error to whoever waits."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from backend.errors import ExecutionError, JobCancelled
from backend.jobs import Job, JobProgress, Jobs, JobState, ReportProgress, stop_asked

PATIENCE = 60  # seconds: only a job that hangs takes them


def _until_stopped(report: ReportProgress) -> None:
    while True:
        report(0.5, "half way for ever")
        time.sleep(0.005)


def test_a_job_returns_what_its_work_returned() -> None:
    job = Jobs().start(lambda report: 6 * 7)
    assert job.result(PATIENCE) == 42
    assert job.state is JobState.DONE
    assert job.progress.fraction == 1.0


def test_a_watcher_sees_progress_in_order_and_then_the_end() -> None:
    step = threading.Semaphore(0)

    def work(report: ReportProgress) -> None:
        for number in range(1, 4):
            report(number / 4, f"step {number}")
            step.acquire()

    seen: list[JobProgress] = []
    for progress in Jobs().start(work).watch():
        seen.append(progress)
        if progress.message.startswith("step"):
            step.release()
    assert [one.message for one in seen if one.message.startswith("step")] == ["step 1", "step 2", "step 3"]
    assert [one.fraction for one in seen] == sorted(one.fraction for one in seen)
    assert seen[-1] == JobProgress(1.0, "Done")


def test_a_running_job_stops_at_its_next_report() -> None:
    job = Jobs().start(_until_stopped)
    while job.state is not JobState.RUNNING:
        time.sleep(0.001)
    job.cancel()
    with pytest.raises(JobCancelled):
        job.result(PATIENCE)
    assert job.state is JobState.CANCELLED


def test_a_waiting_job_is_cancelled_at_once_and_never_runs() -> None:
    jobs = Jobs(at_once=1)
    first = jobs.start(_until_stopped)
    ran: list[int] = []
    while first.state is not JobState.RUNNING:
        time.sleep(0.001)
    second = jobs.start(lambda report: ran.append(1))
    second.cancel()
    with pytest.raises(JobCancelled):
        second.result(0)
    first.cancel()
    with pytest.raises(JobCancelled):
        first.result(PATIENCE)
    assert ran == []


def test_cancelling_after_the_end_changes_nothing() -> None:
    job = Jobs().start(lambda report: "kept")
    assert job.result(PATIENCE) == "kept"
    job.cancel()
    assert job.result(0) == "kept"


def test_an_error_of_the_work_reaches_whoever_waits() -> None:
    def work(report: ReportProgress) -> None:
        raise ExecutionError("nobody is older than 400")

    job = Jobs().start(work)
    with pytest.raises(ExecutionError, match="older than 400"):
        job.result(PATIENCE)
    assert job.state is JobState.FAILED
    assert list(job.watch())


def test_impatience_is_told_apart_from_failure() -> None:
    job = Jobs().start(_until_stopped)
    with pytest.raises(TimeoutError):
        job.result(0.01)
    job.cancel()


def test_no_more_jobs_run_side_by_side_than_allowed() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def work(report: ReportProgress) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1

    jobs = Jobs(at_once=3)
    started: list[Job[None]] = [jobs.start(work) for _ in range(12)]
    for job in started:
        job.result(PATIENCE)
    assert most <= 3


def test_many_watchers_may_look_at_one_job() -> None:
    job = Jobs().start(lambda report: [report(n / 100, "") for n in range(100)])
    with ThreadPoolExecutor(8) as pool:
        ends = list(pool.map(lambda _: list(job.watch())[-1], range(8)))
    assert ends == [JobProgress(1.0, "Done")] * 8


@pytest.mark.parametrize(("given", "shown"), [(-1.0, 0.0), (0.25, 0.25), (7.0, 1.0)])
def test_a_fraction_stays_between_nothing_and_all(given: float, shown: float) -> None:
    held = threading.Event()

    def work(report: ReportProgress) -> None:
        report(given, "here")
        held.wait(PATIENCE)

    job = Jobs().start(work)
    for progress in job.watch():
        if progress.message == "here":
            assert progress.fraction == shown
            held.set()


def test_work_that_ends_in_its_own_time_asks_whether_to_stop() -> None:
    kept: list[bool] = []

    def work(report: ReportProgress) -> None:
        stopped = stop_asked(report, "Asking")
        while not stopped():
            time.sleep(0.005)
        kept.append(stopped())
        raise JobCancelled("Stopped.")

    job = Jobs().start(work)
    while job.progress.message != "Asking":
        time.sleep(0.001)
    assert not job.stopping
    job.cancel()
    with pytest.raises(JobCancelled):
        job.result(PATIENCE)
    assert kept == [True]
    assert (job.stopping, job.state, job.error) == (False, JobState.CANCELLED, None)


def test_a_stop_wakes_who_watches_a_job_that_cannot_end_yet() -> None:
    hang = threading.Event()
    job = Jobs().start(lambda report: hang.wait(PATIENCE))
    for _ in job.watch():
        if job.stopped:
            break
        job.cancel()
    assert not hang.is_set()
    hang.set()
    assert job.result(PATIENCE)  # it came to its end all the same
    assert not job.stopped
