"""A whole study as one file of JSON Lines, and back: plan, people, items, answers, everything that happened.

The first line is the plan; each further line is one row of a table, with numbers that count from 1 in place of those of the
database. With names and the hashes of codes the study is the same afterwards and everybody can go on; without, workers are
called by their pseudonyms, have no Hugging Face accounts, and need new codes.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import JSON, Boolean, Column, Connection, Float, Integer, Table, select

from annotation.studies.access_codes import hash_link, new_link
from annotation.studies.callers import Caller, lead_calling
from annotation.studies.plan import StudyPlan, checked
from annotation.studies.study import Clock, Study
from annotation.studies.tables import (
    studies,
    study_accounts,
    study_assignments,
    study_bonuses,
    study_drafts,
    study_events,
    study_items,
    study_pictures,
    study_quizzes,
    study_workers,
)
from backend.errors import AnnotationError
from backend.program.version import VERSION as PARLEY
from backend.storage.database import Database, UtcDateTime, now
from backend.text.json_text import read_json

VERSION = 1
AT_ONCE = 500  # rows that are held in memory while an archive is written
SECRET = ("code", "link")
NAMED = "accounts"  # a table that is left out together with the names
# Columns that older archives lack, and what holds for them.
SINCE: dict[str, dict[str, Any]] = {
    "study_items": {"withdrawn": False},
    "study_assignments": dict.fromkeys(("batch", "active", "touched", "signals")),
}


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid")

    parley_study: int  # of the form of the archive
    parley: str = ""  # that wrote it; older archives do not say
    name: str = Field(min_length=1, max_length=200)
    created: datetime
    plan: StudyPlan


@dataclass(frozen=True)
class _ArchivedTable:
    """A table in an archive: which of its columns hold numbers of rows of which other tables."""

    table: Table
    links: Mapping[str, str]


# In the order in which they can be read back: what is pointed to comes first.
_KEPT = {
    "workers": _ArchivedTable(study_workers, {}),
    "accounts": _ArchivedTable(study_accounts, {"worker": "workers"}),
    "items": _ArchivedTable(study_items, {}),
    "events": _ArchivedTable(study_events, {"actor": "workers", "worker": "workers", "item": "items"}),
    "assignments": _ArchivedTable(study_assignments, {"worker": "workers", "item": "items", "number": "events"}),
    "drafts": _ArchivedTable(study_drafts, {"worker": "workers", "item": "items"}),
    "quizzes": _ArchivedTable(study_quizzes, {"worker": "workers"}),
    "bonuses": _ArchivedTable(study_bonuses, {"worker": "workers"}),
    "pictures": _ArchivedTable(study_pictures, {}),
}


def whole_study(study: Study, lead: Caller, names: bool = False) -> Iterator[bytes]:
    """As `archive_lines`, for a lead. Raises Refused (ROLE) for a worker."""
    with study.database.reading() as connection:
        lead_calling(connection, study, lead)
    return archive_lines(study, names)


def write_archive(study: Study, names: bool = False) -> bytes:
    """The whole study in memory; see `archive_lines`."""
    return b"".join(archive_lines(study, names))


def archive_lines(study: Study, names: bool = False) -> Iterator[bytes]:
    """The whole study, a line at a time, as it was when the first was asked for, also while people work.

    `names`: with the names of workers and the hashes of their codes and links.
    """
    numbers: dict[str, dict[int, int]] = {}
    with study.database.reading() as connection:
        row = connection.execute(select(studies).where(studies.c.id == study.id)).one()
        about = {"parley_study": VERSION, "parley": PARLEY}
        yield _line(about | {"name": row.name, "created": row.created.isoformat(), "plan": row.plan})
        for name, kept in _KEPT.items():
            if name == NAMED and not names:
                continue
            numbers[name] = {}
            rows = connection.execution_options(yield_per=AT_ONCE).execute(_of_study(kept.table, study.id)).mappings()
            for number, each in enumerate(rows, 1):
                if "id" in each:
                    numbers[name][each["id"]] = number
                yield _line({"table": name, "row": _written(kept, dict(each), numbers, names)})


def _line(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def read_archive(database: Database, content: bytes, name: str | None = None, clock: Clock = now) -> Study:
    """Restore the study in an archive, all or nothing, under its own name or another one.

    Raises AnnotationError naming the line that cannot be used, or if a study of that name is there already.
    """
    lines = _lines(content)
    number, first = next(lines, (1, {}))
    head: _Head = checked(_Head, first, "The archive", line=number)
    if head.parley_study != VERSION:
        raise AnnotationError(f"The archive is of version {head.parley_study}; this Parley reads version {VERSION}.")
    wanted = name or head.name
    with database.writing() as connection:
        if connection.execute(select(studies.c.id).where(studies.c.name == wanted)).first():
            raise AnnotationError(f"There is a study {wanted!r} in this database already; give another name.")
        plan = head.plan.model_dump(mode="json")
        added = connection.execute(studies.insert().values(name=wanted, plan=plan, created=head.created))
        assert added.inserted_primary_key is not None
        study = Study(database, int(added.inserted_primary_key[0]), wanted, head.plan, clock)
        _fill(connection, study.id, lines)
    return study


def _of_study(table: Table, study: int) -> Any:
    if "study" in table.c:
        return select(table).where(table.c.study == study).order_by(*table.primary_key)
    of_study = study_workers.c.study == study
    return select(table).join(study_workers, study_workers.c.id == table.c.worker).where(of_study).order_by(*table.primary_key)


def _written(
    kept: _ArchivedTable, row: Mapping[str, Any], numbers: Mapping[str, Mapping[int, int]], names: bool
) -> dict[str, Any]:
    values = {name: value for name, value in row.items() if name not in ("id", "study")}
    for column, other in kept.links.items():
        values[column] = numbers[other].get(values[column]) if values[column] is not None else None
    if kept.table is study_workers and not names:
        values |= {"name": values["pseudonym"]} | dict.fromkeys(SECRET, "")
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


def _lines(content: bytes) -> Iterator[tuple[int, Any]]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise AnnotationError("The archive is not UTF-8 text.") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, read_json(line)
            except json.JSONDecodeError as error:
                raise AnnotationError(f"The archive, line {number}: this is not JSON ({error.msg}).") from error


def _fill(connection: Connection, study: int, lines: Iterator[tuple[int, Any]]) -> None:
    ids: dict[str, list[int]] = {name: [] for name in _KEPT}
    order = list(_KEPT)
    reached = 0
    for number, line in lines:
        name = line.get("table") if isinstance(line, dict) else None
        if name not in _KEPT or order.index(name) < reached:
            raise AnnotationError(f"The archive, line {number}: a table is one of {', '.join(order)}, in this order.")
        reached = order.index(name)
        values = _read(_KEPT[name], line.get("row"), ids, f"The archive, line {number}")
        table = _KEPT[name].table
        if table is study_workers:
            values["link"] = _free_link(connection, values["link"], number)
        added = connection.execute(table.insert().values(values | ({"study": study} if "study" in table.c else {})))
        if "id" in table.c:
            assert added.inserted_primary_key is not None
            ids[name].append(int(added.inserted_primary_key[0]))


def _free_link(connection: Connection, link: str, number: int) -> str:
    """The hash as it was; in an archive without names one that no link has."""
    if not link:
        return hash_link(new_link())
    if connection.execute(select(study_workers.c.id).where(study_workers.c.link == link)).first():
        raise AnnotationError(f"The archive, line {number}: this worker is in the database already, in another study.")
    return link


def _read(kept: _ArchivedTable, row: Any, ids: Mapping[str, list[int]], where: str) -> dict[str, Any]:
    columns = {column.name: column for column in kept.table.c if column.name not in ("id", "study")}
    row = SINCE.get(kept.table.name, {}) | row if isinstance(row, dict) else row
    if not isinstance(row, dict) or row.keys() != columns.keys():
        raise AnnotationError(f"{where}: a row of {kept.table.name} has {', '.join(columns)}.")
    values = {name: _value(columns[name], value, f"{where}: {name}") for name, value in row.items()}
    for column, other in kept.links.items():
        if values[column] is not None:
            if not 1 <= values[column] <= len(ids[other]):
                raise AnnotationError(f"{where}: {column} is {values[column]}, but there are {len(ids[other])} {other} before.")
            values[column] = ids[other][values[column] - 1]
    return values


def _value(column: Column[Any], value: Any, where: str) -> Any:
    if value is None and column.nullable:
        return None
    if isinstance(column.type, JSON):
        return value
    if isinstance(column.type, UtcDateTime):
        try:
            moment = datetime.fromisoformat(value)
        except (TypeError, ValueError) as error:
            raise AnnotationError(f"{where} cannot be {value!r:.40}; it is a time in ISO format, with its zone.") from error
        if moment.tzinfo is None:
            raise AnnotationError(f"{where} lacks its time zone, for example +00:00.")
        return moment
    kinds = {Integer: (int, "a whole number"), Boolean: (bool, "true or false"), Float: (float, "a number")}
    kind, words = next((entry for type_, entry in kinds.items() if isinstance(column.type, type_)), (str, "a text"))
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise AnnotationError(f"{where} cannot be {value!r:.40}; it is {words}.")
    return value
