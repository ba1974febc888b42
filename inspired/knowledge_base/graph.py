"""A knowledge base that fits into memory, as parsers and generators walk it: its things, their names and its facts.

Read once; nothing here changes afterwards, so one graph serves every visitor.
"""

import gzip
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import IO, cast

from backend.errors import KnowledgeBaseError
from inspired.knowledge_base.published import (
    CLAIMS,
    DOMAINS,
    INVERSES,
    KINDS,
    LABELS,
    NAMING_ENDS,
    OTHER_LABELS,
    OWL,
    RDF_TYPE,
    SUBCLASS,
    is_opaque,
    is_telling,
    label_rank,
    local_name,
    local_words,
    may_hold_names,
    names_a_kind,
)
from inspired.knowledge_base.rdf_files import BASE, is_packed, syntax_of
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
    Edge,
    GraphSchema,
    Node,
    Property,
    Type,
    reachable,
)
from inspired.logical_form.forms import FREEBASE, XSD, Entity, Literal

Fact = tuple[str, str, Node]
WORLD = Path(__file__).with_name("world.ttl.gz")

_ABOUT_NAMES = {NAME, ALIAS}
_PUBLISHED_NAMES = OTHER_LABELS | set(LABELS)
_ABOUT_SCHEMA = {SCHEMA, RANGE, REVERSE, MEDIATOR, INCLUDED}


class Graph:
    """The facts of a knowledge base by subject and by object; ids as in `inspired.logical_form.forms.Entity`.

    `names` holds one name a thing, `aliases` its other names, `types` the ids of its types. What describes names,
    types and the schema is kept there and is no fact, except the notable type, which questions restrict by. Where `partial`,
    the knowledge base has more facts than these: that none of them meets a condition tells nothing.
    """

    def __init__(self, triples: Iterable[Fact], partial: bool = False) -> None:
        self.partial = partial
        self.names: dict[str, str] = {}
        self._aliases: dict[str, list[str]] = defaultdict(list)
        self._types: dict[str, set[str]] = defaultdict(set)
        self._objects: dict[str, dict[str, list[Node]]] = defaultdict(lambda: defaultdict(list))
        self._subjects: dict[str, dict[Node, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._from: dict[str, list[str]] = defaultdict(list)
        self._to: dict[Node, list[str]] = defaultdict(list)
        self._property_items: dict[str, str] = {}
        self._kind_predicates: dict[str, str] = {}
        self._labels: dict[str, list[tuple[tuple[int, int], str]]] = {}
        described: list[Fact] = []
        for triple in triples:
            self._take(triple, described)
        self._name_published()
        self.aliases = {id_: tuple(names) for id_, names in self._aliases.items()}
        self.types = {id_: frozenset(types) for id_, types in self._types.items()}
        self.schema = _schema(described, self.names, self.types)
        self.restricted = self._take_restrictions()
        self._add_published_properties()

    def _take(self, triple: Fact, described: list[Fact]) -> None:
        subject, predicate, object_ = triple
        if predicate in _ABOUT_NAMES:
            self._name(subject, predicate, object_)
        elif predicate in _ABOUT_SCHEMA:
            described.append(triple)
        elif predicate in (TYPE, RDF_TYPE) and isinstance(object_, Entity):
            self._types[subject].add(object_.id)
        elif predicate in CLAIMS and isinstance(object_, Entity):
            self._property_items[object_.id] = subject
        elif predicate in _PUBLISHED_NAMES and isinstance(object_, Literal):
            self._labels.setdefault(subject, []).append((label_rank(predicate, object_), object_.text))
        else:
            if isinstance(object_, Literal) and "://" in predicate and _holds_names(predicate):
                self._labels.setdefault(subject, []).append((label_rank(predicate, object_), object_.text))
            if predicate in KINDS and isinstance(object_, Entity):
                self._types[subject].add(object_.id)
                self._kind_predicates[object_.id] = predicate
            if subject not in self._objects[predicate]:
                self._from[subject].append(predicate)
            if object_ not in self._subjects[predicate]:
                self._to[object_].append(predicate)
            self._objects[predicate][subject].append(object_)
            self._subjects[predicate][object_].append(subject)

    def _name(self, subject: str, predicate: str, object_: Node) -> None:
        if not isinstance(object_, Literal) or (object_.language or "en").partition("-")[0] != "en":
            return
        if predicate == NAME and subject not in self.names:
            self.names[subject] = object_.text
        else:
            self._aliases[subject].append(object_.text)

    def _name_published(self) -> None:
        """Choose the best label of each thing as its name; what has none is called by the end of its IRI.

        Published graphs name things in several languages and vocabularies, some not at all, so there is an order of what is a
        name. What is not chosen stays as an alias: people type what they saw on any page.
        """
        for subject, labels in self._labels.items():
            # A label in another language gives way to an address in English words.
            if "://" in subject and min(labels)[0][0] > 1 and is_telling(subject):
                labels.append(((0, 0), local_words(subject)))
            ordered = [text for _, text in sorted(labels) if text.strip()]
            if ordered and subject not in self.names:
                self.names[subject] = ordered.pop(0)
            self._aliases[subject] += [each for each in dict.fromkeys(ordered) if each != self.names.get(subject)]
        self._labels.clear()
        for property_, item in self._property_items.items():
            if item in self.names:
                self.names[property_] = self.names[item]
        self._name_by_property()
        self._name_by_address()

    def _name_by_property(self) -> None:
        """Call what has no label, and no words in its IRI, by a property that is called a name and names all of its kind."""
        properties = [each for each in self._objects if may_hold_names(each)]
        members: dict[str, list[str]] = defaultdict(list)
        for id_, types in self._types.items() if properties else ():
            for type_ in types:
                members[type_].append(id_)
        for property_, things in product(properties, members.values()):
            called = {id_: text for id_ in things if (text := self._text(id_, property_))}
            if names_a_kind(len(things), len(called), len(set(called.values()))):
                for id_, text in called.items():
                    if not is_telling(id_):
                        self.names.setdefault(id_, text)

    def _text(self, id_: str, property_: str) -> str:
        """The best text that a property gives a thing; empty for none."""
        texts = [each for each in self.objects(id_, property_) if isinstance(each, Literal) and each.datatype is None]
        return min(((label_rank(property_, each), each.text) for each in texts if each.text.strip()), default=((0, 0), ""))[1]

    def _name_by_address(self) -> None:
        """Call what has no label by the end of its IRI, and let the others be called by it as well."""
        seen = [*self._objects, *self._from, *(each.id for each in self._to if isinstance(each, Entity)), *self._types]
        classes = {type_ for types in self._types.values() for type_ in types}
        for id_ in dict.fromkeys((*seen, *classes)):
            if "://" in id_ and id_ not in self.names and not self._is_statement(id_) and (words := local_words(id_)):
                self.names[id_] = words
            if "://" in id_ and not is_opaque(id_) and (called := local_name(id_)) not in ("", self.names.get(id_)):
                self._aliases[id_].append(called)  # people also copy `wasGeneratedBy` out of a page
            if "://" in id_ and not is_opaque(id_) and (words := local_words(id_)) not in ("", self.names.get(id_)):
                self._aliases[id_].append(words)

    def _is_statement(self, id_: str) -> bool:
        """Whether a node without a label only holds a fact together, such as a statement of Wikidata."""
        return id_ in self._from and Entity(id_) in self._to and is_opaque(id_)

    def _add_published_properties(self) -> None:
        """Domain, range and inverse of the properties that say so by RDFS, OWL or schema.org."""
        known = dict(self.schema.properties)
        for id_ in self._objects:
            if "://" not in id_:
                continue
            back = next((each for p in INVERSES for each in self._linked(id_, p)), None)
            domain = next((each for p in DOMAINS for each in self._linked(id_, p)), "")
            known[id_] = Property(id_, self.names.get(id_, ""), domain, "", back)
        self.schema = GraphSchema(known, self.schema.types)

    def _take_restrictions(self) -> dict[str, str]:
        """Facts that OWL tells of classes ("every Margherita has some mozzarella") as facts of the property itself.

        Returns, for each property that is told in no other way, the predicate that leads from a restriction to the value.
        """
        result: dict[str, str] = {}
        for value in (f"{OWL}someValuesFrom", f"{OWL}hasValue"):
            for node, end in list(self.pairs(value)):
                for property_ in self.objects(node, f"{OWL}onProperty"):
                    if not isinstance(property_, Entity) or (property_.id in self._objects and property_.id not in result):
                        continue
                    for owner in self.subjects(SUBCLASS, Entity(node)):
                        result.setdefault(property_.id, value)
                        if end not in self.objects(owner, property_.id):
                            self._take((owner, property_.id, end), [])
        return result

    def _linked(self, id_: str, predicate: str) -> list[str]:
        either = (
            *(each.id for each in self.objects(id_, predicate) if isinstance(each, Entity)),
            *self.subjects(predicate, Entity(id_)),
        )
        return list(either)

    @cached_property
    def _narrower(self) -> dict[str, set[str]]:
        """The classes right below each class."""
        result: dict[str, set[str]] = defaultdict(set)
        for narrow, wide in (pair for subclass in KINDS.values() for pair in self.pairs(subclass)):
            if isinstance(wide, Entity) and wide.id != narrow:
                result[wide.id].add(narrow)
        return result

    def type_predicate(self, type_: str) -> str:
        """The predicate by which a query says that something is of a class, or of one below it that has things."""
        if "://" not in type_:
            return TYPE
        below = reachable(type_, lambda each: self._narrower.get(each, ()))
        kinds = {self._kind_predicates.get(each, RDF_TYPE) for each in below if each in self._direct_members}
        if not kinds:
            return f"<{SUBCLASS}>+"
        predicate = min(kinds)
        deeper = any(each in self._direct_members for each in below - {type_})
        return f"<{predicate}>/<{KINDS[predicate]}>*" if deeper else predicate

    def objects(self, subject: str, predicate: str) -> tuple[Node, ...]:
        return tuple(self._objects.get(predicate, {}).get(subject, ()))

    def subjects(self, predicate: str, object_: Node) -> tuple[str, ...]:
        return tuple(self._subjects.get(predicate, {}).get(object_, ()))

    def predicates_from(self, subject: str) -> tuple[str, ...]:
        return tuple(self._from.get(subject, ()))

    def predicates_to(self, object_: Node) -> tuple[str, ...]:
        return tuple(self._to.get(object_, ()))

    def pairs(self, predicate: str) -> Iterator[tuple[str, Node]]:
        for subject, objects in self._objects.get(predicate, {}).items():
            for object_ in objects:
                yield subject, object_

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The notable type of each thing that has one."""
        return {subject: kind.id for subject, kind in self.pairs(NOTABLE) if isinstance(kind, Entity)}

    @cached_property
    def predicates(self) -> tuple[str, ...]:
        """Every predicate that at least one fact has."""
        return tuple(self._objects)

    @cached_property
    def _direct_members(self) -> dict[str, set[str]]:
        result: dict[str, set[str]] = defaultdict(set)
        for id_, types in self.types.items():
            for type_ in types:
                result[type_].add(id_)
        return result

    @cached_property
    def _members(self) -> dict[str, tuple[str, ...]]:
        """The things of each class and of those below it."""
        result = {}
        for type_ in {*self._direct_members, *self._narrower}:
            below = reachable(type_, lambda each: self._narrower.get(each, ()))
            ids = {id_ for each in below for id_ in self._direct_members.get(each, ())}
            # In an ontology that tells of no individuals, the kinds of pizza are the pizzas.
            ids = ids or {*below} - {type_}
            if ids:
                result[type_] = tuple(sorted(ids))
        return result

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that have things, their own or of a class below."""
        return tuple(sorted(self._members))

    def members(self, type_: str) -> tuple[str, ...]:
        """The things of a type, sorted by id."""
        return self._members.get(type_, ())

    def follow(self, start: str, edge: Edge) -> tuple[Node, ...]:
        """What `edge` leads to from `start`, each once, in the order of the graph."""
        if len(edge.path) == 1:
            return self.objects(start, edge.path[0])
        first, second = edge.path
        middle = [node.id for node in self.objects(start, first) if isinstance(node, Entity)]
        return tuple(dict.fromkeys(end for node in middle for end in self.objects(node, second)))

    def follow_back(self, end: Node, edge: Edge) -> tuple[str, ...]:
        """From where `edge` leads to `end`, each once."""
        if len(edge.path) == 1:
            return self.subjects(edge.path[0], end)
        first, second = edge.path
        middle = self.subjects(second, end)
        return tuple(dict.fromkeys(start for node in middle for start in self.subjects(first, Entity(node))))

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges of the schema along which at least one fact runs."""
        known = set(self.predicates)
        return tuple(each for each in self.schema.edges if all(predicate in known for predicate in each.path))


@cache
def _holds_names(predicate: str) -> bool:
    return local_name(predicate).lower() in NAMING_ENDS


def read_triples(path: Path) -> Iterator[Fact]:
    """The triples of an RDF file, of the endings and with the base that `rdf_files` knows.

    Raises KnowledgeBaseError naming the file, and the line that cannot be read.
    """
    import pyoxigraph

    syntax = pyoxigraph.RdfFormat.from_extension(syntax_of(path))
    try:
        with gzip.open(path, "rb") if is_packed(path) else path.open("rb") as file:
            for quad in pyoxigraph.parse(cast("IO[bytes]", file), format=syntax, base_iri=BASE):
                if isinstance(quad.subject, pyoxigraph.Triple) or isinstance(quad.object, pyoxigraph.Triple):
                    continue  # what is said about a statement (RDF-star) is no fact about a thing
                yield _node_of(quad.subject).id, quad.predicate.value.removeprefix(FREEBASE), _term(quad.object)
    except (SyntaxError, ValueError, OSError, EOFError, zlib.error) as error:
        raise KnowledgeBaseError(f"Cannot read {path.name}: {getattr(error, 'strerror', None) or error}.") from error


def read_graph(path: Path = WORLD) -> Graph:
    """The graph of an RDF file. Raises KnowledgeBaseError as `read_triples` does."""
    return Graph(read_triples(path))


@cache
def embedded_graph() -> Graph:
    """The world facts that come with Parley; read at the first call, then shared."""
    return read_graph(WORLD)


def _node_of(term: object) -> Entity:
    import pyoxigraph

    if isinstance(term, pyoxigraph.NamedNode):
        return Entity(term.value.removeprefix(FREEBASE))
    if isinstance(term, pyoxigraph.BlankNode):
        return Entity(f"_:{term.value}")
    raise KnowledgeBaseError("A triple about a triple (RDF-star) stands in the file; only plain triples can be used.")


def _term(term: object) -> Node:
    import pyoxigraph

    if not isinstance(term, pyoxigraph.Literal):
        return _node_of(term)
    datatype = term.datatype.value.removeprefix(XSD)
    return Literal(term.value, None if term.language or datatype == "string" else datatype, term.language)


def _schema(described: list[Fact], names: dict[str, str], types: dict[str, frozenset[str]]) -> GraphSchema:
    about: dict[tuple[str, str], list[Node]] = defaultdict(list)
    for subject, predicate, object_ in described:
        about[subject, predicate].append(object_)

    def ids(subject: str, predicate: str) -> tuple[str, ...]:
        return tuple(each.id for each in about[subject, predicate] if isinstance(each, Entity))

    def one(subject: str, predicate: str) -> str:
        return next(iter(ids(subject, predicate)), "")

    def is_true(subject: str, predicate: str) -> bool:
        return any(isinstance(each, Literal) and each.text == "true" for each in about[subject, predicate])

    properties = sorted(id_ for id_, kinds in types.items() if "type.property" in kinds)
    kinds = sorted(id_ for id_, kinds in types.items() if "type.type" in kinds)
    return GraphSchema(
        {
            id_: Property(id_, names.get(id_, id_), one(id_, SCHEMA), one(id_, RANGE), one(id_, REVERSE) or None)
            for id_ in properties
        },
        {id_: Type(id_, names.get(id_, id_), is_true(id_, MEDIATOR), ids(id_, INCLUDED)) for id_ in kinds},
    )
