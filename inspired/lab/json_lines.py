"""Files with one JSON object a line, read as values of a model; what cannot be used is named with file, line and field."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from backend.errors import InspiredError

Model = TypeVar("Model", bound=BaseModel)


def read_lines(path: Path, model: type[Model], needed: str) -> Iterator[Model]:
    """The records of a JSON Lines file, gzipped if its name ends in `.gz`; empty lines do not count.

    `needed` says after an error what a record must have. Raises InspiredError naming the file and the line.
    """
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _value(path, number, line, model, needed)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise InspiredError(f"Cannot read {path}: {reason}.") from error


def _value(path: Path, number: int, line: str, model: type[Model], needed: str) -> Model:
    try:
        return model.model_validate(json.loads(line))
    except json.JSONDecodeError as error:
        raise InspiredError(f"{path}, line {number}: this is not JSON ({error.msg}). Each line is one record.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "the record"
        raise InspiredError(f"{path}, line {number}: {field}: {first['msg']}. {needed}") from error
