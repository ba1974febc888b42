"""Replies on disk: each once, whoever opens the file meanwhile."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from backend.errors import FaithfulnessError
from backend.models.language_models import Reply
from faithfulness.runs.call_store import CallStore


def test_many_may_open_and_close_the_file_at_once(tmp_path: Path) -> None:
    def visit(number: int) -> None:
        store = CallStore(tmp_path / "calls.sqlite")
        store.put(f"key {number % 50}", Reply(f"text {number % 50}"))
        assert store.get(f"key {number % 50}") == Reply(f"text {number % 50}")
        store.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(visit, range(200)))
    store = CallStore(tmp_path / "calls.sqlite")
    assert len(store) == 50
    store.close()


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "calls.sqlite").write_bytes(b"something else entirely, " * 50)
    with pytest.raises(FaithfulnessError, match=r"calls\.sqlite cannot be used"):
        CallStore(tmp_path / "calls.sqlite")


def test_a_store_of_an_earlier_version_is_read_and_written(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "calls.sqlite")) as older, older:
        columns = "key TEXT PRIMARY KEY, text TEXT, prompt_tokens INTEGER, completion_tokens INTEGER, seconds REAL"
        older.execute(f"CREATE TABLE replies ({columns}) WITHOUT ROWID")
        older.execute("INSERT INTO replies VALUES ('before', 'yes', 3, 1, 0.5)")
    store = CallStore(tmp_path / "calls.sqlite")
    assert store.get("before") == Reply("yes", 3, 1, 0.5)
    cut = Reply("", 3, 48, 0.5, finish="length", reasoned=True)
    store.put("now", cut)
    assert store.get("now") == cut
    store.note_adjustment("m", "temperature is left out")
    store.note_adjustment("m", "temperature is left out")
    assert store.adjustments("m") == ["temperature is left out"]
    store.close()
