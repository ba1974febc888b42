"""Pairs of an utterance and a parse that a reviewer has accepted, for parsers that learn from them, at once or from a file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sqlalchemy import func, select

from backend.errors import DatasetError, ParleyError
from backend.storage.database import Database, corrections, imported_parses, parse_reviews
from backend.text.json_text import read_json

Pair = TypeVar("Pair")
ACCEPTED = ("accepted", "accepted with edit")


@dataclass(frozen=True)
class AcceptedPair:
    """`reviewer`: who accepted it."""

    utterance: str
    parse: str
    reviewer: str


def decisions_so_far(database: Database) -> int:
    """A number that grows with every decision of a reviewer."""
    with database.reading() as connection:
        return int(connection.execute(select(func.max(parse_reviews.c.id))).scalar() or 0)


def accepted_pairs(database: Database, dataset: str) -> list[AcceptedPair]:
    """The pairs of a data set as last decided on, in the order of decisions."""
    reviews = parse_reviews
    with database.reading() as connection:
        numbered = select(reviews.c.origin, reviews.c.item, func.max(reviews.c.number).label("number"))
        last = numbered.group_by(reviews.c.origin, reviews.c.item).subquery()
        standing = select(reviews).join(
            last, (reviews.c.origin == last.c.origin) & (reviews.c.item == last.c.item) & (reviews.c.number == last.c.number)
        )
        rows = connection.execute(standing.where(reviews.c.state.in_(ACCEPTED)).order_by(reviews.c.id)).all()
        texts: dict[tuple[str, int], str] = {}
        for origin, table in (("correction", corrections), ("import", imported_parses)):
            query = select(table.c.id, table.c.utterance).where(table.c.dataset == dataset)
            texts |= {(origin, row.id): row.utterance for row in connection.execute(query)}
    known = [row for row in rows if (row.origin, row.item) in texts]
    return [AcceptedPair(texts[row.origin, row.item], row.parse, row.reviewer) for row in known]


def read_pairs(path: Path, is_wanted: Callable[[str], bool], read: Callable[[str, str], Pair], nothing: str) -> list[Pair]:
    """What `read` makes of each utterance and its accepted parse, from the review's JSON lines (`utterance`, `gold`,
    `dataset`; those of data sets that are not wanted are passed over) or from a gold suite (utterance, parse, blank line).

    Raises DatasetError for a file that is neither, for one without any ("`path` holds `nothing`.") and for a parse that `read`
    refuses, naming the line or the correction.
    """
    pairs = []
    for number, (utterance, gold) in enumerate(_pairs(path, is_wanted), 1):
        try:
            pairs.append(read(utterance, gold))
        except ParleyError as error:
            raise DatasetError(f"{path}, correction {number} ({utterance[:60]!r}): {error.message}") from error
    if not pairs:
        raise DatasetError(f"{path} holds {nothing}.")
    return pairs


def _pairs(path: Path, is_wanted: Callable[[str], bool]) -> list[tuple[str, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"Cannot read {path}: {getattr(error, 'strerror', None) or 'it is no text in UTF-8'}.") from error
    return list(_json_pairs(text, is_wanted) if text.lstrip().startswith("{") else _suite_pairs(text))


def _json_pairs(text: str, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = read_json(line)
        except ValueError as error:
            raise DatasetError(f"Line {number} is no JSON object with `utterance` and `gold`.") from error
        if not isinstance(record, dict) or not isinstance(record.get("utterance"), str):
            raise DatasetError(f"Line {number} is no JSON object with `utterance` and `gold`.")
        if record.get("gold") and is_wanted(str(record.get("dataset", ""))):
            yield record["utterance"], record["gold"]


def _suite_pairs(text: str) -> Iterator[tuple[str, str]]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) % 2:
        raise DatasetError("A gold suite has an utterance and its parse on two lines, then a blank one.")
    yield from zip(lines[::2], lines[1::2], strict=True)
