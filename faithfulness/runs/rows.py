"""The rows of a data set: question, passage and accepted answers, read one at a time.

A file of JSON lines, JSON, CSV or Parquet, packed or not, or a data set of the Hugging Face hub as `hf:OWNER/NAME` with
`hf:OWNER/NAME:SPLIT` for a split other than the first.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from backend.errors import FaithfulnessError
from backend.storage.content_key import content_key
from backend.storage.row_files import UnreadableRow, dataset_rows, file_rows, format_of
from backend.text.words import first_problem
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
        name, _, split = source.removeprefix(HUB).partition(":")
        rows = dataset_rows(name, split, FaithfulnessError, streaming=True)
    else:
        rows = file_rows(Path(source), FaithfulnessError, SUFFIXES)
    for row in rows:
        value = row.value
        if isinstance(value, UnreadableRow):
            value = BadRow(row.number, f"Row {row.number}: {value.reason}")
        elif format_of(Path(source)) == ".csv":
            value = {name: cell for name, cell in value.items() if name is not None and cell is not None}
        yield row.number, value


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
    where, reason = first_problem(error)
    return f"{where}: {reason[0].lower()}{reason[1:]}" if where else reason
