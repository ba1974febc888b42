"""Taking back what careless workers handed in, and putting it back: one step for many answers, undone in one step.

The answers stay in the database, with their events; they count in no figure and no export, and their items are given out again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, update

from annotation.studies.callers import Caller, Phase, lead_calling, worker_named, write_event
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_events, study_items, study_workers
from annotation.studies.work.leases import RETRACTED, SUBMITTED, end_part, free_slots
from annotation.words.catalogue import translate
from backend.text.storable import storable

TAKEN, PUT_BACK = "answers taken back", "answers put back"  # kinds of events


@dataclass(frozen=True)
class AnswersMoved:
    """How many answers of how many workers were taken back, or put back."""

    workers: int
    answers: int


def end_and_take_back(
    study: Study, lead: Caller, workers: Sequence[int], reason: str, since: datetime | None = None
) -> AnswersMoved:
    """End the part of these workers and take back what they handed in (from `since` on): all or nothing.

    Their items are open again, to others; what was worked is paid as before. Raises Refused: ANSWER without a reason or
    without workers, UNKNOWN for one who is not in the study.
    """
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        if not reason.strip() or not workers:
            raise CallRefusedError(
                Reason.ANSWER, translate("Choose whose answers to take back, and write why: they will see it.")
            )
        storable(reason, "reason")
        counts = [_take_back(connection, study, actor.id, worker, reason, since) for worker in sorted(set(workers))]
    return AnswersMoved(len(counts), sum(counts))


def undo_taking_back(study: Study, lead: Caller, workers: Sequence[int]) -> AnswersMoved:
    """Put back what was taken last from these workers, and let those in again whose part ended with it.

    An answer whose slot somebody else has filled since stands beside the new one. Raises Refused (DECIDED) for a worker from
    whom nothing was taken.
    """
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        counts = [_put_back(connection, study, actor.id, worker) for worker in sorted(set(workers))]
    return AnswersMoved(len(counts), sum(counts))


def _take_back(
    connection: Connection, study: Study, actor: int, worker: int, reason: str, since: datetime | None
) -> int:  # fmt: skip
    row = worker_named(connection, study, worker)
    ended = row.phase != Phase.ELIMINATED
    if ended:
        write_event(connection, study, actor, worker, "eliminated", {"feedback": reason, "phase": row.phase})
        end_part(connection, row)
    return retract(connection, study, actor, worker, {"reason": reason, "ended": ended, "phase": row.phase}, since)


def retract(
    connection: Connection, study: Study, actor: int, worker: int, about: dict[str, Any], since: datetime | None = None
) -> int:  # fmt: skip
    """Take back the answers of a worker, from `since` on; returns how many. Their slots are free."""
    table, items = study_assignments, study_items
    query = select(table.c.id, table.c.item, table.c.slot, items.c.key).join(items, items.c.id == table.c.item)
    query = query.where(table.c.worker == worker, table.c.state == SUBMITTED)
    if since is not None:
        query = query.where(table.c.submitted >= since)
    # In the order of the items, so that two who do this at once cannot wait for each other.
    rows = connection.execute(query.order_by(table.c.item)).all()
    for some in _some([row.id for row in rows]):
        connection.execute(update(table).where(table.c.id.in_(some)).values(state=RETRACTED, slot=None))
    free_slots(connection, [row.item for row in rows if row.slot is not None])
    content = about | {"since": since and since.isoformat(), "slots": {row.key: row.slot is not None for row in rows}}
    write_event(connection, study, actor, worker, TAKEN, content)
    return len(rows)


def _put_back(connection: Connection, study: Study, actor: int, worker: int) -> int:
    row = worker_named(connection, study, worker)
    events = study_events
    query = select(events).where(events.c.worker == worker, events.c.kind.in_((TAKEN, PUT_BACK))).order_by(events.c.id.desc())
    last = connection.execute(query.limit(1)).first()
    if last is None or last.kind != TAKEN:
        raise CallRefusedError(Reason.DECIDED, translate("Nothing that {name} handed in is taken back.", name=row.name))
    count = _restore(connection, study, worker, last.content["slots"])
    if last.content.get("ended") and row.phase == Phase.ELIMINATED:
        phase = last.content["phase"]
        connection.execute(update(study_workers).where(study_workers.c.id == worker).values(phase=phase))
        about = {"feedback": "This was a mistake: you can go on.", "phase": phase}
        write_event(connection, study, actor, worker, "readmitted", about)
    write_event(connection, study, actor, worker, PUT_BACK, {"answers": count})
    return count


def _restore(connection: Connection, study: Study, worker: int, slots: dict[str, bool]) -> int:
    table, items = study_assignments, study_items
    query = select(table.c.id, table.c.item, items.c.key).join(items, items.c.id == table.c.item)
    query = query.where(table.c.worker == worker, table.c.state == RETRACTED)
    rows = [row for row in connection.execute(query.order_by(table.c.item)) if row.key in slots]
    for row in rows:
        slot = _next_slot(connection, row.item) if slots[row.key] else None
        connection.execute(update(table).where(table.c.id == row.id).values(state=SUBMITTED, slot=slot))
    return len(rows)


def _next_slot(connection: Connection, item: int) -> int:
    """A slot of the item, taken from now on; one more than it had if all are taken."""
    table, items = study_assignments, study_items
    row = connection.execute(select(items).where(items.c.id == item).with_for_update()).one()
    used = set(connection.execute(select(table.c.slot).where(table.c.item == item, table.c.slot.is_not(None))).scalars())
    values = {"taken": len(used) + 1, "open": len(used) + 1 < row.wanted and not row.withdrawn}
    connection.execute(update(items).where(items.c.id == item).values(**values))
    return next(slot for slot in range(len(used) + 1) if slot not in used)


def _some(numbers: Sequence[int], size: int = 500) -> Iterable[Sequence[int]]:
    return (numbers[start : start + size] for start in range(0, len(numbers), size))
