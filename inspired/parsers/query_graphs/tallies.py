"""What each thing has: how many ("at least ten neighbours"), any at all, some of a kind, more than another thing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Entity, Literal
from inspired.parsers.linking.analysis import WHICH, KindMention, QuestionAnalysis
from inspired.parsers.linking.entities import EntityMention
from inspired.parsers.linking.relations import DATE, NUMBER, TEXT, THING, Relation, Relations
from inspired.parsers.linking.values import ComparisonMention, SuperlativeMention
from inspired.parsers.query_graphs.comparing import best_value, bounds_of, literal_test, meets, number_literal
from inspired.parsers.query_graphs.query_graph import NOTHING, Anything, Bound, Extreme, Tally, Than, Thing, Tie
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use

_BRANCHES = 6
_LARGEST = 1000
_NEAR = 3
_SAMPLE = 24
_SPEAKS = 0.3
_FIGURE = 0.5
_CLEARLY = 0.85
_KIND_BRANCHES = 6
_NAMED = 0.3  # of the words of a figure's name, from how many on they are meant
_HAVING = frozenset("that which who have has had having with can could".split())


@dataclass(frozen=True)
class _CountedEnds:
    """What `relation` leads to, only those of the kind in `mention` where others are there too; `named` explains words."""

    relation: Relation
    named: tuple[Use, ...] = ()
    mention: KindMention | None = None

    def tie(self, test: Bound | Extreme) -> Tie:
        kind = self.mention.kind.id if self.mention is not None else None
        return Tie(self.relation.path, Tally(test, kind), not self.relation.outward)

    def size(self, relations: Relations, node: Node) -> int:
        ends = relations.follow(node, self.relation)
        if self.mention is None:
            return len(ends)
        return sum(isinstance(each, Entity) and each.id in self.mention.kind.members for each in ends)


def option_state(mentions: tuple[EntityMention, ...]) -> Iterator[PartialQueryGraph]:
    """The things that a question names to choose from."""
    nodes = tuple(each.node for each in mentions if isinstance(each.node, Entity))
    if len(nodes) == len(mentions):
        uses = tuple(Use("attribute", each.start, each.end, mention=each) for each in mentions)
        taken = frozenset(index for each in uses for index in each.places)
        yield PartialQueryGraph(Thing((), options=nodes), frozenset(nodes), uses, taken)


def tallied(
    state: PartialQueryGraph, around: Sequence[Relation], analysis: QuestionAnalysis, relations: Relations
) -> Iterator[PartialQueryGraph]:
    """The things in `state` that have so many things of one kind, or the most.

    `Countries with more than five neighbours` may also compare a property that is on record. A count is only proposed where the
    words behind the number name what is counted, and for `most` only where no such figure is.
    """
    leading = _countable(around, analysis)
    figures = [analysis.evidence.get(each, {}) for each in around if each.leads_to == NUMBER]
    for comparison in analysis.comparisons:
        if comparison.value.number is None or comparison.value.number > _LARGEST:
            continue
        for counted in _counts_named_by(comparison, leading, analysis, relations, state):
            yield from _counted(state, counted, comparison, relations)
    for extreme in map(partial(_counting, figures), analysis.extremes if not state.ordered and len(state.nodes) > 1 else ()):
        if extreme.of_date or extreme.about not in ((), ("number",)):
            continue
        for counted in _counts_named_by(extreme, leading, analysis, relations, state):
            named = analysis.evidence.get(counted.relation, {}).get(extreme.end, 0.0)
            if _is_asked_for(analysis, extreme.end) or not _on_record(extreme.end, figures, named):
                yield from _most_counted(state, counted, extreme, relations)


def _countable(around: Sequence[Relation], analysis: QuestionAnalysis) -> list[Relation]:
    """The relations whose ends may be counted: things, or texts that the question names ("ten or more postal codes")."""
    things = [each for each in around if each.leads_to == THING][:_BRANCHES]
    return [*things, *[each for each in around if each.leads_to == TEXT and analysis.speaks_for(each) >= _FIGURE][:_BRANCHES]]


def _counts_named_by(
    mention: ComparisonMention | SuperlativeMention, leading: Sequence[Relation], analysis: QuestionAnalysis,
    relations: Relations, state: PartialQueryGraph,
) -> Iterator[_CountedEnds]:  # fmt: skip
    """What may be counted of that which the words behind a number or superlative name."""
    if state.taken.isdisjoint(range(mention.start, mention.end)):
        for relation in leading:
            if (counted := _named_behind(mention.end, relation, analysis, relations, state)) is not None:
                yield counted


def _most_counted(
    state: PartialQueryGraph, counted: _CountedEnds, extreme: SuperlativeMention, relations: Relations
) -> Iterator[PartialQueryGraph]:
    counts = {node: number_literal(float(n)) for node in state.nodes if (n := counted.size(relations, node))}
    best = best_value(counts.values(), extreme.descending)
    kept = frozenset(node for node, count in counts.items() if float(count.text) == best)
    if extreme.many > 1:
        order = sorted(counts, key=lambda node: float(counts[node].text), reverse=extreme.descending)
        kept = frozenset(order[: extreme.many])
    if kept:
        use = Use("tally", extreme.start, extreme.end, counted.relation)
        wider = _with(state, counted.tie(Extreme(extreme.descending, extreme.many)), kept, use)
        yield replace(wider, ordered=True, uses=(*wider.uses, *counted.named))


def _counted(
    state: PartialQueryGraph, counted: _CountedEnds, comparison: ComparisonMention, relations: Relations
) -> Iterator[PartialQueryGraph]:
    bounds = bounds_of(comparison, NUMBER)
    sizes = {each: counted.size(relations, each) for each in state.nodes}
    kept = frozenset(each for each, size in sizes.items() if meets(number_literal(float(size)), bounds))
    if relations.graph.partial:  # of others there may be so many
        kept = kept or frozenset(each for each, size in sizes.items() if size)
    use = Use("tally", comparison.start, comparison.end, counted.relation)
    if kept and len(bounds) <= 2:
        wider = state
        for bound in bounds:
            wider = _with(wider, counted.tie(bound), kept, use)
        yield replace(wider, uses=(*state.uses, use, *counted.named))


def _counting(figures: Sequence[Mapping[int, float]], extreme: SuperlativeMention) -> SuperlativeMention:
    """ "The most people" are counted where no figure, as the population elsewhere, is on record for them."""
    if len(extreme.about) != 1 or not extreme.end - extreme.start > 1 or _on_record(extreme.end - 1, figures):
        return extreme
    return replace(extreme, end=extreme.start + 1, about=())


def _is_asked_for(analysis: QuestionAnalysis, index: int) -> bool:
    """Whether a word stands for what the question asks for: "which country borders the most countries"."""
    asked = {each.kind.id for each in analysis.behind_which}
    return any(each.start == index and each.kind.id in asked for each in analysis.kinds)


def _on_record(index: int, figures: Sequence[Mapping[int, float]], counted: float = 0.0) -> bool:
    """Whether a figure is on record for what would be counted: "more people" is the larger population.

    The word has to speak for it more than for what would be `counted`: neighbours are not the length of a border.
    """
    return any(row.get(index, 0.0) >= _FIGURE and row[index] > counted for row in figures)


def _named_behind(
    end: int, relation: Relation, analysis: QuestionAnalysis, relations: Relations, state: PartialQueryGraph
) -> _CountedEnds | None:
    """What is counted, right behind a number or superlative: by a word of the relation ("ten neighbours"), or by its kind.

    The noun of the kind ("in ten countries") is then explained. None if neither stands there.
    """
    row = analysis.evidence.get(relation, {})
    kinds = [each for each in analysis.kinds if end <= each.start < end + _NEAR]
    ends = [end for node in state.nodes for end in relations.follow(node, relation)] if kinds else []
    for kind in kinds:
        inside = sum(isinstance(each, Entity) and each.id in kind.kind.members for each in ends)
        narrows = inside < len(ends) and kind.kind.id is not None
        if inside and (narrows or 2 * inside >= len(ends)):
            return _CountedEnds(relation, (Use("kind", kind.start, kind.end, level=1),), kind if narrows else None)
    return _CountedEnds(relation) if any(row.get(index, 0.0) >= _SPEAKS for index in range(end, end + _NEAR)) else None


def compared_with_things(
    state: PartialQueryGraph, around: Sequence[Relation], analysis: QuestionAnalysis, relations: Relations
) -> Iterator[PartialQueryGraph]:
    """ "larger than Germany", "more inhabitants than France": the values of two things compared."""
    for index, token in enumerate(analysis.tokens[:-1]):
        if token.plain != "than" or index in state.taken:
            continue
        extreme = next((each for each in analysis.extremes if each.compares and each.end <= index), None)
        others = [each for each in analysis.mentions if index < each.start <= index + 2 and isinstance(each.node, Entity)]
        if extreme is None or state.taken & frozenset(range(extreme.start, extreme.end)):
            continue
        figures = [each for each in around if each.leads_to in (NUMBER, DATE)]
        named = _named_most(
            [each for each in figures if _is_named_by(each, extreme, index, analysis)], extreme, index, analysis
        )
        for other in others:
            for relation in (named or figures)[:_BRANCHES]:
                yield from _above(
                    state, relation, extreme.descending, other, Use("compare", extreme.start, index + 1, relation), relations
                )


def _named_most(
    figures: Sequence[Relation], extreme: SuperlativeMention, than: int, analysis: QuestionAnalysis
) -> list[Relation]:
    """Those of which the most words are said before "than": the GDP per person, and not the GDP."""
    rows = [analysis.evidence.get(each, {}) for each in figures]
    words = [sum(row.get(index, 0.0) >= _FIGURE for index in range(extreme.end, than)) for row in rows]
    return [each for each, count in zip(figures, words, strict=True) if count == max(words)]


def _is_named_by(relation: Relation, extreme: SuperlativeMention, than: int, analysis: QuestionAnalysis) -> bool:
    """Whether words name what is compared: "a higher life expectancy than", "a life expectancy higher than"."""
    row = analysis.evidence.get(relation, {})
    between = any(row.get(index, 0.0) >= _FIGURE for index in range(extreme.end, than))
    return between or row.get(extreme.start - 1, 0.0) >= _CLEARLY


@dataclass(frozen=True, eq=False)
class LinkedToKind:
    """All that `relation` leads to from the things of the kind in `mention`."""

    mention: KindMention
    relation: Relation
    nodes: frozenset[Node]


def linked_to_kinds(analysis: QuestionAnalysis, relations: Relations) -> tuple[LinkedToKind, ...]:
    """For each kind that a question names, but for what it asks for: what is linked to one of that kind, spoken links first."""
    return tuple(each for mention in _named_kinds(analysis) for each in _linked_to(mention, analysis, relations))


def _named_kinds(analysis: QuestionAnalysis) -> Iterator[KindMention]:
    asked = {(each.start, each.end) for each in analysis.asked}
    for mention in analysis.kinds:
        if mention.kind.id and (mention.start, mention.end) not in asked and len(mention.kind.members) <= _LARGEST:
            yield mention


def _linked_to(mention: KindMention, analysis: QuestionAnalysis, relations: Relations) -> Iterator[LinkedToKind]:
    members = [Entity(each) for each in sorted(mention.kind.members)]
    within = frozenset(range(mention.start, mention.end))
    leaving = [each for each in relations.at(members[:_SAMPLE]) if each.leads_to == THING]
    ranked = sorted(leaving, key=lambda each: (-analysis.speaks_for(each, within), each.key))
    for relation in ranked[:_KIND_BRANCHES]:
        ends = relations.follow_all(members, relation)
        yield LinkedToKind(mention, relation, ends)


def having_kinds(state: PartialQueryGraph, links: Iterable[LinkedToKind]) -> Iterator[PartialQueryGraph]:
    """ "Named after a planet", "towns with a prison": the things in `state` that are linked to one of a kind."""
    spans = {(use.start, use.end) for use in state.uses if use.role == "kind"}
    for link in links:
        places = range(link.mention.start, link.mention.end)
        kept = state.nodes & link.nodes
        if (places.start, places.stop) not in spans and state.taken.isdisjoint(places) and 0 < len(kept) < len(state.nodes):
            tie = Tie(link.relation.path, Thing((), link.mention.kind.id), link.relation.outward)
            wider = _with(state, tie, kept, Use("hop", 0, 0, link.relation, level=1))
            named = Use("kind", places.start, places.stop, level=2)
            yield replace(wider, uses=(*wider.uses, named), taken=wider.taken | frozenset(places))


def having_any(
    state: PartialQueryGraph, around: Sequence[Relation], analysis: QuestionAnalysis, relations: Relations
) -> Iterator[PartialQueryGraph]:
    """ "Dragons that swim", "classes with an ability": the things in `state` that have anything along a relation."""
    for relation in around[:_BRANCHES]:
        if not _is_had(relation, state, analysis):
            continue
        ends = {node: relations.follow(node, relation) for node in state.nodes}
        figures = relation.leads_to == NUMBER and not any(literal_test(e, "<", NOTHING) for row in ends.values() for e in row)
        bound = Bound(">", NOTHING)
        kept = frozenset(node for node, row in ends.items() if (any(meets(each, (bound,)) for each in row) if figures else row))
        if 0 < len(kept) < len(state.nodes):
            tie = Tie(relation.path, bound if figures else Anything(), not relation.outward)
            yield _with(state, tie, kept, Use("hop", 0, 0, relation, level=1))


def _is_had(relation: Relation, state: PartialQueryGraph, analysis: QuestionAnalysis) -> bool:
    """Whether a clause behind the things says that they have it: "that swim", "with", "who can fly", not "what speed"."""
    words = [each.plain for each in analysis.tokens]
    named = {index for use in state.uses for index in use.places}
    row = {index: strength for index, strength in analysis.evidence.get(relation, {}).items() if index not in named}
    index = max(row, key=row.__getitem__, default=0)
    first = min(named, default=index)
    clause = words[first + 1 : index]
    asked = words[index - 1] in WHICH or words[index - 2 : index] == ["what", "is"]
    having = bool(_HAVING & set(clause)) or (relation.leads_to == NUMBER and _are_asked_for(state, analysis))
    if relation.leads_to == NUMBER and analysis.title_shares.get(relation.sense, 0.0) < _NAMED:
        return False  # to "produce electricity" is no oil production
    return row.get(index, 0.0) >= _FIGURE and not asked and having


def _are_asked_for(state: PartialQueryGraph, analysis: QuestionAnalysis) -> bool:
    """Whether the things are of the kind behind "which", of which no figure is asked: "which countries produce oil"."""
    first = next(iter(state.some(1)), None)
    return isinstance(first, Entity) and any(first.id in each.kind.members for each in analysis.behind_which)


def _above(
    state: PartialQueryGraph, relation: Relation, more: bool, other: EntityMention, use: Use, relations: Relations
) -> Iterator[PartialQueryGraph]:
    limits = [each for each in relations.follow(other.node, relation) if isinstance(each, Literal)]
    if len(limits) != 1 or not isinstance(other.node, Entity):
        return
    operator = ">" if more else "<"
    values = {node: relations.follow(node, relation) for node in state.nodes if node != other.node}
    kept = frozenset(node for node, ends in values.items() if any(literal_test(end, operator, limits[0]) for end in ends))
    if kept:
        tie = Tie(relation.path, Than(operator, other.node), True)
        wider = _with(state, tie, kept, use)
        named = Use("attribute", other.start, other.end, mention=other)
        yield replace(wider, uses=(*wider.uses, named), taken=wider.taken | frozenset(named.places))


def _with(state: PartialQueryGraph, tie: Tie, kept: frozenset[Node], use: Use) -> PartialQueryGraph:
    thing = replace(state.thing, ties=(*state.thing.ties, tie))
    return replace(state, thing=thing, nodes=kept, uses=(*state.uses, use), taken=state.taken | frozenset(use.places))
