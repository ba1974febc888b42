"""Whatever a stranger sends as JSON is read, or refused as JSON is."""

import json
from pathlib import Path

import pytest

from backend.errors import DatasetError
from backend.storage.row_files import UnreadableRow, file_rows
from backend.text.json_text import read_json

WRONG = {"deep": "[" * 100_000, "deep objects": '{"a":' * 100_000, "digits": "9" * 5_000, "half": '{"a": ', "nothing": ""}


@pytest.mark.parametrize("name", WRONG)
def test_what_python_gives_up_at_is_no_json(name: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        read_json(WRONG[name])


@pytest.mark.parametrize("name", ["deep", "digits"])
def test_a_row_of_it_is_left_out_and_a_file_of_it_refused(name: str, tmp_path: Path) -> None:
    lines, whole = tmp_path / "rows.jsonl", tmp_path / "rows.json"
    for path in (lines, whole):
        path.write_text(WRONG[name] + "\n")
    (row,) = file_rows(lines, DatasetError, (".jsonl",))
    assert isinstance(row.value, UnreadableRow)
    with pytest.raises(DatasetError, match="this is not JSON"):
        list(file_rows(whole, DatasetError, (".json",)))


def test_a_file_that_is_packed_already_is_not_packed_again(tmp_path: Path) -> None:
    for name in ("rows.parquet.gz", "rows.xlsx.gz"):
        with pytest.raises(DatasetError, match="packed twice"):
            list(file_rows(tmp_path / name, DatasetError, (".parquet", ".xlsx")))
