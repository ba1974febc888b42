"""Facts of a knowledge base that is asked in place: those about the things that a question names, and a sample of all.

Nothing is held but what one question needs, so the size of the knowledge base does not matter. Every query has a limit on
rows and on time, and what a server does not answer in time is left out.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from backend.errors import KnowledgeBaseError
from inspired.knowledge_base.published import CLAIMS, LABELS, OTHER_LABELS, RDF_TYPE, SUBCLASS
from inspired.knowledge_base.seam import KnowledgeBase
from inspired.knowledge_base.vocabulary import ALIAS, NAME, NOTABLE, TYPE, Node
from inspired.logical_form.forms import FREEBASE, Entity

Fact = tuple[str, str, Node]
NAMING = (*LABELS, *sorted(OTHER_LABELS), f"{FREEBASE}{NAME}", f"{FREEBASE}{ALIAS}")
_NUMBERED = re.compile(r"[/#]P\d+$")
_BATCH = 200
_ROWS = 4000
_OF_ONE_PREDICATE = 30
_NEIGHBOURS = 150
_BACKWARD = 30
_PREDICATES, _CLASSES, _SAMPLE = 400, 300, 12
_SUBCLASSES = 20_000


def iri(id_: str) -> str:
    return f"<{id_}>" if "://" in id_ or id_.startswith("urn:") else f"<{FREEBASE}{id_}>"


def _askable(id_: str) -> bool:
    return not id_.startswith("_:") and not set(id_) & set('<>"{}|^`\\ \n\t')


@dataclass(frozen=True)
class InPlaceFacts:
    """Looks things up in `kb`; each query may take `seconds`."""

    kb: KnowledgeBase
    seconds: float = 10.0

    # --- by name
    def named(self, texts: Iterable[str]) -> list[Fact]:
        """The names that are one of `texts`, in the letters in which they are written, in English or no language.

        Raises KnowledgeBaseError if the knowledge base does not answer: without names there is nothing to read.
        """
        facts: list[Fact] = []
        for part in _batches(texts):
            literals = " ".join(f"{quoted} {quoted}@en" for quoted in map(_quoted, part))
            # With the properties in a second VALUES, Oxigraph would read every name there is.
            facts += self._asked(f"SELECT ?s ?p ?l WHERE {{ VALUES ?l {{ {literals} }} ?s ?p ?l }}")
        naming = {each.removeprefix(FREEBASE) for each in NAMING}
        return [each for each in facts if each[1] in naming]

    # --- around things
    def around(self, ids: Sequence[str]) -> list[Fact]:
        """What is told about the things, about what they lead to and that leads to in turn, and about what leads to them, with
        names and kinds."""
        near = [*self._leaving(ids), *self._blank(ids), *self._arriving(ids)]
        others = [each for each in _nodes(near) if each not in set(ids)]
        far = _evenly(self._leaving(others[:_NEIGHBOURS]))
        known = {*ids, *others}
        further = [each for each in _nodes(far) if each not in known]
        far += [*self._arriving(others[:_BACKWARD]), *self._leaving(further[:_NEIGHBOURS])]
        facts = _evenly([*near, *far])
        items = self._property_items({predicate for _, predicate, _ in facts})
        return [*facts, *items, *self.described(_nodes([*facts, *items]))]

    def _property_items(self, predicates: Iterable[str]) -> list[Fact]:
        """The items at which Wikidata tells what its properties are called."""
        facts: list[Fact] = []
        either = " UNION ".join(f"{{ ?s <{each}> ?o BIND(<{each}> AS ?p) }}" for each in sorted(CLAIMS))
        for part in _batches(filter(_askable, sorted(each for each in predicates if _NUMBERED.search(each)))):
            facts += self._facts(f"SELECT ?s ?p ?o WHERE {{ VALUES ?o {{ {' '.join(map(iri, part))} }} {either} }}")
        return facts

    def described(self, ids: Iterable[str]) -> list[Fact]:
        """Names and kinds."""
        telling = (*NAMING, RDF_TYPE, f"{FREEBASE}{TYPE}", f"{FREEBASE}{NOTABLE}")
        either = " UNION ".join(f"{{ ?s <{each}> ?o BIND(<{each}> AS ?p) }}" for each in telling)
        facts: list[Fact] = []
        for part in _batches(filter(_askable, ids)):
            things = " ".join(map(iri, part))
            facts += self._facts(f"SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {things} }} {either} }}")
        return facts

    def _leaving(self, ids: Iterable[str]) -> list[Fact]:
        facts: list[Fact] = []
        for part in _batches(filter(_askable, ids)):
            facts += self._facts(f"SELECT ?s ?p ?o WHERE {{ VALUES ?s {{ {' '.join(map(iri, part))} }} ?s ?p ?o }}")
        return facts

    def _blank(self, ids: Iterable[str]) -> list[Fact]:
        """What nodes without an address lead on to."""
        things = " ".join(map(iri, filter(_askable, ids)))
        query = f"SELECT ?b ?q ?o WHERE {{ VALUES ?s {{ {things} }} ?s ?p ?b . FILTER (isBlank(?b)) ?b ?q ?o }}"
        return self._facts(query) if things else []

    def _arriving(self, ids: Iterable[str]) -> list[Fact]:
        facts: list[Fact] = []
        for each in filter(_askable, ids):
            rows = self._facts(f"SELECT ?s ?p ({iri(each)} AS ?o) WHERE {{ ?s ?p {iri(each)} }}")
            facts += _evenly(rows)
        return facts

    # --- a sample of all
    def sample(self) -> Iterator[Fact]:
        """Some facts of each property and each class, with the names of both."""
        predicates = self._ids(f"SELECT ?p WHERE {{ ?s ?p ?o }} GROUP BY ?p ORDER BY DESC(COUNT(*)) LIMIT {_PREDICATES}")
        classes = self._ids(f"SELECT DISTINCT ?c WHERE {{ ?s <{RDF_TYPE}> ?c }} LIMIT {_CLASSES}")
        classes += self._ids(f"SELECT DISTINCT ?c WHERE {{ ?s <{FREEBASE}{NOTABLE}> ?c }} LIMIT {_CLASSES}")
        facts: list[Fact] = []
        for each in filter(_askable, predicates):
            facts += self._facts(f"SELECT ?s ({iri(each)} AS ?p) ?o WHERE {{ ?s {iri(each)} ?o }} LIMIT {_SAMPLE}")
        for each in filter(_askable, classes):
            either = f"<{RDF_TYPE}>|<{FREEBASE}{NOTABLE}>"
            facts += [
                (start, RDF_TYPE if "://" in each else NOTABLE, Entity(each))
                for start in self._ids(f"SELECT ?s WHERE {{ ?s {either} {iri(each)} }} LIMIT {_SAMPLE}")
            ]
        facts += self._facts(f"SELECT ?s (<{SUBCLASS}> AS ?p) ?o WHERE {{ ?s <{SUBCLASS}> ?o }} LIMIT {_SUBCLASSES}")
        yield from facts
        yield from self.described([*predicates, *classes, *_nodes(facts)])

    def _ids(self, query: str) -> list[str]:
        try:
            rows = self.kb.select(query, _ROWS, 6 * self.seconds).rows
        except KnowledgeBaseError:
            return []
        return [row[0].id for row in rows if isinstance(row[0], Entity)]

    def _facts(self, query: str) -> list[Fact]:
        try:
            return self._asked(query)
        except KnowledgeBaseError:
            return []

    def _asked(self, query: str) -> list[Fact]:
        rows = self.kb.select(query, _ROWS, self.seconds).rows
        return [(s.id, p.id, o) for s, p, o in rows if isinstance(s, Entity) and isinstance(p, Entity) and o is not None]


def _batches(items: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The different items, some at a time."""
    waiting = iter(dict.fromkeys(items))
    while batch := tuple(islice(waiting, _BATCH)):
        yield batch


def _evenly(facts: Iterable[Fact]) -> list[Fact]:
    """No more than some facts of one property from or to one thing, so that none crowds out the others."""
    seen: Counter[tuple[str, str, str]] = Counter()
    kept = []
    for fact in dict.fromkeys(facts):
        subject, predicate, object_ = fact
        ends = [("from", subject, predicate), *([("to", object_.id, predicate)] if isinstance(object_, Entity) else [])]
        if predicate == RDF_TYPE or all(seen[each] < _OF_ONE_PREDICATE for each in ends):
            kept.append(fact)
            seen.update(ends)
    return kept


def _nodes(facts: Iterable[Fact]) -> list[str]:
    every = (node for s, p, o in facts for node in (s, p, *([o.id] if isinstance(o, Entity) else ())))
    return list(islice(dict.fromkeys(every), _ROWS))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
