"""Letting somebody in again whose part a lead has ended: they go on where they were."""

from typing import Any

from sqlalchemy import Connection, select, update

from annotation.studies.callers import Caller, Phase, lead_calling, worker_named, write_event
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_events, study_workers
from annotation.studies.work.phases import phases_of
from annotation.words.catalogue import translate
from backend.text.storable import storable


def readmit(study: Study, lead: Caller, worker: int, message: str) -> Phase:
    """Undo the end of a worker's part, and tell them so; returns the phase they are in again.

    A worker who failed the trial is in it again with all their answers, to be decided on again. Raises Refused: DECIDED if
    their part has not ended, ANSWER without a message.
    """
    if not message.strip():
        raise CallRefusedError(Reason.ANSWER, translate("To let somebody in again needs a word to them."))
    storable(message, "message")
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        row = worker_named(connection, study, worker)
        if row.phase != Phase.ELIMINATED:
            raise CallRefusedError(Reason.DECIDED, translate("The part of {name} has not ended.", name=row.name))
        phase = _phase_before(connection, study, row)
        connection.execute(update(study_workers).where(study_workers.c.id == worker).values(phase=phase.value))
        write_event(connection, study, actor.id, worker, "readmitted", {"feedback": message, "phase": phase.value})
        return phase


def _phase_before(connection: Connection, study: Study, row: Any) -> Phase:
    """The event of the end tells it; those written before it did so leave only what else is known of the worker."""
    ends = ("eliminated", "trial decided")
    query = select(study_events).where(study_events.c.worker == row.id, study_events.c.kind.in_(ends))
    end = connection.execute(query.order_by(study_events.c.id.desc()).limit(1)).one()
    there = phases_of(study.plan)
    if end.kind == "trial decided" and not end.content["passed"]:
        phase = Phase.TRIAL
    elif "phase" in end.content:
        phase = Phase(end.content["phase"])
    else:
        phase = Phase.TASKS if row.place is not None else there[0]
    # The study may have lost the phase meanwhile. A worker without a number yet could not work at the tasks.
    return phase if phase in there else (Phase.TASKS if row.place is not None else there[0])
