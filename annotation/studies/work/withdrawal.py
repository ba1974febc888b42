"""Items that a lead takes out of a study, and puts back: they are given to nobody any more, their answers stay.

A worker who holds a withdrawn item may still hand it in, so that no work is lost.
"""

from dataclasses import dataclass

from sqlalchemy import func, select, update

from annotation.studies.callers import Caller, item_named, lead_calling, write_event
from annotation.studies.item_files import ItemKind
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_items
from annotation.studies.work.grading import LeadVerdict
from annotation.studies.work.leases import LEASED, SUBMITTED
from annotation.words.catalogue import translate


@dataclass(frozen=True)
class ListedItem:
    """An item before a lead: `answers` counts those that were handed in and stand, `lent` those in work, `wanted` all slots."""

    key: str
    number: int
    kind: ItemKind
    answers: int
    lent: int
    wanted: int
    withdrawn: bool


def withdraw(study: Study, lead: Caller, key: str, reason: str) -> None:
    """Give the item to nobody any more. Raises Refused: UNKNOWN, DECIDED if it is withdrawn already, ANSWER without a
    reason, PHASE for an item of the trial, which is the same for everybody."""
    if not reason.strip():
        raise CallRefusedError(Reason.ANSWER, translate("Say why the item is withdrawn; it is kept in the history."))
    _change(study, lead, key, True, reason)


def put_back(study: Study, lead: Caller, key: str, reason: str = "") -> None:
    """Give a withdrawn item out again, as long as it needs answers. Raises Refused: UNKNOWN, DECIDED if it is there."""
    _change(study, lead, key, False, reason)


def list_items(
    study: Study, lead: Caller, key: str = "", withdrawn: bool = False, page: int = 0, size: int = 100
) -> tuple[ListedItem, ...]:
    """Items in their order, `size` to a page counted from 0: those whose id holds `key`, or only those withdrawn."""
    items, table = study_items, study_assignments
    query = select(items).where(items.c.study == study.id, items.c.key.contains(key, autoescape=True))
    if withdrawn:
        query = query.where(items.c.withdrawn)
    query = query.order_by(items.c.kind.desc(), items.c.number).limit(size).offset(page * size)
    stands = (table.c.state == SUBMITTED) & (table.c.verdict != LeadVerdict.REJECTED.value)
    with study.database.reading() as connection:
        lead_calling(connection, study, lead)
        rows = connection.execute(query).all()
        counted = select(table.c.item, func.count().filter(stands), func.count().filter(table.c.state == LEASED))
        counted = counted.where(table.c.item.in_([row.id for row in rows])).group_by(table.c.item)
        counts = {item: (answers, lent) for item, answers, lent in connection.execute(counted)}
    return tuple(
        ListedItem(row.key, row.number, ItemKind(row.kind), *counts.get(row.id, (0, 0)), row.wanted, row.withdrawn)
        for row in rows
    )


def _change(study: Study, lead: Caller, key: str, withdrawn: bool, reason: str) -> None:
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        row = item_named(connection, study, key)
        # Locked, so that nobody takes a slot of it meanwhile.
        item = connection.execute(select(study_items).where(study_items.c.id == row.id).with_for_update()).one()
        if item.kind == ItemKind.TRIAL:
            raise CallRefusedError(
                Reason.PHASE, translate("An item of the trial cannot be withdrawn: the trial is the same for everybody.")
            )
        if item.withdrawn == withdrawn:
            raise CallRefusedError(
                Reason.DECIDED,
                translate("The item {key} is withdrawn already.", key=key)
                if withdrawn
                else translate("The item {key} is not withdrawn.", key=key),
            )
        free = not withdrawn and (item.kind != ItemKind.WORK or item.taken < item.wanted)
        connection.execute(update(study_items).where(study_items.c.id == item.id).values(withdrawn=withdrawn, open=free))
        kind = "withdrawn" if withdrawn else "put back"
        write_event(connection, study, actor.id, actor.id, kind, {"reason": reason}, item.id)
