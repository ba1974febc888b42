"""What splitting a query needs to know of the knowledge base's schema; the facts are in `schema.toml`."""

import tomllib
from functools import cache
from pathlib import Path

_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def type_of(predicate: str) -> str:
    """The type that a predicate belongs to: `film.performance` for `film.performance.actor`."""
    return predicate.rpartition(".")[0] if "://" not in predicate else ""


def is_mediator(type_name: str) -> bool:
    """Whether nodes of this type stand for a relation (compound value types)."""
    return type_name in _facts()["mediators"]


def is_kind(predicate: str) -> bool:
    """Whether the predicate only says what kind of thing its subject is."""
    return predicate in _facts()["kinds"] or predicate.startswith((_RDF_TYPE, f"<{_RDF_TYPE}>"))


@cache
def _facts() -> dict[str, frozenset[str]]:
    read = tomllib.loads(Path(__file__).with_name("schema.toml").read_text(encoding="utf-8"))
    return {name: frozenset(values) for name, values in read.items()}
