"""Decisions on collected parses: accept, accept with an edit, reject, put back.

A decision is an event that is added; none is changed or removed, and the last one counts. Each decision states how many
decisions they have seen. If there are more by then, nothing is written: somebody else was faster, and that is shown.
"""

from typing import Any

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import IntegrityError

from annotation.parses.pairs import Key, Review, ReviewItem, ReviewState, find_item
from annotation.parses.parse_reader import ParseReader
from backend.errors import AnnotationError
from backend.storage.database import Database, now, parse_reviews
from backend.text.storable import storable

LONGEST_NAME = 200
LONGEST_TEXT = 100_000


class DecidedMeanwhile(AnnotationError):
    """Somebody else decided on the item first; `item` is how it stands now."""

    def __init__(self, item: ReviewItem) -> None:
        super().__init__(f"Meanwhile {review_words(item.history[-1])} Your decision was not saved; look again.")
        self.item = item


def accept(
    database: Database, reader: ParseReader, key: Key, seen: int, reviewer: str, parse: str, note: str = ""
) -> ReviewItem:
    """Make `parse` the gold parse of an item; where it differs from the proposed one, this counts as an edit.

    `seen`: how many decisions on the item the reviewer knew of. Raises ParseError if the parse is not valid for the data
    set, DecidedMeanwhile if there are newer decisions, AnnotationError if the reviewer gave no name.
    """
    item = _known(database, key)
    if not item.utterance.strip():
        raise AnnotationError("This pair has no question, so it cannot become gold; reject it.")
    usual = reader.check(parse, item.dataset)
    as_proposed = parse.strip() == item.proposed.strip()
    gold = item.proposed.strip() if as_proposed else usual
    if item.gold == gold and len(item.history) == seen:
        raise AnnotationError("This pair is accepted with this parse already.")
    return _add(database, item, seen, ReviewState.ACCEPTED if as_proposed else ReviewState.EDITED, gold, note, reviewer)


def reject(database: Database, key: Key, seen: int, reviewer: str, reason: str) -> ReviewItem:
    """Keep an item out of the gold parses. Raises AnnotationError without a reason, DecidedMeanwhile as `accept` does."""
    if not reason.strip():
        raise AnnotationError("A rejection needs a reason: say in a few words what is wrong, for those who look at it later.")
    return _add(database, _known(database, key), seen, ReviewState.REJECTED, "", reason, reviewer)


def put_back(database: Database, key: Key, seen: int, reviewer: str, note: str = "") -> ReviewItem:
    """Take the last decision back, so that the item is pending again. Raises as `accept` does."""
    item = _known(database, key)
    if item.state is ReviewState.PENDING and len(item.history) == seen:
        raise AnnotationError("This pair is pending already; there is no decision to take back.")
    return _add(database, item, seen, ReviewState.PENDING, "", note, reviewer)


def review_words(review: Review) -> str:
    """Who decided what and when, as the end of a sentence."""
    done = {
        ReviewState.PENDING: "put it back to pending",
        ReviewState.ACCEPTED: "accepted it",
        ReviewState.EDITED: "accepted it with an edit",
        ReviewState.REJECTED: "rejected it",
    }[review.state]
    return f"{review.reviewer} {done} ({review.created:%Y-%m-%d %H:%M} UTC)."


def _known(database: Database, key: Key) -> ReviewItem:
    item = find_item(database, key)
    if item is None:
        raise AnnotationError(f"There is no {key.origin} number {key.number} to review.")
    return item


def _add(
    database: Database, item: ReviewItem, seen: int, state: ReviewState, parse: str, reason: str, reviewer: str
) -> ReviewItem:
    key = item.key
    row = {
        "origin": key.origin.value, "item": key.number, "number": seen + 1, "state": state.value, "parse": parse,
        "reason": _text(reason, "reason", LONGEST_TEXT), "reviewer": _reviewer(reviewer), "created": now(),
    }  # fmt: skip
    with database.writing() as connection:
        saved = _last_number(connection, key) == seen and _inserted(connection, row)
    now_there = _known(database, key)
    if not saved:
        raise DecidedMeanwhile(now_there)
    return now_there


def _last_number(connection: Connection, key: Key) -> int:
    table = parse_reviews
    query = select(func.coalesce(func.max(table.c.number), 0))
    rows = connection.execute(query.where(table.c.origin == key.origin.value, table.c.item == key.number))
    return int(rows.scalar_one())


def _inserted(connection: Connection, row: dict[str, Any]) -> bool:
    # Where two transactions may overlap, as in PostgreSQL, the unique number decides who came first.
    try:
        with connection.begin_nested():
            connection.execute(parse_reviews.insert(), row)
    except IntegrityError:
        return False
    return True


def _reviewer(name: str) -> str:
    if not name.strip():
        raise AnnotationError("Write your name first, so that others see who decided.")
    return _text(" ".join(name.split()), "name", LONGEST_NAME)


def _text(text: str, what: str, longest: int) -> str:
    if len(text) > longest:
        raise AnnotationError(f"The {what} has {len(text):,} characters; at most {longest:,} can be kept.")
    return storable(text.strip(), what)
