"""Replies on disk: each once, whoever opens the file meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
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
