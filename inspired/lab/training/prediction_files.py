"""Files of predictions: one line a record, written batch by batch, so that a run that was killed loses only its last."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from backend.errors import InspiredError
from inspired.lab.json_lines import read_lines

_Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class PredictedRecord(BaseModel):
    """A line; which of the last three fields it has depends on the task. Files of others have an id and one of them."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: str = Field(validation_alias=AliasChoices("id", "ID"), min_length=1)
    task: _Text = ""
    model: _Text = ""
    context: _Text = ""
    entities: _Text = ""
    sparql: _Text = ""
    sub_lfs: list[str | None] | None = None
    sub_questions: list[str] | None = None


def read_predicted(path: Path) -> dict[str, PredictedRecord]:
    """The lines of a file by the id of their record. Raises InspiredError for an id that comes twice, or no line."""
    lines: dict[str, PredictedRecord] = {}
    for each in read_lines(path, PredictedRecord, "Needed are id (or ID) and sparql, sub_lfs or sub_questions."):
        if each.id in lines:
            raise InspiredError(f"{path}: the id {each.id!r} comes twice.")
        lines[each.id] = each
    if not lines:
        raise InspiredError(f"{path} holds no prediction.")
    return lines


@dataclass(frozen=True)
class PredictionFile:
    """`about` stands in every line: what the run depends on, so that no other run goes on with the file."""

    path: Path
    about: Mapping[str, str]

    def done(self, resume: bool) -> set[str]:
        """The ids of the records that are written already; a last line that was cut short is taken away.

        Raises InspiredError where there is a file already and no `resume`, or one of another run.
        """
        if not self.path.exists():
            if not self.path.parent.is_dir():
                raise InspiredError(f"Cannot write {self.path}: there is no folder {self.path.parent}.")
            return set()
        if not resume:
            raise InspiredError(f"{self.path} is there already; give --resume to go on with it, or another --out.")
        return {self._id_of(number, line) for number, line in enumerate(self._whole_lines(), 1)}

    def append(self, lines: Iterable[dict[str, Any]]) -> None:
        """Write lines for good: after this, a kill does not lose them."""
        text = "".join(json.dumps({**each, **self.about}, ensure_ascii=False) + "\n" for each in lines)
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InspiredError(f"Cannot write {self.path}: {error.strerror}.") from error

    def _whole_lines(self) -> Iterator[str]:
        """The lines that end; what a kill left of one more is cut off."""
        try:
            with self.path.open("rb+") as file:
                size = 0
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    size += len(line)
                    yield line.decode("utf-8")
                file.truncate(size)
        except (OSError, UnicodeDecodeError) as error:
            raise InspiredError(f"Cannot go on with {self.path}: {error}.") from error

    def _id_of(self, number: int, text: str) -> str:
        try:
            line = json.loads(text)
            other = [name for name, value in self.about.items() if line[name] != value]
            id_ = str(line.get("id") or line["ID"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InspiredError(
                f"{self.path}, line {number} is no prediction of this command; choose another --out."
            ) from error
        if other:
            raise InspiredError(
                f"{self.path}, line {number} is of a run with another {' and '.join(other)}; "
                "repeat that, or choose another --out."
            )
        return id_
