"""A server and rows for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faithfulness.run.planted import ROWS, write_rows


@pytest.fixture
def rows_file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    write_rows(path, ROWS)
    return path
