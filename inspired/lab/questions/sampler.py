"""Questions worth asking, sampled from the facts of a graph: each has a few answers, and each of its conditions matters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.vocabulary import Node
from inspired.lab.questions.simple import decides, either, figure_asked, in_year, of_all, text_asked, titled
from inspired.lab.questions.ties import Ties
from inspired.logical_form.forms import Entity, Literal
from inspired.parsers.query_graphs.query_graph import Either, Extreme, Thing, Tie
from inspired.parsers.query_graphs.walk import answers, described, values_of

MOST_ANSWERS = 30
MOST_ON_THE_WAY = 4


@dataclass
class Sampler:
    """Draws whole questions from ties. One random generator, that of `ties`, decides everything."""

    ties: Ties

    @property
    def graph(self) -> Graph:
        return self.ties.graph

    def draw(self, type_: str) -> Thing | None:
        """A question of one of the five types, or None if this attempt met nothing worth asking."""
        thing = _DRAWN[type_](self)
        if thing is None:
            return None
        nodes = answers(self.graph, thing)
        if not 0 < len(nodes) <= MOST_ANSWERS or self._names_answer(thing, nodes):
            return None
        for tie in ties_of(thing):
            self.ties.used[tie.path] += 1
        return replace(thing, several=len(nodes) > 1 and self.ties.rng.random() < 0.85)

    def simple(self) -> Thing | None:
        draw = self.ties.rng.random()
        if draw < 0.12:
            return figure_asked(self.ties)
        if draw < 0.2:
            return text_asked(self.ties)
        if draw < 0.28:
            return either(self.ties)
        if draw < 0.36:
            return titled(self.ties)
        if draw < 0.44:
            return in_year(self.ties)
        tie = self.ties.any_tie()
        return self.ties.with_kind(Thing((tie,))) if tie else None

    def conjunction(self) -> Thing | None:
        first = self.ties.any_tie()
        if first is None:
            return None
        nodes = tuple(described(self.graph, Thing((first,))))
        if len(nodes) < 2:
            return None
        node = self.ties.rng.choice(nodes)
        second = self.ties.tie_at(node, avoiding=first)
        if second is None:
            return None
        both = described(self.graph, Thing((first, second)))
        others = described(self.graph, Thing((second,)))
        if not 0 < len(both) < min(len(nodes), len(others)):
            return None
        return self.ties.with_kind(Thing((first, second)))

    def composition(self) -> Thing | None:
        """The tie that asks, and in place of what it is tied to a description."""
        outer = figure_asked(self.ties) if self.ties.rng.random() < 0.2 else self.ties.plain()
        tie = outer.ties[0] if outer is not None else None
        if outer is None or tie is None or not isinstance(tie.other, Entity):
            return None
        inner = self.ties.tie_at(tie.other, avoiding=tie)
        if inner is None:
            return None
        middle = self.ties.with_kind(Thing((inner,)))
        on_the_way = described(self.graph, middle) if middle else {}
        if middle is None or not 0 < len(on_the_way) <= MOST_ON_THE_WAY:
            return None
        if inner.other in described(self.graph, Thing((tie,))):
            return None
        middle = replace(middle, several=len(on_the_way) > 1)
        return self.ties.with_kind(Thing((replace(tie, other=middle),)))

    def comparative(self) -> Thing | None:
        if self.ties.rng.random() < 0.12:
            shared = self.ties.share(bounded=True)
            return shared and self.ties.with_kind(Thing((shared[0],)))
        base = self.ties.with_kind(self.ties.plain())
        nodes = tuple(described(self.graph, base)) if base else ()
        edge = self.ties.figure_of(nodes)
        if base is None or edge is None:
            return None
        values = [values_of(self.graph, each, edge.path) for each in nodes]
        limit = self.ties.limit(values, self.ties.rng.random() < 0.5, edge.to_date)
        return replace(base, ties=(*base.ties, Tie(edge.path, limit, outward=True))) if limit else None

    def superlative(self) -> Thing | None:
        if self.ties.rng.random() < 0.12:
            return of_all(self.ties)
        if self.ties.rng.random() < 0.12:
            shared = self.ties.share(bounded=False)
            thing = self.ties.with_kind(Thing((shared[0],))) if shared else None
            return thing if shared and thing and decides(self.ties, thing, Thing((shared[1],), thing.kind)) else None
        base = self.ties.with_kind(self.ties.plain())
        nodes = tuple(described(self.graph, base)) if base else ()
        edge = self.ties.figure_of(nodes)
        if base is None or edge is None:
            return None
        chosen = replace(base, ties=(*base.ties, Tie(edge.path, Extreme(self.ties.prefers_largest()), outward=True)))
        return chosen if decides(self.ties, chosen, base) else None

    def _names_answer(self, thing: Thing, nodes: Sequence[Node]) -> bool:
        """Whether the question says its own answer, by a thing or by a name that is part of another's."""
        named = {each for tie in ties_of(thing) for each in _named(tie)}
        names = {self.graph.names.get(each.id, "").casefold() for each in named if isinstance(each, Entity)}
        spoken = {self.graph.names.get(each.id, "").casefold() for each in nodes if isinstance(each, Entity)}
        return bool(named & set(nodes)) or bool(names & spoken)


def ties_of(thing: Thing) -> list[Tie]:
    return [each for tie in thing.ties for each in (tie, *(ties_of(tie.other) if isinstance(tie.other, Thing) else ()))]


def _named(tie: Tie) -> tuple[Entity | Literal, ...]:
    if isinstance(tie.other, Either):
        return tie.other.options
    return (tie.other,) if isinstance(tie.other, Entity | Literal) else ()


_DRAWN: dict[str, Callable[[Sampler], Thing | None]] = {
    "simple": Sampler.simple,
    "composition": Sampler.composition,
    "conjunction": Sampler.conjunction,
    "comparative": Sampler.comparative,
    "superlative": Sampler.superlative,
}
