"""People whom a platform sends, by the id in their address: one place for each id, which is their name in the study.

An id is no secret: who knows one can go on as its owner. Exports hold pseudonyms in place of names.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, func, select

from annotation.studies.access_codes import NO_CODE, new_link
from annotation.studies.callers import Caller, Phase, Role, anyone_calling, event_once, write_event
from annotation.studies.people.workers import Credentials, add_person
from annotation.studies.recruiting import ID_FORM, Recruiting
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import studies, study_assignments, study_events, study_workers
from annotation.studies.work.leases import SUBMITTED
from annotation.words.catalogue import translate

CAME = "recruited"  # the event of somebody whom a platform sent; people whom a lead added have none
CODE_SHOWN = "code shown"  # that somebody was shown "completed" or "ended", when they were first


@dataclass(frozen=True)
class Completion:
    """The code to hand in at the platform, and the address that hands it in by itself (or "")."""

    code: str
    address: str


def sign_in_recruited(study: Study, id_name: str, identity: str) -> Caller:
    """Let in who comes from the platform with this id: as before, or in a place of their own.

    Raises Refused (SIGN_IN) if the study takes nobody from there, all places are taken, or the id is of another form.
    """
    with study.database.writing() as connection:
        # Somebody who comes twice at the same moment has one place.
        connection.execute(select(studies.c.id).where(studies.c.id == study.id).with_for_update())
        rule = study.plan.file.recruiting
        if rule is None or id_name != rule.id_name:
            raise CallRefusedError(
                Reason.SIGN_IN, translate("This study takes nobody from there. Ask the people who sent you the link.")
            )
        if not ID_FORM.fullmatch(identity):
            message = translate(
                "The address holds no valid {id_name}. Open the study again from the page of the platform.",
                id_name=rule.id_name,
            )
            raise CallRefusedError(Reason.SIGN_IN, message)
        number = _known(connection, study, rule, identity) or _join(connection, study, rule, identity)
        write_event(connection, study, number, number, "signed in", {"by": rule.platform})
    return Caller(study.id, number, Role.WORKER)


def completion(study: Study, caller: Caller) -> Completion | None:
    """For whom a platform sent and who has done something, or whose part was ended; None for all others.

    Who withdrew by themselves gets no code: they return their place on the platform. That a code was shown is kept, for the
    file of who is approved.
    """
    rule = study.plan.file.recruiting
    if rule is None:
        return None
    with study.database.writing() as connection:
        row = anyone_calling(connection, study, caller)
        if event_once(connection, row.id, CAME) is None:
            return None
        ended = row.phase == Phase.ELIMINATED
        if not (not withdrew(connection, row.id) if ended else _has_worked(connection, row.id)):
            return None
        kind = "ended" if ended else "completed"
        if event_once(connection, row.id, f"code:{kind}") is None:
            write_event(connection, study, row.id, row.id, CODE_SHOWN, {"code": kind}, once=f"code:{kind}")
    code = rule.ended if ended else rule.completed
    return Completion(code, rule.way_back(code, row.name.removeprefix(rule.prefix))) if code else None


def _known(connection: Connection, study: Study, rule: Recruiting, identity: str) -> int | None:
    """Never somebody whom a lead has added under such a name."""
    mine = (study_workers.c.study == study.id, study_workers.c.name == rule.prefix + identity)
    query = select(study_workers.c.id).join(study_events, study_events.c.worker == study_workers.c.id)
    number = connection.execute(query.where(*mine, study_events.c.once == CAME)).scalar()
    return None if number is None else int(number)


def _join(connection: Connection, study: Study, rule: Recruiting, identity: str) -> int:
    if _places_taken(connection, study, rule) >= rule.places:
        raise CallRefusedError(
            Reason.SIGN_IN, translate("This study has as many people as it takes at the moment. Thank you for coming.")
        )
    person = Credentials(0, rule.prefix + identity, Role.WORKER, "", new_link())
    made = add_person(connection, study, (person, NO_CODE))
    write_event(connection, study, made.worker, made.worker, CAME, {"by": rule.platform}, once=CAME)
    return made.worker


def _places_taken(connection: Connection, study: Study, rule: Recruiting) -> int:
    """How many came, without those of whom there was no sign for longer than the time-out and who have handed in nothing."""
    events, table = study_events, study_assignments
    came = set(connection.execute(select(events.c.worker).where(events.c.study == study.id, events.c.once == CAME)).scalars())
    if rule.time_out is None or len(came) < rule.places:
        return len(came)
    worked = select(table.c.worker).where(table.c.study == study.id, table.c.submitted.is_not(None)).distinct()
    last = select(events.c.worker).where(events.c.study == study.id).group_by(events.c.worker)
    last = last.having(func.max(events.c.created) < study.clock() - timedelta(minutes=rule.time_out))
    silent = set(connection.execute(last).scalars()) - set(connection.execute(worked).scalars())
    return len(came - silent)


def withdrew(connection: Connection, worker: int) -> bool:
    """Whether somebody's part ended because they left by themselves."""
    events = study_events
    mine = select(events.c.content).where(events.c.worker == worker, events.c.kind == "eliminated")
    last: Any = connection.execute(mine.order_by(events.c.id.desc()).limit(1)).scalar()
    return bool(last and "consent" in last)


def _has_worked(connection: Connection, worker: int) -> bool:
    table = study_assignments
    done = select(func.count()).where(table.c.worker == worker, table.c.state == SUBMITTED, table.c.phase == Phase.TASKS.value)
    return bool(connection.execute(done).scalar_one())
