"""The disk is full, the database locked or gone: nobody is told that something was saved, and it is once it can be."""

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import event

from annotation.studies.callers import Caller
from annotation.studies.figures.results import results
from annotation.studies.people.sessions import begin_session
from annotation.studies.shelf import OpenStudies
from annotation.studies.study import Study, open_study
from annotation.studies.work.answers import save_draft
from annotation.studies.work.leases import next_item
from annotation.ui.endpoints import CALLS, answered
from annotation.web.asked import Asked, Reply
from backend.storage.database import Database, now
from benchmarks.postgresql_server import PostgresqlServer
from tests.annotation.studies.small_studies import join, json_lines, write_study

HEAD = 'title = "Anew"\ntask = "utterance_rewriting"\nitems = ["items.jsonl"]\n[settings]\nrewrites = 1'
TEXT = "words " * 16_000


def _study(database: Database, folder: Path) -> Study:
    items = json_lines([{"id": f"u{n}", "utterance": f"How old is {n}?"} for n in range(3)])
    return open_study(database, write_study(folder, HEAD, items__jsonl=items), now)


@contextmanager
def _disk_full(database: Database) -> Iterator[None]:
    """SQLite says the same as on a full disk when a file may not grow any more."""
    with closing(sqlite3.connect(_file(database))) as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    with _each_connection(database, f"PRAGMA max_page_count = {pages}"):
        yield


@contextmanager
def _locked(database: Database) -> Iterator[None]:
    """Another program writes and does not come to an end."""
    with closing(sqlite3.connect(_file(database), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with _each_connection(database, "PRAGMA busy_timeout = 50"):
            yield


@contextmanager
def _each_connection(database: Database, command: str) -> Iterator[None]:
    def tell(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute(command)

    event.listen(database._engine, "checkout", tell)
    try:
        yield
    finally:
        event.remove(database._engine, "checkout", tell)
        database.close()  # connections that are opened from now on are as usual


@contextmanager
def _out_of_reach(database: Database) -> Iterator[None]:
    """A PostgreSQL server that ends all connections and takes no new ones."""
    url = database._engine.url
    everything = url.set(drivername="postgresql", database="template1").render_as_string(False)
    with closing(psycopg.connect(everything, autocommit=True)) as other:
        other.execute(f'ALTER DATABASE "{url.database}" ALLOW_CONNECTIONS false')
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (url.database,))
        try:
            yield
        finally:
            other.execute(f'ALTER DATABASE "{url.database}" ALLOW_CONNECTIONS true')


def _file(database: Database) -> str:
    return str(database).removeprefix("sqlite:///")


@pytest.mark.parametrize("trouble", [_disk_full, _locked])
@pytest.mark.slow
def test_what_sqlite_cannot_save_is_not_said_to_be_saved(
    trouble: Callable[[Database], AbstractContextManager[None]], database: Database, tmp_path: Path
) -> None:
    _through(_study(database, tmp_path / "anew"), trouble)


def test_what_a_server_that_is_gone_cannot_save_is_not_said_to_be_saved(postgresql: PostgresqlServer, tmp_path: Path) -> None:
    with closing(Database(postgresql.empty_database())) as database:
        _through(_study(database, tmp_path / "anew"), _out_of_reach)


def _through(study: Study, trouble: Callable[[Database], AbstractContextManager[None]]) -> None:
    worker = join(study, "Wim")
    key, token, shelf = next_item(study, worker).key, begin_session(study, worker), OpenStudies(study.database)
    save_draft(study, worker, key, "rewrite_1", "before", 1)
    draft = {"key": key, "field": "rewrite_1", "value": TEXT, "version": 2}
    submission = {"key": key, "answer": {"rewrite_1": TEXT}, "submission": "once", "insist": True}
    # What was acknowledged before is there afterwards; what was refused is not there in part.
    with trouble(study.database):
        for name, asked in (("study_save_draft", draft), ("study_submit", submission)):
            reply = _call(shelf, token, name, asked)
            assert (reply["ok"], reply["reason"]) == (False, "connection")
            assert reply["message"] == "the server cannot reach or write its database at the moment."
    assert _kept(study, worker) == "before"
    assert _call(shelf, token, "study_save_draft", draft)["ok"]
    assert _kept(study, worker) == TEXT
    for _ in range(2):
        assert _call(shelf, token, "study_submit", submission)["ok"]
    assert [found.answer for found in results(study)] == [{"rewrite_1": TEXT}]


def _call(shelf: OpenStudies, token: str, name: str, asked: Asked) -> Reply:
    return answered(lambda: CALLS[name](*shelf.signed_in(token), asked))


def _kept(study: Study, worker: Caller) -> str:
    return str(next_item(study, worker).drafts["rewrite_1"].value)


def test_the_reason_is_in_the_log_and_not_on_the_screen(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    study = _study(database, tmp_path / "anew")
    token = begin_session(study, join(study, "Wim"))
    with _locked(database), caplog.at_level(logging.ERROR):
        reply = _call(OpenStudies(database), token, "study_next", {})
    assert "locked" in caplog.text
    assert _file(database) not in str(reply)
