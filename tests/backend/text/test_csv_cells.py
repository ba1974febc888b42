"""No cell of a CSV file runs in a spreadsheet, and every text comes back as it was."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import AnnotationError
from backend.storage.row_files import file_rows
from backend.text.csv_cells import csv_of, csv_text, read_cell, safe_cell

RUNS = (
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1+1",
    "＋1",
    "－1",
    "＠A1",
    "'=1",
    "''@x",
    "=",
    "-",
    "--1",
    "+49 30 1",
)
STAYS = ("", "plain", "-3.00", "+4", "-1e-05", "'tis", "it's = that", " a", "1-2", "'")


@pytest.mark.parametrize("cell", RUNS)
def test_what_could_run_is_marked_as_text(cell: str) -> None:
    assert safe_cell(cell) == f"'{cell}"
    assert read_cell(safe_cell(cell)) == cell


@pytest.mark.parametrize("cell", STAYS)
def test_other_texts_and_numbers_stay(cell: str) -> None:
    assert safe_cell(cell) == cell
    assert read_cell(cell) == cell


def test_what_is_no_text_stays() -> None:
    assert [safe_cell(value) for value in (-1.5, -2, None, True)] == [-1.5, -2, None, True]


@given(st.text(st.sampled_from("'=+-@\t\r\n＝a1.e "), max_size=8) | st.text(max_size=8))
def test_every_text_comes_back(cell: str) -> None:
    safe = safe_cell(cell)
    assert read_cell(safe) == cell
    assert safe.lstrip("'") == cell.lstrip("'")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6), min_size=2, max_size=2))
def test_another_reader_finds_the_same_cells(cells: list[str]) -> None:
    (row,) = csv.reader(io.StringIO(csv_text([cells]), newline=""))
    assert [read_cell(cell) for cell in row] == cells


def test_rows_read_from_a_file_are_as_they_were_before_it(tmp_path: Path) -> None:
    rows = [{"text": text, "other": "x"} for text in (*RUNS, *STAYS)]
    (tmp_path / "rows.csv").write_text(csv_of(rows), encoding="utf-8", newline="")
    assert [row.value for row in file_rows(tmp_path / "rows.csv", AnnotationError, (".csv",), 10_000)] == rows
    assert csv_of([]) == ""
