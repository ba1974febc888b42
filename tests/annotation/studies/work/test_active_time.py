"""The active time of a task: as the screen counts it, never more than there was, and without a count up to a longest pause."""

from pathlib import Path

import pytest

from annotation.studies.callers import Caller
from annotation.studies.figures.results import answer_seconds, results
from annotation.studies.study import Study
from annotation.studies.work.answers import save_draft, submit
from annotation.studies.work.leases import next_item, renew_lease
from annotation.ui.endpoints import CALLS, answered
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, rating_study


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    return rating_study(database, tmp_path / "r", clock)


@pytest.fixture
def worker(study: Study) -> Caller:
    return join(study, "Ann")


def _seconds(study: Study) -> tuple[float, float]:
    """The active and the whole time of the one answer."""
    (result,) = results(study)
    return result.about["active_seconds"], result.seconds


def test_a_closed_page_and_a_pause_do_not_count(study: Study, worker: Caller, clock: HandClock) -> None:
    key = next_item(study, worker).key
    clock.turn(10 / 60)
    save_draft(study, worker, key, "rating", 2, 1, worked=9)
    clock.turn(25 / 60)  # the page was closed
    renew_lease(study, worker, key, worked=0)
    clock.turn(5 / 60)
    submit(study, worker, key, {"rating": 2}, "once", worked=4.5)
    assert _seconds(study) == (13.5, 40)
    assert answer_seconds(study) == [13.5]


def test_nobody_has_worked_longer_than_they_had_the_task(study: Study, worker: Caller, clock: HandClock) -> None:
    key = next_item(study, worker).key
    clock.turn(10 / 60)
    save_draft(study, worker, key, "rating", 2, 1, worked=1e9)
    save_draft(study, worker, key, "rating", 3, 2, worked=10)
    clock.turn(10 / 60)
    submit(study, worker, key, {"rating": 2}, "once", worked=1e9)
    assert _seconds(study) == (20, 20)


def test_time_that_arrives_after_a_later_call_is_not_lost(study: Study, worker: Caller, clock: HandClock) -> None:
    key = next_item(study, worker).key
    clock.turn(1)
    renew_lease(study, worker, key, worked=0.2)  # was sent after the next one
    renew_lease(study, worker, key, worked=50)
    submit(study, worker, key, {"rating": 2}, "once", worked=0)
    assert _seconds(study) == (50.2, 60)


def test_where_nothing_is_counted_five_minutes_of_a_pause_do(study: Study, worker: Caller, clock: HandClock) -> None:
    key = next_item(study, worker).key
    clock.turn(1)
    save_draft(study, worker, key, "rating", 2, 1)
    clock.turn(20)
    submit(study, worker, key, {"rating": 2}, "once")
    assert _seconds(study) == (60 + 300, 21 * 60)


@pytest.mark.parametrize("worked", [-1, "5", True, float("nan"), float("inf")], ids=str)
def test_what_is_no_number_of_seconds_is_refused(study: Study, worker: Caller, worked: object) -> None:
    asked = {"key": next_item(study, worker).key, "worked": worked}
    reply = answered(lambda: CALLS["study_renew_lease"](study, worker, asked))
    assert (reply["ok"], reply["reason"]) == (False, "answer")
    assert "number of seconds" in reply["message"]
