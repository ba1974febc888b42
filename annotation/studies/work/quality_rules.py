"""What happens by itself once the figures of a worker break a rule of the study, and a lead's answer to it."""

from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select

from annotation.studies.callers import Caller, event_once, lead_calling, worker_named, write_event
from annotation.studies.quality.agreement_signal import agreement_with_others
from annotation.studies.quality.rules import QualityRule
from annotation.studies.quality.worker_signals import FEWEST_ANSWERS, WorkerSignals, usual_pace, worker_signals
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_events, study_items
from annotation.studies.work.leases import SUBMITTED, end_part
from annotation.studies.work.phases import ASKED, HELD, LET_ON, open_question
from annotation.tasks.task_type import TaskResult
from annotation.words.catalogue import to_translate, translate
from backend.text.storable import storable

LATEST = 50  # answers of a worker that rules look at
PACE_ROWS = 2000  # latest answers of the study that the usual time of a task is taken from
ENDED = to_translate(
    "Your part in this study has ended: the answers do not keep to the guidelines. What you did is paid as agreed."
)


def apply_rules(connection: Connection, study: Study, row: Any) -> None:
    """Act on the rules that a worker breaks with the answer just handed in, each once."""
    rules = study.plan.file.rule
    if not rules:
        return
    judged = {rule.signal for rule in rules}
    signals = signals_of_latest(connection, study, row.id, "fast" in judged)
    if "agreement" in judged:
        signals = replace(signals, agreement=_agreement_of_latest(connection, study, row.id))
    for rule in rules:
        once = f"rule:{rule.words()}"
        if rule.holds(signals) and event_once(connection, row.id, once) is None:
            _act(connection, study, row, rule, once, getattr(signals, rule.signal))


def signals_of_latest(connection: Connection, study: Study, worker: int, pace: bool) -> WorkerSignals:
    table = study_assignments
    columns = (table.c.worker, table.c.active, table.c.signals, table.c.passed, table.c.verdict)
    done = select(*columns).where(table.c.study == study.id, table.c.state == SUBMITTED).order_by(table.c.number.desc())
    rows = connection.execute(done.where(table.c.worker == worker).limit(LATEST)).all()
    usual = usual_pace(connection.execute(done.limit(PACE_ROWS)).all()) if pace else None
    return worker_signals(rows, usual)


def _agreement_of_latest(connection: Connection, study: Study, worker: int) -> float | None:
    """How near the latest answers of a worker are to what others have handed in for the same items until now; None while too
    few of these have an answer of somebody else."""
    table = study_assignments
    done = (table.c.study == study.id, table.c.state == SUBMITTED, table.c.verdict != "rejected")
    latest = select(table.c.item).where(*done, table.c.worker == worker).order_by(table.c.number.desc()).limit(LATEST)
    items = list(connection.execute(latest).scalars())
    columns = (table.c.worker, table.c.answer, table.c.final, table.c.shown, study_items.c.key, study_items.c.content)
    query = select(*columns).join(study_items, study_items.c.id == table.c.item).where(*done, table.c.item.in_(items))
    rows = connection.execute(query).all()
    others = {row.key for row in rows if row.worker != worker}
    if len(others) < FEWEST_ANSWERS:
        return None
    moment = study.clock()
    compared = [
        TaskResult(row.key, study.content(row.content), row.final or row.answer, str(row.worker), "", 0.0, moment, row.shown)
        for row in rows
        if row.key in others
    ]
    return agreement_with_others(compared, study.task.units, study.task.level).get(str(worker))


def hold(study: Study, lead: Caller, worker: int, reason: str) -> None:
    """Give a worker no further task until a lead lets them on. Raises Refused: ANSWER without a reason, DECIDED if held."""
    if not reason.strip():
        raise CallRefusedError(Reason.ANSWER, translate("Say why the worker is held; it is kept in the history."))
    storable(reason, "reason")
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        row = worker_named(connection, study, worker)
        if open_question(connection, worker) == HELD:
            raise CallRefusedError(Reason.DECIDED, translate("{name} is held already.", name=row.name))
        write_event(connection, study, actor.id, worker, HELD, {"reason": reason})


def let_on(study: Study, lead: Caller, worker: int) -> None:
    """Let a worker on whom a rule or a lead held, or note that their work was looked at. Raises Refused (DECIDED)."""
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        row = worker_named(connection, study, worker)
        if open_question(connection, worker) is None:
            raise CallRefusedError(
                Reason.DECIDED, translate("{name} is not held, and nobody asked to look at their work.", name=row.name)
            )
        write_event(connection, study, actor.id, worker, LET_ON, {})


def open_questions(connection: Connection, study: Study) -> dict[int, tuple[str, str]]:
    """By worker: HELD or ASKED, and why, where no lead has answered yet."""
    events = study_events
    query = select(events.c.worker, events.c.kind, events.c.content).where(events.c.study == study.id)
    last: dict[int, tuple[str, str]] = {}
    for worker, kind, content in connection.execute(
        query.where(events.c.kind.in_((HELD, ASKED, LET_ON))).order_by(events.c.id)
    ):
        if kind == LET_ON:
            last.pop(worker, None)
        elif kind == HELD or worker not in last:
            last[worker] = (kind, str(content.get("reason", "")))
    return last


def _act(connection: Connection, study: Study, row: Any, rule: QualityRule, once: str, value: float) -> None:
    reason = f"{rule.words()}: {value:.0%}"
    if rule.then == "end":
        content = {"feedback": translate(ENDED), "phase": row.phase, "rule": reason}
        write_event(connection, study, row.id, row.id, "eliminated", content, once=once)
        end_part(connection, row)
        return
    kind = HELD if rule.then == "hold" else ASKED
    write_event(connection, study, row.id, row.id, kind, {"reason": reason}, once=once)
