"""Wordings that people checked, put back into the dialogues that they come from."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from backend.errors import InspiredError
from backend.storage.row_files import UnreadableRow, json_lines
from inspired.lab.json_lines import read_lines
from inspired.lab.metrics.dialogues import Side

PARTS: Mapping[Side, str] = {"gold": "gold_sub_qs", "predicted": "pred_sub_qs"}
Wording = tuple[str, str]  # the template of a step, and its wording before


class _Checked(BaseModel):
    """A row of the export of a study of `accuracy_check`, whose items are lines of `inspired clean`."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    dialogue: str = Field(min_length=1)
    side: Side = "gold"
    sub_id: str
    template: str
    rephrased: str
    final: str = Field(min_length=1)


@dataclass(frozen=True)
class RepairedDialogues:
    """`corrected`: how many checked wordings are others than before; `places`: in how many places they stood."""

    records: tuple[Mapping[str, Any], ...]
    checked: int
    corrected: int
    places: int


def repair(source: Path, checked: Path) -> RepairedDialogues:
    """The dialogues in `source`, each wording that was found wrong replaced wherever it stands for the same template.

    Raises InspiredError naming the file and line that cannot be used, a wording that was corrected in two ways, and one that
    stands nowhere in the dialogue that it is said to come from.
    """
    records = list(_records(source))
    rows = list(read_lines(checked, _Checked, "Needed is an export of a study of accuracy_check, with dialogue and sub_id."))
    wordings = _corrections(rows, checked)
    there = {(_name(record, number), *wording) for number, record in enumerate(records, 1) for _, wording in _wordings(record)}
    for row in rows:
        if (row.dialogue, row.template, row.rephrased) not in there:
            raise InspiredError(
                f"{checked}: {row.rephrased!r:.100} is no wording of the dialogue {row.dialogue!r:.100} in {source}."
            )
    places = 0
    for record in records:
        for part, wording in _wordings(record):
            if wording in wordings:
                part["sub_question"] = wordings[wording]
                places += 1
    return RepairedDialogues(tuple(records), len(rows), len(wordings), places)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    for row in json_lines(path, InspiredError):
        if isinstance(row.value, UnreadableRow) or not isinstance(row.value, dict):
            raise InspiredError(f"{path}, line {row.line}: this is no dialogue; each line is one JSON object.")
        yield row.value


def _corrections(rows: Iterable[_Checked], path: Path) -> dict[Wording, str]:
    corrections: dict[Wording, str] = {}
    for row in rows:
        wording = row.template, row.rephrased
        if row.final != row.rephrased and corrections.setdefault(wording, row.final) != row.final:
            raise InspiredError(
                f"{path}: {row.rephrased!r:.100} was corrected in two ways: {corrections[wording]!r:.90}, {row.final!r:.90}; "
                "leave one."
            )
    return corrections


def _wordings(record: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Wording]]:
    """The steps of a dialogue that are worded, each with what it is known by."""
    for name in PARTS.values():
        for part in record.get(name) or ():
            if isinstance(part, dict):
                template, worded = str(part.get("temp_sub_question") or ""), str(part.get("sub_question") or "")
                yield part, (template.strip(), worded.strip())


def _name(record: Mapping[str, Any], number: int) -> str:
    return str(record.get("id") or number)
