"""Deciding on many answers in one step, which can be undone in one step.

Each answer has the same event as a decision of its own; one event more holds what all of them were before. An answer that
was changed meanwhile is left as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select, update

from annotation.studies.callers import Caller, event_once, lead_calling, worker_named, write_event
from annotation.studies.data_manager.answer_list import AnswerSearch, numbers_of
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_events, study_items, study_workers
from annotation.studies.work.grading import LeadVerdict, check_decision, check_feedback, move_slot
from annotation.words.catalogue import translate

TOGETHER, UNDONE = "reviewed together", "review undone"  # kinds of events
MOST = 1000  # answers in one step


@dataclass(frozen=True)
class BulkReview:
    """How many answers were decided on, and why others were left as they are: (item, reason)."""

    decided: int
    left: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PastBulkReview:
    """A decision on many answers; `number` is that of its event."""

    number: int
    created: datetime
    lead: str
    verdict: LeadVerdict
    feedback: str
    answers: int
    undone: bool


def review_many(
    study: Study, lead: Caller, seen: Mapping[int, int], verdict: LeadVerdict, feedback: str = ""
) -> BulkReview:  # fmt: skip
    """Accept or reject answers: `seen` has the number of each as the lead saw it, by that of the assignment.

    Left as they are: those that have this verdict already, that a lead has edited, that were changed meanwhile or taken back,
    those of a trial that is closed, and those whose slot another answer has. Raises Refused (ANSWER) for none, for more than
    a thousand, for another verdict, and for a rejection without feedback.
    """
    before: list[tuple[str, str, str, bool]] = []  # pseudonym, item, verdict, sampled
    left: list[tuple[str, str]] = []
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        _check_many(seen, verdict, feedback)
        for worker, row, item in _locked(connection, study, list(seen)):
            try:
                _check(worker, row, seen[row.id], verdict)
                _decide(connection, study, (row, item), (verdict, feedback, None, row.sampled))
            except CallRefusedError as error:
                left.append((item.key, error.shown))
                continue
            before.append((worker.pseudonym, item.key, row.verdict, row.sampled))
            content = {"verdict": verdict.value, "feedback": feedback, "final": None, "number": row.number}
            write_event(connection, study, actor.id, row.worker, "reviewed", content, row.item)
        if before:
            about = {"verdict": verdict.value, "feedback": feedback, "before": before}
            write_event(connection, study, actor.id, actor.id, TOGETHER, about)
    return BulkReview(len(before), tuple(left))


def review_matching(
    study: Study, lead: Caller, search: AnswerSearch, count: int, verdict: LeadVerdict, feedback: str = ""
) -> BulkReview:  # fmt: skip
    """As `review_many`, of all answers that match; `count`: how many the lead saw, so that none is decided on unseen."""
    seen = numbers_of(study, lead, search)
    if len(seen) != count:
        message = translate(
            "There were {before:,} answers and now there are {now:,}; look at them again.", before=count, now=len(seen)
        )
        raise CallRefusedError(Reason.DECIDED, message)
    return review_many(study, lead, seen, verdict, feedback)


def undo_review(study: Study, lead: Caller, number: int) -> BulkReview:
    """Make the answers of a decision on many what they were before; those that were decided on again since are left.

    Raises Refused: UNKNOWN for no such decision, DECIDED if it is undone already.
    """
    left, count = [], 0
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        event = _event(connection, study, number)
        if event_once(connection, event.worker, f"undone:{number}"):
            raise CallRefusedError(Reason.DECIDED, translate("This decision is undone already."))
        before = {(name, key): (verdict, sampled) for name, key, verdict, sampled in event.content["before"]}
        for worker, row, item in _locked(connection, study, _assignments(connection, study, before)):
            verdict, sampled = before[worker.pseudonym, item.key]
            try:
                check_decision(worker, row, row.number)
                _check_unchanged(row, event)
                values = _earlier(connection, row, event, LeadVerdict(verdict))
                _decide(connection, study, (row, item), (*values, sampled))
            except CallRefusedError as error:
                left.append((item.key, error.shown))
                continue
            kind = "reviewed" if verdict else "verdict taken back"
            content = {"verdict": verdict, "feedback": values[1], "final": values[2]} if verdict else {}
            write_event(connection, study, actor.id, row.worker, kind, content | {"number": row.number}, row.item)
            count += 1
        write_event(connection, study, actor.id, event.worker, UNDONE, {"answers": count}, once=f"undone:{number}")
    return BulkReview(count, tuple(left))


def past_bulk_reviews(study: Study, lead: Caller, limit: int = 10) -> tuple[PastBulkReview, ...]:
    """Decisions on many answers, latest first."""
    events = study_events
    query = select(events, study_workers.c.name).join(study_workers, study_workers.c.id == events.c.actor)
    query = query.where(events.c.study == study.id, events.c.kind == TOGETHER).order_by(events.c.id.desc()).limit(limit)
    with study.database.reading() as connection:
        lead_calling(connection, study, lead)
        rows = connection.execute(query).all()
        undone = {row.id for row in rows if event_once(connection, row.worker, f"undone:{row.id}")}
    return tuple(
        PastBulkReview(
            row.id, row.created, row.name, LeadVerdict(row.content["verdict"]), row.content["feedback"],
            len(row.content["before"]), row.id in undone,
        )
        for row in rows
    )  # fmt: skip


def _locked(connection: Connection, study: Study, assignments: Sequence[int]) -> list[tuple[Any, Any, Any]]:
    """Worker, answer and item of each: first all workers are locked and then all items, each in the order of their numbers, so
    that two who do this at once, or a worker who hands in, cannot wait for each other."""
    table = study_assignments
    answers = [row for some in _some(assignments) for row in connection.execute(
        select(table.c.id, table.c.worker, table.c.item).where(table.c.id.in_(some), table.c.study == study.id))]  # fmt: skip
    workers = {number: worker_named(connection, study, number) for number in sorted({row.worker for row in answers})}
    items: dict[int, Any] = {}
    for some in _some(sorted({row.item for row in answers})):
        query = select(study_items).where(study_items.c.id.in_(some)).order_by(study_items.c.id)
        items |= {item.id: item for item in connection.execute(query.with_for_update())}
    rows = [row for some in _some([row.id for row in answers])
            for row in connection.execute(select(table).where(table.c.id.in_(some)))]  # fmt: skip
    return [(workers[row.worker], row, items[row.item]) for row in sorted(rows, key=lambda row: (row.item, row.id))]


def _check_many(seen: Mapping[int, int], verdict: LeadVerdict, feedback: str) -> None:
    if verdict not in (LeadVerdict.ACCEPTED, LeadVerdict.REJECTED):
        raise CallRefusedError(Reason.ANSWER, translate("Many answers at once are accepted or rejected."))
    if not 0 < len(seen) <= MOST:
        raise CallRefusedError(
            Reason.ANSWER,
            translate("Choose 1 to {most:,} answers, not {count:,}; a filter leaves fewer.", most=MOST, count=len(seen)),
        )
    check_feedback(verdict, feedback, None)


def _check(worker: Any, row: Any, number: int, verdict: LeadVerdict) -> None:
    check_decision(worker, row, number)
    if row.verdict == verdict:
        raise CallRefusedError(Reason.DECIDED, translate("It is {verdict} already.", verdict=translate(verdict.value)))
    if row.verdict == LeadVerdict.EDITED:
        raise CallRefusedError(Reason.DECIDED, translate("A lead has edited it; decide on it by itself."))


def _check_unchanged(row: Any, event: Any) -> None:
    now = (row.verdict, row.feedback, row.final)
    if now != (event.content["verdict"], event.content["feedback"], None):
        raise CallRefusedError(Reason.DECIDED, translate("It was decided on again since."))


def _decide(
    connection: Connection, study: Study, answer: tuple[Any, Any], values: tuple[LeadVerdict, str, Any, bool]
) -> None:  # fmt: skip
    (row, item), (verdict, feedback, final, sampled) = answer, values
    # Another answer to the item may have moved its slots a moment ago.
    item = connection.execute(select(study_items).where(study_items.c.id == item.id)).one()
    move_slot(connection, study, row, item, verdict)
    kept = {"verdict": verdict.value, "feedback": feedback, "final": final, "sampled": sampled}
    connection.execute(update(study_assignments).where(study_assignments.c.id == row.id).values(**kept))


def _event(connection: Connection, study: Study, number: int) -> Any:
    events = study_events
    mine = (events.c.id == number, events.c.study == study.id, events.c.kind == TOGETHER)
    row = connection.execute(select(events).where(*mine)).first()
    if row is None:
        raise CallRefusedError(
            Reason.UNKNOWN, translate("There is no decision on many answers of the number {number}.", number=number)
        )
    return row


def _assignments(connection: Connection, study: Study, before: Mapping[tuple[str, str], Any]) -> list[int]:
    """By pseudonym and item, which stay the same when a study is read from an archive."""
    table = study_assignments
    query = select(table.c.id, study_workers.c.pseudonym, study_items.c.key).join(study_items, study_items.c.id == table.c.item)
    query = query.join(study_workers, study_workers.c.id == table.c.worker).where(table.c.study == study.id)
    return [row.id for row in connection.execute(query) if (row.pseudonym, row.key) in before]


def _earlier(connection: Connection, row: Any, event: Any, verdict: LeadVerdict) -> tuple[LeadVerdict, str, Any]:
    """What stood before the decision, as the event of that earlier decision has it."""
    if verdict is LeadVerdict.NONE:
        return verdict, "", None
    events = study_events
    mine = (events.c.worker == row.worker, events.c.item == row.item, events.c.kind == "reviewed", events.c.id < event.id)
    # The latest one is the decision that is undone.
    latest = connection.execute(select(events.c.content).where(*mine).order_by(events.c.id.desc()).offset(1).limit(1)).scalar()
    content = latest or {}
    return verdict, content.get("feedback", ""), content.get("final")


def _some(numbers: Sequence[int], size: int = 500) -> list[Sequence[int]]:
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]
