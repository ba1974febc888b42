"""The one seam to the database: SQLite in a file by default, any other that SQLAlchemy reaches by its URL.

The tables below are for queries; `backend.storage.migrations` makes them. The functions that read and write them stand in a
module of their own (`backend.storage.collected`, `annotation.parses.pairs`).
"""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    DateTime,
    Dialect,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    create_engine,
    event,
    func,
    inspect,
    select,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from backend.errors import DatabaseError
from backend.program.extras import require
from backend.storage.migrations import MIGRATIONS

BUSY_MILLISECONDS = 30_000
MIGRATION_LOCK = 0x7061726C  # any number, as long as all of ours take the same


class UtcDateTime(TypeDecorator[datetime]):
    """A moment with its time zone. Stored as UTC, since SQLite drops zones; a naive time is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time needs its time zone to be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = MetaData()

schema_version = Table("schema_version", metadata, Column("number", Integer, primary_key=True, autoincrement=False))

# `owner` is a digest of the session in which it was written, empty for what none wrote.
corrections = Table(
    "corrections",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("dataset", String(200), nullable=False, index=True),
    Column("utterance", Text, nullable=False),
    Column("predicted", Text, nullable=False),
    Column("corrected", Text, nullable=False),
    Column("created", UtcDateTime, nullable=False),
    Column("owner", String(64), nullable=False, server_default="", index=True),
)

feedback = Table(
    "feedback",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("dataset", String(200), nullable=False, index=True),
    Column("utterance", Text, nullable=False),
    Column("parse", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("verdict", String(4), nullable=False),
    Column("comment", Text, nullable=False),
    Column("created", UtcDateTime, nullable=False),
    Column("owner", String(64), nullable=False, server_default="", index=True),
)

# Pairs from a gold suite file, to be reviewed; `line` is where the utterance stood in the file `source`.
imported_parses = Table(
    "imported_parses",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("dataset", String(200), nullable=False, index=True),
    Column("utterance", Text, nullable=False),
    Column("parse", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("line", Integer, nullable=False),
    Column("created", UtcDateTime, nullable=False),
)

# Only ever added to. The numbers of an item's reviews run 1, 2, 3 ...; that each is given once keeps two people who
# decide at the same moment apart.
parse_reviews = Table(
    "parse_reviews",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("origin", String(10), nullable=False),
    Column("item", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("state", String(20), nullable=False),
    Column("parse", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("reviewer", String(200), nullable=False),
    Column("created", UtcDateTime, nullable=False),
    UniqueConstraint("origin", "item", "number"),
)


class Database:
    """Connections to one database, brought to the present version at the start. Safe to share between threads.

    Raises DatabaseError if the URL is malformed, the database cannot be reached or written, is no database, or was
    made by a later version of Parley.
    """

    def __init__(self, url: str) -> None:
        self._engine = _engine(url)
        # SQLite lets writers in by chance: with fifty at once some would wait, each with a connection, until none is left.
        self._turn = threading.RLock() if self._engine.dialect.name == "sqlite" else nullcontext()
        # By itself PostgreSQL shows each query what has been written until then, so that two queries would not fit together.
        on_server = self._engine.dialect.name == "postgresql"
        self._one_state: dict[str, Any] = (
            {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True} if on_server else {}
        )
        try:
            with self.writing() as connection:
                _migrate(connection)
        except DatabaseError:
            self.close()
            raise

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection in a transaction: committed at the end, rolled back if an exception passes through."""
        try:
            with self._turn, self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise DatabaseError(f"The database {self} cannot be used: {_reason(error)}.") from error

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the database and never waits for a writer; it must not write."""
        try:
            with self._engine.connect() as connection:
                yield connection.execution_options(parley_reads=True, **self._one_state)
        except SQLAlchemyError as error:
            raise DatabaseError(f"The database {self} cannot be read: {_reason(error)}.") from error

    def version(self) -> int:
        """The number of migrations that this database has seen."""
        with self.reading() as connection:
            return _version(connection)

    def close(self) -> None:
        self._engine.dispose()

    def __str__(self) -> str:
        return self._engine.url.render_as_string(hide_password=True)


def now() -> datetime:
    """The present moment in UTC, as the tables keep it."""
    return datetime.now(UTC)


def _engine(url: str) -> Engine:
    try:
        address = make_url(url)
    except ArgumentError as error:
        raise DatabaseError(
            "The database URL is malformed; write for example sqlite:////folder/parley.sqlite or "
            "postgresql+psycopg://user:password@host/name."
        ) from error
    if address.get_backend_name() == "sqlite":
        return _sqlite_engine(address)
    if address.drivername == "postgresql+psycopg":
        require("psycopg")
    try:
        return create_engine(address, pool_pre_ping=True)
    except (ImportError, SQLAlchemyError) as error:
        raise DatabaseError(f"There is no driver for {address.drivername}: {_reason(error)}.") from error


def _sqlite_engine(address: URL) -> Engine:
    if address.database in (None, "", ":memory:") or address.host or address.username:
        # In memory, every thread would see a database of its own.
        raise DatabaseError("A SQLite database needs a file and nothing else: sqlite:////folder/parley.sqlite.")
    folder = Path(str(address.database)).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatabaseError(f"The folder {folder} for the database cannot be made: {error.strerror}.") from error
    engine = create_engine(address)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # The driver would begin transactions late and leave DDL out of them; _begin_sqlite does it instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
    switch_to_wal(cursor)
    # What was acknowledged is on the disk, also if the power goes; NORMAL would only survive the end of the process.
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def switch_to_wal(cursor: Any) -> None:
    """Let readers and a writer of a SQLite file work at once, waiting for it as long as BUSY_MILLISECONDS."""
    # Changing the journal mode needs the file alone and, unlike everything else, does not wait for it: others may be opening
    # or closing the same database at this moment.
    deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    # A deferred transaction that turns from reading to writing fails at once if somebody wrote in between; an
    # immediate one waits its turn.
    reads = connection.get_execution_options().get("parley_reads", False)
    connection.exec_driver_sql("BEGIN DEFERRED" if reads else "BEGIN IMMEDIATE")


def _migrate(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
    if not inspect(connection).has_table(schema_version.name):
        schema_version.create(connection)
    done = _version(connection)
    if done > len(MIGRATIONS):
        raise DatabaseError(
            f"The database is at version {done}, made by a later Parley; this one knows versions up to "
            f"{len(MIGRATIONS)}. Use the later Parley, or another --data-dir."
        )
    for number, migration in enumerate(MIGRATIONS[done:], start=done + 1):
        migration(connection)
        connection.execute(schema_version.insert().values(number=number))


def _version(connection: Connection) -> int:
    return int(connection.execute(select(func.coalesce(func.max(schema_version.c.number), 0))).scalar_one())


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).splitlines()[0].rstrip(".")
