"""Files with one JSON object a line, read as values of a model; what cannot be used is named with file, line and field."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from backend.errors import InspiredError
from backend.storage.row_files import UnreadableRow, json_lines
from backend.text.words import first_problem

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line of a file that is not used, as a whole or in part, and why; `record` is its id, empty where it has none."""

    path: Path
    line: int
    reason: str
    record: str = ""
    whole: bool = True

    def __str__(self) -> str:
        record = f", record {self.record}" if self.record else ""
        return f"{self.path}, line {self.line}{record}: {self.reason}"


# Receives what a reader leaves out; without one, a reader raises at the first such line.
Skip = Callable[[LeftOut], None]


def read_lines(path: Path, model: type[Model], needed: str) -> Iterator[Model]:
    """The records of a JSON Lines file, gzipped if its name ends in `.gz`; empty lines do not count.

    `needed` says after an error what a record must have. Raises InspiredError naming the file and the line.
    """
    for _, record in read_numbered(path, model, needed):
        yield record


def read_numbered(path: Path, model: type[Model], needed: str, skip: Skip | None = None) -> Iterator[tuple[int, Model]]:
    """As `read_lines`, each record with its line, from 1; with `skip`, a line that cannot be used is handed to it.

    Raises InspiredError for a file that cannot be read, and without `skip` for the first line that cannot be used.
    """
    for row in json_lines(path, InspiredError):
        record, reason = _record(row.value, model, needed)
        if record is not None:
            yield row.line, record
        elif skip is None:
            raise InspiredError(str(LeftOut(path, row.line, reason)))
        else:
            skip(LeftOut(path, row.line, reason))


def _record(value: object, model: type[Model], needed: str) -> tuple[Model | None, str]:
    """The record, or None and what is wrong with it."""
    if isinstance(value, UnreadableRow):
        return None, f"{value.reason} Each line is one record."
    try:
        return model.model_validate(value), ""
    except ValidationError as error:
        field, reason = first_problem(error)
        return None, f"{field or 'the record'}: {reason}. {needed}"
