"""From one phase to the next, in fixed order; those that a study leaves out are passed over."""

from typing import Any

from sqlalchemy import Connection, func, select, update

from annotation.studies.callers import Phase, Role
from annotation.studies.plan import StudyPlan
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import studies, study_events, study_workers
from annotation.studies.work.bonuses import award
from annotation.words.catalogue import to_translate, translate

HELD, ASKED, LET_ON = "held", "asked", "let on"  # kinds of events
_INSTEAD = {
    Phase.CONSENT: to_translate("This is not the time for it: agree to take part first."),
    Phase.TUTORIAL: to_translate("This is not the time for it: read all slides of the tutorial first."),
    Phase.QUIZ: to_translate("This is not the time for it: pass the quiz first."),
    Phase.TRIAL: to_translate("This is not the time for it: the trial comes first."),
    Phase.TASKS: to_translate("This is not the time for it: this is behind you."),
    Phase.ELIMINATED: to_translate("This is not the time for it: the part in this study has ended."),
}


def phases_of(plan: StudyPlan) -> list[Phase]:
    """The phases of a study, in order."""
    there = {
        Phase.CONSENT: plan.file.consent,
        Phase.TUTORIAL: plan.file.tutorial,
        Phase.QUIZ: plan.file.quiz,
        Phase.TRIAL: plan.file.trial,
    }
    return [*(phase for phase, table in there.items() if table is not None), Phase.TASKS]


def need_phase(row: Any, *phases: Phase) -> None:
    """Raises Refused unless the worker is in one of the phases."""
    if row.phase not in phases:
        raise CallRefusedError(Reason.PHASE, translate(_INSTEAD[Phase(row.phase)]))


def is_held(connection: Connection, worker: int) -> bool:
    """Whether a rule or a lead has stopped a worker, and no lead has let them on since."""
    return open_question(connection, worker) == HELD


def open_question(connection: Connection, worker: int) -> str | None:
    """HELD or ASKED if a lead is still to look at a worker's work as a whole, else None."""
    mine = (study_events.c.worker == worker, study_events.c.kind.in_((HELD, ASKED, LET_ON)))
    question = None
    for kind in connection.execute(select(study_events.c.kind).where(*mine).order_by(study_events.c.id)).scalars():
        question = None if kind == LET_ON else HELD if HELD in (kind, question) else ASKED
    return question


def has_agreed(row: Any) -> bool:
    return bool(row.phase != Phase.CONSENT)


def advance(connection: Connection, study: Study, row: Any) -> Phase:
    """Bring a worker into the phase after the present one."""
    phases = phases_of(study.plan)
    phase = phases[phases.index(Phase(row.phase)) + 1]
    values: dict[str, Any] = {"phase": phase.value}
    if phase is Phase.TASKS:
        values |= begin_tasks(connection, study)
        award(connection, study, row.id, "tutorial and quiz", study.plan.file.payment.tutorial_and_quiz)
    connection.execute(update(study_workers).where(study_workers.c.id == row.id).values(**values))
    return phase


def begin_tasks(connection: Connection, study: Study) -> dict[str, int]:
    """The first batch, and the place of a worker in the order of those who began."""
    connection.execute(select(studies.c.id).where(studies.c.id == study.id).with_for_update())
    begun = select(func.count()).where(
        study_workers.c.study == study.id, study_workers.c.role == Role.WORKER.value, study_workers.c.place.is_not(None)
    )
    file = study.plan.file
    size = min(file.batches.start, file.cap) if file.batches else file.cap
    return {"place": connection.execute(begun).scalar_one(), "batch": 1, "size": size, "released": size}
