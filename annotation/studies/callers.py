"""Who calls a function of the protocol, and whether they may: looked up at every call, whatever the screen believes."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, select

from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_events, study_items, study_workers
from annotation.words.catalogue import translate
from backend.text.storable import whole


class Role(StrEnum):
    WORKER = "worker"
    LEAD = "lead"


class Phase(StrEnum):
    """In the order in which a worker goes through them; a study may leave out all but the tasks."""

    CONSENT = "consent"
    TUTORIAL = "tutorial"
    QUIZ = "quiz"
    TRIAL = "trial"
    TASKS = "tasks"
    ELIMINATED = "eliminated"


@dataclass(frozen=True)
class Caller:
    """Somebody who has signed in; made by `annotation.studies.people.workers` only. What it says is checked at every call."""

    study: int
    worker: int
    role: Role


def worker_calling(connection: Connection, study: Study, caller: Caller) -> Any:
    """The row of a worker; in a writing transaction it is locked, so that their calls come one after the other."""
    row = _row(connection, study, caller)
    if row.role != Role.WORKER:
        raise CallRefusedError(Reason.ROLE, translate("This is for workers; you are signed in as a lead."))
    if row.phase == Phase.ELIMINATED:
        raise CallRefusedError(Reason.ELIMINATED, translate("Your part in this study has ended. Thank you for your work."))
    return row


def lead_calling(connection: Connection, study: Study, caller: Caller) -> Any:
    row = _row(connection, study, caller)
    if row.role != Role.LEAD:
        raise CallRefusedError(Reason.ROLE, translate("Only a lead of the study may do this."))
    return row


def anyone_calling(connection: Connection, study: Study, caller: Caller) -> Any:
    """A lead, or a worker in any phase."""
    return _row(connection, study, caller)


def _row(connection: Connection, study: Study, caller: Caller) -> Any:
    mine = select(study_workers).where(study_workers.c.id == caller.worker, study_workers.c.study == study.id)
    if not connection.get_execution_options().get("parley_reads"):
        mine = mine.with_for_update()
    row = connection.execute(mine).first() if caller.study == study.id else None
    if row is None or row.role != caller.role:
        raise CallRefusedError(Reason.SIGN_IN, translate("You are not signed in to this study."))
    return row


def worker_named(connection: Connection, study: Study, worker: int) -> Any:
    """The row of the worker whom a lead speaks of, locked."""
    query = select(study_workers).where(study_workers.c.id == worker, study_workers.c.study == study.id)
    row = connection.execute(query.with_for_update()).first()
    if row is None or row.role != Role.WORKER:
        raise CallRefusedError(Reason.UNKNOWN, translate("There is no worker number {worker} in this study.", worker=worker))
    return row


def item_named(connection: Connection, study: Study, key: str) -> Any:
    query = select(study_items).where(study_items.c.study == study.id, study_items.c.key == key)
    row = connection.execute(query).first()
    if row is None:
        raise CallRefusedError(Reason.UNKNOWN, translate("There is no item {key} in this study.", key=f"{key!r:.100}"))
    return row


def write_event(
    connection: Connection, study: Study, actor: int, worker: int, kind: str, content: Any, item: int | None = None,
    once: str | None = None,
) -> int:  # fmt: skip
    """Add to the log: `actor` did `kind` to the work of `worker`. Returns the number of the event."""
    added = connection.execute(study_events.insert().values(
        study=study.id, actor=actor, worker=worker, item=item, kind=kind, once=once, content=whole(content),
        created=study.clock(),
    ))  # fmt: skip
    assert added.inserted_primary_key is not None
    return int(added.inserted_primary_key[0])


def event_once(connection: Connection, worker: int, once: str) -> Any:
    """The event that may happen once, if it has."""
    query = select(study_events).where(study_events.c.worker == worker, study_events.c.once == once)
    return connection.execute(query).first()
