"""How a database came to be what it is: a list of functions that only grows.

A migration that has run somewhere is never edited, so it states its tables itself and does not import them from
`backend.storage.database`, where they go on changing.
"""

from collections.abc import Callable

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    DateTime,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)


def _corrections_and_feedback(connection: Connection) -> None:
    tables = MetaData()
    Table(
        "corrections",
        tables,
        Column("id", Integer, primary_key=True),
        Column("dataset", String(200), nullable=False, index=True),
        Column("utterance", Text, nullable=False),
        Column("predicted", Text, nullable=False),
        Column("corrected", Text, nullable=False),
        Column("created", DateTime(timezone=True), nullable=False),
    )
    Table(
        "feedback",
        tables,
        Column("id", Integer, primary_key=True),
        Column("dataset", String(200), nullable=False, index=True),
        Column("utterance", Text, nullable=False),
        Column("parse", Text, nullable=False),
        Column("answer", Text, nullable=False),
        Column("verdict", String(4), nullable=False),
        Column("comment", Text, nullable=False),
        Column("created", DateTime(timezone=True), nullable=False),
    )
    tables.create_all(connection, checkfirst=False)


def _imported_parses_and_reviews(connection: Connection) -> None:
    tables = MetaData()
    Table(
        "imported_parses",
        tables,
        Column("id", Integer, primary_key=True),
        Column("dataset", String(200), nullable=False, index=True),
        Column("utterance", Text, nullable=False),
        Column("parse", Text, nullable=False),
        Column("source", Text, nullable=False),
        Column("line", Integer, nullable=False),
        Column("created", DateTime(timezone=True), nullable=False),
    )
    Table(
        "parse_reviews",
        tables,
        Column("id", Integer, primary_key=True),
        Column("origin", String(10), nullable=False),
        Column("item", Integer, nullable=False),
        Column("number", Integer, nullable=False),
        Column("state", String(20), nullable=False),
        Column("parse", Text, nullable=False),
        Column("reason", Text, nullable=False),
        Column("reviewer", String(200), nullable=False),
        Column("created", DateTime(timezone=True), nullable=False),
        UniqueConstraint("origin", "item", "number"),
    )
    tables.create_all(connection, checkfirst=False)


def _studies(connection: Connection) -> None:
    tables = MetaData()
    Table(
        "studies",
        tables,
        Column("id", Integer, primary_key=True),
        Column("name", String(200), nullable=False, unique=True),
        Column("plan", JSON, nullable=False),
        Column("created", DateTime(timezone=True), nullable=False),
    )
    Table(
        "study_workers",
        tables,
        Column("id", Integer, primary_key=True),
        Column("study", Integer, nullable=False),
        Column("name", String(200), nullable=False),
        Column("pseudonym", String(20), nullable=False),
        Column("role", String(10), nullable=False),
        Column("code", String(200), nullable=False),
        Column("link", String(64), nullable=False, unique=True),
        Column("phase", String(20), nullable=False),
        Column("place", Integer, nullable=True),
        Column("batch", Integer, nullable=False),
        Column("size", Integer, nullable=False),
        Column("released", Integer, nullable=False),
        Column("created", DateTime(timezone=True), nullable=False),
        UniqueConstraint("study", "name"),
        UniqueConstraint("study", "pseudonym"),
        UniqueConstraint("study", "place"),
    )
    Table(
        "study_failures",
        tables,
        Column("study", Integer, primary_key=True, autoincrement=False),
        Column("source", String(300), primary_key=True),
        Column("failed", Integer, nullable=False),
        Column("last", DateTime(timezone=True), nullable=False),
    )
    Table(
        "study_items",
        tables,
        Column("id", Integer, primary_key=True),
        Column("study", Integer, nullable=False),
        Column("key", String(200), nullable=False),
        Column("number", Integer, nullable=False),
        Column("kind", String(10), nullable=False),
        Column("content", JSON, nullable=False),
        Column("known", JSON(none_as_null=True), nullable=True),
        Column("wanted", Integer, nullable=False),
        Column("taken", Integer, nullable=False),
        Column("open", Boolean, nullable=False),
        UniqueConstraint("study", "key"),
        UniqueConstraint("study", "kind", "number"),
        Index("ix_study_items_queue", "study", "kind", "open", "number"),
    )
    Table(
        "study_assignments",
        tables,
        Column("id", Integer, primary_key=True),
        Column("study", Integer, nullable=False),
        Column("item", Integer, nullable=False),
        Column("worker", Integer, nullable=False),
        Column("phase", String(20), nullable=False),
        Column("state", String(10), nullable=False),
        Column("slot", Integer, nullable=True),
        Column("shown", JSON, nullable=False),
        Column("leased", DateTime(timezone=True), nullable=False),
        Column("expires", DateTime(timezone=True), nullable=False),
        Column("submitted", DateTime(timezone=True), nullable=True),
        Column("seconds", Float, nullable=True),
        Column("number", Integer, nullable=True),
        Column("answer", JSON(none_as_null=True), nullable=True),
        Column("final", JSON(none_as_null=True), nullable=True),
        Column("sampled", Boolean, nullable=False),
        Column("passed", Boolean, nullable=True),
        Column("verdict", String(10), nullable=False),
        Column("feedback", Text, nullable=False),
        UniqueConstraint("worker", "item"),
        UniqueConstraint("item", "slot"),
        Index("ix_study_assignments_states", "study", "state", "expires"),
        Index("ix_study_assignments_workers", "worker", "phase", "state"),
        Index("ix_study_assignments_reviews", "study", "sampled", "verdict"),
    )
    Table(
        "study_events",
        tables,
        Column("id", Integer, primary_key=True),
        Column("study", Integer, nullable=False),
        Column("actor", Integer, nullable=False),
        Column("worker", Integer, nullable=False),
        Column("item", Integer, nullable=True),
        Column("kind", String(20), nullable=False),
        Column("once", String(300), nullable=True),
        Column("content", JSON, nullable=False),
        Column("created", DateTime(timezone=True), nullable=False),
        UniqueConstraint("worker", "once"),
        Index("ix_study_events_items", "item", "worker"),
        Index("ix_study_events_kinds", "study", "kind"),
        Index("ix_study_events_workers", "worker", "kind"),
    )
    Table(
        "study_drafts",
        tables,
        Column("worker", Integer, primary_key=True, autoincrement=False),
        Column("item", Integer, primary_key=True, autoincrement=False),
        Column("field", String(200), primary_key=True),
        Column("version", Integer, nullable=False),
        Column("value", JSON, nullable=False),
        Column("updated", DateTime(timezone=True), nullable=False),
    )
    Table(
        "study_quizzes",
        tables,
        Column("id", Integer, primary_key=True),
        Column("worker", Integer, nullable=False),
        Column("number", Integer, nullable=False),
        Column("drawn", JSON, nullable=False),
        Column("started", DateTime(timezone=True), nullable=False),
        Column("submitted", DateTime(timezone=True), nullable=True),
        Column("answers", JSON(none_as_null=True), nullable=True),
        Column("score", Integer, nullable=True),
        Column("passed", Boolean, nullable=True),
        UniqueConstraint("worker", "number"),
    )
    Table(
        "study_bonuses",
        tables,
        Column("id", Integer, primary_key=True),
        Column("study", Integer, nullable=False),
        Column("worker", Integer, nullable=False),
        Column("reason", String(100), nullable=False),
        Column("hundredths", Integer, nullable=False),
        Column("created", DateTime(timezone=True), nullable=False),
        Column("paid", DateTime(timezone=True), nullable=True),
        UniqueConstraint("worker", "reason"),
        Index("ix_study_bonuses_studies", "study"),
    )
    tables.create_all(connection, checkfirst=False)


def _study_sessions(connection: Connection) -> None:
    tables = MetaData()
    Table(
        "study_sessions",
        tables,
        Column("token", String(64), primary_key=True),
        Column("study", Integer, nullable=False),
        Column("worker", Integer, nullable=False),
        Column("link", String(64), nullable=False),
        Column("created", DateTime(timezone=True), nullable=False),
        Index("ix_study_sessions_workers", "worker"),
    )
    tables.create_all(connection, checkfirst=False)


def _accounts_and_withdrawals(connection: Connection) -> None:
    tables = MetaData()
    Table(
        "study_accounts",
        tables,
        Column("worker", Integer, primary_key=True, autoincrement=False),
        Column("study", Integer, nullable=False),
        Column("username", String(100), nullable=False),
        Column("subject", String(200), nullable=True),
        Column("joined", Boolean, nullable=False),
        UniqueConstraint("study", "username"),
        UniqueConstraint("study", "subject"),
    )
    tables.create_all(connection, checkfirst=False)
    connection.execute(text("ALTER TABLE study_items ADD COLUMN withdrawn BOOLEAN DEFAULT FALSE NOT NULL"))


def _owners(connection: Connection) -> None:
    """What was written before belongs to nobody: only a reviewer sees it where strangers can come."""
    for table in ("corrections", "feedback"):
        connection.execute(text(f"ALTER TABLE {table} ADD COLUMN owner VARCHAR(64) DEFAULT '' NOT NULL"))
        connection.execute(text(f"CREATE INDEX ix_{table}_owner ON {table} (owner)"))


def _no_failures(connection: Connection) -> None:
    """Failed attempts to sign in were kept with addresses; they are counted in memory now."""
    connection.execute(text("DROP TABLE study_failures"))


def _signals_of_answers(connection: Connection) -> None:
    """Answers from before have none of them."""
    moment = DateTime(timezone=True).compile(connection.dialect)
    for column, kind in (("batch", "INTEGER"), ("active", "FLOAT"), ("touched", moment), ("signals", "JSON")):
        connection.execute(text(f"ALTER TABLE study_assignments ADD COLUMN {column} {kind}"))


def _pictures(connection: Connection) -> None:
    tables = MetaData()
    Table(
        "study_pictures",
        tables,
        Column("study", Integer, primary_key=True, autoincrement=False),
        Column("digest", String(64), primary_key=True),
        Column("data", Text, nullable=False),
    )
    tables.create_all(connection, checkfirst=False)


# Migration n, counted from 1, brings a database from version n - 1 to n.
MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    _corrections_and_feedback,
    _imported_parses_and_reviews,
    _studies,
    _study_sessions,
    _accounts_and_withdrawals,
    _owners,
    _no_failures,
    _signals_of_answers,
    _pictures,
)
