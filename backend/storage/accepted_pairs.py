"""Pairs of an utterance and a parse that a reviewer has accepted, for parsers that learn from them at once."""

from dataclasses import dataclass

from sqlalchemy import func, select

from backend.storage.database import Database, corrections, imported_parses, parse_reviews

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
