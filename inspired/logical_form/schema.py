"""What splitting a query needs to know of the knowledge base's schema; the facts are in `schema.toml`."""

import tomllib
from functools import cache
from pathlib import Path

_KINDS = ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "http://www.wikidata.org/prop/direct/P31")
_NARROWER = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>+"
# What a statement of Wikidata says: its value, its qualifiers, where it comes from.
_STATEMENTS = tuple(f"http://www.wikidata.org/prop/{part}/" for part in ("statement", "qualifier", "reference"))
STATEMENT = "wikidata.statement"


def type_of(predicate: str) -> str:
    """The type that a predicate belongs to: `film.performance` for `film.performance.actor`."""
    if predicate.startswith(_STATEMENTS):
        return STATEMENT
    return predicate.rpartition(".")[0] if "://" not in predicate else ""


def is_mediator(type_name: str) -> bool:
    """Whether nodes of this type stand for a relation (compound value types)."""
    return type_name == STATEMENT or type_name in _facts()["mediators"]


def is_kind(predicate: str) -> bool:
    """Whether the predicate only says what kind of thing its subject is."""
    if predicate == _NARROWER:
        return True
    return predicate in _facts()["kinds"] or predicate in _KINDS or predicate.startswith(tuple(f"<{each}>" for each in _KINDS))


@cache
def _facts() -> dict[str, frozenset[str]]:
    read = tomllib.loads(Path(__file__).with_name("schema.toml").read_text(encoding="utf-8"))
    return {name: frozenset(values) for name, values in read.items()}
