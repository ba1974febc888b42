"""Who works on what: an item is lent to a worker for some minutes, in one of its slots, and never to more than it has.

A worker has one item at a time. A lease that has run out frees the slot for anybody; what was typed is kept, and its worker
gets the item back if a slot is still free.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, exists, func, select, update

from annotation.studies.callers import Caller, Phase, item_named, worker_calling, write_event
from annotation.studies.item_files import ItemKind
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_drafts, study_items, study_workers
from annotation.studies.turns import Turns, turns_of
from annotation.studies.work.phases import is_held, need_phase
from annotation.tasks.task_type import ItemPart, Stop
from annotation.words.catalogue import translate

LEASED, EXPIRED, SKIPPED, SUBMITTED = "leased", "expired", "skipped", "submitted"
RETRACTED = "retracted"  # handed in, and taken back by a lead
LONGEST_PAUSE = 300.0  # seconds between two calls that count as work on a task, where the caller does not count them
SWEPT_AT_ONCE = 20
LONGEST_REASON = 100_000


@dataclass(frozen=True)
class FieldDraft:
    """What was typed into one field and not submitted; `version` counts up with every change."""

    version: int
    value: Any
    updated: datetime


@dataclass(frozen=True)
class Assignment:
    """An item that is lent to a worker. Nothing here tells an attention item from any other.

    `number` of `of`: the position of the task, from 1, in the trial or among those `within_reach`. `expires`: when the lease
    ends. `turns`: how far the worker is in it, where items are done turn by turn; `parts` are those up to there.
    """

    key: str
    phase: Phase
    parts: tuple[ItemPart, ...]
    drafts: Mapping[str, FieldDraft]
    number: int
    of: int
    leased: datetime
    expires: datetime
    turns: Turns = field(default_factory=Turns)


def next_item(study: Study, caller: Caller) -> Assignment:
    """The item that the worker has, or another one, lent to them from now on.

    Raises Refused: PHASE before the trial, GRADING if a lead has to look at what was done, FINISHED if nothing is left.
    """
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        need_phase(row, Phase.TRIAL, Phase.TASKS)
        free_expired(connection, study)
        done = count_submitted(connection, row)
        lent = _lent(connection, row.id)
        if lent is None:
            if is_held(connection, row.id):
                raise CallRefusedError(
                    Reason.GRADING, translate("Somebody looks at your work before you go on. You will see it here.")
                )
            check_quota(study, row, done)
            item, shown = _chosen(connection, study, row, done)
            _lend(connection, study, row, item, shown)
            lent = _lent(connection, row.id)
            assert lent is not None
        drafts = _drafts(connection, row.id, lent.item)
        parts = study.parts(lent.content, lent.shown)
        turns = turns_of(connection, row.id, lent.item, parts)
        of = within_reach(connection, study, row, done)
    return Assignment(lent.key, Phase(lent.phase), turns.shown(parts), drafts, done + 1, of, lent.leased, lent.expires, turns)


def renew_lease(study: Study, caller: Caller, key: str, worked: float | None = None) -> datetime:
    """Keep an item longer; returns when the lease ends now. `worked` as in `activity`.

    Raises Refused (LEASE) if the item is not lent, or no longer.
    """
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        lent = need_lease(connection, study, row, item_named(connection, study, key))
        return renew(connection, study, lent, worked)


def skip(study: Study, caller: Caller, key: str, reason: str) -> None:
    """Give an item back undone; this worker does not get it again.

    Raises Refused: LEASE if it is not lent, ANSWER without a reason, PHASE in the trial, whose tasks are the same for all.
    """
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        need_phase(row, Phase.TRIAL, Phase.TASKS)
        item = item_named(connection, study, key)
        lent = need_lease(connection, study, row, item)
        if row.phase == Phase.TRIAL:
            raise CallRefusedError(
                Reason.PHASE, translate("The tasks of the trial cannot be skipped; they are the same for everybody.")
            )
        if not reason.strip() or len(reason) > LONGEST_REASON:
            raise CallRefusedError(Reason.ANSWER, translate("Say in a few words why you skip this."))
        _check_skips(connection, study, row)
        give_back(connection, lent, SKIPPED)
        write_event(connection, study, row.id, row.id, "skipped", {"reason": reason}, item.id)


def skips_left(connection: Connection, study: Study, row: Any) -> int:
    """How many tasks a worker may still skip: as many for each batch."""
    table = study_assignments
    skipped = select(func.count()).where(table.c.worker == row.id, table.c.state == SKIPPED)
    allowed = study.plan.file.most_skips * max(1, int(row.batch))
    return max(0, allowed - int(connection.execute(skipped).scalar_one()))


def _check_skips(connection: Connection, study: Study, row: Any) -> None:
    if not skips_left(connection, study, row):
        limit = study.plan.file.most_skips
        raise CallRefusedError(
            Reason.ANSWER,
            translate(
                "You have skipped as many tasks as you may ({limit} for each batch); flag this one if it is wrong.", limit=limit
            ),
        )


def need_lease(connection: Connection, study: Study, row: Any, item: Any) -> Any:
    """The lease of this worker on this item. Raises Refused (LEASE) if there is none, or it has run out."""
    mine = (study_assignments.c.worker == row.id, study_assignments.c.item == item.id)
    lent = connection.execute(select(study_assignments).where(*mine).with_for_update()).first()
    if lent is None or lent.state not in (LEASED, EXPIRED):
        raise CallRefusedError(
            Reason.LEASE,
            translate("Your lease on {key} is not there; ask for the next task. What you typed is kept.", key=item.key),
        )
    if lent.state == EXPIRED or lent.expires <= study.clock():
        raise CallRefusedError(
            Reason.LEASE,
            translate("Your lease on {key} has run out; ask for the next task. What you typed is kept.", key=item.key),
        )
    return lent


def renew(connection: Connection, study: Study, lent: Any, worked: float | None = None) -> datetime:
    expires = study.clock() + timedelta(minutes=study.plan.file.lease_minutes)
    table = study_assignments
    connection.execute(update(table).where(table.c.id == lent.id).values(expires=expires, **activity(study, lent, worked)))
    return expires


def activity(study: Study, lent: Any, worked: float | None = None) -> dict[str, Any]:
    """The active seconds of a task up to now.

    `worked`: the seconds of work since the last call, as the screen counted them. They count as far as the whole is no longer
    than the task has been lent, so that no caller can claim more time than there was. Without them the time since the last
    call counts, up to `LONGEST_PAUSE`.
    """
    moment, before = study.clock(), lent.active or 0.0
    if worked is None:
        gap = (moment - (lent.touched or lent.leased)).total_seconds()
        return {"active": before + max(0.0, min(gap, LONGEST_PAUSE)), "touched": moment}
    lent_for = (moment - lent.leased).total_seconds()
    return {"active": max(before, min(before + worked, lent_for)), "touched": moment}


def end_part(connection: Connection, row: Any) -> Phase:
    """End a worker's part; what they hold is free for others."""
    connection.execute(update(study_workers).where(study_workers.c.id == row.id).values(phase=Phase.ELIMINATED.value))
    table = study_assignments
    held = select(table).where(table.c.worker == row.id, table.c.state == LEASED)
    for lent in connection.execute(held).all():
        give_back(connection, lent, EXPIRED)
    return Phase.ELIMINATED


def give_back(connection: Connection, lent: Any, state: str) -> None:
    """End a lease or take an answer out: its slot is free again."""
    table = study_assignments
    connection.execute(update(table).where(table.c.id == lent.id).values(state=state, slot=None))
    if lent.slot is not None:
        free_slots(connection, [lent.item])


def free_slots(connection: Connection, items: Iterable[int]) -> None:
    for item in items:
        free = (study_items.c.taken - 1 < study_items.c.wanted) & ~study_items.c.withdrawn
        values = {"taken": study_items.c.taken - 1, "open": free}
        connection.execute(update(study_items).where(study_items.c.id == item).values(**values))


def take_slot(connection: Connection, item: Any) -> int:
    """The number of a free slot, taken from now on. Raises Refused (OVERLAP) if there is none."""
    table = study_assignments
    used = set(connection.execute(select(table.c.slot).where(table.c.item == item.id, table.c.slot.is_not(None))).scalars())
    if len(used) >= item.wanted:
        raise CallRefusedError(
            Reason.OVERLAP, translate("{key} has all the {wanted} answers that it needs.", key=item.key, wanted=item.wanted)
        )
    values = {"taken": len(used) + 1, "open": len(used) + 1 < item.wanted and not item.withdrawn}
    connection.execute(update(study_items).where(study_items.c.id == item.id).values(**values))
    return next(slot for slot in range(item.wanted) if slot not in used)


def free_expired(connection: Connection, study: Study) -> None:
    """End leases that have run out, some at a time."""
    table = study_assignments
    over = select(table).where(table.c.study == study.id, table.c.state == LEASED, table.c.expires <= study.clock())
    # In the order of the items, so that two who do this at once cannot wait for each other.
    over = over.order_by(table.c.item).limit(SWEPT_AT_ONCE)
    for lent in connection.execute(over.with_for_update(skip_locked=True)).all():
        give_back(connection, lent, EXPIRED)


def count_submitted(connection: Connection, row: Any) -> int:
    """How many tasks of their present phase a worker has submitted."""
    table = study_assignments
    mine = (table.c.worker == row.id, table.c.phase == row.phase, table.c.state == SUBMITTED)
    return int(connection.execute(select(func.count()).where(*mine)).scalar_one())


def quota(study: Study, row: Any) -> int:
    """How many tasks of their present phase a worker may submit."""
    if row.phase == Phase.TRIAL:
        return study.plan.file.trial.tasks if study.plan.file.trial else 0
    return int(row.released)


def within_reach(connection: Connection, study: Study, row: Any, done: int) -> int:
    """How many tasks of their present phase a worker can come to, with the `done` ones: of those they may submit, as many as
    there are items for. Where others answer the same items, it falls meanwhile.

    All attention items count as long as there is other work: so one that comes changes nothing about the number.
    """
    most = quota(study, row)
    if row.phase != Phase.TASKS or done >= most:
        return most
    items, table = study_items, study_assignments
    mine = exists().where(table.c.worker == row.id, table.c.item == items.c.id)
    held = mine.where(table.c.state == LEASED)
    fresh = items.c.open & ~mine.where(table.c.state != EXPIRED)
    of_study = select(items.c.id).where(items.c.study == study.id).limit(most - done)
    work = of_study.where(held | (fresh & (items.c.kind == ItemKind.WORK.value)))
    attention = of_study.where(fresh & (items.c.kind == ItemKind.ATTENTION.value))
    left = _count(connection, work)
    return min(most, done + left + _count(connection, attention)) if left else done


def _count(connection: Connection, query: Select[Any]) -> int:
    return int(connection.execute(select(func.count()).select_from(query.subquery())).scalar_one())


def check_quota(study: Study, row: Any, done: int) -> None:
    if done < quota(study, row):
        return
    if row.phase == Phase.TRIAL:
        raise CallRefusedError(Reason.GRADING, translate("You have done all tasks of the trial. They are being graded."))
    if done >= study.plan.file.cap:
        raise CallRefusedError(
            Reason.FINISHED,
            translate("You have done {done} tasks, the most for one person in this study. Thank you!", done=done),
        )
    raise CallRefusedError(
        Reason.GRADING,
        translate("You have done all {done} tasks released to you. More come once these are checked.", done=done),
    )


def _lent(connection: Connection, worker: int) -> Any:
    table = study_assignments
    query = select(table, study_items.c.key, study_items.c.content).join(study_items, study_items.c.id == table.c.item)
    return connection.execute(query.where(table.c.worker == worker, table.c.state == LEASED)).first()


def _chosen(connection: Connection, study: Study, row: Any, done: int) -> tuple[Any, Mapping[str, Any]]:
    """The item to lend next, and with what it is shown."""
    if row.phase == Phase.TRIAL:
        item = connection.execute(_untouched(study, row, ItemKind.TRIAL)).first()
        return _need(item), _shown(study, row, _need(item))
    if (stops := _way(connection, study, row)) is not None:
        return _next_stop(connection, study, row, stops)
    item = connection.execute(_mine_again(study, row)).first()
    if item is None and _attention_is_due(study, row, done):
        item = connection.execute(_untouched(study, row, ItemKind.ATTENTION)).first()
    if item is None:
        item = _from_queue(connection, study, row)
    return _need(item), _shown(study, row, _need(item))


def _shown(study: Study, row: Any, item: Any) -> Mapping[str, Any]:
    """With what an item from the queue is shown, where the task type draws something: the same each time it is given."""
    deal = getattr(study.task, "deal", None)
    if deal is None:
        return {}
    draw = random.Random(f"{study.plan.file.seed}/shown/{row.id}/{item.id}")
    shown: Mapping[str, Any] = deal(study.content(item.content), study.plan.task_settings, draw)
    return shown


def _from_queue(connection: Connection, study: Study, row: Any) -> Any:
    """The next item behind the last one that this worker took, else any that they have not had.

    Going on from there spares looking at every item that they have had; the queue starts over at its end.
    """
    table, items = study_assignments, study_items
    taken = select(table.c.item).where(table.c.worker == row.id, table.c.slot.is_not(None))
    last = taken.order_by(table.c.item.desc()).limit(1).scalar_subquery()
    number = connection.execute(select(items.c.number).where(items.c.id == last)).scalar_one_or_none()
    query = _untouched(study, row, ItemKind.WORK)
    behind = None if number is None else connection.execute(query.where(items.c.number > number)).first()
    return behind or connection.execute(query).first()


def _untouched(study: Study, row: Any, kind: ItemKind) -> Select[Any]:
    """The first item of this kind that needs answers and that this worker has not had, or had in a trial and let expire."""
    items, table = study_items, study_assignments
    had = exists().where(table.c.worker == row.id, table.c.item == items.c.id, table.c.state != EXPIRED)
    query = select(items).where(items.c.study == study.id, items.c.kind == kind.value, items.c.open.is_(True), ~had)
    return query.order_by(items.c.number).limit(1).with_for_update(of=items, skip_locked=kind is ItemKind.WORK)


def _mine_again(study: Study, row: Any) -> Select[Any]:
    """An item whose lease this worker let run out, if it still needs an answer."""
    items, table = study_items, study_assignments
    query = select(items).join(table, table.c.item == items.c.id)
    mine = (table.c.worker == row.id, table.c.phase == row.phase, table.c.state == EXPIRED, items.c.open.is_(True))
    return query.where(*mine).order_by(table.c.expires.desc()).limit(1).with_for_update(of=items, skip_locked=True)


def _attention_is_due(study: Study, row: Any, done: int) -> bool:
    """One in so many tasks, at a position drawn for each stretch of them, so that nobody gets none in a batch."""
    attention = study.plan.file.attention
    if attention is None or not row.size:
        return False
    stretch = min(round(1 / attention.share), row.size)
    number, position = divmod(done - int(row.released - row.size), int(stretch))
    return random.Random(f"{study.plan.file.seed}/attention/{row.id}/{row.batch}/{number}").randrange(stretch) == position


def _way(connection: Connection, study: Study, row: Any) -> tuple[Stop, ...] | None:
    """The order in which this worker answers all items, for task types that have one."""
    if study.dealt:
        return None
    query = select(study_items.c.key, study_items.c.content).where(
        study_items.c.study == study.id, study_items.c.kind == ItemKind.WORK.value
    )
    items = [(item.key, study.content(item.content)) for item in connection.execute(query.order_by(study_items.c.number))]
    return study.task.order(items, study.plan.task_settings, row.place, study.plan.file.seed)


def _next_stop(connection: Connection, study: Study, row: Any, way: tuple[Stop, ...]) -> tuple[Any, Mapping[str, Any]]:
    table = study_assignments
    query = select(study_items.c.key).join(table, table.c.item == study_items.c.id)
    had = set(connection.execute(query.where(table.c.worker == row.id, table.c.state.in_((SUBMITTED, SKIPPED)))).scalars())
    gone = select(study_items.c.key).where(study_items.c.study == study.id, study_items.c.withdrawn)
    had |= set(connection.execute(gone).scalars())
    stop = next((stop for stop in way if stop.key not in had), None)
    if stop is None:
        raise CallRefusedError(Reason.FINISHED, translate("You have answered everything. Thank you!"))
    return item_named(connection, study, stop.key), stop.shown


def _need(row: Any) -> Any:
    if row is None:
        raise CallRefusedError(Reason.FINISHED, translate("Nothing is left for you to do at the moment. Thank you!"))
    return row


def _lend(connection: Connection, study: Study, row: Any, item: Any, shown: Mapping[str, Any]) -> None:
    queued = item.kind == ItemKind.WORK and study.dealt
    moment, table = study.clock(), study_assignments
    values = {
        "phase": row.phase, "state": LEASED, "slot": take_slot(connection, item) if queued else None, "shown": dict(shown),
        "leased": moment, "expires": moment + timedelta(minutes=study.plan.file.lease_minutes), "touched": moment,
    }  # fmt: skip
    mine = (table.c.worker == row.id, table.c.item == item.id)
    if connection.execute(update(table).where(*mine).values(**values)).rowcount == 0:
        fresh = {"study": study.id, "item": item.id, "worker": row.id, "sampled": False, "verdict": "", "feedback": ""}
        connection.execute(table.insert().values(**values, **fresh))
    write_event(connection, study, row.id, row.id, "given", {"shown": dict(shown)}, item.id)


def _drafts(connection: Connection, worker: int, item: int) -> dict[str, FieldDraft]:
    query = select(study_drafts).where(study_drafts.c.worker == worker, study_drafts.c.item == item)
    return {row.field: FieldDraft(row.version, row.value, row.updated) for row in connection.execute(query)}
