"""Fifty people at once, on SQLite and on PostgreSQL: nobody gets what another has, and nothing is taken twice."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import select

from annotation.studies.callers import Caller, Role
from annotation.studies.figures.progress import progress
from annotation.studies.files.backup import backup, restore
from annotation.studies.people.workers import enrol, sign_in_by_link
from annotation.studies.refusals import CallRefusedError
from annotation.studies.study import Study, load_study
from annotation.studies.tables import study_assignments, study_events, study_items
from annotation.studies.work.answers import save_draft, submit
from annotation.studies.work.grading import LeadVerdict, review, review_queue, work_of
from annotation.studies.work.leases import next_item
from backend.storage.database import Database
from benchmarks.postgresql_server import PostgresqlServer
from tests.annotation.studies.small_studies import HandClock, join, rating_study

PEOPLE, ITEMS, OVERLAP = 50, 40, 3


def _all_at_once(study: Study) -> None:
    links = [enrol(study, f"w{n}").link for n in range(PEOPLE)]
    with ThreadPoolExecutor(PEOPLE) as pool:  # from one address, which nobody has tried before
        people = list(pool.map(lambda link: sign_in_by_link(study, link, "one room"), links))

    def work(worker: Caller) -> int:
        done = 0
        while True:
            try:
                given = next_item(study, worker)
            except CallRefusedError:
                return done
            save_draft(study, worker, given.key, "rating", 3, 1)
            for _ in range(2):  # a reply was lost, so the screen sends it again
                submit(study, worker, given.key, {"rating": 4}, given.key)
            done += 1

    with ThreadPoolExecutor(PEOPLE) as pool:
        done = list(pool.map(work, people))
    assert sum(done) == ITEMS * OVERLAP
    with study.database.reading() as connection:
        rows = connection.execute(select(study_assignments)).all()
        submitted = select(study_events.c.worker, study_events.c.item).where(study_events.c.kind == "submitted")
        events = [(event.worker, event.item) for event in connection.execute(submitted)]
        items = connection.execute(select(study_items)).all()
    assert len(events) == len(set(events)) == ITEMS * OVERLAP
    assert set(Counter(row.item for row in rows if row.state == "submitted").values()) == {OVERLAP}
    assert all(item.taken == OVERLAP and not item.open for item in items)
    lead = join(study, "lead", Role.LEAD)
    assert progress(study, lead).complete == ITEMS


def _one_worker_twice(study: Study) -> None:
    """Somebody with two tabs gets one item in both, and a submission sent at once from both counts once."""
    worker = join(study, "two tabs")
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: next_item(study, worker).key, range(8)))
        assert len(keys) == 1
        key = keys.pop()
        receipts = set(pool.map(lambda _: submit(study, worker, key, {"rating": 4}, "one").event, range(8)))
    assert len(receipts) == 1


@pytest.mark.slow
@pytest.mark.every_database
def test_fifty_threads(database: Database, tmp_path: Path, clock: HandClock) -> None:
    _all_at_once(rating_study(database, tmp_path / "ratings", clock, ITEMS, f"overlap = {OVERLAP}"))


@pytest.mark.every_database
def test_two_tabs(database: Database, tmp_path: Path, clock: HandClock) -> None:
    _one_worker_twice(rating_study(database, tmp_path / "ratings", clock))


def test_rejections_leases_and_backups_on_postgresql(postgresql: PostgresqlServer, tmp_path: Path, clock: HandClock) -> None:
    address = postgresql.empty_database()
    database = Database(address)
    try:
        study = rating_study(database, tmp_path / "few", clock, 3, "[batches]\nspot_check = 1")
        _one_worker_twice(study)
        lead, other = join(study, "lead", Role.LEAD), join(study, "other")
        work = review_queue(study, lead)[0]
        review(study, lead, work.assignment, work.number, LeadVerdict.REJECTED, "no")
        lost = next_item(study, other).key
        assert lost == work.key
        clock.turn(60)
        assert next_item(study, join(study, "third")).key == work.key
        assert work_of(study, lead, other.worker) == ()
        backup(address, tmp_path / "copy")
    finally:
        database.close()
    restore(address, tmp_path / "copy", overwrite=True)
    database = Database(address)
    try:
        assert load_study(database, "few").plan == study.plan
    finally:
        database.close()
