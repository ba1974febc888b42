"""How a knowledge base describes itself, in Freebase's words: properties, types, and the edges that questions follow."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from inspired.logical_form.forms import Entity, Literal

Node = Entity | Literal

NAME = "type.object.name"
ALIAS = "common.topic.alias"
TYPE = "type.object.type"
NOTABLE = "common.topic.notable_types"
SCHEMA = "type.property.schema"
RANGE = "type.property.expected_type"
REVERSE = "type.property.reverse_property"
MEDIATOR = "freebase.type_hints.mediator"
INCLUDED = "freebase.type_hints.included_types"

NUMBERS = ("type.int", "type.float")
DATE = "type.datetime"
TEXT = "type.text"
LITERALS = (*NUMBERS, DATE, TEXT)


def plain_value(node: Node) -> str | bool:
    """A thing by its id, a literal by its text, a truth value as one: as files of questions write answers."""
    if isinstance(node, Entity):
        return node.id
    return node.text == "true" if node.datatype == "boolean" else node.text


@dataclass(frozen=True, slots=True)
class Property:
    """`domain` and `range` are ids of types; the range of a literal is one of LITERALS."""

    id: str
    name: str
    domain: str
    range: str
    reverse: str | None = None


@dataclass(frozen=True, slots=True)
class Type:
    """A mediator's things stand for a relation between others and have no name (compound value types)."""

    id: str
    name: str
    mediator: bool = False
    included: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """One step of a question: a predicate, or two joined by a mediating node; from `domain` to `range`."""

    path: tuple[str, ...]
    domain: str
    range: str

    @property
    def to_number(self) -> bool:
        return self.range in NUMBERS

    @property
    def to_date(self) -> bool:
        return self.range == DATE

    @property
    def to_literal(self) -> bool:
        return self.range in LITERALS


def reachable(start: str, following: Callable[[str], Iterable[str]]) -> frozenset[str]:
    """`start` and all that one comes to by `following`, step by step; circles, which published data has, end."""
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        each = waiting.pop()
        if each not in reached:
            reached.add(each)
            waiting += following(each)
    return frozenset(reached)


@dataclass(frozen=True)
class GraphSchema:
    properties: Mapping[str, Property]
    types: Mapping[str, Type]

    def is_mediator(self, type_: str) -> bool:
        return type_ in self.types and self.types[type_].mediator

    def supertypes(self, type_: str) -> frozenset[str]:
        """`type_` and every type that it includes, near and far."""
        return reachable(type_, lambda each: self.types[each].included if each in self.types else ())

    def fits(self, type_: str, wanted: str) -> bool:
        """Whether a thing of `type_` can stand where `wanted` is asked for."""
        return wanted in self.supertypes(type_)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Every predicate that leads to a thing or value, and every pair through a mediating node, sorted by path."""
        result = []
        for each in self.properties.values():
            if self.is_mediator(each.domain):
                continue
            if not self.is_mediator(each.range):
                result.append(Edge((each.id,), each.domain, each.range))
                continue
            for second in self.properties.values():
                if second.domain == each.range and not self.is_mediator(second.range):
                    result.append(Edge((each.id, second.id), each.domain, second.range))
        return tuple(sorted(result, key=lambda edge: edge.path))
