"""The pairs of an utterance and a parse that wait for a reviewer or have had one.

They come from people who corrected an answer in the chat, and from gold suite files that were brought here. The same
pair from the same origin is one item, however often it was made. Nothing here writes a decision: see `review.py`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Select, and_, func, literal, select, tuple_, union_all

from backend.storage.database import Database, corrections, imported_parses, now, parse_reviews


class PairOrigin(StrEnum):
    CORRECTION = "correction"
    IMPORT = "import"


class ReviewState(StrEnum):
    PENDING = "pending"
    ACCEPTED = "accepted"
    EDITED = "accepted with edit"
    REJECTED = "rejected"


IN_GOLD = frozenset({ReviewState.ACCEPTED, ReviewState.EDITED})


@dataclass(frozen=True)
class Key:
    """What an item is called; it never changes. `number` is that of its first row among those of its origin."""

    origin: PairOrigin
    number: int


@dataclass(frozen=True)
class Review:
    """One decision; a `state` of pending takes the one before back.

    `id` grows with every decision on any item, `number` counts those on one item from 1. `parse` is the one that becomes
    gold, empty unless accepted; `reason` is never empty in a rejection.
    """

    id: int
    number: int
    state: ReviewState
    parse: str
    reason: str
    reviewer: str
    created: datetime


@dataclass(frozen=True)
class ReviewItem:
    """A pair with its whole history, oldest decision first.

    `predicted` is what Parley understood, empty if it asked back or the pair was imported; `proposed` is what a person
    put in its place, or what stood in the file. `source` and `line` (0 in the chat) say where an imported pair stood.
    """

    key: Key
    dataset: str
    utterance: str
    predicted: str
    proposed: str
    source: str
    line: int
    created: datetime
    made: int
    history: tuple[Review, ...] = ()

    @property
    def state(self) -> ReviewState:
        return self.history[-1].state if self.history else ReviewState.PENDING

    @property
    def gold(self) -> str:
        """The parse that was accepted, empty if none is."""
        return self.history[-1].parse if self.state in IN_GOLD else ""


@dataclass(frozen=True)
class Imported:
    """A pair as it stands in a gold suite file; `line` is that of the utterance, counted from 1."""

    utterance: str
    parse: str
    line: int


def add_imported(database: Database, dataset: str, source: str, pairs: Iterable[Imported]) -> int:
    """Keep pairs from a file as pending, all or none, and return how many of them were new to the data set."""
    made = now()
    table = imported_parses
    with database.writing() as connection:
        known = {tuple(row) for row in connection.execute(
            select(table.c.utterance, table.c.parse).where(table.c.dataset == dataset)
        )}  # fmt: skip
        new = [pair for pair in pairs if (pair.utterance, pair.parse) not in known]
        if new:
            rows = [vars(pair) | {"dataset": dataset, "source": source, "created": made} for pair in new]
            connection.execute(table.insert(), rows)
    return len(new)


def find_item(database: Database, key: Key) -> ReviewItem | None:
    with database.reading() as connection:
        return _first(connection, _query().where(_is(key)))


def list_items(database: Database, dataset: str | None = None) -> list[ReviewItem]:
    """All items in the order of the queue: corrections, oldest first, then imported pairs in the order of their files."""
    query = _query()
    if dataset is not None:
        query = query.where(_PAIRS.c.dataset == dataset)
    with database.reading() as connection:
        rows = connection.execute(query.order_by(*_ORDER)).all()
        histories = _histories(connection, select(parse_reviews))
    return [_item(row, histories) for row in rows]


def next_item(
    database: Database,
    after: Key | None = None,
    dataset: str | None = None,
    states: Collection[ReviewState] = (ReviewState.PENDING,),
) -> ReviewItem | None:
    """The item that follows in the queue, among those of the data set and in one of `states`.

    After the last one it starts over, so what was skipped comes again. None if there is no such item.
    """
    query = _query().where(_STATE.in_([state.value for state in states])).order_by(*_ORDER).limit(1)
    if dataset is not None:
        query = query.where(_PAIRS.c.dataset == dataset)
    with database.reading() as connection:
        later = None
        if after is not None:
            position = tuple_(literal(after.origin.value), literal(after.number))
            later = _first(connection, query.where(tuple_(*_ORDER) > position))
        return later or _first(connection, query)


def progress(database: Database) -> dict[str, dict[ReviewState, int]]:
    """For each data set, in alphabetical order, how many items are in each state (0 included)."""
    known = select(_PAIRS.c.dataset, _STATE.label("state")).subquery()
    query = select(known.c.dataset, known.c.state, func.count()).group_by(known.c.dataset, known.c.state)
    counts: dict[str, dict[ReviewState, int]] = defaultdict(lambda: dict.fromkeys(ReviewState, 0))
    with database.reading() as connection:
        for dataset, state, count in connection.execute(query):
            counts[dataset][ReviewState(state)] = count
    return dict(sorted(counts.items()))


# --- queries -------------------------------------------------------------------------------------------------------------


def _pairs() -> Any:
    corrected = (corrections.c.dataset, corrections.c.utterance, corrections.c.predicted, corrections.c.corrected)
    in_file = (imported_parses.c.dataset, imported_parses.c.utterance, imported_parses.c.parse)
    of_chat = select(
        literal(PairOrigin.CORRECTION.value).label("origin"), func.min(corrections.c.id).label("number"),
        *corrected[:3], corrections.c.corrected.label("proposed"), literal("").label("source"), literal(0).label("line"),
        func.min(corrections.c.created).label("created"), func.count().label("made"),
    ).group_by(*corrected)  # fmt: skip
    of_files = select(
        literal(PairOrigin.IMPORT.value), func.min(imported_parses.c.id), *in_file[:2], literal(""), imported_parses.c.parse,
        func.min(imported_parses.c.source), func.min(imported_parses.c.line), func.min(imported_parses.c.created),
        func.count(),
    ).group_by(*in_file)  # fmt: skip
    return union_all(of_chat, of_files).subquery("pairs")


_PAIRS = _pairs()
_ORDER = (_PAIRS.c.origin, _PAIRS.c.number)
# One look into the index of the unique numbers for each pair; a join over the last numbers takes seconds at 10,000.
_STATE = func.coalesce(
    select(parse_reviews.c.state)
    .where(parse_reviews.c.origin == _PAIRS.c.origin, parse_reviews.c.item == _PAIRS.c.number)
    .order_by(parse_reviews.c.number.desc())
    .limit(1)
    .scalar_subquery(),
    ReviewState.PENDING.value,
)


def _query() -> Select[Any]:
    return select(_PAIRS)


def _is(key: Key) -> Any:
    return and_(_PAIRS.c.origin == key.origin.value, _PAIRS.c.number == key.number)


def _first(connection: Connection, query: Select[Any]) -> ReviewItem | None:
    row = connection.execute(query).first()
    if row is None:
        return None
    reviews = select(parse_reviews).where(parse_reviews.c.origin == row.origin, parse_reviews.c.item == row.number)
    return _item(row, _histories(connection, reviews))


def _histories(connection: Connection, query: Select[Any]) -> dict[Key, list[Review]]:
    result: dict[Key, list[Review]] = defaultdict(list)
    for row in connection.execute(query.order_by(parse_reviews.c.number)):
        review = Review(row.id, row.number, ReviewState(row.state), row.parse, row.reason, row.reviewer, row.created)
        result[Key(PairOrigin(row.origin), row.item)].append(review)
    return result


def _item(row: Any, histories: dict[Key, list[Review]]) -> ReviewItem:
    key = Key(PairOrigin(row.origin), row.number)
    return ReviewItem(
        key, row.dataset, row.utterance, row.predicted, row.proposed, row.source, row.line, row.created, row.made,
        tuple(histories.get(key, ())),
    )  # fmt: skip
