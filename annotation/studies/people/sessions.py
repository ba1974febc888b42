"""Who is signed in to a study: a browser holds a random token, the database its hash, and every call is looked up here.

A session ends after some days, when its owner signs out, and when a lead makes new credentials for them. It outlives a
restart of the server, so nobody has to sign in again in the middle of a task.
"""

import secrets
from datetime import timedelta

from sqlalchemy import delete, select

from annotation.studies.access_codes import hash_link
from annotation.studies.callers import Caller, Role
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Clock, Study
from annotation.studies.tables import studies, study_sessions, study_workers
from annotation.words.catalogue import translate
from backend.storage.database import Database, now

LASTS = timedelta(days=14)


def begin_session(study: Study, caller: Caller) -> str:
    """A token for somebody who has just signed in; it cannot be read again."""
    token, moment = secrets.token_urlsafe(32), study.clock()
    with study.database.writing() as connection:
        old = (study_sessions.c.worker == caller.worker, study_sessions.c.created < moment - LASTS)
        connection.execute(delete(study_sessions).where(*old))
        link = connection.execute(select(study_workers.c.link).where(study_workers.c.id == caller.worker)).scalar_one()
        values = {"study": study.id, "worker": caller.worker, "link": link, "created": moment}
        connection.execute(study_sessions.insert().values(token=hash_link(token), **values))
    return token


def session(database: Database, token: object, clock: Clock = now) -> tuple[str, Caller]:
    """The name of the study and who calls. Raises Refused (SIGN_IN) if the token lets nobody in, or no longer.

    `token` comes from outside and may be anything.
    """
    workers = study_workers
    query = select(studies.c.name, workers.c.study, workers.c.id, workers.c.role, study_sessions.c.created)
    query = query.join(workers, workers.c.id == study_sessions.c.worker).join(studies, studies.c.id == workers.c.study)
    query = query.where(study_sessions.c.token == _hashed(token), study_sessions.c.link == workers.c.link)
    with database.reading() as connection:
        row = connection.execute(query).first()
    if row is None or row.created < clock() - LASTS:
        raise not_signed_in()
    return row.name, Caller(row.study, row.id, Role(row.role))


def not_signed_in() -> CallRefusedError:
    """What a wrong token, an old one and one of another study get alike."""
    return CallRefusedError(
        Reason.SIGN_IN, translate("You are not signed in, or no longer. Sign in again; what you typed is kept.")
    )


def end_session(database: Database, token: object) -> None:
    """Sign out; nothing happens if nobody is signed in by this token."""
    with database.writing() as connection:
        connection.execute(delete(study_sessions).where(study_sessions.c.token == _hashed(token)))


def _hashed(token: object) -> str:
    return hash_link(token) if isinstance(token, str) else ""
