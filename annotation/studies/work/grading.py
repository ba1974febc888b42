"""What leads decide: on single answers, on the trial, on the next batch (INSPIRED, table 1, phases III and IV)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from statistics import median
from typing import Any

from sqlalchemy import Connection, Select, func, select, update

from annotation.studies.callers import Caller, Phase, anyone_calling, lead_calling, worker_named, write_event
from annotation.studies.item_files import ItemKind
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_events, study_items, study_workers
from annotation.studies.work.answers import valid_answer
from annotation.studies.work.bonuses import award_batch
from annotation.studies.work.leases import SUBMITTED, count_submitted, end_part, free_slots, quota, take_slot
from annotation.studies.work.phases import advance, need_phase
from annotation.tasks.task_type import LONGEST_TEXT, ItemPart
from annotation.words.catalogue import to_translate, translate, translate_count
from backend.text.storable import storable

ONE_DRAWN = to_translate("1 answer of {name} was drawn to be checked and waits for a decision.")
MANY_DRAWN = to_translate("{count} answers of {name} were drawn to be checked and wait for a decision.")


class LeadVerdict(StrEnum):
    """NONE is an answer on which nobody has decided."""

    NONE = ""
    ACCEPTED = "accepted"
    EDITED = "edited"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Work:
    """An answer before a lead. `number` is that of the submission or edit which stands; a decision names it.

    `final` is what a lead put in place of `answer`; `passed` says how an attention item was answered, None for others.
    `active`, `signals`: as `study_assignments` has them, None for answers from before they were kept.
    """

    assignment: int
    key: str
    worker: int
    name: str
    phase: Phase
    parts: tuple[ItemPart, ...]
    answer: Mapping[str, Any]
    final: Mapping[str, Any] | None
    number: int
    seconds: float
    submitted: datetime
    passed: bool | None
    verdict: LeadVerdict
    feedback: str
    active: float | None = None
    signals: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class LeadFeedback:
    """A lead's feedback on an answer, as the worker sees it."""

    key: str
    phase: Phase
    verdict: LeadVerdict
    text: str
    answer: Mapping[str, Any]
    final: Mapping[str, Any] | None


@dataclass(frozen=True)
class Released:
    """A batch: its number from 1, how many tasks it holds (0 if the cap is reached), and how many all of them hold.

    `accepted` is the share of accepted answers among the checked ones of the batch before, None if none was checked.
    """

    batch: int
    size: int
    released: int
    accepted: float | None


def review_queue(study: Study, lead: Caller, worker: int | None = None, limit: int = 100) -> tuple[Work, ...]:
    """Answers that wait for a lead, oldest first: the trial, the sampled share of batches, what was edited after a decision."""
    table = study_assignments
    query = _work(study).where(table.c.sampled.is_(True), table.c.verdict == LeadVerdict.NONE.value)
    return _listed(study, lead, query if worker is None else query.where(table.c.worker == worker), limit)


def work_of(study: Study, lead: Caller, worker: int, phase: Phase | None = None, limit: int = 2000) -> tuple[Work, ...]:
    """Every answer of a worker, or those of one phase, whether it is decided on or not."""
    query = _work(study).where(study_assignments.c.worker == worker)
    return _listed(study, lead, query if phase is None else query.where(study_assignments.c.phase == phase.value), limit)


def work_numbered(study: Study, lead: Caller, assignment: int) -> Work:
    """One answer. Raises Refused (UNKNOWN) if there is none of this number."""
    listed = _listed(study, lead, _work(study).where(study_assignments.c.id == assignment), 1)
    if not listed:
        raise CallRefusedError(
            Reason.UNKNOWN, translate("There is no answer number {assignment} in this study.", assignment=assignment)
        )
    return listed[0]


def review(
    study: Study, lead: Caller, assignment: int, number: int, verdict: LeadVerdict, feedback: str = "",
    final: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """Decide on an answer: accept it, accept it with an edit (`final`), or reject it with feedback to the worker.

    `number` is `Work.number` as the lead saw it. What is rejected frees its slot for somebody else. A decision may be made
    again. Raises Refused: UNKNOWN for no such answer, DECIDED if it was edited meanwhile or its trial is closed, ANSWER
    without the feedback that a rejection needs or with a `final` of the wrong form, OVERLAP if what was rejected has been
    answered by somebody else since.
    """
    check_feedback(verdict, feedback, final)
    table = study_assignments
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        worker, row, item = _decided_on(connection, study, assignment)
        check_decision(worker, row, number)
        kept = valid_answer(study, item.content, row.shown, final)[0] if final is not None else None
        move_slot(connection, study, row, item, verdict)
        values = {"verdict": verdict.value, "feedback": feedback, "final": kept}
        connection.execute(update(table).where(table.c.id == assignment).values(**values))
        write_event(connection, study, actor.id, row.worker, "reviewed", values | {"number": number}, row.item)


def take_back(study: Study, lead: Caller, assignment: int, number: int) -> None:
    """Undo the decision on an answer: it waits for one again. Raises Refused as `review`, and DECIDED if there is none."""
    table = study_assignments
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        worker, row, item = _decided_on(connection, study, assignment)
        check_decision(worker, row, number)
        if row.verdict == LeadVerdict.NONE:
            raise CallRefusedError(Reason.DECIDED, translate("Nobody has decided on this answer yet."))
        move_slot(connection, study, row, item, LeadVerdict.NONE)
        values = {"verdict": LeadVerdict.NONE.value, "feedback": "", "final": None, "sampled": True}
        connection.execute(update(table).where(table.c.id == assignment).values(**values))
        write_event(connection, study, actor.id, row.worker, "verdict taken back", {"number": number}, row.item)


def decide_trial(study: Study, lead: Caller, worker: int, passed: bool, feedback: str) -> Phase:
    """Let a worker on to the tasks, or eliminate them; `feedback` reaches them either way. Returns the phase they are in.

    Raises Refused: PHASE if the worker is not in the trial, GRADING if tasks of it are not handed in or not graded,
    ANSWER without feedback.
    """
    _check_text(feedback, translate("The decision on a trial needs written feedback."))
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        row = worker_named(connection, study, worker)
        if row.phase != Phase.TRIAL:
            raise CallRefusedError(Reason.PHASE, translate("{name} is not in the trial.", name=row.name))
        tasks, graded = count_submitted(connection, row), _count(connection, row, study_assignments.c.verdict != "")
        if graded < quota(study, row):
            message = translate(
                "{name} has handed in {tasks} of {of} tasks, of which {graded} are graded. Grade all of them first.",
                name=row.name,
                tasks=tasks,
                of=quota(study, row),
                graded=graded,
            )
            raise CallRefusedError(Reason.GRADING, message)
        content, again = {"passed": passed, "feedback": feedback}, _decisions(connection, row)
        once = f"trial decided:{again}" if again else "trial decided"
        write_event(connection, study, actor.id, worker, "trial decided", content, once=once)
        return advance(connection, study, row) if passed else end_part(connection, row)


def eliminate(study: Study, lead: Caller, worker: int, reason: str) -> None:
    """End a worker's part, at any time; what they hold is freed, what they handed in stays. Raises Refused (ANSWER)
    without a reason."""
    _check_text(reason, translate("To eliminate somebody needs a reason, which they will see."))
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        row = worker_named(connection, study, worker)
        if row.phase == Phase.ELIMINATED:
            raise CallRefusedError(Reason.DECIDED, translate("The part of {name} has ended already.", name=row.name))
        write_event(connection, study, actor.id, worker, "eliminated", {"feedback": reason, "phase": row.phase})
        end_part(connection, row)


def release_batch(study: Study, lead: Caller, worker: int) -> Released:
    """Pass the present batch of a worker, with its bonus, and release the next one, larger if this one was good and not slow.

    Raises Refused: PHASE before the tasks, GRADING if the batch is not done or its sample is not decided on, FINISHED
    if the last batch has been passed, or the study has no batches.
    """
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        row = worker_named(connection, study, worker)
        need_phase(row, Phase.TASKS)
        batches, cap = study.plan.file.batches, study.plan.file.cap
        if batches is None or row.size == 0:
            raise CallRefusedError(Reason.FINISHED, translate("There is no further batch for {name}.", name=row.name))
        _check_batch(connection, row)
        accepted = _accepted(connection, study, row)
        pace = _pace(connection, study, row)
        grows = (
            row.batch + 1 >= batches.grow_from
            and (accepted is None or accepted >= batches.good)
            and (pace is None or pace <= batches.slow)
        )
        grown = round(row.size * batches.growth) if grows else row.size
        size = max(0, min(max(grown, 1), cap - row.released))
        batch, released = row.batch + 1, row.released + size
        values = {"batch": batch, "size": size, "released": released}
        connection.execute(update(study_workers).where(study_workers.c.id == worker).values(**values))
        award_batch(connection, study, row)
        details = values | {"accepted": accepted, "pace": pace}
        write_event(connection, study, actor.id, worker, "released", details, once=f"batch:{batch}")
        return Released(batch, size, released, accepted)


def feedback_to(study: Study, caller: Caller) -> tuple[LeadFeedback, ...]:
    """What leads decided on the caller's own answers, latest first; a worker's part may have ended."""
    table = study_assignments
    query = select(table, study_items.c.key).join(study_items, study_items.c.id == table.c.item)
    with study.database.reading() as connection:
        row = anyone_calling(connection, study, caller)
        query = query.where(table.c.worker == row.id, table.c.verdict != "").order_by(table.c.submitted.desc())
        return tuple(
            LeadFeedback(each.key, Phase(each.phase), LeadVerdict(each.verdict), each.feedback, each.answer, each.final)
            for each in connection.execute(query)
        )


def messages_to(study: Study, caller: Caller) -> tuple[tuple[datetime, str], ...]:
    """What leads wrote to the caller about the trial as a whole or the end of their part, oldest first."""
    with study.database.reading() as connection:
        row = anyone_calling(connection, study, caller)
        query = select(study_events).where(
            study_events.c.worker == row.id, study_events.c.kind.in_(("trial decided", "eliminated", "readmitted"))
        )
        return tuple((each.created, each.content["feedback"]) for each in connection.execute(query.order_by(study_events.c.id)))


def _work(study: Study) -> Select[Any]:
    table = study_assignments
    query = select(table, study_items.c.key, study_items.c.content, study_workers.c.name)
    query = query.join(study_items, study_items.c.id == table.c.item).join(study_workers, study_workers.c.id == table.c.worker)
    return query.where(table.c.study == study.id, table.c.state == SUBMITTED)


def _listed(study: Study, lead: Caller, query: Select[Any], limit: int) -> tuple[Work, ...]:
    with study.database.reading() as connection:
        lead_calling(connection, study, lead)
        rows = connection.execute(query.order_by(study_assignments.c.number).limit(limit)).all()
    return tuple(
        Work(
            row.id, row.key, row.worker, row.name, Phase(row.phase), study.parts(row.content, row.shown), row.answer,
            row.final, row.number, row.seconds, row.submitted, row.passed, LeadVerdict(row.verdict), row.feedback,
            row.active, row.signals,
        )
        for row in rows
    )  # fmt: skip


def check_feedback(verdict: LeadVerdict, feedback: str, final: Mapping[str, Any] | None) -> None:
    if verdict is LeadVerdict.NONE:
        raise CallRefusedError(Reason.ANSWER, translate("Decide: accepted, edited or rejected."))
    if verdict is LeadVerdict.REJECTED:
        _check_text(feedback, translate("A rejection needs feedback: say what is wrong, for the worker."))
    if (verdict is LeadVerdict.EDITED) != (final is not None):
        raise CallRefusedError(
            Reason.ANSWER, translate("An edited answer, and no other, comes with what is to stand in its place.")
        )
    if len(feedback) > LONGEST_TEXT:
        raise CallRefusedError(
            Reason.ANSWER,
            translate(
                "The feedback has {count:,} characters; at most {longest_text:,} can be kept.",
                count=len(feedback),
                longest_text=LONGEST_TEXT,
            ),
        )
    storable(feedback, "feedback")


def _check_text(text: str, missing: str) -> None:
    if not text.strip():
        raise CallRefusedError(Reason.ANSWER, missing)
    storable(text, "text")


def _decided_on(connection: Connection, study: Study, assignment: int) -> tuple[Any, Any, Any]:
    """The worker, the answer and the item, locked in this order."""
    table = study_assignments
    query = select(table.c.worker).where(table.c.id == assignment, table.c.study == study.id)
    owner = connection.execute(query).scalar_one_or_none()
    if owner is None:
        raise CallRefusedError(
            Reason.UNKNOWN, translate("There is no answer number {assignment} in this study.", assignment=assignment)
        )
    worker = worker_named(connection, study, owner)
    row = connection.execute(select(table).where(table.c.id == assignment)).one()
    item = connection.execute(select(study_items).where(study_items.c.id == row.item).with_for_update()).one()
    return worker, row, item


def check_decision(worker: Any, row: Any, number: int) -> None:
    if row.state != SUBMITTED or row.number != number:
        raise CallRefusedError(Reason.DECIDED, translate("The answer was changed meanwhile; look at it again."))
    if row.phase == Phase.TRIAL and worker.phase != Phase.TRIAL:
        raise CallRefusedError(Reason.DECIDED, translate("The trial of {name} is decided; its grades stay.", name=worker.name))


def move_slot(connection: Connection, study: Study, row: Any, item: Any, verdict: LeadVerdict) -> None:
    """A rejected answer leaves its slot to others; one that is accepted after all needs a slot again."""
    table = study_assignments
    if verdict is LeadVerdict.REJECTED and row.slot is not None:
        connection.execute(update(table).where(table.c.id == row.id).values(slot=None))
        free_slots(connection, [item.id])
    needs_slot = item.kind == ItemKind.WORK and study.dealt and row.slot is None and row.verdict == LeadVerdict.REJECTED
    if verdict is not LeadVerdict.REJECTED and needs_slot:
        slot = take_slot(connection, item)
        connection.execute(update(table).where(table.c.id == row.id).values(slot=slot))


def _decisions(connection: Connection, row: Any) -> int:
    """How often the trial was decided on: more than once for a worker who was let in again."""
    mine = (study_events.c.worker == row.id, study_events.c.kind == "trial decided")
    return int(connection.execute(select(func.count()).where(*mine)).scalar_one())


def _count(connection: Connection, row: Any, *more: Any) -> int:
    table = study_assignments
    mine = (table.c.worker == row.id, table.c.phase == row.phase, table.c.state == SUBMITTED, *more)
    return int(connection.execute(select(func.count()).where(*mine)).scalar_one())


def _check_batch(connection: Connection, row: Any) -> None:
    table, done = study_assignments, count_submitted(connection, row)
    if done < row.released:
        raise CallRefusedError(
            Reason.GRADING,
            translate(
                "{name} has done {done} of the {released} tasks released so far.",
                name=row.name,
                done=done,
                released=row.released,
            ),
        )
    waiting = _count(connection, row, table.c.sampled.is_(True), table.c.verdict == LeadVerdict.NONE.value)
    if waiting:
        raise CallRefusedError(
            Reason.GRADING,
            translate_count(ONE_DRAWN, MANY_DRAWN, waiting, name=row.name),
        )


def _accepted(connection: Connection, study: Study, row: Any) -> float | None:
    """Among the decided answers of the last batch, the share that was accepted as it was, or None if none is decided."""
    table = study_assignments
    query = select(table.c.verdict).where(table.c.worker == row.id, table.c.phase == Phase.TASKS.value)
    last = query.where(table.c.state == SUBMITTED).order_by(table.c.submitted.desc(), table.c.id.desc()).limit(row.size)
    verdicts = [verdict for verdict in connection.execute(last).scalars() if verdict]
    return verdicts.count(LeadVerdict.ACCEPTED.value) / len(verdicts) if verdicts else None


def _pace(connection: Connection, study: Study, row: Any) -> float | None:
    """The worker's median time a task in the last batch, in units of everybody's in the study; None if no time is known."""
    table = study_assignments
    done = (table.c.phase == Phase.TASKS.value, table.c.state == SUBMITTED, table.c.seconds.is_not(None))
    time = func.coalesce(table.c.active, table.c.seconds)
    own = select(time).where(table.c.worker == row.id, *done)
    mine = connection.execute(own.order_by(table.c.submitted.desc(), table.c.id.desc()).limit(row.size)).scalars().all()
    every = select(time).join(study_workers, study_workers.c.id == table.c.worker)
    all_ = connection.execute(every.where(study_workers.c.study == study.id, *done)).scalars().all()
    return median(mine) / median(all_) if mine and median(all_) > 0 else None
