"""The Hugging Face accounts of people in a study: which one lets whom in.

An account is entered by its username, and recognised from its first sign-in on by its subject, which no other account ever
has: a username may change, and then be taken by somebody else.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select, update
from sqlalchemy.exc import IntegrityError

from annotation.studies.access_codes import plain_username
from annotation.studies.callers import Caller, lead_calling, worker_named, write_event
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_accounts, study_workers
from annotation.words.catalogue import translate
from backend.errors import AnnotationError

_LONGEST_SUBJECT = 200


@dataclass(frozen=True)
class Account:
    """Who Hugging Face says that somebody is; never what a browser says."""

    subject: str
    username: str

    def __post_init__(self) -> None:
        if not 0 < len(self.subject) <= _LONGEST_SUBJECT:
            raise CallRefusedError(
                Reason.SIGN_IN, translate("Hugging Face did not say whose account this is. Sign in there again.")
            )


def enter_account(connection: Connection, study: Study, worker: int, username: str, subject: str | None = None) -> None:
    """Let an account in as `worker`; with `subject` if it comes by itself. Raises AnnotationError if it is another's."""
    name = plain_username(username)
    values = {"worker": worker, "study": study.id, "username": name, "subject": subject, "joined": subject is not None}
    try:
        with connection.begin_nested():
            connection.execute(study_accounts.insert().values(**values))
    except IntegrityError as error:
        raise AnnotationError(
            translate("The Hugging Face account {name} lets somebody into this study already.", name=repr(name))
        ) from error


def set_account(study: Study, lead: Caller, worker: int, username: str) -> None:
    """Give a worker an account, or another one in place of one that was never used.

    Raises Refused (DECIDED) if they have signed in with one, AnnotationError if the name is none or is another's.
    """
    table = study_accounts
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        row = worker_named(connection, study, worker)
        there = connection.execute(select(table).where(table.c.worker == worker)).first()
        if there is not None and there.subject is not None:
            raise CallRefusedError(
                Reason.DECIDED,
                translate(
                    "{name} has signed in with the account {username} already; it stays.",
                    name=row.name,
                    username=repr(there.username),
                ),
            )
        connection.execute(table.delete().where(table.c.worker == worker))
        enter_account(connection, study, worker, username)
        write_event(connection, study, actor.id, worker, "account", {})


def account_owner(connection: Connection, study: Study, account: Account) -> Any:
    """The row of the worker or lead whom the account lets in, None if there is nobody.

    The first sign-in by username ties the account to its subject. Raises Refused (SIGN_IN) if the username is known, but of
    another account, which had it before.
    """
    table, name = study_accounts, plain_username(account.username)
    people = select(study_workers, table.c.subject, table.c.username).join(table, table.c.worker == study_workers.c.id)
    people = people.where(table.c.study == study.id, study_workers.c.study == study.id)
    row = connection.execute(people.where(table.c.subject == account.subject)).first()
    if row is None and (row := connection.execute(people.where(table.c.username == name)).first()) is not None:
        if row.subject is not None:
            message = translate(
                "Another account was called {name} when it was let into this study. Ask the people who run it.",
                name=f"{name!r}",
            )
            raise CallRefusedError(Reason.SIGN_IN, message)
        connection.execute(update(table).where(table.c.worker == row.id).values(subject=account.subject))
    return row


def count_joined(connection: Connection, study: Study) -> int:
    """How many people came by themselves."""
    query = select(func.count()).where(study_accounts.c.study == study.id, study_accounts.c.joined)
    return int(connection.execute(query).scalar_one())


def usernames(connection: Connection, study: Study) -> dict[int, str]:
    """The accounts of a study, by the number of the worker."""
    query = select(study_accounts.c.worker, study_accounts.c.username).where(study_accounts.c.study == study.id)
    return {row.worker: row.username for row in connection.execute(query)}
