"""What a worker may ask of the people who run a study: to leave it, to see what is kept about them, and to have it erased.

Erased is what a person wrote or chose, what was written to them, their name, account and credentials. What stays are figures:
that somebody under a random name handed in so many tasks, when, how long they took, and what was paid.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, Table, delete, func, select, update

from annotation.studies.access_codes import NO_CODE, hash_link, new_link
from annotation.studies.callers import Caller, Phase, Role, lead_calling, worker_calling, worker_named, write_event
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import (
    study_accounts,
    study_assignments,
    study_bonuses,
    study_drafts,
    study_events,
    study_items,
    study_quizzes,
    study_sessions,
    study_workers,
)
from annotation.studies.work.leases import RETRACTED, SUBMITTED, end_part, free_slots
from annotation.studies.work.taking_back import retract
from annotation.words.catalogue import to_translate, translate
from backend.storage.database import metadata
from backend.text.storable import storable

ERASED = "erased"  # the state of an answer, and the kind of event
GONE = "(erased)"  # in place of a text
LEFT = to_translate("You have left this study, and your answers are taken out of what is collected.")
# What of an event is a figure and stays.
FIGURES = frozenset(
    "tasks hundredths attempt score passed slide batch size released accepted pace phase role version answers number".split()
)
TEXTS = frozenset({"text", "reason", "feedback"})  # read by screens, so that something stands there
SECRET = frozenset({"code", "link", "token"})


def leave(study: Study, caller: Caller, reason: str = "") -> None:
    """Withdraw consent: the worker's part ends and their answers leave every export. What they worked is paid."""
    storable(reason, "reason")
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        about = {"feedback": translate(LEFT), "phase": row.phase, "reason": reason, "consent": "withdrawn"}
        write_event(connection, study, row.id, row.id, "eliminated", about)
        end_part(connection, row)
        retract(connection, study, row.id, row.id, {"reason": "consent withdrawn", "ended": True, "phase": row.phase})


def data_of_person(study: Study, lead: Caller, worker: int) -> dict[str, Any]:
    """Everything that is kept about a worker, as JSON; of credentials only that there are some. Raises Refused."""
    with study.database.reading() as connection:
        lead_calling(connection, study, lead)
    return kept_about(study, worker)


def kept_about(study: Study, worker: int) -> dict[str, Any]:
    """As `data_of_person`, for callers with direct access to the database."""
    with study.database.writing() as connection:
        row = worker_named(connection, study, worker)
        keys = {each.id: each.key for each in connection.execute(select(study_items).where(study_items.c.study == study.id))}
        tables = {
            "accounts": study_accounts, "answers": study_assignments, "drafts": study_drafts, "quizzes": study_quizzes,
            "bonuses": study_bonuses, "events": study_events, "sessions": study_sessions,
        }  # fmt: skip
        rows = {
            name: [dict(each._mapping) for each in connection.execute(_rows_of(table, worker))]
            for name, table in tables.items()
        }
    about = {name: [_plain(each, keys) for each in some] for name, some in rows.items()}
    return {"study": study.name, "person": _plain(dict(row._mapping), keys), **about}


def erase_person(study: Study, lead: Caller, worker: int) -> None:
    """Erase what is kept about a worker, once and for all; figures stay. Raises Refused (DECIDED) if it is done already."""
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        _erase(connection, study, actor.id, worker)


def erase_at_terminal(study: Study, worker: int) -> None:
    """As `erase_person`, for callers with direct access to the database."""
    with study.database.writing() as connection:
        _erase(connection, study, worker, worker)


def due_for_erasure(study: Study) -> list[tuple[int, str]]:
    """Number and name of workers of whom nothing has come for longer than the consent says that data are kept."""
    if study.plan.file.consent is None or study.plan.file.consent.keep_days is None:
        return []
    before: datetime = study.clock() - timedelta(days=study.plan.file.consent.keep_days)
    last = select(study_events.c.worker, func.max(study_events.c.created).label("last")).group_by(study_events.c.worker)
    seen = last.subquery()
    query = select(study_workers.c.id, study_workers.c.name).join(seen, seen.c.worker == study_workers.c.id)
    query = query.where(study_workers.c.study == study.id, study_workers.c.role == Role.WORKER.value, seen.c.last < before)
    gone = select(study_events.c.worker).where(study_events.c.kind == ERASED)
    with study.database.reading() as connection:
        return [(row.id, row.name) for row in connection.execute(query.where(study_workers.c.id.not_in(gone)))]


def _erase(connection: Connection, study: Study, actor: int, worker: int) -> None:
    row = worker_named(connection, study, worker)
    done = select(study_events.c.id).where(study_events.c.worker == worker, study_events.c.kind == ERASED)
    if connection.execute(done).first() is not None:
        raise CallRefusedError(Reason.DECIDED, translate("What was kept about {name} is erased already.", name=row.name))
    if row.phase != Phase.ELIMINATED:
        end_part(connection, row)
    _erase_answers(connection, worker)
    for table in (study_drafts, study_accounts, study_sessions):
        connection.execute(delete(table).where(table.c.worker == worker))
    connection.execute(update(study_quizzes).where(study_quizzes.c.worker == worker).values(answers=None, drawn=[]))
    _erase_events(connection, worker)
    _forget_failures(connection, study, row.name)
    values = {"name": f"erased {row.pseudonym}", "code": NO_CODE, "link": hash_link(new_link())}
    connection.execute(update(study_workers).where(study_workers.c.id == worker).values(**values))
    write_event(connection, study, actor, worker, ERASED, {})


def _erase_answers(connection: Connection, worker: int) -> None:
    table = study_assignments
    mine = select(table.c.id, table.c.item, table.c.slot).where(table.c.worker == worker).order_by(table.c.item)
    held = [row.item for row in connection.execute(mine) if row.slot is not None]
    gone: dict[str, Any] = {"answer": None, "final": None, "feedback": "", "signals": None, "shown": {}, "slot": None}
    handed_in = table.c.state.in_((SUBMITTED, RETRACTED))
    connection.execute(update(table).where(table.c.worker == worker, handed_in).values(state=ERASED, sampled=False))
    connection.execute(update(table).where(table.c.worker == worker).values(**gone))
    free_slots(connection, held)


def _erase_events(connection: Connection, worker: int) -> None:
    events = study_events
    for row in connection.execute(select(events.c.id, events.c.content).where(events.c.worker == worker)).all():
        connection.execute(update(events).where(events.c.id == row.id).values(content=_figures_of(row.content)))


def _figures_of(content: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in content.items() if name in FIGURES and not isinstance(value, dict | list)}
    return kept | dict.fromkeys(TEXTS & content.keys(), GONE)


def _forget_failures(connection: Connection, study: Study, name: str) -> None:
    """Failed attempts to sign in under the name, where they are kept in the database at all."""
    table = metadata.tables.get("study_failures")
    if table is not None:
        connection.execute(delete(table).where(table.c.study == study.id, table.c.source == f"name:{name.casefold()}"[:300]))


def _rows_of(table: Table, worker: int) -> Select[Any]:
    return select(table).where(table.c.worker == worker).order_by(*table.primary_key)


def _plain(row: Mapping[str, Any], keys: Mapping[int, str]) -> dict[str, Any]:
    """A row as JSON, with ids of items in place of numbers and without credentials."""
    values = {name: value for name, value in row.items() if name not in ("id", "study", "worker", "actor")}
    if "item" in values:
        values["item"] = keys.get(values["item"], "")
    plain = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}
    return {name: "(kept as a hash)" if name in SECRET and value else value for name, value in plain.items()}
