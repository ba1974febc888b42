"""What workers hand in: drafts, submissions, later edits, flags and comments.

Every submission and every edit is an event that is only added; the assignment says which answer stands.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, delete, select, update

from annotation.studies.callers import (
    Caller,
    Phase,
    Role,
    anyone_calling,
    event_once,
    item_named,
    worker_calling,
    write_event,
)
from annotation.studies.item_files import ItemKind
from annotation.studies.quality.answer_signals import Signals, answer_signals
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_drafts, study_events, study_workers
from annotation.studies.turns import TURN, Turns, turn_once, turns_of
from annotation.studies.work.answer_warnings import AnswerWarning, Warned, warnings_for
from annotation.studies.work.leases import (
    LEASED,
    SUBMITTED,
    FieldDraft,
    activity,
    check_quota,
    count_submitted,
    need_lease,
    renew,
    within_reach,
)
from annotation.studies.work.phases import need_phase
from annotation.studies.work.quality_rules import apply_rules
from annotation.tasks.task_type import LONGEST_TEXT, ItemPart, check_answer
from annotation.words.catalogue import translate
from backend.errors import AnnotationError
from backend.text.storable import storable

LONGEST_ID = 100
RECENT = 20  # own answers among which a wording is looked for


@dataclass(frozen=True)
class Receipt:
    """A submission that was taken: its number in the log, what was found odd in it, and how far the worker is: `done` of `of`
    tasks (`leases.within_reach`)."""

    event: int
    key: str
    warnings: tuple[AnswerWarning, ...]
    done: int
    of: int


@dataclass(frozen=True)
class Happening:
    """One entry of the log. `actor` and `worker` are pseudonyms: who did it, and to whose work."""

    number: int
    kind: str
    actor: str
    worker: str
    content: Mapping[str, Any]
    created: datetime


def save_draft(
    study: Study, caller: Caller, key: str, field: str, value: Any, version: int, worked: float | None = None
) -> FieldDraft:
    """Keep what stands in one field, as it was typed, and renew the lease; returns the draft that stands now.

    `version` is counted up by the screen. One that is not newer than what is kept changes nothing, so that a late message
    of another tab does no harm. `worked` as in `leases.activity`. Raises Refused: LEASE if the worker never had the item,
    ANSWER if there is no such field or the value is too long. A lease that has run out does not keep a draft from being saved.
    """
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        item = item_named(connection, study, key)
        had = _assignment(connection, row.id, item.id)
        if had is None:
            raise CallRefusedError(Reason.LEASE, translate("{key} is not yours; ask for the next task.", key=item.key))
        _check_draft(_open_parts(connection, study, row, item, had), field, value, version)
        there = _draft(connection, row.id, item.id, field)
        if there is None or version > there.version:
            there = FieldDraft(version, value, study.clock())
            _keep_draft(connection, row.id, item.id, field, there)
        if had.state == LEASED and had.expires > study.clock():
            renew(connection, study, had, worked)
        return there


def submit(
    study: Study, caller: Caller, key: str, answer: Mapping[str, Any], submission: str, insist: bool = False,
    worked: float | None = None,
) -> Receipt:  # fmt: skip
    """Hand an answer in. `submission` is an id that the screen makes once and sends again if it gets no reply.

    The same id again gives the first receipt and changes nothing. Of an item that is done turn by turn this is the last one;
    what was handed in before stands. `worked` as in `leases.activity`. Raises Refused: LEASE without a lease, PHASE, GRADING or
    FINISHED outside of what is released to the worker, ANSWER if the answer is not of the form asked for; Warned if it looks
    wrong and the worker does not `insist`.
    """
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        if (sent := _sent_before(connection, row, submission)) is not None:
            return _receipt(connection, study, row, sent)
        need_phase(row, Phase.TRIAL, Phase.TASKS)
        item = item_named(connection, study, key)
        lent = need_lease(connection, study, row, item)
        done = count_submitted(connection, row)
        check_quota(study, row, done)
        turns = turns_of(connection, row.id, item.id, study.parts(item.content, lent.shown))
        turns.need_last()
        kept, warnings, signals = _checked(connection, study, row, item, lent, answer, insist, turns.handed_in)
        content = _event_content(item, kept, warnings)
        event = write_event(connection, study, row.id, row.id, "submitted", content, item.id, f"submission:{submission}")
        passed = _attention(study, item, kept, lent.shown)
        values = {"state": SUBMITTED, "submitted": study.clock(), "seconds": _seconds(study, lent), "answer": kept}
        more = {"number": event, "passed": passed, "sampled": _sampled(study, row, item, done, passed), "batch": row.batch}
        _change(connection, lent.id, values | more | activity(study, lent, worked) | {"signals": signals})
        apply_rules(connection, study, row)
        _drop_drafts(connection, row.id, item.id)
        return Receipt(event, item.key, warnings, done + 1, within_reach(connection, study, row, done + 1))


def hand_in_turn(
    study: Study, caller: Caller, key: str, turn: int, answer: Mapping[str, Any], insist: bool = False,
    worked: float | None = None,
) -> Turns:  # fmt: skip
    """Hand in one turn of an item that is done turn by turn; returns how far its worker is now.

    What was handed in stands until the whole is: a turn that comes again changes nothing. `worked` as in `leases.activity`.
    Raises Refused: LEASE without a lease, ANSWER if the turn is not the present one or the answer is not of its form; Warned as
    `submit`.
    """
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        need_phase(row, Phase.TRIAL, Phase.TASKS)
        item = item_named(connection, study, key)
        lent = need_lease(connection, study, row, item)
        parts = study.parts(item.content, lent.shown)
        turns = turns_of(connection, row.id, item.id, parts)
        if 1 <= turn < turns.at:
            return turns
        if turn != turns.at or not turns.more:
            raise CallRefusedError(
                Reason.ANSWER,
                translate("Step {turn} cannot be handed in now; this task is at step {at}.", turn=turn, at=turns.at),
            )
        kept = _of_the_form(turns.asked(parts), answer)
        earlier = _texts_before(connection, row.id, item.id) if study.plan.file.warnings.duplicate else ()
        warnings = warnings_for(turns.asked(parts), kept, study.plan.file.warnings, earlier)
        if warnings and not insist:
            raise Warned(warnings)
        content = {**_event_content(item, kept, warnings), "turn": turn}
        write_event(connection, study, row.id, row.id, TURN, content, item.id, turn_once(item.id, turn))
        _drop_drafts(connection, row.id, item.id, list(kept))
        renew(connection, study, lent, worked)
        return turns_of(connection, row.id, item.id, parts)


def edit(study: Study, caller: Caller, key: str, answer: Mapping[str, Any], submission: str, insist: bool = False) -> Receipt:
    """Change an answer that was handed in; the one before stays in the log. Accepted ones are looked at again.

    Raises Refused: UNKNOWN if there is no answer, DECIDED if it was rejected or its trial is graded; else as `submit`.
    """
    with study.database.writing() as connection:
        row = worker_calling(connection, study, caller)
        if (sent := _sent_before(connection, row, submission)) is not None:
            return _receipt(connection, study, row, sent)
        item = item_named(connection, study, key)
        had = _assignment(connection, row.id, item.id)
        if had is None or had.state != SUBMITTED:
            raise CallRefusedError(Reason.UNKNOWN, translate("You have handed in no answer to {key}.", key=item.key))
        if had.verdict == "rejected" or (had.phase == Phase.TRIAL and (row.phase != Phase.TRIAL or had.verdict)):
            raise CallRefusedError(
                Reason.DECIDED, translate("Your answer to {key} has been graded; it cannot be changed.", key=item.key)
            )
        kept, warnings, signals = _checked(connection, study, row, item, had, answer, insist)
        content = _event_content(item, kept, warnings)
        event = write_event(connection, study, row.id, row.id, "edited", content, item.id, f"submission:{submission}")
        # Whether an attention item was passed is final with its first answer: an edit comes after a second look.
        values = {"answer": kept, "number": event, "final": None, "verdict": "", "signals": signals}
        _change(connection, had.id, values | {"sampled": bool(had.sampled or had.verdict)})
        _drop_drafts(connection, row.id, item.id)
        done = count_submitted(connection, row)
        return Receipt(event, item.key, warnings, done, within_reach(connection, study, row, done))


def flag(study: Study, caller: Caller, key: str, reason: str) -> None:
    """Tell the leads that something is wrong with an item that this worker has, or had."""
    _remark(study, caller, key, "flagged", reason)


def comment(study: Study, caller: Caller, key: str, text: str) -> None:
    """Say something about an item: workers about those they have or had, leads about any."""
    _remark(study, caller, key, "commented", text)


def history(study: Study, caller: Caller, key: str) -> tuple[Happening, ...]:
    """What happened to an item, oldest first: to a worker only what concerns their own work on it, to a lead everything."""
    actor, events = study_workers.alias("actor"), study_events
    with study.database.reading() as connection:
        row = anyone_calling(connection, study, caller)
        item = item_named(connection, study, key)
        query = select(events, actor.c.pseudonym.label("by"), study_workers.c.pseudonym.label("of"))
        query = query.join(actor, actor.c.id == events.c.actor).join(study_workers, study_workers.c.id == events.c.worker)
        query = query.where(events.c.item == item.id)
        if row.role != Role.LEAD:
            query = query.where(events.c.worker == row.id)
        return tuple(
            Happening(each.id, each.kind, each.by, each.of, each.content, each.created)
            for each in connection.execute(query.order_by(events.c.id))
        )


def _remark(study: Study, caller: Caller, key: str, kind: str, text: str) -> None:
    if not text.strip() or len(text) > LONGEST_TEXT:
        raise CallRefusedError(Reason.ANSWER, translate("Write 1 to {longest_text:,} characters.", longest_text=LONGEST_TEXT))
    storable(text, "text")
    with study.database.writing() as connection:
        row = anyone_calling(connection, study, caller)
        item = item_named(connection, study, key)
        if row.role != Role.LEAD and _assignment(connection, row.id, item.id) is None:
            raise CallRefusedError(Reason.LEASE, translate("{key} is not yours.", key=item.key))
        write_event(connection, study, row.id, row.id, kind, {"text": text}, item.id)


def _checked(
    connection: Connection, study: Study, row: Any, item: Any, lent: Any, answer: Mapping[str, Any], insist: bool,
    before: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[dict[str, Any], tuple[AnswerWarning, ...], dict[str, Any]]:  # fmt: skip
    """The answer as it is kept, the warnings that its writer insisted against, and its signals.

    `before`: what was handed in of earlier turns, whose warnings were insisted against then.
    """
    kept, parts = valid_answer(study, item.content, lent.shown, {**answer, **before})
    earlier = _texts_before(connection, row.id, item.id) if study.plan.file.warnings.duplicate else ()
    warnings = warnings_for(parts, kept, study.plan.file.warnings, earlier)
    if (fresh := tuple(each for each in warnings if each.name not in before)) and not insist:
        raise Warned(fresh)
    return kept, warnings, answer_signals(parts, kept, [each.rule for each in warnings])


def valid_answer(
    study: Study, content: Mapping[str, Any], shown: Mapping[str, Any], answer: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[ItemPart, ...]]:
    """Raises Refused (ANSWER) naming what is wrong with the answer."""
    item = study.content(content)
    parts = study.task.parts(item, study.plan.task_settings, shown)
    try:
        kept = check_answer(parts, answer)
        study.task.check(item, study.plan.task_settings, kept)
    except AnnotationError as error:
        raise CallRefusedError(Reason.ANSWER, error.message) from error
    return kept, parts


def _of_the_form(parts: tuple[ItemPart, ...], answer: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return check_answer(parts, answer)
    except AnnotationError as error:
        raise CallRefusedError(Reason.ANSWER, error.message) from error


def _open_parts(connection: Connection, study: Study, row: Any, item: Any, had: Any) -> tuple[ItemPart, ...]:
    """What may be typed into now: all of an answer that was handed in, of another the present turn."""
    parts = study.parts(item.content, had.shown)
    return parts if had.state == SUBMITTED else turns_of(connection, row.id, item.id, parts).asked(parts)


def _texts_before(connection: Connection, worker: int, item: int) -> list[Signals]:
    """The signals of the texts in the worker's latest other answers."""
    table = study_assignments
    mine = select(table.c.signals).where(table.c.worker == worker, table.c.state == SUBMITTED, table.c.item != item)
    latest = connection.execute(mine.order_by(table.c.id.desc()).limit(RECENT)).scalars()
    return [text for signals in latest for text in (signals or {}).get("texts", ())]


def _check_draft(parts: tuple[ItemPart, ...], field: str, value: Any, version: int) -> None:
    names = [part.name for part in parts if part.name]
    if field not in names:
        raise CallRefusedError(
            Reason.ANSWER,
            translate("Nothing is called {field} here; there are {names}.", field=f"{field!r:.100}", names=", ".join(names)),
        )
    if type(version) is not int or not 0 <= version < 2**31:
        raise CallRefusedError(Reason.ANSWER, translate("The version of a draft is a whole number, counted up."))
    if not _is_plain(value):
        raise CallRefusedError(
            Reason.ANSWER,
            translate("The draft of “{field}” should be a text, a whole number, or a list of spans.", field=field),
        )
    text = value if isinstance(value, str) else repr(value)
    if len(text) > LONGEST_TEXT:
        raise CallRefusedError(
            Reason.ANSWER,
            translate(
                "“{field}” has {count:,} characters; at most {longest_text:,} can be kept.",
                field=field,
                count=len(text),
                longest_text=LONGEST_TEXT,
            ),
        )
    try:
        storable(text, field)
    except AnnotationError as error:
        raise CallRefusedError(Reason.ANSWER, error.message) from error


def _is_plain(value: Any) -> bool:
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return True  # options that were chosen
    spans = value if isinstance(value, list) else [[value]] if type(value) is int else [] if isinstance(value, str) else None
    whole = spans is not None and all(isinstance(span, list | tuple) for span in spans)
    return whole and all(type(each) is int and abs(each) < 2**31 for span in spans or () for each in span)


def _draft(connection: Connection, worker: int, item: int, field: str) -> FieldDraft | None:
    table = study_drafts
    mine = (table.c.worker == worker, table.c.item == item, table.c.field == field)
    row = connection.execute(select(table).where(*mine)).first()
    return FieldDraft(row.version, row.value, row.updated) if row else None


def _keep_draft(connection: Connection, worker: int, item: int, field: str, draft: FieldDraft) -> None:
    table = study_drafts
    mine = (table.c.worker == worker, table.c.item == item, table.c.field == field)
    if connection.execute(update(table).where(*mine).values(**vars(draft))).rowcount == 0:
        connection.execute(table.insert().values(worker=worker, item=item, field=field, **vars(draft)))


def _drop_drafts(connection: Connection, worker: int, item: int, fields: Sequence[str] | None = None) -> None:
    """All of an item, or those of some fields."""
    some = () if fields is None else (study_drafts.c.field.in_(fields),)
    connection.execute(delete(study_drafts).where(study_drafts.c.worker == worker, study_drafts.c.item == item, *some))


def _assignment(connection: Connection, worker: int, item: int) -> Any:
    table = study_assignments
    return connection.execute(select(table).where(table.c.worker == worker, table.c.item == item)).first()


def _change(connection: Connection, assignment: int, values: Mapping[str, Any]) -> None:
    table = study_assignments
    connection.execute(update(table).where(table.c.id == assignment).values(**values))


def _sent_before(connection: Connection, row: Any, submission: str) -> Any:
    if not isinstance(submission, str) or not 0 < len(submission) <= LONGEST_ID:
        raise CallRefusedError(
            Reason.ANSWER, translate("A submission needs an id of 1 to {longest_id} characters.", longest_id=LONGEST_ID)
        )
    return event_once(connection, row.id, f"submission:{submission}")


def _receipt(connection: Connection, study: Study, row: Any, event: Any) -> Receipt:
    warnings = tuple(AnswerWarning(**each) for each in event.content["warnings"])
    done = count_submitted(connection, row)
    return Receipt(event.id, event.content["key"], warnings, done, within_reach(connection, study, row, done))


def _event_content(item: Any, answer: Mapping[str, Any], warnings: tuple[AnswerWarning, ...]) -> dict[str, Any]:
    return {"key": item.key, "answer": answer, "warnings": [vars(each) for each in warnings]}


def _seconds(study: Study, lent: Any) -> float:
    return float((study.clock() - lent.leased).total_seconds())


def _attention(study: Study, item: Any, answer: Mapping[str, Any], shown: Mapping[str, Any]) -> bool | None:
    if item.kind != ItemKind.ATTENTION:
        return None
    undealt = getattr(study.task, "undealt", None)  # known answers are those to the item as its file has it
    return study.task.attention_passed(undealt(answer, shown) if undealt else answer, item.known)


def _sampled(study: Study, row: Any, item: Any, done: int, passed: bool | None) -> bool:
    """Whether a lead is to look at this task: all of the trial, attention items that were failed, and a random share of each
    batch, drawn beforehand."""
    if row.phase == Phase.TRIAL or passed is False:
        return True
    batches = study.plan.file.batches
    if batches is None or item.kind == ItemKind.ATTENTION:
        return False
    draw = random.Random(f"{study.plan.file.seed}/check/{row.id}/{row.batch}")
    chosen = draw.sample(range(row.size), ceil(batches.spot_check * row.size))
    return done - (row.released - row.size) in chosen
