"""Signing in with a Hugging Face account: as whom a lead has entered, or, where the study allows it, as a new worker.

A person who joins by themselves becomes a worker, never a lead; an existing role stays as in the database.
"""

from pathlib import Path

from sqlalchemy import Connection, select

from annotation.studies.access_codes import NO_CODE, new_link, plain_username
from annotation.studies.callers import Caller, Role, write_event
from annotation.studies.people.accounts import Account, account_owner, count_joined, enter_account, usernames
from annotation.studies.people.workers import Credentials, add_person, enrol
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study, open_study
from annotation.studies.tables import studies, study_workers
from annotation.words.catalogue import translate
from backend.errors import AnnotationError
from backend.storage.database import Database


def sign_in_by_account(study: Study, account: Account) -> Caller:
    """Let in whom the account belongs to. `account` comes from Hugging Face, by way of the server.

    Raises Refused (SIGN_IN) if nobody has it and it may not join by itself.
    """
    with study.database.writing() as connection:
        # A person who comes twice at the same moment joins once.
        connection.execute(select(studies.c.id).where(studies.c.id == study.id).with_for_update())
        owner = account_owner(connection, study, account)
        number, role = (owner.id, Role(owner.role)) if owner is not None else (_join(connection, study, account), Role.WORKER)
        write_event(connection, study, number, number, "signed in", {"by": "Hugging Face"})
    return Caller(study.id, number, role)


def open_with_lead(database: Database, folder: Path, username: str | None) -> Study:
    """For the person who starts the server, where there is no terminal: open a study, with this account as a lead of it.

    Raises AnnotationError as `open_study` does, or if the account is that of a worker.
    """
    study = open_study(database, folder)
    if username is None:
        return study
    name = plain_username(username)
    with database.reading() as connection:
        number = {account: worker for worker, account in usernames(connection, study).items()}.get(name)
        query = select(study_workers.c.role).where(study_workers.c.id == number)
        role = connection.execute(query).scalar_one_or_none() if number is not None else None
    if role == Role.WORKER:
        raise AnnotationError(f"The Hugging Face account {name!r} is a worker in the study {study.name}, so it cannot lead it.")
    if role is None:
        enrol(study, name, Role.LEAD, name)
    return study


def _join(connection: Connection, study: Study, account: Account) -> int:
    name, rule = plain_username(account.username), study.plan.file.hugging_face
    if rule is None or (rule.accounts and name not in rule.accounts):
        message = translate(
            "The Hugging Face account {name} does not take part in this study. Ask the people who run it to add it.",
            name=f"{name!r}",
        )
        raise CallRefusedError(Reason.SIGN_IN, message)
    if rule.most is not None and count_joined(connection, study) >= rule.most:
        raise CallRefusedError(
            Reason.SIGN_IN, translate("This study has as many people as it takes at the moment. Thank you for coming.")
        )
    called = _free_name(connection, study, account.username)
    made = add_person(connection, study, (Credentials(0, called, Role.WORKER, "", new_link()), NO_CODE))
    enter_account(connection, study, made.worker, name, account.subject)
    return made.worker


def _free_name(connection: Connection, study: Study, username: str) -> str:
    """The username, or one like it if somebody else is called so already."""
    names = connection.execute(select(study_workers.c.name).where(study_workers.c.study == study.id)).scalars()
    taken = {name.casefold() for name in names}
    name, number = username, 1
    while name.casefold() in taken:
        number += 1
        name = f"{username} ({number})"
    return name
