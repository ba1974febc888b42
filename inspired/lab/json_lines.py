"""Files with one JSON object a line, read as values of a model; what cannot be used is named with file, line and field."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from backend.errors import InspiredError
from backend.storage.row_files import UnreadableRow, json_lines
from backend.text.words import first_problem

Model = TypeVar("Model", bound=BaseModel)


def read_lines(path: Path, model: type[Model], needed: str) -> Iterator[Model]:
    """The records of a JSON Lines file, gzipped if its name ends in `.gz`; empty lines do not count.

    `needed` says after an error what a record must have. Raises InspiredError naming the file and the line.
    """
    for row in json_lines(path, InspiredError):
        if isinstance(row.value, UnreadableRow):
            raise InspiredError(f"{path}, line {row.line}: {row.value.reason} Each line is one record.")
        try:
            yield model.model_validate(row.value)
        except ValidationError as error:
            field, reason = first_problem(error)
            raise InspiredError(f"{path}, line {row.line}: {field or 'the record'}: {reason}. {needed}") from error
