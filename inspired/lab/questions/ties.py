"""Single ties of questions, drawn from the facts of a graph: those asked about least come first."""

import random
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path as FilePath
from typing import Any

from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.vocabulary import Edge, Node
from inspired.lab.questions.links import Links, Path
from inspired.lab.questions.thresholds import digits, number_between, year_between
from inspired.logical_form.forms import Entity
from inspired.parsers.query_graphs.query_graph import Attribute, Bound, Extreme, Thing, Tie
from inspired.parsers.query_graphs.walk import described, values_of

JOIN = " > "
FEWEST_TO_CHOOSE = 3
# Of so many places to draw a limit, the one with the roundest value is taken.
_GAPS = 3


@dataclass
class Ties:
    """Draws ties with `rng`; `words` tells which paths, and which attributes with them, have a wording."""

    links: Links
    rng: random.Random
    words: Callable[[Path, str | None], bool]
    used: Counter[Path] = field(default_factory=Counter)

    @property
    def graph(self) -> Graph:
        return self.links.graph

    def plain(self) -> Thing | None:
        tie = self.any_tie()
        return Thing((tie,)) if tie else None

    def any_tie(self) -> Tie | None:
        """One link, with a thing at one end that has a clear name; the other end is asked for."""
        edge = self.least_used(self._plain)
        if edge is None or not (pairs := self.links.pairs(edge)):
            return None
        start, end = self.rng.choice(pairs)
        asks_end = self.rng.random() < 0.5
        known = Entity(start) if asks_end else end
        return self.tie(edge, known, asks_end) if isinstance(known, Entity) else None

    def tie_at(self, node: Node, avoiding: Tie) -> Tie | None:
        """A second link at `node`, to something else."""
        if not isinstance(node, Entity):
            return None
        same = {avoiding.path, self.links.back(avoiding.path)}
        options: dict[Path, list[tuple[Edge, Entity, bool]]] = {}
        for edge, other, at_start in self.links.around.get(node.id, ()):
            if other == avoiding.other or not self.is_plain(edge) or (edge.path in same and self.rng.random() < 0.8):
                continue
            options.setdefault(edge.path, []).append((edge, other, at_start))
        chosen = self.least_used([ways[0][0] for ways in options.values()])
        if chosen is None:
            return None
        edge, other, at_start = self.rng.choice(options[chosen.path])
        return self.tie(edge, other, asks_end=not at_start)

    def tie(self, edge: Edge, known: Entity, asks_end: bool) -> Tie | None:
        """The tie from `known` in the direction that the canonical form has."""
        if known.id not in self.links.clear_names:
            return None
        if asks_end or self.links.is_symmetric(edge.path):
            return Tie(edge.path, known)
        back = self.links.back(edge.path)
        return Tie(back, known) if back is not None else Tie(edge.path, known, outward=True)

    @cached_property
    def _plain(self) -> tuple[Edge, ...]:
        return tuple(each for each in self.links.all if self.is_plain(each))

    def is_plain(self, edge: Edge) -> bool:
        return JOIN.join(edge.path) not in usage()["only_with"] and self.words(edge.path, None)

    def least_used(self, edges: Sequence[Edge]) -> Edge | None:
        if not edges:
            return None
        weights = [1 / (1 + self.used[each.path] + self.used[self.links.back(each.path) or ()]) for each in edges]
        return self.rng.choices(edges, weights)[0]

    def with_kind(self, thing: Thing | None) -> Thing | None:
        """`thing`, with a notable type if its ties lead to several kinds; None if they lead to what has none."""
        nodes = described(self.graph, thing) if thing else {}
        kinds = Counter(self.links.graph.kinds.get(each.id, "") if isinstance(each, Entity) else "" for each in nodes)
        if thing is None or not kinds:
            return None
        if len(kinds) == 1:
            return replace(thing, called=next(iter(kinds)) or None)
        kind = self.rng.choices(list(kinds), list(kinds.values()))[0]
        return replace(thing, kind=kind) if kind else None

    def figure_of(self, nodes: Sequence[Node]) -> Edge | None:
        """A figure that enough of what was found has."""
        if len(nodes) < FEWEST_TO_CHOOSE:
            return None
        kind = self.links.graph.kinds.get(nodes[0].id, "") if isinstance(nodes[0], Entity) else ""
        known = [each for each in self.links.figures_of_kind.get(kind, ()) if self.words(each.path, None)]
        edge = self.least_used(known)
        if edge is None or sum(bool(values_of(self.graph, each, edge.path)) for each in nodes) < 0.6 * len(nodes):
            return None
        return edge

    def limit(self, values: Sequence[Sequence[float | str]], larger: bool, is_date: bool) -> Bound | None:
        """A round limit that some of the things pass and some do not; `values` are those of each thing."""
        reached = sorted(max(each) if larger else min(each) for each in values if each)
        gaps = [(low, high) for low, high in pairwise(reached) if low != high]
        if not gaps:
            return None
        tried = self.rng.sample(gaps, min(_GAPS, len(gaps)))
        bounds = [year_between(str(a), str(b), larger) if is_date else number_between(float(a), float(b)) for a, b in tried]
        limit = min((each for each in bounds if each is not None), key=digits, default=None)
        return Bound(">" if larger else "<", limit) if limit else None

    def share(self, bounded: bool) -> tuple[Tie, Tie] | None:
        """A tie with a figure of the relation itself, the share of a language or the length of a border, and without."""
        shares = usage()["shares"]
        edges = [each for each in self.links.graph.edges if JOIN.join(each.path) in shares]
        edge = self.least_used([each for each in edges if self.words(each.path, shares[JOIN.join(each.path)])])
        if edge is None or not (pairs := self.links.pairs(edge)):
            return None
        tie = self.tie(edge, Entity(self.rng.choice(pairs)[0]), asks_end=True)
        if tie is None:
            return None
        predicate, larger = shares[JOIN.join(edge.path)], self.prefers_largest()
        ranked = replace(tie, attributes=(Attribute(predicate, Extreme(larger)),))
        if not bounded:
            return ranked, tie
        limit = self.limit(list(described(self.graph, Thing((ranked,))).values()), larger, is_date=False)
        return (replace(tie, attributes=(Attribute(predicate, limit),)), tie) if limit else None

    def prefers_largest(self) -> bool:
        return self.rng.random() < 0.6


def attributes() -> frozenset[str]:
    """The predicates of mediating nodes that are no link of their own."""
    return frozenset(usage()["attributes"])


@cache
def usage() -> dict[str, Any]:
    """What `links.toml` says."""
    return tomllib.loads(FilePath(__file__).with_name("links.toml").read_text(encoding="utf-8"))
