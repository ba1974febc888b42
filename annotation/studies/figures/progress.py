"""How far a study is, for leads; and where one worker stands, for that worker."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median
from typing import Any

from sqlalchemy import Connection, func, select

from annotation.studies.callers import Caller, Phase, Role, anyone_calling, lead_calling
from annotation.studies.item_files import ItemKind
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_events, study_items, study_quizzes, study_workers
from annotation.studies.work.leases import LEASED, RETRACTED, SKIPPED, SUBMITTED, count_submitted, quota, within_reach
from annotation.studies.work.qualification import quiz_opens
from annotation.studies.work.quality_rules import open_questions


@dataclass(frozen=True)
class WorkerStanding:
    """Where a worker is. `waiting`: all that is released is done, and a lead has to look at it (or the cap is reached).

    `quiz_opens`: when the quiz may be tried again, None if it may be now. `done` of `of` counts tasks of this phase
    (`leases.within_reach`).
    """

    name: str
    phase: Phase
    slides_seen: int
    slides: int
    quiz_opens: datetime | None
    done: int
    of: int
    cap: int
    waiting: bool


@dataclass(frozen=True)
class WorkerFigures:
    """`tasks` of `of` released ones are done, or of those that there are items for where no batches are released.

    `left`: how many of these there are still items for; `accepted`: the share accepted unchanged among what was decided on;
    `attention`: (passed, asked); `median_seconds`: active time; `retracted`: answers taken back; `question`: "held" or "asked",
    and why, where a lead is to look at it; `quiz`: how many answers were right in each attempt, and of how many.
    """

    worker: int
    name: str
    pseudonym: str
    phase: Phase
    tasks: int
    of: int
    median_seconds: float | None
    accepted: float | None
    rejected: int
    attention: tuple[int, int]
    skipped: int
    to_review: int
    last_seen: datetime | None
    left: int = 0
    retracted: int = 0
    question: tuple[str, str] | None = None
    quiz: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class FlaggedItem:
    key: str
    times: int
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class StudyProgress:
    """`items`: how many there are; `complete`: those with all answers they need; `begun`: others with some; `withdrawn`:
    how many were taken out, which the others do not count.

    `answers`, `lent`, `to_review`: answers that stand, items in work, answers that wait for a lead.
    """

    items: int
    complete: int
    begun: int
    withdrawn: int
    answers: int
    lent: int
    to_review: int
    median_seconds: float | None
    verdicts: Mapping[str, int]
    workers: tuple[WorkerFigures, ...]
    flagged: tuple[FlaggedItem, ...]


def standing(study: Study, caller: Caller) -> WorkerStanding:
    """Also for those whose part has ended. Raises Refused (SIGN_IN) for a caller of another study."""
    with study.database.reading() as connection:
        row = anyone_calling(connection, study, caller)
        counted = func.count()
        mine = (study_events.c.worker == row.id, study_events.c.kind == "slide")
        seen = int(connection.execute(select(counted).where(*mine)).scalar_one())
        opens = quiz_opens(study, connection, row.id) if row.phase == Phase.QUIZ else None
        at_work = row.phase in (Phase.TRIAL, Phase.TASKS) and row.role == Role.WORKER
        done = count_submitted(connection, row) if at_work else 0
        of = within_reach(connection, study, row, done) if at_work else 0
    waiting = at_work and done >= quota(study, row)
    slides = len(study.plan.slides)
    return WorkerStanding(row.name, Phase(row.phase), seen, slides, opens, done, of, study.plan.file.cap, waiting)


def progress(study: Study, lead: Caller) -> StudyProgress:
    with study.database.reading() as connection:
        lead_calling(connection, study, lead)
        return figures(study, connection)


def figures(study: Study, connection: Connection) -> StudyProgress:
    """As `progress`, for callers with direct access to the database. Nine queries, whatever the size."""
    items, table = study_items, study_assignments
    work = (items.c.study == study.id, items.c.kind == ItemKind.WORK.value)
    kinds = select(items.c.kind, func.count()).where(items.c.study == study.id, ~items.c.withdrawn).group_by(items.c.kind)
    there = {kind: int(count) for kind, count in connection.execute(kinds)}
    gone = set(connection.execute(select(items.c.id).where(*work, items.c.withdrawn)).scalars())
    answered = _answers_by_item(connection, study)
    wanted = study.plan.file.overlap
    counts = [there.get(kind.value, 0) for kind in (ItemKind.WORK, ItemKind.ATTENTION)]
    counted = [count for item, count in answered.items() if item not in gone]
    full = sum(count >= wanted for count in counted)
    lacking = counts[0] - full if study.dealt else counts[0]
    time = func.coalesce(table.c.active, table.c.seconds).label("seconds")
    query = select(table.c.worker, table.c.phase, table.c.state, time, table.c.verdict, table.c.passed, table.c.sampled)
    by_worker: dict[int, list[Any]] = defaultdict(list)
    for row in connection.execute(query.where(table.c.study == study.id)):
        by_worker[row.worker].append(row)
    rows = [row for own in by_worker.values() for row in own]
    done = [row for row in rows if row.state == SUBMITTED]
    return StudyProgress(
        items=counts[0],
        complete=full,
        begun=len(counted) - full,
        withdrawn=len(gone),
        answers=sum(answered.values()),
        lent=sum(row.state == LEASED for row in rows),
        to_review=sum(_waits(row) for row in rows),
        median_seconds=median(row.seconds for row in done) if done else None,
        verdicts={name: sum(row.verdict == name for row in done) for name in ("accepted", "edited", "rejected")},
        workers=tuple(_workers(connection, study, by_worker, (sum(counts), lacking))),
        flagged=tuple(flagged_items(connection, study)),
    )


def flagged_items(connection: Connection, study: Study) -> list[FlaggedItem]:
    """Items that somebody flagged, most often flagged first, with the reasons that workers gave."""
    events = study_events
    query = select(study_items.c.key, events.c.content).join(study_items, study_items.c.id == events.c.item)
    reasons: dict[str, list[str]] = defaultdict(list)
    query = query.where(events.c.study == study.id, events.c.kind == "flagged").order_by(events.c.id)
    for key, content in connection.execute(query):
        reasons[key].append(content["text"])
    items = [FlaggedItem(key, len(texts), tuple(texts)) for key, texts in reasons.items()]
    return sorted(items, key=lambda item: -item.times)


def _answers_by_item(connection: Connection, study: Study) -> dict[int, int]:
    table = study_assignments
    query = select(table.c.item, func.count()).join(study_items, study_items.c.id == table.c.item)
    stands = (table.c.state == SUBMITTED, table.c.verdict != "rejected", study_items.c.kind == ItemKind.WORK.value)
    query = query.where(table.c.study == study.id, *stands).group_by(table.c.item)
    return {item: int(count) for item, count in connection.execute(query)}


def _workers(
    connection: Connection, study: Study, by_worker: Mapping[int, list[Any]], items: tuple[int, int]
) -> list[WorkerFigures]:
    """`items`: how many of the work and of attention there are, and how many of the work lack answers."""
    events = study_events
    latest = select(events.c.actor, func.max(events.c.id).label("last")).where(events.c.study == study.id)
    last = latest.group_by(events.c.actor).subquery()
    query = select(last.c.actor, events.c.created).join(events, events.c.id == last.c.last)
    seen = {row.actor: row.created for row in connection.execute(query)}
    people = select(study_workers).where(study_workers.c.study == study.id, study_workers.c.role == Role.WORKER.value)
    questions, attempts = open_questions(connection, study), _quiz_attempts(connection, study)
    return [
        replace(
            _figures(study, row, by_worker.get(row.id, []), items, seen.get(row.id), questions.get(row.id)),
            quiz=tuple(attempts.get(row.id, ())),
        )
        for row in connection.execute(people.order_by(study_workers.c.id))
    ]


def _quiz_attempts(connection: Connection, study: Study) -> Mapping[int, list[tuple[int, int]]]:
    table, attempts = study_quizzes, defaultdict(list)
    query = select(table.c.worker, table.c.score, table.c.drawn).join(study_workers, study_workers.c.id == table.c.worker)
    query = query.where(study_workers.c.study == study.id, table.c.submitted.is_not(None))
    for row in connection.execute(query.order_by(table.c.number)):
        attempts[row.worker].append((row.score, len(row.drawn)))
    return attempts


def _figures(
    study: Study, row: Any, rows: Sequence[Any], items: tuple[int, int], seen: datetime | None, question: tuple[str, str] | None
) -> WorkerFigures:
    done = [each for each in rows if each.state == SUBMITTED]
    tasks = sum(each.phase == row.phase for each in done)
    left = _left(study, row, tasks, *items)
    decided = [each.verdict for each in done if each.verdict]
    asked = [each.passed for each in done if each.passed is not None]
    return WorkerFigures(
        row.id, row.name, row.pseudonym, Phase(row.phase),
        tasks=tasks,
        of=_of(study, row, tasks + left),
        left=left,
        median_seconds=median(each.seconds for each in done) if done else None,
        accepted=decided.count("accepted") / len(decided) if decided else None,
        rejected=decided.count("rejected"),
        attention=(sum(asked), len(asked)),
        skipped=sum(each.state == SKIPPED for each in rows),
        to_review=sum(_waits(each) for each in rows),
        last_seen=seen,
        retracted=sum(each.state == RETRACTED for each in rows),
        question=question,
    )  # fmt: skip


def _of(study: Study, row: Any, within_items: int) -> int:
    if row.phase == Phase.TASKS and study.plan.file.batches is None:
        return within_items  # only the cap is known, which may be far above
    return quota(study, row) if row.phase in (Phase.TRIAL, Phase.TASKS) else 0


def _left(study: Study, row: Any, tasks: int, items: int, lacking: int) -> int:
    """How many of the tasks that they may submit a worker can still come to."""
    if row.phase not in (Phase.TRIAL, Phase.TASKS):
        return 0
    left = max(0, quota(study, row) - tasks)
    return left if row.phase == Phase.TRIAL else min(left, max(0, items - tasks), lacking)


def _waits(row: Any) -> bool:
    return bool(row.state == SUBMITTED and row.sampled and not row.verdict)
