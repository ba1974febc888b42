"""What more a question says about a mediating node: the title of an office holder, a share, a year."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Entity, Literal
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.relations import DATE, NUMBER, THING, Relation, Relations
from inspired.parsers.linking.values import ComparisonMention, SuperlativeMention
from inspired.parsers.query_graphs import query_graph as forms
from inspired.parsers.query_graphs.comparing import best_value, bounds_of, day_span, meets
from inspired.parsers.query_graphs.query_graph import Attribute, Tie
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use
from inspired.sub_questions.templates import property_words

_FEW = 3
# Of a border, not of the country behind it, which "the largest neighbour" asks for.
_EXTENTS = {"length", "height", "depth", "distance", "width"}
_SHARES = {"percentage", "share", "rate", "number", "amount", "value"}


@dataclass(frozen=True)
class Middle:
    """The mediating nodes between `known` nodes and what `relation` leads to from them; `state` says only the relation."""

    state: PartialQueryGraph
    tie: Tie
    known: frozenset[Node]
    relation: Relation
    relations: Relations
    nodes: tuple[str, ...]

    @property
    def graph(self) -> Graph:
        return self.relations.graph

    @property
    def predicates(self) -> tuple[str, ...]:
        """What else the mediating nodes have."""
        known = {each for node in self.nodes for each in self.graph.predicates_from(node)}
        return tuple(sorted(known - set(self.relation.path)))


def narrowed(
    state: PartialQueryGraph,
    tie: Tie,
    known: frozenset[Node],
    relation: Relation,
    relations: Relations,
    analysis: QuestionAnalysis,
    *,
    by_values: bool = True,
) -> Iterator[PartialQueryGraph]:
    """`state`, which goes from `known` along `relation`, with one more relation of the mediating node.

    It leads to a thing that the question names or, with `by_values`, to a figure or date that is compared or decides.
    """
    nodes = tuple(dict.fromkeys(node for each in known for node in _between(relations.graph, each, relation)))
    middle = Middle(state, tie, known, relation, relations, nodes)
    yield from _by_things(middle, analysis)
    if not by_values:
        return
    for comparison in analysis.comparisons:
        if state.taken.isdisjoint(range(comparison.start, comparison.end)):
            yield from _by_value(middle, comparison)
    for extreme in (each for each in analysis.extremes if not each.compares):
        yield from _by_extreme(middle, extreme, analysis)


def _between(graph: Graph, known: Node, relation: Relation) -> tuple[str, ...]:
    if relation.outward:
        return graph.subjects(relation.path[1], known)
    objects = graph.objects(known.id, relation.path[0]) if isinstance(known, Entity) else ()
    return tuple(each.id for each in objects if isinstance(each, Entity))


def _by_things(middle: Middle, analysis: QuestionAnalysis) -> Iterator[PartialQueryGraph]:
    for other in analysis.mentions:
        if not middle.state.taken.isdisjoint(range(other.start, other.end)):
            continue
        for predicate in middle.graph.predicates_to(other.node):
            # Beside a value, the other thing that is linked tells which: "the border between Spain and Portugal".
            ends = middle.relation.leads_to == THING and not middle.relations.is_attribute(predicate)
            if predicate in middle.relation.path or ends:
                continue
            kept = [each for each in middle.nodes if other.node in middle.graph.objects(each, predicate)]
            use = Use("attribute", other.start, other.end, mention=other)
            yield from _through(middle, kept, use, Attribute(predicate, other.node))


def _by_value(middle: Middle, comparison: ComparisonMention) -> Iterator[PartialQueryGraph]:
    use = Use("attribute", comparison.start, comparison.end)
    date = comparison.value.date if comparison.operator == "=" else None
    type_ = middle.relation.path[1].rpartition(".")[0]
    if date and len(date) == 4 and {f"{type_}.from", f"{type_}.to"} <= set(middle.predicates):
        kept = [each for each in middle.nodes if _in_year(middle.graph, each, type_, date)]
        yield from _through(middle, kept, use, None, int(date))
    for predicate in middle.predicates:
        kind = middle.relations.end_of(predicate)
        if kind == DATE and date is not None:
            exact = day_span(date)[0]
            kept = [each for each in middle.nodes if exact in middle.graph.objects(each, predicate)]
            yield from _through(middle, kept, use, Attribute(predicate, exact))
        elif len(bounds := bounds_of(comparison, kind)) == 1:
            kept = [each for each in middle.nodes if any(meets(end, bounds) for end in middle.graph.objects(each, predicate))]
            vacuous = _FEW < len(kept) == len(middle.nodes)
            narrower = _through(middle, kept, use, Attribute(predicate, bounds[0]))
            yield from (replace(each, vacuous=each.vacuous or vacuous) for each in narrower)


def _in_year(graph: Graph, node: str, type_: str, year: str) -> bool:
    """Whether a relation with a beginning and an end, each perhaps unknown, held at some time in `year`."""
    first, last = day_span(year)
    starts = [each.text for each in graph.objects(node, f"{type_}.from") if isinstance(each, Literal)]
    ends = [each.text for each in graph.objects(node, f"{type_}.to") if isinstance(each, Literal)]
    begun = not starts or any(each <= last.text for each in starts)
    return begun and (not ends or any(each >= first.text for each in ends))


def _by_extreme(middle: Middle, extreme: SuperlativeMention, analysis: QuestionAnalysis) -> Iterator[PartialQueryGraph]:
    use = Use("attribute", extreme.start, extreme.end)
    for predicate in middle.predicates:
        if middle.relations.end_of(predicate) != (DATE if extreme.of_date else NUMBER) or not _may_mean(extreme, predicate):
            continue
        values = {each: best_value(middle.graph.objects(each, predicate), extreme.descending) for each in middle.nodes}
        known = {each: value for each, value in values.items() if value is not None}
        if len(known) > 1:
            best = (max if extreme.descending else min)(known.values())
            kept = [each for each, value in known.items() if value == best]
            if _is_of_others(middle, extreme, analysis):
                continue
            yield from _through(middle, kept, use, Attribute(predicate, forms.Extreme(extreme.descending)))


def _is_of_others(middle: Middle, extreme: SuperlativeMention, analysis: QuestionAnalysis) -> bool:
    """Whether the superlative is of another kind of thing than those that the relation leads to: "the longest river"."""
    kinds = [each.kind.members for each in analysis.kinds if each.start == extreme.end]
    ends = middle.state.nodes
    return bool(kinds) and not any(getattr(end, "id", "") in members for members in kinds for end in ends)


def _may_mean(extreme: SuperlativeMention, predicate: str) -> bool:
    """Whether a superlative fits a value: "highest" a percentage, but no length of a border."""
    about, called = set(extreme.about), set(property_words(predicate).lower().split())
    sized = "size" in about and not called & _EXTENTS
    return extreme.of_date or not about or sized or bool(called & (about | _SHARES))


def _through(
    middle: Middle, kept: Sequence[str], use: Use, attribute: Attribute | None, year: int | None = None
) -> Iterator[PartialQueryGraph]:
    """What is left when only the mediating nodes in `kept` count."""
    ends: set[Node] = set()
    first, second = middle.relation.path
    for each in kept:
        if middle.relation.outward:
            ends.update(map(Entity, middle.graph.subjects(first, Entity(each))))
        else:
            ends.update(middle.graph.objects(each, second))
    ends -= middle.known if len(middle.known) == 1 else set()
    if not ends:
        return
    attributes = (*middle.tie.attributes, *((attribute,) if attribute else ()))
    state = middle.state
    yield replace(
        state,
        thing=replace(state.thing, ties=(replace(middle.tie, attributes=attributes, year=year),)),
        nodes=frozenset(ends),
        uses=(*state.uses, use),
        taken=state.taken | frozenset(use.places),
        ordered=attribute is not None and isinstance(attribute.value, forms.Extreme),
    )
