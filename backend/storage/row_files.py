"""Rows of data out of files (JSON Lines, JSON, CSV, TSV, each also gzipped; Excel, Parquet) and of the Hugging Face hub.

A line that is no JSON comes as an UnreadableRow, so that the caller decides whether to go on without it. What is wrong with a
source as a whole is raised as `error`, the class of the part that reads.
"""

import csv
import gzip
import io
import itertools
import json
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from backend.errors import ParleyError
from backend.program.extras import require
from backend.storage.unpacked_size import MEGABYTE, check_unpacked
from backend.text.csv_cells import read_cell
from backend.text.json_text import read_json

SAVED_TO_DISK = ("dataset_dict.json", "state.json")  # what `save_to_disk` of the library datasets leaves in a folder
PARQUET_ROWS = 64  # that are held at once
STANDARD_INPUT = Path("-")
LONGEST_CELL = 500_000_000  # characters; the csv module stops at 131,072 by itself
Error = type[ParleyError]


@dataclass(frozen=True)
class UnreadableRow:
    reason: str


@dataclass(frozen=True)
class RawRow:
    """`number` is what a person calls the row by: its line, or in formats of many lines its position from 1."""

    number: int
    line: int
    value: Any


def format_of(path: Path) -> str:
    """The ending that names the format, as `.jsonl` of `a.jsonl.gz`."""
    return path.with_suffix("").suffix.lower() if path.suffix == ".gz" else path.suffix.lower()


def file_rows(path: Path, error: Error, formats: Sequence[str], largest: int | None = None) -> Iterator[RawRow]:
    """The rows of a file in one of `formats`, in order; only JSON and a file of text with a limit are read at once.

    `largest`: the most bytes that the file may have, unpacked.
    """
    if format_of(path) not in formats:
        raise error(f"{path.name} ends in none of {', '.join(formats)} (or one of these with .gz).")
    if path.suffix == ".gz" and format_of(path) in WHOLE_FILES:
        raise error(f"{path.name} is packed twice; bring it without .gz.")
    if path.suffix.lower() in WHOLE_FILES:
        if largest is not None and path.is_file():
            check_unpacked(path, error, largest // MEGABYTE)
        yield from WHOLE_FILES[path.suffix.lower()](path, error)
    else:
        yield from READERS[format_of(path)](path, _lines(path, error, largest), error)


def json_lines(path: Path, error: Error) -> Iterator[RawRow]:
    """The rows of a JSON Lines file, whatever its name; `-` is standard input."""
    return _json_lines(path, _lines(path, error, None), error)


def text_lines(path: Path, error: Error) -> Iterator[str]:
    """The lines of a UTF-8 file, or of standard input where it is `-`, blank ones as well, as they come.

    Raises `error` if it cannot be read, is not UTF-8, or holds nothing but blank lines.
    """
    blank = True
    for line in _lines(path, error, None):
        blank = blank and not line.strip()
        yield line
    if blank:
        raise error(f"{_named(path)} holds no line.")


def dataset_rows(name: str, split: str, error: Error, streaming: bool = False) -> Iterator[RawRow]:
    """The rows of a data set of the hub, or of a folder of that form or written by `save_to_disk`.

    Without a split, those of the first.
    """
    require("datasets")
    import datasets

    try:
        if any((Path(name) / file).is_file() for file in SAVED_TO_DISK):
            rows = datasets.load_from_disk(name)
            rows = rows[split] if split and isinstance(rows, datasets.DatasetDict) else rows
        else:
            rows = datasets.load_dataset(name, split=split or None, streaming=streaming)
    except Exception as problem:  # the library raises whatever the hub, a file or its parser gives
        at = f"{name} ({split})" if split else name
        raise error(f"The data set {at} cannot be loaded: {_first_line(problem)}") from problem
    yield from _numbered(next(iter(rows.values())) if isinstance(rows, dict) else rows)


def _lines(path: Path, error: Error, largest: int | None) -> Iterator[str]:
    try:
        with _opened(path) as file:
            for number, line in enumerate(
                file if largest is None else _bounded(path, file.read(largest + 1), error, largest), 1
            ):
                try:
                    yield line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as problem:
                    raise error(f"{_named(path)}, line {number}: this is not UTF-8 text; save it as UTF-8.") from problem
    except (OSError, EOFError) as problem:
        raise error(f"Cannot read {path}: {getattr(problem, 'strerror', None) or problem}.") from problem


def _opened(path: Path) -> AbstractContextManager[gzip.GzipFile | IO[bytes]]:
    if path == STANDARD_INPUT:
        return nullcontext(sys.stdin.buffer)
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _named(path: Path) -> str:
    return "Standard input" if path == STANDARD_INPUT else str(path)


def _bounded(path: Path, content: bytes, error: Error, largest: int) -> Iterable[bytes]:
    if len(content) > largest:
        raise error(f"{path} is larger than {largest:,} bytes; split it.")
    return io.BytesIO(content)


def _json_lines(path: Path, lines: Iterator[str], error: Error) -> Iterator[RawRow]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield RawRow(number, number, read_json(line))
            except json.JSONDecodeError as problem:
                yield RawRow(number, number, UnreadableRow(f"this is not JSON ({problem.msg} at column {problem.colno})."))


def _json_array(path: Path, lines: Iterator[str], error: Error) -> Iterator[RawRow]:
    try:
        rows = read_json("".join(lines))
    except json.JSONDecodeError as problem:
        raise error(f"{path}, line {problem.lineno}: this is not JSON ({problem.msg}).") from problem
    if isinstance(rows, dict) and isinstance(rows.get("data"), list):  # as SQuAD and many exports wrap them
        rows = rows["data"]
    if not isinstance(rows, list):
        raise error(f"{path}: a .json file holds one array of rows, as [{{...}}, {{...}}].")
    yield from _numbered(rows)


def _csv(path: Path, lines: Iterator[str], error: Error) -> Iterator[RawRow]:
    """Cells as texts. A row with more cells than the first line has the rest under None, one with fewer has None in them."""
    head = next(lines, "")
    separator = "\t" if format_of(path) == ".tsv" or "\t" in head else ";" if ";" in head and "," not in head else ","
    reader = csv.DictReader(itertools.chain([head] if head else [], lines), strict=True, delimiter=separator)
    csv.field_size_limit(LONGEST_CELL)
    try:
        for number, row in enumerate(reader, 1):
            cells = {name: read_cell(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
            yield RawRow(number, reader.line_num, cells)
    except csv.Error as problem:
        raise error(f"{path}, line {reader.line_num}: this is not CSV ({problem}).") from problem


def _parquet(path: Path, error: Error) -> Iterator[RawRow]:
    require("pyarrow")
    import pyarrow
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            rows = (row for batch in file.iter_batches(PARQUET_ROWS) for row in batch.to_pylist())
            yield from _numbered(rows)
    except (pyarrow.ArrowException, OSError) as problem:
        raise error(f"{path.name} cannot be read as Parquet: {_first_line(problem)}") from problem


def _excel(path: Path, error: Error) -> Iterator[RawRow]:
    """The rows of the sheet that a spreadsheet was saved with open, by the cells of its first row; empty ones are left out."""
    require("openpyxl")
    from openpyxl import load_workbook

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that it cannot show
            book = load_workbook(path, read_only=True, data_only=True)
            try:
                cells = book.active.iter_rows(values_only=True) if book.active is not None else iter(())
                names = [None if name is None else str(name) for name in next(cells, ())]
                for number, row in enumerate(cells, 1):
                    if any(cell is not None for cell in row):
                        yield RawRow(number, number + 1, dict(zip(names, row, strict=False)))
            finally:
                book.close()
    except (OSError, KeyError, ValueError, SyntaxError, zipfile.BadZipFile) as problem:
        raise error(f"{path.name} cannot be read as an Excel file (.xlsx): {_first_line(problem)}.") from problem


def _numbered(rows: Iterable[Any]) -> Iterator[RawRow]:
    return (RawRow(number, number, row) for number, row in enumerate(rows, 1))


def _first_line(problem: Exception) -> str:
    return next(iter(str(problem).strip().splitlines()), type(problem).__name__)


READERS: dict[str, Callable[[Path, Iterator[str], Error], Iterator[RawRow]]] = {
    ".jsonl": _json_lines,
    ".json": _json_array,
    ".csv": _csv,
    ".tsv": _csv,
}
# These are no text, and packed already.
WHOLE_FILES: dict[str, Callable[[Path, Error], Iterator[RawRow]]] = {".parquet": _parquet, ".xlsx": _excel}
