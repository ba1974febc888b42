"""The queue: each pair once, in a steady order, with its state and history; and the tables it lives in."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, inspect

import backend.storage.database
from annotation.parses.pairs import (
    Imported,
    Key,
    PairOrigin,
    ReviewItem,
    ReviewState,
    add_imported,
    find_item,
    list_items,
    next_item,
    progress,
)
from annotation.parses.parse_reader import ParseReader
from annotation.parses.review import reject
from backend.storage.collected import Correction, add_correction, list_corrections
from backend.storage.database import Database, corrections, imported_parses, now, parse_reviews
from backend.storage.migrations import MIGRATIONS

ODD = "שלום <script>alert(1)</script>\n\t${x} {{y}} \U0001f600 '); DROP TABLE corrections;--  "

pytestmark = pytest.mark.every_database


def test_the_same_correction_made_three_times_is_one_item(database: Database) -> None:
    for _ in range(3):
        add_correction(database, Correction("q", "predict [e]", "show [e]", "d"))
    add_correction(database, Correction("q", "predict [e]", "label [e]", "d"))
    assert [(item.proposed, item.made) for item in list_items(database)] == [("show [e]", 3), ("label [e]", 1)]


def test_an_item_keeps_its_key_and_state_when_the_correction_is_made_again(database: Database) -> None:
    add_correction(database, Correction("q", "predict [e]", "show [e]", "d"))
    item = list_items(database)[0]
    reject(database, item.key, 0, "Anna", "no")
    add_correction(database, Correction("q", "predict [e]", "show [e]", "d"))
    again = list_items(database)
    assert [(one.key, one.state, one.made) for one in again] == [(item.key, ReviewState.REJECTED, 2)]


def test_text_comes_back_exactly(database: Database) -> None:
    add_correction(database, Correction(ODD, ODD, ODD, "d"))
    item = list_items(database)[0]
    assert (item.utterance, item.predicted, item.proposed) == (ODD, ODD, ODD)


def test_a_hundred_thousand_characters_come_back_exactly(database: Database) -> None:
    long = "ж" * 100_000
    add_correction(database, Correction(long, "predict [e]", "show [e]", "d"))
    assert list_items(database)[0].utterance == long


def test_the_queue_passes_each_pending_item_once_and_then_begins_anew(database: Database, corrected: list[ReviewItem]) -> None:
    seen = []
    item = next_item(database)
    for _ in range(4):
        assert item is not None
        seen.append(item.key)
        item = next_item(database, item.key)
    assert seen == [*(item.key for item in corrected), corrected[0].key]


def test_the_queue_can_be_narrowed_to_a_data_set_and_to_states(database: Database, corrected: list[ReviewItem]) -> None:
    reject(database, corrected[0].key, 0, "Anna", "no")
    first = next_item(database, None, "diabetes")
    assert first is not None
    assert first.key == corrected[1].key
    rejected = next_item(database, None, None, (ReviewState.REJECTED,))
    assert rejected is not None
    assert rejected.key == corrected[0].key
    assert next_item(database, None, "boxes", (ReviewState.REJECTED,)) is None


def test_progress_counts_every_item_once(database: Database, corrected: list[ReviewItem]) -> None:
    reject(database, corrected[0].key, 0, "Anna", "no")
    counts = progress(database)
    assert list(counts) == ["boxes", "diabetes"]
    assert counts["diabetes"] == {
        ReviewState.PENDING: 1,
        ReviewState.ACCEPTED: 0,
        ReviewState.EDITED: 0,
        ReviewState.REJECTED: 1,
    }


def test_imported_pairs_wait_beside_corrections_and_are_not_taken_for_them(
    database: Database, corrected: list[ReviewItem]
) -> None:
    pair = Imported("How likely is 5?", "filter id 5 and likelihood [e]", 1)
    assert add_imported(database, "diabetes", "suite.txt", [pair]) == 1
    item = list_items(database)[-1]
    assert (item.key, item.source, item.line, item.predicted) == (Key(PairOrigin.IMPORT, 1), "suite.txt", 1, "")
    assert item.state is ReviewState.PENDING
    assert len(list_corrections(database)) == len(corrected)


def test_a_pair_that_is_there_already_is_not_imported_again(database: Database) -> None:
    pairs = [Imported("a", "show [e]", 1), Imported("b", "show [e]", 4)]
    assert add_imported(database, "d", "one.txt", pairs[:1]) == 1
    assert add_imported(database, "d", "two.txt", pairs) == 1
    assert add_imported(database, "other", "two.txt", pairs) == 2
    assert len(list_items(database, "d")) == 2


def test_there_is_no_item_of_an_unknown_number(database: Database) -> None:
    assert find_item(database, Key(PairOrigin.CORRECTION, 7)) is None


def test_ten_thousand_pairs_do_not_keep_a_reviewer_waiting(database: Database, reader: ParseReader) -> None:
    with database.writing() as connection:
        made = {"dataset": "boxes", "predicted": "show [e]", "corrected": "label [e]", "created": now()}
        connection.execute(corrections.insert(), [made | {"utterance": f"question {number}"} for number in range(10_000)])
        done = {"origin": "correction", "number": 1, "state": "rejected", "parse": "", "reason": "no", "reviewer": "A"}
        connection.execute(parse_reviews.insert(), [done | {"item": number, "created": now()} for number in range(1, 5001)])
    steps = _counted_steps(database)
    item = next_item(database)
    assert item is not None
    reject(database, item.key, 0, "Anna", "no")
    counts = progress(database)
    assert counts["boxes"][ReviewState.REJECTED] == 5001
    assert len(steps) < 10_000  # 2,560; every row beside every other would be over 50,000


def _counted_steps(database: Database) -> list[None]:
    """Grows by one for each thousand instructions that SQLite carries out; stays empty where a server does the work."""
    steps: list[None] = []

    @event.listens_for(database._engine, "checkout")
    def count(connection: Any, *_: object) -> None:
        if database._engine.dialect.name == "sqlite":
            connection.set_progress_handler(lambda: steps.append(None), 1000)

    return steps


def test_a_database_of_the_first_version_is_brought_up_with_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'parley.sqlite'}"
    monkeypatch.setattr(backend.storage.database, "MIGRATIONS", MIGRATIONS[:1])
    first = Database(url)
    with first.writing() as connection:
        connection.execute(corrections.insert().values(**vars(Correction("q", "predict [e]", "show [e]", "d"))))
    first.close()
    monkeypatch.setattr(backend.storage.database, "MIGRATIONS", MIGRATIONS[:2])
    second = Database(url)
    assert second.version() == 2
    assert [item.utterance for item in list_items(second)] == ["q"]
    second.close()
    monkeypatch.setattr(backend.storage.database, "MIGRATIONS", MIGRATIONS)
    last = Database(url)
    assert [item.utterance for item in list_items(last)] == ["q"]
    assert list_items(last, owner="a session") == []
    last.close()


@pytest.mark.parametrize("table", [imported_parses, parse_reviews], ids=lambda table: table.name)
def test_the_migration_makes_the_tables_that_queries_use(database: Database, table: backend.storage.database.Table) -> None:
    with database.reading() as connection:
        made = {column["name"]: column["nullable"] for column in inspect(connection).get_columns(table.name)}
        assert made == {column.name: column.nullable for column in table.c}


def test_the_database_itself_refuses_two_decisions_of_one_number(database: Database) -> None:
    with database.reading() as connection:
        unique = inspect(connection).get_unique_constraints("parse_reviews")
    assert [constraint["column_names"] for constraint in unique] == [["origin", "item", "number"]]
