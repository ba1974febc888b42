"""The rows of a data set: question, passages and accepted answers, read one at a time.

A file of JSON lines, JSON, CSV, TSV, Excel or Parquet, packed or not; a folder written by `save_to_disk`; or a data set of the
Hugging Face hub as `hf:OWNER/NAME`, with `hf:OWNER/NAME:SPLIT` for a split other than the first.
"""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.errors import FaithfulnessError
from backend.storage.content_key import content_key
from backend.storage.row_files import RawRow, UnreadableRow, dataset_rows, file_rows
from faithfulness.method.regions import Span
from faithfulness.method.sample import Sample
from faithfulness.runs.shapes import ShapedRow, nested_rows, shaped

HUB = "hf:"
SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".xlsx", ".parquet")
BETWEEN = "\n\n"  # two passages of one row


@dataclass(frozen=True)
class Row:
    """`number` counts rows (or lines of a file) from 1; `passage_key` is the same for equal passages."""

    number: int
    id: str
    sample: Sample

    @property
    def passage_key(self) -> str:
        return content_key(self.sample.passage)[:16]


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used, and why, in a sentence that names the row."""

    number: int
    reason: str


def read_rows(source: str, columns: Mapping[str, str] | None = None) -> Iterator[Row | BadRow]:
    """The rows of a file, folder or hub data set, in order; only one is held at a time, but for JSON.

    `columns` names those that are not called as usual (`faithfulness.runs.shapes`). Raises FaithfulnessError if the source as
    a whole cannot be read; a row that cannot be used comes as a BadRow.
    """
    for number, record in _records(source):
        if isinstance(record, BadRow):
            yield record
            continue
        try:
            read = shaped(record, columns)
            yield Row(number, read.id or str(number), _sample(read, source))
        except FaithfulnessError as error:
            yield BadRow(number, f"Row {number}: {error.message}")


def _sample(read: ShapedRow, source: str) -> Sample:
    """Several passages stand one after another, each in its own span."""
    texts = [passage.text for passage in read.passages]
    starts = [sum(len(text) + len(BETWEEN) for text in texts[:index]) for index in range(len(texts))]
    spans = tuple(Span(start, start + len(text)) for start, text in zip(starts, texts, strict=True))
    title = " / ".join(dict.fromkeys(passage.title for passage in read.passages if passage.title))
    return Sample(read.question, BETWEEN.join(texts), read.answers or (), title, source, spans if len(spans) > 1 else ())


def chosen_rows(
    source: str, limit: int | None, seed: int, skip_bad: bool, columns: Mapping[str, str] | None = None
) -> tuple[list[int], list[BadRow]]:
    """The numbers of the rows to be used, in order, and the bad ones; `limit` draws as many at random by `seed`.

    Raises FaithfulnessError at the first bad row unless `skip_bad`, when two rows have the same id, or if no row is left.
    """
    good: list[int] = []
    bad: list[BadRow] = []
    ids: dict[str, int] = {}
    for row in read_rows(source, columns):
        if isinstance(row, Row):
            first = ids.setdefault(row.id, row.number)
            if first != row.number:
                row = BadRow(row.number, f"Row {row.number}: its id {row.id!r} is that of row {first}; ids must differ.")
        if isinstance(row, Row):
            good.append(row.number)
        elif skip_bad:
            bad.append(row)
        else:
            raise FaithfulnessError(f"{row.reason} With --skip-bad such rows are left out.")
    if not good:
        reason = f" {bad[0].reason}" if bad else ""
        raise FaithfulnessError(f"{source} holds no row that can be used.{reason}")
    if limit is not None and limit < len(good):
        good = sorted(random.Random(seed).sample(good, limit))
    return good, bad


def read_through(path: Path) -> None:
    """Read all rows of a file and keep none."""
    for _ in read_rows(str(path)):
        pass


def _records(source: str) -> Iterator[tuple[int, Any]]:
    nested = 0  # rows that came out of others before; they move the numbers of those behind them
    for row in _raw_rows(source):
        value = row.value
        if isinstance(value, UnreadableRow):
            yield row.number + nested, BadRow(row.number + nested, f"Row {row.number + nested}: {value.reason}")
            continue
        if isinstance(value, dict):  # cells beyond the first line of a table, and those that are not there
            value = {name: cell for name, cell in value.items() if name is not None and cell is not None}
        records = list(nested_rows(value))
        for index, record in enumerate(records):
            yield row.number + nested + index, record
        nested += len(records) - 1


def _raw_rows(source: str) -> Iterator[RawRow]:
    if source.startswith(HUB):
        return dataset_rows(*_hub_name(source), FaithfulnessError, streaming=True)
    if Path(source).is_dir():
        return dataset_rows(source, "", FaithfulnessError, streaming=True)
    return file_rows(Path(source), FaithfulnessError, SUFFIXES)


def _hub_name(source: str) -> tuple[str, str]:
    """The name of a data set, or its folder, and the split that is wanted."""
    name, _, split = source.removeprefix(HUB).partition(":")
    if not name or (name.startswith((".", "/", "~")) and not Path(name).is_dir()):
        where = f"there is no folder {name}" if name else "it names none"
        raise FaithfulnessError(
            f"{source}: {where}. A data set is named as {HUB}OWNER/NAME, a folder as FOLDER or {HUB}FOLDER."
        )
    return name, split
