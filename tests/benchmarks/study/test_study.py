"""What is measured is what happened: the comparison with the database finds every loss that is planted, and only those."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, update

from annotation.__main__ import main
from annotation.studies.people.workers import sign_in_by_link
from annotation.studies.shelf import OpenStudies
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_drafts, study_events, study_items
from annotation.studies.work.answers import save_draft, submit
from annotation.studies.work.leases import next_item
from backend.errors import AnnotationError
from backend.program import command_line
from backend.storage.database import Database
from benchmarks.ports import free_port
from benchmarks.study.client import StudyClient, Unanswered
from benchmarks.study.losses import Losses, count_leases, count_stuck, losses
from benchmarks.study.measurement import Load, StudyMeasurement, latency
from benchmarks.study.server import StudyServer
from benchmarks.study.study import Shape, make_study
from benchmarks.study.workers import DRAFT, NEXT, SUBMIT, Journal, Worker, WorkPace
from tests.annotation.studies.served_studies import endpoints_of

NONE = Losses(0, 0, 0, 0, 0, 0)
SHAPE = Shape(items=6, overlap=2, lease_minutes=30)


def _worked(database: Database, folder: Path) -> tuple[Study, list[Journal]]:
    """Two workers who have handed in two answers each and saved a draft of a third."""
    study, links = make_study(database, folder / "bench", SHAPE, ["Ann", "Ben"])
    journals = []
    for name, link in links.items():
        journal, caller = Journal(name), sign_in_by_link(study, link, "here")
        for number in range(3):
            key = next_item(study, caller).key
            save_draft(study, caller, key, "rewrite_1", f"{name} begins", 1)
            journal.drafts[key, "rewrite_1"] = (1, f"{name} begins")
            if number < 2:
                answer, submission = {"rewrite_1": f"{name} is done with {key}"}, f"{name}/{number}"
                journal.sent[submission] = (key, answer)
                journal.receipts[submission] = submit(study, caller, key, answer, submission, insist=True).event
        journals.append(journal)
    return study, journals


@pytest.mark.every_database
def test_nothing_is_found_where_nothing_is_lost(database: Database, tmp_path: Path) -> None:
    study, journals = _worked(database, tmp_path)
    assert losses(study, journals) == NONE
    assert not NONE
    assert (count_leases(study), count_stuck(study)) == (2, 0)


ASSIGNMENTS, EVENTS, DRAFTS, ITEMS = study_assignments, study_events, study_drafts, study_items
PLANTED: dict[str, tuple[Any, Losses]] = {
    "a draft is gone": (delete(DRAFTS).where(DRAFTS.c.worker == 1), Losses(0, 0, 1, 0, 0)),
    "a draft is another": (update(DRAFTS).where(DRAFTS.c.worker == 1).values(value="?"), Losses(0, 0, 1, 0, 0)),
    "a draft is older": (update(DRAFTS).values(version=0), Losses(0, 0, 2, 0, 0)),
    "a draft is newer": (update(DRAFTS).values(version=2, value="and on"), NONE),
    "an event is gone": (delete(EVENTS).where(EVENTS.c.once == "submission:Ann/0"), Losses(0, 1, 1, 0, 0)),
    "an event is of another": (
        update(EVENTS).where(EVENTS.c.once == "submission:Ann/0").values(once="submission:?"), Losses(0, 1, 0, 1, 0),
    ),
    "an answer is another": (
        update(ASSIGNMENTS).where(ASSIGNMENTS.c.worker == 1, ASSIGNMENTS.c.item == 1).values(answer={"rewrite_1": "?"}),
        Losses(0, 1, 0, 0, 0),
    ),
    "an answer is open again": (
        update(ASSIGNMENTS).where(ASSIGNMENTS.c.worker == 1, ASSIGNMENTS.c.item == 1).values(state="expired"),
        Losses(0, 1, 0, 0, 0),
    ),
    "overlap was less": (update(ITEMS).where(ITEMS.c.id == 1).values(wanted=1), Losses(3, 0, 0, 0, 0)),
    "a slot is not counted": (update(ITEMS).where(ITEMS.c.id == 1).values(taken=1), Losses(0, 0, 0, 0, 1)),
    "an item is open to a third": (update(ITEMS).where(ITEMS.c.id == 1).values(open=True), Losses(0, 0, 0, 0, 1)),
    "two leases at once": (
        update(ASSIGNMENTS).where(ASSIGNMENTS.c.worker == 1, ASSIGNMENTS.c.item == 2).values(state="leased"),
        Losses(1, 1, 0, 0, 0),
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("planted", PLANTED)
def test_every_loss_is_found(database: Database, tmp_path: Path, planted: str) -> None:
    study, journals = _worked(database, tmp_path)
    change, expected = PLANTED[planted]
    with database.writing() as connection:
        assert connection.execute(change).rowcount
    assert losses(study, journals) == expected
    assert bool(expected) == (expected != NONE)


def test_an_answer_taken_twice_is_found(database: Database, tmp_path: Path) -> None:
    study, journals = _worked(database, tmp_path)
    with database.writing() as connection:
        first = connection.execute(select(EVENTS).where(EVENTS.c.once == "submission:Ann/0")).one()
        connection.execute(insert(EVENTS).values({**first._mapping, "id": 1000, "once": "submission:again"}))
    found = losses(study, journals)
    assert (found.double_assignments, found.strays) == (1, 1)


def _serve(database: Database, folder: Path, use: Callable[[Study, dict[str, str], int], None]) -> None:
    study, links = make_study(database, folder / "bench", SHAPE, ["Ann", "Ben"])
    with endpoints_of(OpenStudies(database)) as port:
        use(study, links, port)


@pytest.mark.slow
def test_a_worker_notes_what_the_server_says(database: Database, tmp_path: Path) -> None:
    def use(study: Study, links: dict[str, str], port: int) -> None:
        worker = Worker(port, "Ann", links["Ann"], WorkPace(0, 0, 2), threading.Event(), to_the_end=True)
        journal = worker.run()
        assert len(journal.receipts) == len(journal.sent) == SHAPE.items
        assert len(journal.seconds[DRAFT]) == 2 * SHAPE.items
        assert len(journal.seconds[SUBMIT]) == SHAPE.items == len(journal.seconds[NEXT]) - 1
        assert dict(journal.refusals) == {"finished": 1}
        assert losses(study, [journal]) == NONE

    _serve(database, tmp_path, use)


@pytest.mark.slow
def test_a_worker_misses_drafts_that_do_not_come_back(database: Database, tmp_path: Path) -> None:
    def use(study: Study, links: dict[str, str], port: int) -> None:
        stop = threading.Event()
        worker = Worker(port, "Ann", links["Ann"], WorkPace(0, 0.05, 1000), stop)
        working = threading.Thread(target=worker.run)
        working.start()
        while not worker.journal.drafts:
            stop.wait(0.01)
        stop.set()
        working.join()
        assert losses(study, [worker.journal]) == NONE
        with database.writing() as connection:
            connection.execute(delete(DRAFTS))
        again = Worker(port, "Ann", links["Ann"], WorkPace(0, 0, 1), threading.Event(), to_the_end=True)
        again.journal.drafts = worker.journal.drafts
        assert again.run().forgotten == {("item-0", "rewrite_1")}
        assert losses(study, [again.journal]).lost_drafts == 1

    _serve(database, tmp_path, use)


def test_a_client_without_a_server_has_no_answer() -> None:
    with pytest.raises(Unanswered):
        StudyClient(free_port()).call("study_door")


@pytest.mark.slow
def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    server = StudyServer(tmp_path / "absent", f"sqlite:///{tmp_path / 'parley.sqlite'}")
    with pytest.raises(AnnotationError, match=r"did not start: .*absent"):
        server.start()


def test_quantiles_are_those_of_the_sorted_times() -> None:
    found = latency(number / 1000 for number in range(100, -1, -1))
    assert (found.calls, found.median, found.p95, found.slowest) == (101, 50, 95, 100)
    assert latency([]).calls == 0


def test_json_has_a_figure_for_each_bound() -> None:
    slow = {NEXT: latency([0.1]), DRAFT: latency([0.3]), SUBMIT: latency([0.2])}
    found = StudyMeasurement("sqlite", Load(3, SHAPE, WorkPace(), 5), 1, 1, NONE, {}, 0, slow, 2, 0.5, 0.6)
    told = json.loads(json.dumps(found.as_json()))
    assert {"clients", "items", "double_assignments", "lost", "median_next_ms", "p95_next_ms", "p95_submit_ms",
            "p95_draft_ms", "think_seconds"} <= set(told)  # fmt: skip
    assert (told["clients"], told["lost"], told["p95_submit_ms"], told["within_bounds"]) == (3, 0, 200, False)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--workers", "0"), "--workers is 0; it should be 1 or more"),
        (("--kills", "-1"), "--kills is -1"),
        (("--think", "3", "1"), "the smaller one first"),
    ],
)
def test_a_load_that_cannot_be_is_refused(arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.run("annotation", main, ("bench", *arguments)) == 2
    assert says in capsys.readouterr().err
