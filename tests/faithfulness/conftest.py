"""A server with the OpenAI interface, on loopback, and rows for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faithfulness.planted import ROWS, Endpoint, write_rows


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


@pytest.fixture
def rows_file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    write_rows(path, ROWS)
    return path
