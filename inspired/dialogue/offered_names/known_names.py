"""The names in a graph that people may want to write: of things, of kinds of things, and of relations."""

import math
from collections import defaultdict
from collections.abc import Iterator

from inspired.dialogue.offered_names.name_index import KnownName
from inspired.dialogue.readings import kind_of
from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.vocabulary import NOTABLE
from inspired.logical_form.forms import Entity
from inspired.parsers.linking.entities import ALIAS, EntityLinker
from inspired.parsers.linking.relations import Relations

LONGEST = 80  # characters; what is longer is a sentence
KIND, RELATION = "kind of thing", "relation"
_MOST_KINDS = 2


def known_names(graph: Graph) -> Iterator[KnownName]:
    """Each name once for each thing that it stands for, with the other names of the thing."""
    kinds, relations = _kinds(graph), _relations(graph)
    yield from _described(graph, kinds, KIND)
    yield from _described(graph, relations, RELATION)
    described = {*kinds, *relations, *graph.schema.properties, *graph.schema.types, *graph.predicates}
    linker, about = EntityLinker(graph), _abouts(graph, described)
    for id_, name in graph.names.items():
        if id_ in described or id_.startswith("_:") or not _is_name(name):
            continue
        weight = linker.weight(Entity(id_))
        yield KnownName(name, about[name], weight)
        for other in dict.fromkeys(graph.aliases.get(id_, ())):
            if other != name and _is_name(other):
                yield KnownName(name, about[name], weight * ALIAS, other)


def _is_name(text: str) -> bool:
    return 1 < len(text) <= LONGEST and "\n" not in text


def _abouts(graph: Graph, described: set[str]) -> dict[str, str]:
    """What is called by each name: its kind, or the kinds of several things that share it."""
    kinds: dict[str, dict[str, None]] = defaultdict(dict)
    for id_, name in graph.names.items():
        if id_ not in described and (kind := kind_of(id_, graph)):
            kinds[name][in_a_sentence(kind)] = None
    return defaultdict(str, {name: ", ".join(list(each)[:_MOST_KINDS]) for name, each in kinds.items()})


def _kinds(graph: Graph) -> dict[str, int]:
    """The kinds that have things, and how many; none that only hold facts together."""
    mediators = {each.id for each in graph.schema.types.values() if each.mediator}
    kinds = {each: len(graph.members(each)) for each in graph.classes if each not in mediators}
    for _, kind in graph.pairs(NOTABLE):
        if isinstance(kind, Entity):
            kinds[kind.id] = kinds.get(kind.id, 0) + 1
    return kinds


def _relations(graph: Graph) -> dict[str, int]:
    """The predicates that lead from things, and how many facts they have; none that lead from what holds facts together."""
    firsts = {path[0] for path in Relations(graph).forward}
    return {each: sum(1 for _ in graph.pairs(each)) for each in firsts}


def _described(graph: Graph, counts: dict[str, int], about: str) -> Iterator[KnownName]:
    most = math.log1p(max(counts.values(), default=1))
    properties = graph.schema.properties
    for id_, count in counts.items():
        name = graph.names.get(id_) or (properties[id_].name if id_ in properties else "")
        name = name.partition(" (")[0].strip()  # without its unit
        if _is_name(name) and name != id_:
            yield KnownName(in_a_sentence(name), about, math.log1p(count) / most)


def in_a_sentence(name: str) -> str:
    """The name of a kind or relation as it stands in a sentence; names of one's own, such as “World Heritage Site”, stay."""
    return name if any(each.isupper() for each in name[1:]) else name[:1].lower() + name[1:]
