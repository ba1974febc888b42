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

from sqlalchemy import Connection, Select, func, literal, select, tuple_, union_all

from backend.storage.database import Database, corrections, imported_parses, now, parse_reviews


class PairOrigin(StrEnum):
    CORRECTION = "correction"
    IMPORT = "import"


class ReviewState(StrEnum):
    PENDING = "pending"
    ACCEPTED = "accepted"
    EDITED = "accepted with edit"
    REJECTED = "rejected"


PENDING = ReviewState.PENDING.value
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
        known = {
            tuple(row) for row in connection.execute(select(table.c.utterance, table.c.parse).where(table.c.dataset == dataset))
        }
        new = [pair for pair in pairs if (pair.utterance, pair.parse) not in known]
        if new:
            rows = [vars(pair) | {"dataset": dataset, "source": source, "created": made} for pair in new]
            connection.execute(table.insert(), rows)
    return len(new)


def find_item(database: Database, key: Key, owner: str | None = None) -> ReviewItem | None:
    """The item of this key, among those of one session if `owner` names it: see `list_items`."""
    queue = _queue(owner)
    with database.reading() as connection:
        return _first(
            connection, queue, select(queue.pairs).where(queue.at == tuple_(literal(key.origin.value), literal(key.number)))
        )


def list_items(database: Database, dataset: str | None = None, owner: str | None = None) -> list[ReviewItem]:
    """All items in the order of the queue: corrections, oldest first, then imported pairs in the order of their files.

    With an `owner` those that this session made, with keys of their own and without what others decided on them.
    """
    queue = _queue(owner)
    query = select(queue.pairs)
    if dataset is not None:
        query = query.where(queue.pairs.c.dataset == dataset)
    with database.reading() as connection:
        rows = connection.execute(query.order_by(*queue.order)).all()
        histories = _histories(connection, select(parse_reviews)) if queue.decided else {}
    return [_item(row, histories) for row in rows]


def next_item(
    database: Database,
    after: Key | None = None,
    dataset: str | None = None,
    states: Collection[ReviewState] = (ReviewState.PENDING,),
    owner: str | None = None,
) -> ReviewItem | None:
    """The item that follows in the queue, among those of the data set and in one of `states`.

    After the last one it starts over, so what was skipped comes again. None if there is no such item.
    """
    queue = _queue(owner)
    query = select(queue.pairs).where(queue.state.in_([state.value for state in states])).order_by(*queue.order).limit(1)
    if dataset is not None:
        query = query.where(queue.pairs.c.dataset == dataset)
    with database.reading() as connection:
        later = None
        if after is not None:
            position = tuple_(literal(after.origin.value), literal(after.number))
            later = _first(connection, queue, query.where(queue.at > position))
        return later or _first(connection, queue, query)


def progress(database: Database, owner: str | None = None) -> dict[str, dict[ReviewState, int]]:
    """For each data set, in alphabetical order, how many items are in each state (0 included)."""
    queue = _queue(owner)
    known = select(queue.pairs.c.dataset, queue.state.label("state")).subquery()
    query = select(known.c.dataset, known.c.state, func.count()).group_by(known.c.dataset, known.c.state)
    counts: dict[str, dict[ReviewState, int]] = defaultdict(lambda: dict.fromkeys(ReviewState, 0))
    with database.reading() as connection:
        for dataset, state, count in connection.execute(query):
            counts[dataset][ReviewState(state)] = count
    return dict(sorted(counts.items()))


# --- queries -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Queue:
    """The pairs that somebody may see, as parts of queries; `decided`: with what was decided on them."""

    pairs: Any
    state: Any
    decided: bool

    @property
    def order(self) -> tuple[Any, Any]:
        return self.pairs.c.origin, self.pairs.c.number

    @property
    def at(self) -> Any:
        return tuple_(*self.order)


def _queue(owner: str | None) -> _Queue:
    if owner is not None:
        return _Queue(_of_chat().where(corrections.c.owner == owner).subquery("pairs"), literal(PENDING), False)
    pairs = union_all(_of_chat(), _of_files()).subquery("pairs")
    # One look into the index of the unique numbers for each pair; a join over the last numbers takes seconds at 10,000.
    state = func.coalesce(
        select(parse_reviews.c.state)
        .where(parse_reviews.c.origin == pairs.c.origin, parse_reviews.c.item == pairs.c.number)
        .order_by(parse_reviews.c.number.desc())
        .limit(1)
        .scalar_subquery(),
        PENDING,
    )
    return _Queue(pairs, state, True)


def _of_chat() -> Select[Any]:
    corrected = (corrections.c.dataset, corrections.c.utterance, corrections.c.predicted, corrections.c.corrected)
    return select(
        literal(PairOrigin.CORRECTION.value).label("origin"), func.min(corrections.c.id).label("number"),
        *corrected[:3], corrections.c.corrected.label("proposed"), literal("").label("source"), literal(0).label("line"),
        func.min(corrections.c.created).label("created"), func.count().label("made"),
    ).group_by(*corrected)  # fmt: skip


def _of_files() -> Select[Any]:
    in_file = (imported_parses.c.dataset, imported_parses.c.utterance, imported_parses.c.parse)
    return select(
        literal(PairOrigin.IMPORT.value), func.min(imported_parses.c.id), *in_file[:2], literal(""), imported_parses.c.parse,
        func.min(imported_parses.c.source), func.min(imported_parses.c.line), func.min(imported_parses.c.created),
        func.count(),
    ).group_by(*in_file)  # fmt: skip


def _first(connection: Connection, queue: _Queue, query: Select[Any]) -> ReviewItem | None:
    row = connection.execute(query).first()
    if row is None:
        return None
    reviews = select(parse_reviews).where(parse_reviews.c.origin == row.origin, parse_reviews.c.item == row.number)
    return _item(row, _histories(connection, reviews) if queue.decided else {})


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
