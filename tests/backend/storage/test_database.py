"""The database keeps what it is given, from many threads, and says what is wrong with one it cannot use."""

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from sqlalchemy import inspect
from sqlalchemy.exc import StatementError

import annotation.studies.tables  # noqa: F401  # the tables of studies stand there
from backend.errors import DatabaseError
from backend.storage.collected import Correction, Feedback, add_correction, add_feedback, list_corrections, list_feedback
from backend.storage.database import Database, corrections, metadata
from backend.storage.migrations import MIGRATIONS


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path / 'made' / 'parley.sqlite'}")
    yield database
    database.close()


def _correction(number: int = 0, dataset: str = "diabetes") -> Correction:
    return Correction(f"question {number}", "predict [e]", f"filter id {number} and predict [e]", dataset)


def test_corrections_come_back_as_they_were_given_oldest_first(database: Database) -> None:
    given = [_correction(0), _correction(1, "german"), _correction(2)]
    for correction in given:
        add_correction(database, correction)
    assert list_corrections(database) == given
    assert list_corrections(database, "german") == [given[1]]
    assert list_corrections(database, "none such") == []


def test_feedback_comes_back_with_odd_characters_unharmed(database: Database) -> None:
    question = "wh\u00fd? '); DROP TABLE feedback;--"
    given = Feedback(question, "explain features [e]", "<b>\U0001f600</b>", "down", "", "compas")
    add_feedback(database, given)
    assert list_feedback(database) == [given]


def test_a_verdict_is_up_or_down(database: Database) -> None:
    with pytest.raises(DatabaseError, match="up, down"):
        add_feedback(database, Feedback("q", "p", "a", "sideways", "", "d"))  # type: ignore[arg-type]
    assert list_feedback(database) == []


def test_times_are_utc_whatever_zone_they_were_given_in(database: Database) -> None:
    created = datetime(2026, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=2)))
    add_correction(database, Correction("q", "a", "b", "d", created))
    kept = list_corrections(database)[0].created
    assert kept == created
    assert kept.tzinfo is UTC
    with pytest.raises((StatementError, DatabaseError)):
        add_correction(database, Correction("q", "a", "b", "d", datetime(2026, 1, 1)))


@pytest.mark.slow
def test_thirty_threads_write_and_read_without_a_loss(database: Database) -> None:
    def work(number: int) -> int:
        for step in range(10):
            add_correction(database, _correction(number * 10 + step))
        return len(list_corrections(database))

    with ThreadPoolExecutor(30) as pool:
        seen = list(pool.map(work, range(30)))
    assert len({entry.utterance for entry in list_corrections(database)}) == 300
    assert all(10 <= count <= 300 for count in seen)


def test_many_openings_at_once_migrate_only_once(tmp_path: Path) -> None:
    def open_and_close(_: int) -> int:
        database = Database(f"sqlite:///{tmp_path / 'parley.sqlite'}")
        version = database.version()
        database.close()
        return version

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(open_and_close, range(8))) == {len(MIGRATIONS)}


def test_what_was_kept_is_there_after_a_restart(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'parley.sqlite'}"
    first = Database(url)
    add_correction(first, _correction())
    first.close()
    second = Database(url)
    assert [entry.utterance for entry in list_corrections(second)] == ["question 0"]
    second.close()


def test_an_exception_inside_a_transaction_leaves_nothing_behind(database: Database) -> None:
    def fail_half_way() -> None:
        with database.writing() as connection:
            connection.execute(corrections.insert().values(**vars(_correction())))
            raise KeyError

    with pytest.raises(KeyError):
        fail_half_way()
    assert list_corrections(database) == []


def test_migrations_make_exactly_the_tables_that_queries_use(database: Database) -> None:
    with database.reading() as connection:
        seen = inspect(connection)
        assert set(seen.get_table_names()) == set(metadata.tables)
        for table in metadata.sorted_tables:
            made = {column["name"]: column["nullable"] for column in seen.get_columns(table.name)}
            assert made == {column.name: column.nullable for column in table.c}


def test_a_database_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "parley.sqlite"
    Database(f"sqlite:///{path}").close()
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO schema_version VALUES (99)")
    connection.close()
    with pytest.raises(DatabaseError, match="version 99"):
        Database(f"sqlite:///{path}")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("not a url", "malformed"),
        ("sqlite://", "needs a file"),
        ("sqlite:////proc/nowhere/parley.sqlite", "cannot be made"),
        ("nosuch://host/name", "no driver"),
    ],
)
def test_an_unusable_address_is_refused_in_words(url: str, says: str) -> None:
    with pytest.raises(DatabaseError, match=says):
        Database(url)


def test_a_file_that_is_no_database_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("just a text\n" * 100)
    with pytest.raises(DatabaseError, match="not a database"):
        Database(f"sqlite:///{path}")


def test_the_password_of_a_database_is_never_shown(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError) as caught:
        Database(f"sqlite://user:secret@/{tmp_path}")
    assert "secret" not in caught.value.message
