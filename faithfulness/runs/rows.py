"""The rows of a data set: question, passage and accepted answers, read one at a time.

A file of JSON lines, JSON, CSV or Parquet, packed or not, or a data set of the Hugging Face hub as `hf:OWNER/NAME` with
`hf:OWNER/NAME:SPLIT` for a split other than the first.
"""

import csv
import gzip
import io
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from backend.errors import FaithfulnessError
from backend.program.extras import require
from backend.storage.content_key import content_key
from faithfulness.method.sample import Sample

HUB = "hf:"
SUFFIXES = (".jsonl", ".json", ".csv", ".parquet")


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


class _Context(BaseModel):
    model_config = ConfigDict(extra="ignore")

    text: str
    title: str = ""
    isgold: bool = False
    hasanswer: bool = False


class _RowRecord(BaseModel):
    """What a row may say; other fields are left alone. Of several `ctxs` the gold one counts, else the first with an answer."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    question: str
    answers: list[str] = Field(min_length=1)
    context: str = ""
    ctxs: list[_Context] = Field(default_factory=list)
    id: str = ""
    title: str = ""

    @field_validator("answers", mode="before")
    @classmethod
    def _one_answer(cls, value: object) -> object:
        if isinstance(value, str):
            listed = _json_list(value)
            return [value] if listed is None else listed
        return list(value) if isinstance(value, tuple) else value

    @model_validator(mode="after")
    def _has_a_passage(self) -> "_RowRecord":
        if not self.context.strip() and not any(each.text.strip() for each in self.ctxs):
            raise ValueError("context is missing: a row needs a context, or ctxs with a text")
        return self

    @property
    def passage(self) -> _Context:
        if self.context.strip():
            return _Context(text=self.context, title=self.title)
        return max(self.ctxs, key=lambda each: (each.isgold, each.hasanswer, bool(each.text.strip())))


def read_rows(source: str) -> Iterator[Row | BadRow]:
    """The rows of a file or hub data set, in order; only one is held at a time, but for JSON and Parquet.

    Raises FaithfulnessError if the source as a whole cannot be read; a row that cannot be used comes as a BadRow.
    """
    for number, record in _records(source):
        if isinstance(record, BadRow):
            yield record
            continue
        try:
            read = _RowRecord.model_validate(record)
            passage = read.passage
            sample = Sample(
                read.question, passage.text, tuple(answer for answer in read.answers if answer.strip()), passage.title, source
            )
        except ValidationError as error:
            yield BadRow(number, f"Row {number}: {_in_words(error)}.")
        except FaithfulnessError as error:
            yield BadRow(number, f"Row {number}: {error.message}")
        else:
            yield Row(number, read.id or str(number), sample)


def chosen_rows(source: str, limit: int | None, seed: int, skip_bad: bool) -> tuple[list[int], list[BadRow]]:
    """The numbers of the rows to be used, in order, and the bad ones; `limit` draws as many at random by `seed`.

    Raises FaithfulnessError at the first bad row unless `skip_bad`, when two rows have the same id, or if no row is left.
    """
    good: list[int] = []
    bad: list[BadRow] = []
    ids: dict[str, int] = {}
    for row in read_rows(source):
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
        raise FaithfulnessError(f"{source} holds no row that can be used.")
    if limit is not None and limit < len(good):
        good = sorted(random.Random(seed).sample(good, limit))
    return good, bad


def _records(source: str) -> Iterator[tuple[int, Any]]:
    if source.startswith(HUB):
        yield from _hub_records(source.removeprefix(HUB))
        return
    path = Path(source)
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if suffix not in SUFFIXES:
        raise FaithfulnessError(
            f"{path.name} is none of {', '.join(SUFFIXES)} (or one of these with .gz); a data set of the hub is written "
            "hf:OWNER/NAME."
        )
    try:
        if suffix == ".parquet":
            yield from _parquet_records(path)
            return
        with _text(path) as file:
            yield from {".jsonl": _json_lines, ".json": _json_records, ".csv": _csv_records}[suffix](file, path)
    except FileNotFoundError as error:
        raise FaithfulnessError(f"There is no file {path}.") from error
    except (OSError, EOFError) as error:
        raise FaithfulnessError(f"Cannot read {path}: {error}.") from error
    except UnicodeDecodeError as error:
        raise FaithfulnessError(f"{path} is not in UTF-8 (at byte {error.start}).") from error


@contextmanager
def _text(path: Path) -> Iterator[io.TextIOBase]:
    with gzip.open(path, "rt", encoding="utf-8-sig") if path.suffix == ".gz" else path.open(encoding="utf-8-sig") as file:
        assert isinstance(file, io.TextIOBase)
        yield file


def _json_lines(file: io.TextIOBase, path: Path) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except json.JSONDecodeError as error:
            yield number, BadRow(number, f"Row {number}: this line is not JSON ({error.msg} at column {error.colno}).")


def _json_records(file: io.TextIOBase, path: Path) -> Iterator[tuple[int, Any]]:
    try:
        content = json.load(file)
    except json.JSONDecodeError as error:
        raise FaithfulnessError(f"{path.name} is not JSON: {error.msg} at line {error.lineno}.") from error
    if not isinstance(content, list):
        raise FaithfulnessError(f"{path.name} holds no list of rows; a .json file has the form [{{...}}, {{...}}].")
    yield from enumerate(content, 1)


def _csv_records(file: io.TextIOBase, path: Path) -> Iterator[tuple[int, Any]]:
    try:
        for number, record in enumerate(csv.DictReader(file, strict=True), 1):
            yield number, {name: value for name, value in record.items() if name is not None and value is not None}
    except csv.Error as error:
        raise FaithfulnessError(f"{path.name} is no valid CSV: {error}.") from error


def _parquet_records(path: Path) -> Iterator[tuple[int, Any]]:
    require("datasets")
    import datasets

    try:
        table = datasets.Dataset.from_parquet(str(path), keep_in_memory=True)
    except FileNotFoundError:
        raise
    except Exception as error:  # pyarrow and datasets raise many kinds for a damaged file
        raise FaithfulnessError(f"{path.name} cannot be read as Parquet: {str(error).splitlines()[0]}.") from error
    yield from enumerate(table, 1)


def _hub_records(name: str) -> Iterator[tuple[int, Any]]:
    require("datasets")
    import datasets

    name, _, split = name.partition(":")
    try:
        dataset = datasets.load_dataset(name, split=split or None, streaming=True)
    except Exception as error:  # no connection, no such data set, no such split: each library below has its own
        raise FaithfulnessError(
            f"The data set {name}{f' ({split})' if split else ''} cannot be had from the Hugging Face hub: "
            f"{str(error).splitlines()[0] if str(error) else type(error).__name__}."
        ) from error
    if not split:
        dataset = next(iter(dataset.values()))
    yield from enumerate(dataset, 1)


def _json_list(text: str) -> list[str] | None:
    """The list that a cell of a CSV file may hold, as `["a", "b"]`."""
    if not text.lstrip().startswith("["):
        return None
    try:
        row = json.loads(text)
    except json.JSONDecodeError:
        return None
    return row if isinstance(row, list) else None


def _in_words(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    reason = first["msg"].removeprefix("Value error, ")
    return f"{where}: {reason[0].lower()}{reason[1:]}" if where else reason
