"""The facts as they are gathered: things with names and types, facts about them, and what had to be left out."""

import re
import tomllib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path

from inspired.knowledge_base.vocabulary import (
    ALIAS,
    INCLUDED,
    MEDIATOR,
    NAME,
    NOTABLE,
    RANGE,
    REVERSE,
    SCHEMA,
    TYPE,
    GraphSchema,
    Property,
    Type,
)

Triple = tuple[str, str, str]
# Letters that Unicode does not take apart into a plain one and a mark.
_PLAIN = str.maketrans({"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th"})
_PLAIN |= str.maketrans({"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "ı": "i", "ə": "a", "Ə": "A", "ħ": "h", "ʻ": "", "ʼ": ""})
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


@dataclass
class Facts:
    """Everything known so far, as triples whose subjects and predicates are ids and whose objects are Turtle terms.

    `kept` and `left` count, by field of the source, what could be read and what was left out, with an example of it.
    """

    triples: set[Triple] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    types: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    kept: Counter[str] = field(default_factory=Counter)
    left: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    numbers: dict[tuple[str, str], Decimal] = field(default_factory=dict)
    _objects: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))

    def thing(self, id_: str, name: str, *types: str) -> str:
        """Makes the thing known under `name`, of `types` and all that those include; the first is its notable type."""
        if self.names.setdefault(id_, name) == name:
            self.triples.add((id_, NAME, text(name)))
        elif plain(name) != plain(self.names[id_]):
            self.alias(id_, name)
        if id_ not in self.types:
            self.triples.add((id_, NOTABLE, ref(kind_id(types[0]))))
        for type_ in types:
            self.types[id_] |= schema().supertypes(type_)
        return id_

    def named(self, kind: str, name: str, *types: str) -> str:
        """A thing that its name alone tells from others of its kind; spellings that differ in accents are one thing."""
        return self.thing(f"m.{kind}_{slug(name)}", name, *types)

    def alias(self, id_: str, *names: str) -> None:
        for name in names:
            if name and name != self.names[id_]:
                self.triples.add((id_, ALIAS, text(name)))

    def fact(self, subject: str, predicate: str, object_: str) -> None:
        """`object_` is a Turtle term, as `ref`, `text`, `decimal`, ... make it; the reverse is added where there is one."""
        reverse = schema().properties[predicate].reverse
        self.triples.add((subject, predicate, object_))
        self._objects[subject, predicate].add(object_)
        if reverse is not None:
            self.triples.add((id_of(object_), reverse, ref(subject)))

    def tells(self, subject: str, predicate: str) -> bool:
        """Whether there is a fact of this kind about `subject`: where sources differ, the first one read counts."""
        return (subject, predicate) in self._objects

    def objects(self, subject: str, predicate: str) -> frozenset[str]:
        return frozenset(self._objects.get((subject, predicate), ()))

    def measure(self, subject: str, predicate: str, value: Decimal) -> None:
        """A number that a thing can only have one of."""
        if not self.tells(subject, predicate):
            self.numbers[subject, predicate] = value
            self.fact(subject, predicate, decimal(value))

    def mediator(self, subject: str, predicate: str, key: str, **values: str | None) -> str:
        """A relation with more than two ends: `values` go under the predicates of its type; those that are None are unknown.

        Of two with the same key, the first counts. A name ends in `_` where the predicate's is a Python word.
        """
        property_ = schema().properties[predicate]
        id_ = f"g.{key}"
        if id_ in self.types:
            return id_
        self.fact(subject, predicate, ref(id_))
        self.types[id_].add(property_.range)
        for name, value in values.items():
            if value is not None:
                self.fact(id_, f"{property_.range}.{name.removesuffix('_')}", value)
        return id_

    def leave_out(self, source_field: str, what: object) -> None:
        self.left[source_field].append(str(what))

    def keep(self, source_field: str) -> None:
        self.kept[source_field] += 1

    def with_types_and_schema(self) -> set[Triple]:
        """All triples, those that say of which types the things are and those that describe the vocabulary too."""
        of_types = {(id_, TYPE, ref(type_)) for id_, types in self.types.items() if not id_.startswith("g.") for type_ in types}
        return self.triples | of_types | set(_described(self._used()))

    def _used(self) -> GraphSchema:
        """The part of the vocabulary that at least one fact needs."""
        predicates = {predicate for _, predicate, _ in self.triples}
        properties = {id_: each for id_, each in schema().properties.items() if id_ in predicates}
        types = {"common.topic"} | {type_ for types in self.types.values() for type_ in types}
        return GraphSchema(properties, {id_: each for id_, each in schema().types.items() if id_ in types})


@cache
def schema() -> GraphSchema:
    """The types and properties of `vocabulary.toml`."""
    read = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
    types = {
        id_: Type(id_, each["name"], each.get("mediator", False), tuple(each.get("includes", ())))
        for id_, each in read["types"].items()
    }
    properties = {
        id_: Property(id_, each["name"], each.get("domain", id_.rpartition(".")[0]), each["range"], each.get("reverse"))
        for id_, each in read["properties"].items()
    }
    return GraphSchema(properties, types)


def _described(used: GraphSchema) -> Iterable[Triple]:
    for each in used.properties.values():
        yield each.id, TYPE, ref("type.property")
        yield each.id, NAME, text(each.name)
        yield each.id, SCHEMA, ref(each.domain)
        yield each.id, RANGE, ref(each.range)
        if each.reverse is not None:
            yield each.id, REVERSE, ref(each.reverse)
    for type_ in used.types.values():
        yield type_.id, TYPE, ref("type.type")
        yield type_.id, NAME, text(type_.name)
        yield from ((type_.id, INCLUDED, ref(each)) for each in type_.included)
        if type_.mediator:
            yield type_.id, MEDIATOR, "true"
        else:
            yield kind_id(type_.id), NAME, text(type_.name)
            yield kind_id(type_.id), TYPE, ref("common.topic")


def kind_id(type_: str) -> str:
    """The thing that stands for a type where a notable type is recorded."""
    return f"m.type_{type_.rpartition('.')[2]}"


def slug(name: str) -> str:
    """A name as part of an id: small plain letters, digits and underscores."""
    return re.sub(r"[^a-z0-9]+", "_", plain(name)).strip("_")


def plain(name: str) -> str:
    """A name without accents and capitals."""
    apart = unicodedata.normalize("NFKD", name.replace("’", "'").translate(_PLAIN))
    return apart.encode("ascii", "ignore").decode().casefold()


def ref(id_: str) -> str:
    return f"ns:{id_}"


def id_of(term: str) -> str:
    return term.removeprefix("ns:")


def text(words: str) -> str:
    return f'"{words.translate(_ESCAPES)}"@en'


def code(words: str) -> str:
    return f'"{words.translate(_ESCAPES)}"'


def integer(value: int) -> str:
    return str(value)


def decimal(value: Decimal) -> str:
    """As xsd:decimal, or as xsd:integer where nothing stands behind the point: that reads better."""
    return format(value.normalize(), "f")


def day(value: date) -> str:
    return f'"{value.isoformat()}T00:00:00"^^xsd:dateTime'


def year(value: int) -> str:
    return day(date(value, 1, 1))
