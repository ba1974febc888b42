"""How a database came to be what it is: a list of functions that only grows.

A migration that has run somewhere is never edited, so it states its tables itself and does not import them from
`backend.database`, where they go on changing.
"""

from collections.abc import Callable

from sqlalchemy import Column, Connection, DateTime, Integer, MetaData, String, Table, Text, UniqueConstraint


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


# Migration n, counted from 1, brings a database from version n - 1 to n.
MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    _corrections_and_feedback,
    _imported_parses_and_reviews,
)
