"""The links of a knowledge base that questions can follow, and what they lead to from each thing."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.vocabulary import NOTABLE, NUMBERS, TEXT, Edge, Node
from inspired.logical_form.forms import Entity, Literal

Path = tuple[str, ...]
# Nodes of these types hold a figure and when it was true; what questions ask for is the figure.
MEASURES = "measurement_unit."
_FIGURES = NUMBERS


@dataclass(frozen=True)
class Links:
    """`attributes` are predicates of mediating nodes that say more about a relation and are no link of their own."""

    graph: Graph
    attributes: frozenset[str] = frozenset()

    @cached_property
    def all(self) -> tuple[Edge, ...]:
        """Links between things, one of the two where the schema has both directions."""
        edges = {each.path: each for each in self.graph.edges if self._relates(each) and self.pairs(each)}
        return tuple(each for path, each in edges.items() if not (back := self.back(path)) or back not in edges or path < back)

    @cached_property
    def values(self) -> tuple[Edge, ...]:
        """Links from a thing to its numbers and dates."""
        return tuple(each for each in self.graph.edges if (each.to_number or each.to_date) and self._tells_value(each))

    @cached_property
    def texts(self) -> tuple[Edge, ...]:
        return tuple(each for each in self.graph.edges if each.range == TEXT and len(each.path) == 1)

    def _relates(self, edge: Edge) -> bool:
        return not edge.to_literal and edge.path[-1] not in self.attributes and NOTABLE not in edge.path

    def _tells_value(self, edge: Edge) -> bool:
        if len(edge.path) == 1:
            return True
        measured = self.graph.schema.properties[edge.path[1]].domain.startswith(MEASURES)
        return measured and edge.range in _FIGURES

    def mediator(self, edge_path: Path) -> str:
        """The type of the mediating node on a path of two."""
        return self.graph.schema.properties[edge_path[1]].domain

    def back(self, path: Path) -> Path | None:
        """The same link from its other end, if the schema has predicates for it."""
        properties = self.graph.schema.properties
        reverse = tuple(properties[each].reverse if each in properties else None for each in reversed(path))
        return None if None in reverse else tuple(each for each in reverse if each is not None)

    def is_symmetric(self, path: Path) -> bool:
        return path in self._symmetric

    @cached_property
    def _symmetric(self) -> frozenset[Path]:
        """Links whose every fact also runs the other way under the same predicates, as borders do."""
        result = []
        for edge in self.all:
            pairs = set(self.pairs(edge))
            if pairs and all(isinstance(end, Entity) and (end.id, Entity(start)) in pairs for start, end in pairs):
                result.append(edge.path)
        return frozenset(result)

    def pairs(self, edge: Edge) -> tuple[tuple[str, Node], ...]:
        """Both ends of each fact along `edge`, things that have names only."""
        cached = self._pairs.get(edge.path)
        if cached is None:
            cached = tuple(dict.fromkeys(self._find_pairs(edge)))
            self._pairs[edge.path] = cached
        return cached

    @cached_property
    def _pairs(self) -> dict[Path, tuple[tuple[str, Node], ...]]:
        return {}

    def _find_pairs(self, edge: Edge) -> Iterator[tuple[str, Node]]:
        names = self.graph.names
        for start, middle in self.graph.pairs(edge.path[0]):
            ends = (middle,) if len(edge.path) == 1 else self._ends(middle, edge.path[1])
            for end in ends:
                if start in names and (isinstance(end, Literal) or end.id in names):
                    yield start, end

    def _ends(self, middle: Node, predicate: str) -> tuple[Node, ...]:
        return self.graph.objects(middle.id, predicate) if isinstance(middle, Entity) else ()

    @cached_property
    def around(self) -> dict[str, tuple[tuple[Edge, Entity, bool], ...]]:
        """For each thing: the links at it, the thing at the other end, and whether it stands at their start."""
        edges: dict[str, list[tuple[Edge, Entity, bool]]] = defaultdict(list)
        for edge in self.all:
            for start, end in self.pairs(edge):
                if isinstance(end, Entity):
                    edges[start].append((edge, end, True))
                    if not self.is_symmetric(edge.path):
                        edges[end.id].append((edge, Entity(start), False))
        return {id_: tuple(ties) for id_, ties in edges.items()}

    @cached_property
    def clear_names(self) -> frozenset[str]:
        """The things whose name means nothing else: no other thing has it as a name or alias."""
        owners: dict[str, set[str]] = defaultdict(set)
        schema = self.graph.schema
        described = {*schema.properties, *schema.types}
        for id_, name in self.graph.names.items():
            if id_ not in described:
                owners[name.casefold()].add(id_)
        for id_, aliases in self.graph.aliases.items():
            for name in aliases:
                owners[name.casefold()].add(id_)
        return frozenset(id_ for id_, name in self.graph.names.items() if owners[name.casefold()] == {id_})

    @cached_property
    def figures_of_kind(self) -> dict[str, tuple[Edge, ...]]:
        """The values that at least five things of a notable type have."""
        result: dict[str, list[Edge]] = defaultdict(list)
        for edge in self.values:
            counts = Counter(self.graph.kinds.get(start, "") for start in {start for start, _ in self.pairs(edge)})
            for kind, count in counts.items():
                if count >= 5:
                    result[kind].append(edge)
        return {kind: tuple(edges) for kind, edges in result.items()}
