"""Where a query graph begins: at each thing that a question names, at kinds, at what is so, at things to choose from."""

from collections.abc import Iterator
from dataclasses import dataclass

from inspired.knowledge_base.published import DOMAINS, RANGES, SUBCLASS
from inspired.logical_form.forms import Entity, Literal
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.entities import A_NAME, SHORT, EntityMention
from inspired.parsers.linking.label_grammar import prepositions
from inspired.parsers.linking.relations import DATE, NUMBER, THING, Relation, Relations
from inspired.parsers.query_graphs.mediators import narrowed
from inspired.parsers.query_graphs.query_graph import Anything, Either, Thing, Tie
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use
from inspired.parsers.query_graphs.tallies import option_state

TRUE = Literal("true", "boolean")
STARTS_PER_MENTION = 24
MOST_NODES = 4000
_BRANCHES = 8
_BETWEEN = 7
_CLEAR = 0.6
_SPOKEN = 0.3
_SCHEMA = frozenset((SUBCLASS, *DOMAINS, *RANGES))


@dataclass(frozen=True, eq=False)
class Beginnings:
    """The beginnings for one question on one graph; it may go on from `context`."""

    analysis: QuestionAnalysis
    relations: Relations
    context: PartialQueryGraph | None = None

    def all(self) -> Iterator[PartialQueryGraph]:
        if self.context is not None:
            yield self.context
        yield from self._starts()
        yield from self._unions()
        yield from self._kind_starts()
        yield from self._owner_starts()
        yield from self._flag_starts()
        yield from self._sort_starts()
        yield from self._role_starts()
        yield from self._option_starts()

    def _starts(self) -> Iterator[PartialQueryGraph]:
        for mention in self.analysis.mentions:
            ranked = sorted(self.relations.at([mention.node]), key=lambda each: -self._evidence(each, mention))
            for relation in ranked[:STARTS_PER_MENTION]:
                if not self._is_about_kind(mention, relation):
                    yield from self._start(mention, relation)
            yield from self._empty_starts(mention)

    def _is_about_kind(self, mention: EntityMention, relation: Relation) -> bool:
        """Whether what a schema says of a class is gone along, where the word stands for the things of that class."""
        kinds = {each.kind.id for each in self.analysis.kinds if mention.start <= each.start and each.end <= mention.end}
        return (
            relation.path[0] in _SCHEMA
            and isinstance(mention.node, Entity)
            and mention.node.id in kinds
            and self._evidence(relation, mention) < _SPOKEN
        )

    def _empty_starts(self, mention: EntityMention) -> Iterator[PartialQueryGraph]:
        """What other things of the kind have and this one has not: nothing borders Iceland, Croatia has no coast on record."""
        here = set(self.relations.at([mention.node]))
        for relation in self.relations.of_kind(self.relations.kind_of(mention.node)):
            if relation not in here and self._evidence(relation, mention) >= _CLEAR:
                tie = Tie(relation.path, mention.node, relation.outward)
                use = Use("start", mention.start, mention.end, relation, mention=mention)
                literal, taken = relation.leads_to != THING, frozenset(use.places)
                yield PartialQueryGraph(Thing((tie,)), frozenset(), (use,), taken, 1, literal=literal)

    def _evidence(self, relation: Relation, mention: EntityMention) -> float:
        return self.analysis.speaks_for(relation, frozenset(range(mention.start, mention.end)))

    def _start(self, mention: EntityMention, relation: Relation) -> Iterator[PartialQueryGraph]:
        ends = self.relations.follow(mention.node, relation) - {mention.node}
        if not ends or len(ends) > MOST_NODES:
            return
        tie = Tie(relation.path, mention.node, relation.outward)
        use = Use("start", mention.start, mention.end, relation, mention=mention)
        state = PartialQueryGraph(Thing((tie,)), ends, (use,), frozenset(use.places), 1, literal=relation.leads_to != THING)
        yield state
        if relation.mediated:
            yield from narrowed(state, tie, frozenset((mention.node,)), relation, self.relations, self.analysis)

    def _unions(self) -> Iterator[PartialQueryGraph]:
        """ "France or Spain", "in France or in Spain": one relation from either."""
        tokens = self.analysis.tokens
        for one in self.analysis.mentions:
            for other in self.analysis.mentions:
                joining = tokens[one.end : other.start]
                if joining and joining[0].plain == "or" and all(each.is_stop for each in joining):
                    yield from self._either(one, other)

    def _either(self, one: EntityMention, other: EntityMention) -> Iterator[PartialQueryGraph]:
        if not isinstance(one.node, Entity) or not isinstance(other.node, Entity):
            return
        nodes = (one.node, other.node)
        shared = set(self.relations.at([one.node])) & set(self.relations.at([other.node]))
        for relation in sorted(shared, key=lambda each: (-self._evidence(each, one), each.key))[:_BRANCHES]:
            ends = frozenset(end for node in nodes for end in self.relations.follow(node, relation) - {node})
            first = Use("start", one.start, one.end, relation, mention=one)
            second = Use("attribute", one.end, other.end, mention=other)
            if ends and relation.leads_to == THING:
                tie = Tie(relation.path, Either(nodes), relation.outward)
                yield PartialQueryGraph(Thing((tie,)), ends, (first, second), frozenset(range(one.start, other.end)), 1)

    def _kind_starts(self) -> Iterator[PartialQueryGraph]:
        for mention in (each for each in self.analysis.kinds if each.kind.id is not None):
            use = Use("kind", mention.start, mention.end)
            thing = Thing((), mention.kind.id)
            yield PartialQueryGraph(thing, frozenset(map(Entity, mention.kind.members)), (use,), frozenset(use.places))

    def _owner_starts(self) -> Iterator[PartialQueryGraph]:
        """ "Life expectancy above 84": the things that have such a figure, where no word says what kind of thing is meant."""
        if self.analysis.kinds or self.context is not None or not (self.analysis.comparisons or self.analysis.extremes):
            return
        ranked = sorted(((self.analysis.speaks_for(each), each.key, each) for each in self.analysis.evidence), reverse=True)
        figures = [each for strength, _, each in ranked if strength >= _CLEAR and each.leads_to in (NUMBER, DATE)]
        starts = [next(self.relations.graph.pairs(each.path[0]), None) for each in figures[:_BRANCHES]]
        for kind in dict.fromkeys(self.relations.kind_of(Entity(pair[0])) for pair in starts if pair is not None):
            members = frozenset(self.relations.members(kind)) if kind is not None else frozenset()
            if kind is not None and 0 < len(members) <= MOST_NODES:
                yield PartialQueryGraph(Thing((), kind), members, ())

    def _role_starts(self) -> Iterator[PartialQueryGraph]:
        """ "Directors": all that some thing has as its director, where no class is called so."""
        counts = self.analysis.extremes or self.analysis.comparisons or self.analysis.frame.kind == "count"
        if not counts or self.context is not None or any(each.match >= A_NAME for each in self.analysis.mentions):
            return
        named = {index for each in self.analysis.kinds for index in range(each.start, each.end)}
        for relation, row in self.analysis.evidence.items():
            index = max(row, key=row.__getitem__)
            plural = self.analysis.tokens[index].plain.endswith("s") and index not in named
            if relation.leads_to != THING or relation.outward or row[index] < _CLEAR or not (plural or self._is_sought(index)):
                continue
            ends = self.relations.ends(relation)
            if 1 < len(ends) <= MOST_NODES:
                use = Use("start", index, index + 1, relation)
                yield PartialQueryGraph(Thing((Tie(relation.path, Anything(), False),)), ends, (use,), frozenset(), 1)

    def _is_sought(self, index: int) -> bool:
        """Whether the word stands behind "which", or the question asks who: "who directed the most films?"."""
        before = self.analysis.tokens[index - 1].plain if index else ""
        return before in ("which", "what") or self.analysis.frame.asks_who

    def _flag_starts(self) -> Iterator[PartialQueryGraph]:
        """ "Radioactive": the things of which a graph says that it is so."""
        for relation, row in self.analysis.evidence.items():
            index = max(row, key=row.__getitem__)
            ends = self.relations.follow(TRUE, relation) if relation.outward and row[index] >= _CLEAR else frozenset()
            if 0 < len(ends) <= MOST_NODES:
                use = Use("start", index, index + 1, relation)
                yield PartialQueryGraph(Thing((Tie(relation.path, TRUE, True),)), ends, (use,), frozenset((index,)), 1)

    def _sort_starts(self) -> Iterator[PartialQueryGraph]:
        """ "Monarchies": what has any of the forms of government that are called so."""
        for begin, end, nodes in self.analysis.linking.sorts:
            named = EntityMention(begin, end, nodes[0], SHORT, 0.5)
            leaving = [each for each in self.relations.at(nodes) if each.leads_to == THING]
            for relation in leaving[:_BRANCHES]:
                ends = frozenset(each for node in nodes for each in self.relations.follow(node, relation))
                if 1 < len(ends) <= MOST_NODES:
                    use = Use("start", begin, end, relation, mention=named)
                    tie = Tie(relation.path, Either(nodes), relation.outward)
                    yield PartialQueryGraph(Thing((tie,)), ends, (use,), frozenset(range(begin, end)), 1)

    def _option_starts(self) -> Iterator[PartialQueryGraph]:
        """ "Which is larger, France or Spain?": the things to choose from."""
        tokens = self.analysis.tokens
        for one in self.analysis.mentions if self.analysis.extremes else ():
            for other in self.analysis.mentions:
                joined = [each.plain for each in tokens[one.end : other.start]]
                # Of "lakes in Africa that are larger than Lake Victoria", not Africa is compared.
                inside = one.start > 0 and tokens[one.start - 1].plain in prepositions() and not self._are_alike(one, other)
                claimed = self.analysis.frame.kind == "yes-no" and "than" in joined and len(joined) <= _BETWEEN and not inside
                if (claimed or joined in (["or"], ["or", "the"], ["and"], ["and", "the"])) and one.node != other.node:
                    yield from option_state((*self._listed_before(one), one, other))

    def _are_alike(self, one: EntityMention, other: EntityMention) -> bool:
        return self.relations.kind_of(one.node) == self.relations.kind_of(other.node)

    def _listed_before(self, mention: EntityMention) -> list[EntityMention]:
        """The things of its kind before a comma: "Peru, Chile" in "Peru, Chile, Bolivia or Ecuador"."""
        tokens, text, row = self.analysis.tokens, self.analysis.text, [mention]
        kind = self.relations.kind_of(mention.node)
        while True:
            first = row[0]
            before = [
                each
                for each in self.analysis.mentions
                if each.end <= first.start
                and [one.plain for one in tokens[each.end : first.start]] in ([], ["the"])
                and "," in text[tokens[each.end - 1].end : tokens[first.start].start]
                and self.relations.kind_of(each.node) == kind
            ]
            if not before:
                return row[:-1]
            row.insert(0, max(before, key=lambda each: (each.match, each.end - each.start)))
