"""What any knowledge base can do: answer a query with rows of nodes, the same whichever engine answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import FREEBASE, XSD, Entity, Literal

_STRINGS = (None, f"{XSD}string", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString")


@dataclass(frozen=True, slots=True)
class QueryResult:
    """`rows` has one node a column, None where a variable is unbound; `truncated` says that there are more.

    A yes-or-no query (ASK) gives one row with one boolean, in the column `ask`.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Node | None, ...], ...]
    truncated: bool = False


class KnowledgeBase(Protocol):
    """Answers queries; any number of threads may ask at once."""

    label: str

    def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
        """The first `limit` rows of a SELECT query, or the one of an ASK query.

        Raises QueryTimeoutError when `seconds` have passed, and KnowledgeBaseError for what cannot be answered.
        """
        ...

    def close(self) -> None:
        """Let go of processes and connections; the next query would open them again."""
        ...


def entity(iri: str) -> Entity:
    """The node with this IRI: without the Freebase namespace, others in full; blank nodes are written `_:b0`."""
    return Entity(iri.removeprefix(FREEBASE))


def literal(text: str, datatype: str | None = None, language: str | None = None) -> Literal:
    """`datatype` is a full IRI, as engines give it."""
    if language or datatype in _STRINGS:
        return Literal(text, None, language or None)
    assert datatype is not None
    return Literal(text, datatype.removeprefix(XSD))


def asked(holds: bool) -> QueryResult:
    return QueryResult(("ask",), ((Literal("true" if holds else "false", "boolean"),),))


def cut(columns: Sequence[str], rows: Sequence[tuple[Node | None, ...]], limit: int) -> QueryResult:
    """At most `limit` of the rows."""
    return QueryResult(tuple(columns), tuple(rows[:limit]), len(rows) > limit)
