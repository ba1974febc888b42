"""What a question denies: the things that a part of it describes are taken away from those that the rest describes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Entity
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.entities import A_NAME, EntityMention
from inspired.parsers.linking.framing import Negation
from inspired.parsers.linking.relations import NUMBER, THING, Relation, Relations
from inspired.parsers.query_graphs.comparing import literal_test
from inspired.parsers.query_graphs.query_graph import NOTHING, Anything, Bound, Thing, Tie
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use

_MEANT = 0.3
_MOST = 6
_JOINED: tuple[list[str], ...] = (["and"], ["or"], [], ["and", "the"], ["or", "the"], ["the"])


@dataclass(frozen=True, eq=False)
class Denial:
    """`described` are readings of what is denied, the best first; `analysis` is that of the denied words alone."""

    negation: Negation
    analysis: QuestionAnalysis
    described: tuple[PartialQueryGraph, ...]

    @property
    def use(self) -> Use:
        return Use("deny", self.negation.start, self.negation.end)

    def of(
        self, state: PartialQueryGraph, relations: Relations, wider: Iterator[PartialQueryGraph]
    ) -> Iterator[PartialQueryGraph]:
        """`state` without what is denied; `wider` says more of the things in `state` by the denied words."""
        for other in filter(self._is_said, self.described):
            yield from self._taken(state, other)
        for more in wider:
            added = replace(more.thing, ties=more.thing.ties[len(state.thing.ties) :], without=(), options=(), kind=None)
            if added.ties:
                uses = tuple(each for each in more.uses if each not in state.uses)
                if self._is_said(denied := replace(more, thing=added, uses=uses)):
                    yield from self._taken(state, denied)
        yield from self._lacking(state, relations)

    def _is_said(self, denied: PartialQueryGraph) -> bool:
        """Whether any of what a reading denies is named, or told by a word that means something."""
        parts = (each for each in denied.uses if each.role != "deny")
        return any(each.mention is not None or each.relation is None or self._says(each.relation) >= _MEANT for each in parts)

    def _says(self, relation: Relation) -> float:
        """How strongly the words speak for a relation: "not in the EU" is not about lakes, for which "in" may speak."""
        return self.analysis.speaks_for(relation, self._small)

    @property
    def _small(self) -> frozenset[int]:
        return frozenset(index for index, each in enumerate(self.analysis.tokens) if each.is_stop)

    def _taken(self, state: PartialQueryGraph, other: PartialQueryGraph) -> Iterator[PartialQueryGraph]:
        named = {each.node for each in other.names} if not other.thing.options else set()
        kept = state.nodes - other.nodes - named
        about_names = other.thing.options or not other.thing.ties
        if not kept or (about_names and not state.nodes & other.nodes):
            return
        uses = (*state.uses, self.use, *other.uses)
        thing = replace(state.thing, without=(*state.thing.without, other.thing))
        taken = state.taken | other.taken | frozenset(self.use.places)
        vacuous = state.vacuous or not state.nodes & (other.nodes | named)
        yield replace(state, thing=thing, nodes=kept, uses=tuple(dict.fromkeys(uses)), taken=taken, vacuous=vacuous)

    def _lacking(self, state: PartialQueryGraph, relations: Relations) -> Iterator[PartialQueryGraph]:
        """ "without lakes", "has no coastline": nothing at the end of a relation, or the number 0."""
        strong = [(self._says(each), each) for each in self.analysis.evidence if not each.outward or each.leads_to == THING]
        ranked = sorted((each for each in strong if each[0] >= _MEANT), key=lambda each: (-each[0], each[1].key))
        for _, relation in ranked[:_MOST]:
            if nothing := _having_nothing(state, relations, relation):
                yield from self._without_any(state, nothing, relation)
                continue
            having = frozenset(node for node in state.nodes if has_any(relations, node, relation))
            if having and having != state.nodes:
                number = relation.leads_to == NUMBER
                tie = Tie(relation.path, Bound(">", NOTHING) if number else Anything(), not relation.outward)
                use = Use("hop", 0, 0, relation)
                yield from self._taken(state, PartialQueryGraph(Thing((tie,)), having, (use,)))

    def _without_any(
        self, state: PartialQueryGraph, nothing: frozenset[Node], relation: Relation
    ) -> Iterator[PartialQueryGraph]:
        """The things of which it is on record that they have none; of others it is not known."""
        tie = Tie(relation.path, Bound("<=", NOTHING), True)
        thing = replace(state.thing, ties=(*state.thing.ties, tie))
        uses = (*state.uses, self.use, Use("compare", self.use.start, self.use.end, relation))
        taken = state.taken | frozenset(self.use.places)
        yield replace(state, thing=thing, nodes=nothing, uses=uses, taken=taken)


def _having_nothing(state: PartialQueryGraph, relations: Relations, relation: Relation) -> frozenset[Node]:
    if relation.leads_to != NUMBER:
        return frozenset()
    return frozenset(
        node for node in state.nodes if any(literal_test(end, "<=", NOTHING) for end in relations.follow(node, relation))
    )


def has_any(relations: Relations, node: Node, relation: Relation) -> bool:
    """Whether `node` has anything along a relation, or a figure above 0."""
    ends = relations.follow(node, relation)
    if relation.leads_to == NUMBER:
        return any(literal_test(each, ">", NOTHING) for each in ends)
    return bool(ends)


def exception(analysis: QuestionAnalysis, negation: Negation) -> Iterator[PartialQueryGraph]:
    """ "except France", "other than Brazil and Portugal": the things that are named, and nothing about them."""
    row = _row(analysis) if negation.excepts else []
    nodes = tuple(each.node for each in row if isinstance(each.node, Entity))
    if len(nodes) > 1:
        uses = tuple(Use("attribute", each.start, each.end, mention=each) for each in row)
        taken = frozenset(index for each in uses for index in each.places)
        yield PartialQueryGraph(Thing((), options=nodes), frozenset(nodes), uses, taken)
    for mention in analysis.mentions:
        if isinstance(mention.node, Entity) and (negation.excepts or mention.start == negation.end):
            use = Use("attribute", mention.start, mention.end, mention=mention)
            thing = Thing((), options=(mention.node,))
            yield PartialQueryGraph(thing, frozenset((mention.node,)), (use,), frozenset(use.places))


def _row(analysis: QuestionAnalysis) -> list[EntityMention]:
    """The things that are named one behind the other: Brazil and Portugal, in "other than Brazil and Portugal"."""
    row: list[EntityMention] = []
    for each in analysis.mentions:  # from left to right, the longest and likeliest first
        behind = row[-1].end if row else each.start
        between = [token.plain for token in analysis.tokens[behind : each.start]]
        if each.match >= A_NAME and isinstance(each.node, Entity) and each.start >= behind and (not row or between in _JOINED):
            row.append(each)
    return row
