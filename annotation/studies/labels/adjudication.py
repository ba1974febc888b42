"""What a lead decides where workers disagree about an item: an event beside their answers, which stay as they are.

Decided are the fields that are chosen, rated or marked, and texts: one is chosen, merged out of several, or written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from annotation.studies.callers import Caller, item_named, lead_calling, write_event
from annotation.studies.item_files import ItemKind
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_events, study_items, study_workers
from annotation.tasks.task_type import ItemPart, check_answer
from annotation.words.catalogue import translate
from backend.errors import AnnotationError
from backend.text.storable import storable

DECIDED, REOPENED = "labels decided", "labels reopened"  # kinds of events


@dataclass(frozen=True)
class LabelDecision:
    """`labels`: by field; of two texts side by side as if their sides had not been exchanged."""

    labels: Mapping[str, Any]
    note: str
    name: str
    pseudonym: str
    decided: datetime


def decided_parts(parts: Sequence[ItemPart]) -> tuple[ItemPart, ...]:
    """The fields on which a lead may decide: labels, and what was written; any may be left open."""
    return tuple(replace(part, required=False) for part in parts if part.name)


def text_parts(parts: Sequence[ItemPart]) -> tuple[ItemPart, ...]:
    """The fields of an item that are written."""
    return tuple(part for part in decided_parts(parts) if part.kind == "write")


def decide_labels(study: Study, lead: Caller, key: str, labels: Mapping[str, Any], note: str = "") -> None:
    """Decide on the labels and texts of an item; a later decision takes the place of this one, and both stay in the history.

    Raises Refused: ROLE for a worker, UNKNOWN for no such item, ANSWER if nothing is decided, or a value is of the wrong form.
    """
    with study.database.writing() as connection:
        actor, item = lead_calling(connection, study, lead), item_named(connection, study, key)
        if item.kind != ItemKind.WORK:
            raise CallRefusedError(
                Reason.ANSWER, translate("Only items of the work have labels; this one is of the trial or of attention.")
            )
        try:
            kept = check_answer(decided_parts(study.parts(item.content, {})), labels)
            study.task.check(study.content(item.content), study.plan.task_settings, kept)
            storable(note, "note")
        except AnnotationError as error:
            raise CallRefusedError(Reason.ANSWER, error.message) from error
        if not kept:
            raise CallRefusedError(Reason.ANSWER, translate("Nothing is decided yet: choose a value for at least one field."))
        write_event(connection, study, actor.id, actor.id, DECIDED, {"labels": kept, "note": note}, item.id)


def reopen_labels(study: Study, lead: Caller, key: str) -> None:
    """Take the decision on an item back. Raises Refused as `decide_labels`, and DECIDED if there is none."""
    with study.database.writing() as connection:
        actor, item = lead_calling(connection, study, lead), item_named(connection, study, key)
        if key not in label_decisions(connection, study):
            raise CallRefusedError(Reason.DECIDED, translate("Nobody has decided on the labels of this item yet."))
        write_event(connection, study, actor.id, actor.id, REOPENED, {}, item.id)


def label_decisions(connection: Connection, study: Study) -> dict[str, LabelDecision]:
    """The decisions that stand, by item."""
    events = study_events
    query = select(events, study_items.c.key, study_workers.c.name, study_workers.c.pseudonym)
    query = query.join(study_items, study_items.c.id == events.c.item).join(study_workers, study_workers.c.id == events.c.actor)
    query = query.where(events.c.study == study.id, events.c.kind.in_((DECIDED, REOPENED)))
    result: dict[str, LabelDecision] = {}
    for row in connection.execute(query.order_by(events.c.id)):
        result.pop(row.key, None)
        if row.kind == DECIDED:
            about = (row.name, row.pseudonym, row.created)
            result[row.key] = LabelDecision(row.content["labels"], row.content["note"], *about)
    return result
