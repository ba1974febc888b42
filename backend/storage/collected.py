"""What people leave behind while they chat: corrected parses, and verdicts on answers."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import Table, select

from backend.errors import DatabaseError
from backend.storage.database import Database, corrections, feedback, now

Verdict = Literal["up", "down"]
# What the data set of a corrected question begins with; the rest is the name of the knowledge base.
KNOWLEDGE_BASE = "knowledge base: "


@dataclass(frozen=True)
class Correction:
    """An utterance, the parse that Parley predicted for it, and the one that a person put in its place."""

    utterance: str
    predicted: str
    corrected: str
    dataset: str
    created: datetime = field(default_factory=now)


@dataclass(frozen=True)
class Feedback:
    """What a person thought of one answer; `comment` may be empty."""

    utterance: str
    parse: str
    answer: str
    verdict: Verdict
    comment: str
    dataset: str
    created: datetime = field(default_factory=now)


def add_correction(database: Database, correction: Correction, owner: str = "") -> None:
    """Keep a correction; `owner` is the session that made it, as `backend.ui.session_of_call` names it."""
    _insert(database, corrections, correction, owner)


def list_corrections(database: Database, dataset: str | None = None) -> list[Correction]:
    """All corrections, oldest first; of one data set if it is named."""
    return [Correction(**row) for row in _rows(database, corrections, dataset)]


def add_feedback(database: Database, entry: Feedback, owner: str = "") -> None:
    """Keep one verdict of the session `owner`. Raises DatabaseError if the verdict is neither "up" nor "down"."""
    if entry.verdict not in get_args(Verdict):
        raise DatabaseError(f"A verdict is one of {', '.join(get_args(Verdict))}, not {entry.verdict!r}.")
    _insert(database, feedback, entry, owner)


def list_feedback(database: Database, dataset: str | None = None, owner: str | None = None) -> list[Feedback]:
    """All verdicts, oldest first; of one data set if it is named, and of one session if `owner` names it."""
    return [Feedback(**row) for row in _rows(database, feedback, dataset, owner)]


def _insert(database: Database, table: Table, entry: Correction | Feedback, owner: str) -> None:
    with database.writing() as connection:
        connection.execute(table.insert().values(**vars(entry), owner=owner))


def _rows(database: Database, table: Table, dataset: str | None, owner: str | None = None) -> list[dict[str, Any]]:
    query = select(*(column for column in table.c if column.name not in ("id", "owner"))).order_by(table.c.id)
    if owner is not None:
        query = query.where(table.c.owner == owner)
    if dataset is not None:
        query = query.where(table.c.dataset == dataset)
    with database.reading() as connection:
        return [dict(row) for row in connection.execute(query).mappings()]
