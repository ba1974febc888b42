"""Workers and leads: let in by a personal link, or by a name and an access code (`joining` has Hugging Face accounts)."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from sqlalchemy import Connection, select, update
from sqlalchemy.exc import IntegrityError

from annotation.studies.access_codes import code_fits, hash_code, hash_link, new_code, new_link
from annotation.studies.callers import Caller, Phase, Role, lead_calling, write_event
from annotation.studies.people.accounts import enter_account, usernames
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import studies, study_workers
from annotation.studies.work.phases import begin_tasks, phases_of
from annotation.words.catalogue import translate
from backend.errors import AnnotationError
from backend.network.attempts import CodeAttempts
from backend.text.storable import storable

LONGEST_NAME = 200


@dataclass(frozen=True)
class Credentials:
    """What a new worker or lead sees once: neither `code` nor `link` can be read from the database again."""

    worker: int
    name: str
    role: Role
    code: str
    link: str


@dataclass(frozen=True)
class Person:
    """A worker or lead, as leads see them; `phase` says nothing for a lead. `account`: of Hugging Face, or empty."""

    worker: int
    name: str
    pseudonym: str
    role: Role
    phase: Phase
    batch: int
    released: int
    created: datetime
    account: str = ""


def enrol(study: Study, name: str, role: Role = Role.WORKER, account: str = "") -> Credentials:
    """For callers with direct access to the database, such as the command line: add a worker or the first lead.

    `account`: a Hugging Face account that lets them in as well. Raises AnnotationError if the name is empty, too long or
    taken, or the account no username or another's.
    """
    credentials = _credentials(name, role)
    with study.database.writing() as connection:
        made = add_person(connection, study, credentials)
        if account:
            enter_account(connection, study, made.worker, account)
        return made


def enrol_all(study: Study, people: Sequence[tuple[str, str]], role: Role = Role.WORKER) -> list[Credentials]:
    """As `enrol`, for many at once, each with a name and an account (or ""): all or nobody."""
    return _add_all(study, people, role)


def _add_all(study: Study, people: Sequence[tuple[str, str]], role: Role, lead: Caller | None = None) -> list[Credentials]:
    """All or nobody; codes are hashed before the database is asked for."""
    if lead is not None:
        with study.database.reading() as connection:
            lead_calling(connection, study, lead)
    prepared = [(_credentials(name, role), account) for name, account in people]
    with study.database.writing() as connection:
        if lead is not None:
            lead_calling(connection, study, lead)
        made = []
        for credentials, account in prepared:
            made.append(add_person(connection, study, credentials))
            if account:
                enter_account(connection, study, made[-1].worker, account)
        return made


def add_worker(study: Study, lead: Caller, name: str, role: Role = Role.WORKER, account: str = "") -> Credentials:
    """As `enrol`, for leads."""
    return _add_all(study, [(name, account)], role, lead)[0]


def add_workers(study: Study, lead: Caller, people: Sequence[tuple[str, str]]) -> list[Credentials]:
    """As `enrol_all`, for leads."""
    return _add_all(study, people, Role.WORKER, lead)


def renew_credentials(study: Study, lead: Caller, worker: int) -> Credentials:
    """A new code and link for somebody who lost theirs; the old ones end."""
    code, link = new_code(), new_link()
    hashed = {"code": hash_code(code), "link": hash_link(link)}
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        mine = (study_workers.c.id == worker, study_workers.c.study == study.id)
        row = connection.execute(select(study_workers).where(*mine)).first()
        if row is None:
            raise CallRefusedError(
                Reason.UNKNOWN, translate("There is nobody with number {worker} in this study.", worker=worker)
            )
        connection.execute(update(study_workers).where(*mine).values(**hashed))
        write_event(connection, study, actor.id, worker, "renewed", {})
    return Credentials(worker, row.name, Role(row.role), code, link)


def list_people(study: Study, lead: Caller) -> list[Person]:
    with study.database.reading() as connection:
        lead_calling(connection, study, lead)
        query = select(study_workers).where(study_workers.c.study == study.id).order_by(study_workers.c.id)
        accounts = usernames(connection, study)
        return [
            Person(
                row.id, row.name, row.pseudonym, Role(row.role), Phase(row.phase), row.batch, row.released, row.created,
                accounts.get(row.id, ""),
            )
            for row in connection.execute(query)
        ]  # fmt: skip


def worker_called(study: Study, name: str) -> int:
    """The number of a worker, by name or pseudonym. Raises Refused (UNKNOWN) if there is none."""
    with study.database.reading() as connection:
        called = (study_workers.c.name == _plain(name)) | (study_workers.c.pseudonym == name.strip())
        mine = (study_workers.c.study == study.id, study_workers.c.role == Role.WORKER.value, called)
        number = connection.execute(select(study_workers.c.id).where(*mine)).scalar()
    if number is None:
        raise CallRefusedError(Reason.UNKNOWN, translate("No worker of this study is called {name}.", name=f"{name!r:.100}"))
    return int(number)


def lead_at_terminal(study: Study, name: str) -> Caller:
    """For callers with direct access to the database: act as a lead, by name. Raises Refused (SIGN_IN) if no lead has it."""
    with study.database.reading() as connection:
        leads = (study_workers.c.study == study.id, study_workers.c.role == Role.LEAD.value)
        row = connection.execute(select(study_workers).where(*leads, study_workers.c.name == _plain(name))).first()
        known = connection.execute(select(study_workers.c.name).where(*leads)).scalars().all()
    if row is None:
        there = f"leads are {', '.join(known)}" if known else "add one with: add-worker --lead"
        raise CallRefusedError(
            Reason.SIGN_IN, translate("No lead of this study is called {name}; {there}.", name=f"{name!r:.100}", there=there)
        )
    return Caller(study.id, row.id, Role.LEAD)


def sign_in(study: Study, name: str, code: str, address: str, attempts: CodeAttempts | None = None) -> Caller:
    """Let somebody in by name and access code; `address` is where they call from, `attempts` counts those of outsiders.

    Raises Refused: SIGN_IN if the two do not belong together, SLOW_DOWN (with `until`) after too many failures.
    """
    name = _plain(name)[:LONGEST_NAME]
    if attempts is not None and (seconds := attempts.begin(study.id, name, address)):
        raise CallRefusedError(
            Reason.SLOW_DOWN,
            translate(
                "Too many wrong codes for this name were typed where you are. Try again in {seconds} seconds, or open the "
                "personal link.",
                seconds=ceil(seconds),
            ),
            study.clock() + timedelta(seconds=seconds),
        )
    with study.database.reading() as connection:
        mine = (study_workers.c.study == study.id, study_workers.c.name == name)
        row = connection.execute(select(study_workers).where(*mine)).first()
    # Outside the transaction: this takes long on purpose.
    if not code_fits(code, row.code if row else None) or row is None:
        raise CallRefusedError(
            Reason.SIGN_IN, translate("Name and access code do not belong together. Look at the message that you got them in.")
        )
    if attempts is not None:
        attempts.succeeded(study.id, name, address)
    return _let_in(study, row)


def sign_in_by_link(study: Study, link: str, address: str) -> Caller:
    """Let somebody in by their personal link. Raises Refused (SIGN_IN) if it is nobody's, or no longer."""
    with study.database.reading() as connection:
        mine = (study_workers.c.study == study.id, study_workers.c.link == hash_link(link))
        row = connection.execute(select(study_workers).where(*mine)).first()
    if row is None:
        raise CallRefusedError(Reason.SIGN_IN, translate("This link lets nobody in, or no longer. Ask for a new one."))
    return _let_in(study, row)


def _credentials(name: str, role: Role) -> tuple[Credentials, str]:
    """With the hash of the code, made before the database is asked for."""
    name = storable(_plain(name), "name")
    if not 0 < len(name) <= LONGEST_NAME:
        raise AnnotationError(translate("A name has 1 to {longest_name} characters.", longest_name=LONGEST_NAME))
    code = new_code()
    return Credentials(0, name, role, code, new_link()), hash_code(code)


def add_person(connection: Connection, study: Study, made: tuple[Credentials, str]) -> Credentials:
    """Add somebody with what they sign in by, and the hash of their code."""
    new, hashed = made
    connection.execute(select(studies.c.id).where(studies.c.id == study.id).with_for_update())
    mine = study_workers.c.study == study.id
    if connection.execute(select(study_workers.c.id).where(mine, study_workers.c.name == new.name)).first():
        raise AnnotationError(
            translate("There is somebody called {name} in this study already; choose another name.", name=repr(new.name))
        )
    first = Phase.TASKS if new.role is Role.LEAD else phases_of(study.plan)[0]
    values: dict[str, Any] = {
        "study": study.id, "name": new.name, "role": new.role.value, "code": hashed, "link": hash_link(new.link),
        "phase": first.value, "batch": 0, "size": 0, "released": 0, "created": study.clock(),
        "pseudonym": _pseudonym(connection, study, new.role),
    }  # fmt: skip
    if new.role is Role.WORKER and first is Phase.TASKS:
        values |= begin_tasks(connection, study)
    try:
        with connection.begin_nested():
            added = connection.execute(study_workers.insert().values(**values))
    except IntegrityError as error:
        raise AnnotationError(
            translate("Somebody called {name} was added at this moment; choose another name.", name=repr(new.name))
        ) from error
    assert added.inserted_primary_key is not None
    number = int(added.inserted_primary_key[0])
    write_event(connection, study, number, number, "enrolled", {"role": new.role.value})
    return Credentials(number, new.name, new.role, new.code, new.link)


def _pseudonym(connection: Connection, study: Study, role: Role) -> str:
    """Random, so that it tells nothing of when somebody joined."""
    query = select(study_workers.c.pseudonym).where(study_workers.c.study == study.id)
    taken = set(connection.execute(query).scalars())
    while (made := f"{role.value[0]}-{secrets.token_hex(4)}") in taken:
        pass
    return made


def _let_in(study: Study, row: Any) -> Caller:
    with study.database.writing() as connection:
        write_event(connection, study, row.id, row.id, "signed in", {})
    return Caller(study.id, row.id, Role(row.role))


def _plain(name: str) -> str:
    return " ".join(name.split())
