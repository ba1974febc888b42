"""The relations along which a question can go through a graph, found in its facts; a schema is used where there is one.

A fact and its reverse ("capital", "capital of") are one relation, gone along in one direction or the other.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.published import DOMAINS, RANGES
from inspired.knowledge_base.vocabulary import NOTABLE, NUMBERS, Edge, Node
from inspired.logical_form.forms import Entity, Literal
from inspired.parsers.linking.words import table

NUMBER, DATE, TEXT, THING = "number", "date", "text", "thing"
_DATES = frozenset(("date", "dateTime", "gYear", "gYearMonth"))
_NUMERIC = frozenset(
    "integer decimal float double int long short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger "
    "unsignedInt unsignedLong unsignedShort unsignedByte".split()
)
_SAMPLE = 200
_SAME = 0.98
_MOST_KNOWN = 200_000  # ends of relations that are kept


@dataclass(frozen=True, slots=True)
class Relation:
    """Going from a known thing to others: along `path`, or, if `outward`, against it (as in `questions.forms.Tie`).

    `sense` names the relation whichever way it is gone along, and `key` tells the two directions apart. `leads_to` says
    what is at the end: things, numbers, dates or text. What `ended` has facts that hold no longer.
    """

    path: tuple[str, ...]
    outward: bool
    sense: str
    leads_to: str = THING
    others: tuple[tuple[str, ...], ...] = field(default=(), compare=False)
    ended: bool = field(default=False, compare=False)

    @property
    def key(self) -> str:
        return f"{'<' if self.outward else '>'} {' > '.join(self.path)}"

    @property
    def edge(self) -> Edge:
        return Edge(self.path, "", "")

    @property
    def mediated(self) -> bool:
        return len(self.path) == 2


def kind_of_literal(literal: Literal) -> str:
    if literal.datatype in _DATES:
        return DATE
    return NUMBER if literal.datatype in _NUMERIC else TEXT


class Relations:
    """All relations of `graph`, by where they start."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._targets: dict[str, Counter[str]] = {}
        self._memo: dict[Relation, dict[Node, frozenset[Node]]] = defaultdict(dict)
        self._known = 0  # how many ends the memo has

    @cached_property
    def mediators(self) -> frozenset[str]:
        """The things without a name, or of a type for such things, that link others."""
        graph = self.graph
        known = {each for type_ in graph.schema.types.values() if type_.mediator for each in graph.members(type_.id)}
        unnamed = {s for p in graph.predicates for s, _ in graph.pairs(p) if s not in graph.names}
        return frozenset(known | {each for each in unnamed if graph.predicates_to(Entity(each))})

    @cached_property
    def forward(self) -> dict[tuple[str, ...], str]:
        """Every path of one predicate, or of two joined by a mediating node, and what it leads to."""
        graph = self.graph
        result: dict[tuple[str, ...], str] = {}
        for predicate in graph.predicates:
            if predicate == NOTABLE or self._is_about_properties(predicate):
                continue
            pairs = list(islice(((s, o) for s, o in graph.pairs(predicate) if s not in self.mediators), _SAMPLE))
            if not pairs:
                continue
            middle = [o.id for _, o in pairs if isinstance(o, Entity) and o.id in self.mediators]
            if len(middle) * 2 > len(pairs):
                result |= self._through(predicate, middle, pairs)
            else:
                result[predicate,] = self.end_of(predicate)
        return dict(sorted(result.items()))

    def _is_about_properties(self, predicate: str) -> bool:
        """Whether a predicate says of properties what they lead from or to; of things it tells nothing."""
        declares = predicate in DOMAINS or predicate in RANGES
        return declares and all(subject in self.graph.predicates for subject, _ in self.graph.pairs(predicate))

    def _through(self, predicate: str, middle: list[str], pairs: list[tuple[str, Node]]) -> dict[tuple[str, ...], str]:
        """What the mediating nodes in `middle` lead on to; of a measured figure only the figure, not its date and unit."""
        leaving = sorted({each for node in middle for each in self.graph.predicates_from(node)})
        ends = {second: self.end_of(second) for second in leaving}
        things = {each for each, end in ends.items() if end == THING and self._tells_apart(each, middle)}
        if NUMBER in ends.values() and not things:
            ends = {second: end for second, end in ends.items() if end == NUMBER}
        start = {o.id: s for s, o in pairs if isinstance(o, Entity)}
        back = {each for each in things if all(Entity(start[node]) in self.graph.objects(node, each) for node in middle)}
        return {(predicate, second): end for second, end in ends.items() if second not in back}

    def _tells_apart(self, predicate: str, middle: list[str]) -> bool:
        return len({end for node in middle for end in self.graph.objects(node, predicate)}) > 1

    def end_of(self, predicate: str) -> str:
        """What one predicate leads to: things, numbers, dates or text."""
        declared = self.graph.schema.properties.get(predicate)
        if declared is not None and declared.range in NUMBERS:
            return NUMBER
        kinds = Counter(
            THING if isinstance(o, Entity) else kind_of_literal(o) for _, o in islice(self.graph.pairs(predicate), _SAMPLE)
        )
        return kinds.most_common(1)[0][0] if kinds else THING

    def date_type(self, predicate: str) -> str | None:
        """The datatype of the dates that a predicate leads to, if they are no full moments."""
        if predicate not in self._date_types:
            first = next((each for _, each in self.graph.pairs(predicate)), None)
            kind = first.datatype if isinstance(first, Literal) and first.datatype in _DATES - {"dateTime"} else None
            self._date_types[predicate] = kind
        return self._date_types[predicate]

    @cached_property
    def _date_types(self) -> dict[str, str | None]:
        return {}

    @cached_property
    def reverses(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """The path that says the same from the other end, where there is one."""
        result: dict[tuple[str, ...], tuple[str, ...]] = {}
        for path, end in self.forward.items():
            if end != THING or path in result:
                continue
            back = self._declared_reverse(path) or self._seen_reverse(path)
            if back is not None:
                result[path], result[back] = back, path
        return result

    def _declared_reverse(self, path: tuple[str, ...]) -> tuple[str, ...] | None:
        properties = self.graph.schema.properties
        back = tuple(properties[each].reverse or "" if each in properties else "" for each in reversed(path))
        return back if back in self.forward else None

    def _seen_reverse(self, path: tuple[str, ...]) -> tuple[str, ...] | None:
        """A path whose facts are those of `path` turned round; often `path` itself ("borders")."""
        pairs = self._pairs(path)
        mine = {(b, a) for a, b in pairs}
        for other in (path, *(each for each in self._by_size[len(pairs)] if each != path)):
            theirs = self._pairs(other)
            if len(theirs) > 1 and len(theirs & mine) >= _SAME * len(theirs):
                return other
        return None

    @cached_property
    def _by_size(self) -> dict[int, list[tuple[str, ...]]]:
        sizes = defaultdict(list)
        for path, end in self.forward.items():
            if end == THING:
                sizes[len(self._pairs(path))].append(path)
        return sizes

    def _pairs(self, path: tuple[str, ...]) -> frozenset[tuple[str, str]]:
        known = self._pair_memo.get(path)
        if known is None:
            edge = Edge(path, "", "")
            starts = dict.fromkeys(s for s, _ in self.graph.pairs(path[0]) if s not in self.mediators)
            ends = ((s, o) for s in starts for o in self.graph.follow(s, edge))
            known = self._pair_memo[path] = frozenset((s, o.id) for s, o in ends if isinstance(o, Entity))
        return known

    @cached_property
    def _pair_memo(self) -> dict[tuple[str, ...], frozenset[tuple[str, str]]]:
        return {}

    def is_attribute(self, predicate: str) -> bool:
        """Whether a predicate of mediating nodes says more about a relation (a title, a year) and is no end of it."""
        return all(path[-1] != predicate or path not in self.reverses for path in self.forward)

    @cached_property
    def all(self) -> tuple[Relation, ...]:
        """One relation for each way to go; facts that run both ways are gone along from the known end."""
        result = []
        for path, end in self.forward.items():
            back = self.reverses.get(path)
            sense = " > ".join(min(path, back) if back else path)
            ended = self._has_ended(path)
            result.append(Relation(path, False, sense, end, ended=ended))
            if back is None and end in (THING, TEXT):
                result.append(Relation(path, True, sense, ended=ended))
        self._pair_memo.clear()
        return tuple(result)

    def _has_ended(self, path: tuple[str, ...]) -> bool:
        """Whether the facts along `path` may hold no longer: they have an end on record, or are called former ones."""
        former = frozenset(str(table("framing")["former"]).split())
        names = (self.graph.names.get(each, "").lower().split() for each in path)
        with_end = len(path) > 1 and f"{path[1].rpartition('.')[0]}.to" in self.graph.predicates
        return with_end or any(former & set(each) for each in names)

    @cached_property
    def by_way(self) -> dict[tuple[tuple[str, ...], bool], Relation]:
        """By path, and whether it is gone along against it."""
        return {(each.path, each.outward): each for each in self.all}

    def turned(self, relation: Relation) -> Relation | None:
        """The same relation gone along from its other end; none from figures and dates."""
        back = self.reverses.get(relation.path)
        return self.by_way.get((relation.path, not relation.outward) if back is None else (back, False))

    @cached_property
    def by_first(self) -> dict[str, tuple[Relation, ...]]:
        """By the predicate that leaves the known thing."""
        result = defaultdict(list)
        for each in self.all:
            if not each.outward:
                result[each.path[0]].append(each)
        return {predicate: tuple(relations) for predicate, relations in result.items()}

    @cached_property
    def by_last(self) -> dict[str, tuple[Relation, ...]]:
        """Those gone along against their path, by the predicate that arrives at the known thing."""
        result = defaultdict(list)
        for each in self.all:
            if each.outward:
                result[each.path[-1]].append(each)
        return {predicate: tuple(relations) for predicate, relations in result.items()}

    def at(self, nodes: Iterable[Node]) -> tuple[Relation, ...]:
        """The relations that leave at least one of `nodes`."""
        result: dict[Relation, None] = {}
        leaving = {p for node in nodes if isinstance(node, Entity) for p in self.graph.predicates_from(node.id)}
        arriving = {p for node in nodes for p in self.graph.predicates_to(node)}
        for predicate in sorted(leaving):
            result.update(dict.fromkeys(self.by_first.get(predicate, ())))
        for predicate in sorted(arriving):
            result.update(dict.fromkeys(self.by_last.get(predicate, ())))
        return tuple(result)

    def of_kind(self, kind: str | None) -> tuple[Relation, ...]:
        """The relations that things of a notable type have, as far as some of them tell."""
        if kind is None:
            return ()
        if kind not in self._of_kinds:
            self._of_kinds[kind] = self.at(self.members(kind)[:_SAMPLE])
        return self._of_kinds[kind]

    @cached_property
    def _of_kinds(self) -> dict[str, tuple[Relation, ...]]:
        return {}

    def members(self, kind: str | None) -> list[Entity]:
        """The things of a notable type, or of a type of the schema."""
        some = [Entity(id_) for id_, each in self.graph.kinds.items() if each == kind]
        return some or [Entity(id_) for id_ in self.graph.members(kind or "")]

    def kind_of(self, node: Node) -> str | None:
        """The notable type of a thing, else the first of its types."""
        if not isinstance(node, Entity):
            return None
        return self.graph.kinds.get(node.id) or min(self.graph.types.get(node.id, ()), default=None)

    def ends(self, relation: Relation) -> frozenset[Node]:
        """All that `relation` leads to from anywhere."""
        starts = dict.fromkeys(s for s, _ in self.graph.pairs(relation.path[0]) if s not in self.mediators)
        return self.follow_all([Entity(each) for each in starts], relation)

    def follow(self, start: Node, relation: Relation) -> frozenset[Node]:
        """What `relation` leads to from `start`."""
        ends = self._memo[relation]
        if (known := ends.get(start)) is None:
            if relation.outward:
                known = frozenset(Entity(each) for each in self.graph.follow_back(start, relation.edge))
            else:
                known = frozenset(self.graph.follow(start.id, relation.edge)) if isinstance(start, Entity) else frozenset()
            self._known += 1
            if self._known > _MOST_KNOWN:
                self._memo.clear()
                ends, self._known = self._memo[relation], 1
            ends[start] = known
        return known

    def follow_all(self, starts: Collection[Node], relation: Relation) -> frozenset[Node]:
        """What `relation` leads to from any of `starts`."""
        ends = self._memo[relation]
        try:
            return frozenset[Node]().union(*map(ends.__getitem__, starts))
        except KeyError:
            return frozenset[Node]().union(*[self.follow(each, relation) for each in starts])
