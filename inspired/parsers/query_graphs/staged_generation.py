"""Staged query graph generation (after Yih et al., 2015): from each thing named, step by step, to what may be asked.

Each stage is carried out on the graph at once, so that only what finds something goes on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice

from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Entity
from inspired.parsers.linking.analysis import KindMention, QuestionAnalysis
from inspired.parsers.linking.relations import DATE, NUMBER, THING, Relation, Relations
from inspired.parsers.linking.values import ComparisonMention, SuperlativeMention
from inspired.parsers.linking.words import table
from inspired.parsers.query_graphs import query_graph as forms
from inspired.parsers.query_graphs.beginnings import MOST_NODES, Beginnings
from inspired.parsers.query_graphs.comparing import best_value, bounds_of, meets
from inspired.parsers.query_graphs.denials import Denial
from inspired.parsers.query_graphs.mediators import narrowed
from inspired.parsers.query_graphs.query_graph import Thing, Tie
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use, sample
from inspired.parsers.query_graphs.tallies import (
    LinkedToKind,
    compared_with_things,
    having_any,
    having_kinds,
    linked_to_kinds,
    tallied,
)

Score = Callable[[PartialQueryGraph], float]
Scored = tuple[PartialQueryGraph, float]

BEAM = 40
ROUNDS = 3
_BRANCHES = 8
_PARTNERS = 20
_BRIDGED = 12
_SPARSE = 500
_SAMPLE = 24
_WEAKEST = 0.12
_DEEPEST = 2
_FEW = 3
_SPOKEN = 5
_CLEAR = 0.5
_ANY_SIZE = frozenset(("size", "rate", "date", "number"))


class StagedGeneration:
    """One question on one graph."""

    def __init__(
        self,
        analysis: QuestionAnalysis,
        relations: Relations,
        score: Score,
        familiarity: Mapping[str, float] | None = None,
        denials: Sequence[Denial] = (),
        context: PartialQueryGraph | None = None,
    ) -> None:
        self.context = context
        self.analysis = analysis
        self.denials = tuple(denials)
        self.relations = relations
        self.score = score
        self.familiarity = familiarity or {}

    def run(self) -> list[tuple[float, PartialQueryGraph]]:
        """Every state that was reached, with its score, the best first."""
        beginning = Beginnings(self.analysis, self.relations, self.context).all()
        starts = self.best(self.with_kinds(beginning), 3 * BEAM)
        reached = dict(starts)
        frontier = starts[: 2 * BEAM]
        bridged = self._bridged(state for state, _ in starts)  # used up in the first round
        for _ in range(ROUNDS):
            grown = self.with_kinds(chain(self._grown(frontier, starts), bridged))
            new = [each for each in self.best(grown, 3 * BEAM) if each[0] not in reached]
            reached.update(new)
            frontier = new[:BEAM]
        kept = ((score, state) for state, score in reached.items() if self._is_whole(state))
        return sorted(kept, key=lambda each: -each[0])

    def _is_whole(self, state: PartialQueryGraph) -> bool:
        """Whether all that is denied is taken away, and the context is made use of."""
        pointed = [each for each in self.context.uses if each.role == "context"] if self.context else []
        roles = {(use.role, use.start, use.end) for use in state.uses}
        return all(each.use in state.uses for each in self.denials) and all((e.role, e.start, e.end) in roles for e in pointed)

    def best(self, states: Iterable[PartialQueryGraph], n: int) -> list[Scored]:
        """The `n` best of `states`, each with its score."""
        unique: dict[tuple[Thing, frozenset[int]], Scored] = {}
        for state in states:
            score, key = self.score(state), (state.thing, state.taken)
            if key not in unique or score > unique[key][1]:
                unique[key] = (state, score)
        return sorted(unique.values(), key=lambda each: -each[1])[:n]

    # --- how it grows
    def _grown(self, frontier: list[Scored], starts: list[Scored]) -> Iterator[PartialQueryGraph]:
        partners = [state for state, _ in starts[:_PARTNERS]]
        partners += [state for state, _ in frontier[:_PARTNERS] if state.levels > 1]
        for state, _ in frontier:
            if not state.literal:
                yield from self.extended(state)
                for partner in partners:
                    yield from self._joined(state, partner)

    def _bridged(self, starts: Iterable[PartialQueryGraph]) -> Iterator[PartialQueryGraph]:
        """Two descriptions that only a relation links which no word names: the vegetables of a genus, by their species."""
        named = [each for each in starts if each.names and each.levels == 1 and not (each.literal or each.ordered)][:_BRIDGED]
        leaving = [(each, self.relations.at(each.some())) for each in named if len(named) > 1]
        for state, relations in leaving:
            apart = [one for one in leaving if not one[0].taken & state.taken and not one[0].nodes & state.nodes]
            for relation in relations if len(state.nodes) <= _SPARSE else ():
                turned = self.relations.turned(relation)
                yield from self._linked_by(relation, state, [each for each, others in apart if turned in others])

    def _linked_by(
        self, relation: Relation, state: PartialQueryGraph, partners: Sequence[PartialQueryGraph]
    ) -> Iterator[PartialQueryGraph]:
        wider = self._hopped(state, relation) if partners else None
        if wider is not None and not wider.literal:
            for partner in partners:
                if 0 < len(wider.nodes & partner.nodes) < len(partner.nodes):
                    yield from self._joined(wider, partner)

    def extended(self, state: PartialQueryGraph) -> Iterator[PartialQueryGraph]:
        """One relation further, or one comparison or superlative more."""
        around = self._around(state)
        yield from self.hops(state, around)
        yield from self.compared(state, around)
        yield from self.ordered(state, around)
        yield from tallied(state, (*around, *self._to_counted(state, around)), self.analysis, self.relations)
        yield from compared_with_things(state, around, self.analysis, self.relations)
        if len(state.nodes) <= MOST_NODES and not state.ordered:
            yield from having_kinds(state, self._linked)
            yield from having_any(state, around, self.analysis, self.relations)
        yield from self.denied(state)

    @cached_property
    def _linked(self) -> tuple[LinkedToKind, ...]:
        return linked_to_kinds(self.analysis, self.relations)

    @cached_property
    def _denied(self) -> tuple["StagedGeneration", ...]:
        """What says more of things by the words of each denial alone."""
        return tuple(StagedGeneration(each.analysis, self.relations, self.score, self.familiarity) for each in self.denials)

    def denied(self, state: PartialQueryGraph) -> Iterator[PartialQueryGraph]:
        """Without what the question denies of the things in `state`."""
        for denial, inner in zip(self.denials, self._denied, strict=True):
            if denial.use in state.uses or state.ordered or state.literal:
                continue
            base = replace(state, taken=frozenset(), levels=_DEEPEST)
            yield from denial.of(state, self.relations, inner.extended(base))

    def _around(self, state: PartialQueryGraph) -> tuple[Relation, ...]:
        """The relations that leave what was found and that a word speaks for, the best first."""
        within = frozenset(index for use in state.uses if use.mention for index in use.places)
        leaving = [(self.analysis.speaks_for(each, within), each) for each in self.relations.at(state.some(_SAMPLE))]
        spoken = [each for strength, each in sorted(leaving, key=lambda one: -one[0]) if strength >= _WEAKEST]
        silent = [each for strength, each in leaving if strength < _WEAKEST]
        return (*spoken[:_SPOKEN], *self._to_asked(state, silent), *spoken[_SPOKEN:])

    def _to_asked(self, state: PartialQueryGraph, relations: Iterable[Relation]) -> Iterator[Relation]:
        """Those that no word speaks for, but lead to the kind of thing that is asked for: "which diets allow octopus?"."""
        some = state.some(_FEW)
        asked = [*(each.kind.members for each in self.analysis.asked), *filter(None, (self.analysis.sought,))]
        asked += [each for each in self._owners if not any(isinstance(one, Entity) and one.id in each for one in some)]
        near = dict.fromkeys(self._to_kinds(some, relations if asked else (), asked))
        near.update(dict.fromkeys(_leaving(state, self._from_asked)))
        return iter(near)

    @cached_property
    def _from_asked(self) -> tuple[tuple[Relation, frozenset[Node]], ...]:
        return self._from_kinds(self.analysis.asked, _SPARSE)

    def _from_kinds(self, kinds: Sequence[KindMention], most: int) -> tuple[tuple[Relation, frozenset[Node]], ...]:
        """Relations that lead to things of a kind of up to `most`, and from where: few towns have one of the "prisons"."""
        result = []
        for kind in dict.fromkeys(each.kind.members for each in kinds if len(each.kind.members) <= most):
            members = [Entity(each) for each in sorted(kind)]
            for relation in self.relations.at(sample(frozenset(members))):
                turned = self.relations.turned(relation)
                if turned is not None and turned.leads_to == THING:
                    result.append((turned, self.relations.follow_all(members, relation)))
        return tuple(result)

    @cached_property
    def _owners(self) -> tuple[frozenset[str], ...]:
        """The things that have the values which a superlative or comparison is about: of "the smallest brain", the animals."""
        if not (self.analysis.extremes or self.analysis.comparisons):
            return ()
        ranked = sorted((-self.analysis.speaks_for(each), each.key, each) for each in self.analysis.evidence)
        values = [each for strength, _, each in ranked if strength <= -_CLEAR and each.leads_to in (NUMBER, DATE)]
        pairs = (islice(self.relations.graph.pairs(each.path[0]), MOST_NODES) for each in values[:_FEW])
        return tuple(frozenset(start for start, _ in each) for each in pairs)

    def _to_counted(self, state: PartialQueryGraph, around: Sequence[Relation]) -> Iterator[Relation]:
        """Those that no word speaks for, but lead to what is counted: "the country with the most dog breeds"."""
        return (each for each in dict.fromkeys(_leaving(state, self._from_counted)) if each not in around)

    @cached_property
    def _from_counted(self) -> tuple[tuple[Relation, frozenset[Node]], ...]:
        behind = {each.end for each in self.analysis.extremes} | {each.end for each in self.analysis.comparisons}
        return self._from_kinds([each for each in self.analysis.kinds if each.start in behind], MOST_NODES)

    def _to_kinds(
        self, some: Sequence[Node], relations: Iterable[Relation], kinds: Sequence[frozenset[str]]
    ) -> Iterator[Relation]:
        for relation in relations:
            if relation.leads_to == THING:
                ends = [end for node in some for end in sample(self.relations.follow(node, relation))[:_FEW]][:_FEW]
                if ends and any(all(isinstance(end, Entity) and end.id in members for end in ends) for members in kinds):
                    yield relation

    def hops(self, state: PartialQueryGraph, around: tuple[Relation, ...]) -> Iterator[PartialQueryGraph]:
        picks_out = state.thing.ties or state.ordered or state.thing.without
        if not picks_out or state.levels > _DEEPEST or len(state.nodes) > MOST_NODES:
            return
        deep = state.levels >= _DEEPEST + state.ordered
        kinds = [each.kind.members for each in self.analysis.asked]
        asked = set(self._to_kinds(state.some(_FEW), around[:_BRANCHES], kinds)) if deep else set()
        for relation in around[:_BRANCHES]:
            if deep and relation.leads_to == THING and relation not in asked:
                continue  # from the end of a long way only a figure or date is asked for, or the kind of thing that is named
            wider = self._hopped(state, relation)
            if wider is not None:
                yield self._without_named(wider) if self._goes_back(relation, state.thing) else wider
                if relation.mediated and not wider.literal and self._names_more(state):
                    tie = wider.thing.ties[0]
                    yield from narrowed(wider, tie, state.nodes, relation, self.relations, self.analysis, by_values=False)

    def _names_more(self, state: PartialQueryGraph) -> bool:
        return any(state.taken.isdisjoint(range(each.start, each.end)) for each in self.analysis.mentions)

    def _hopped(self, state: PartialQueryGraph, relation: Relation) -> PartialQueryGraph | None:
        """What `relation` leads to from the things in `state`; None if to nothing, too many, or what the question names."""
        ends = self.relations.follow_all(state.nodes, relation)
        if not ends or len(ends) > MOST_NODES or ends <= {each.node for each in state.names}:
            return None
        chosen = state.rank if state.ordered and (len(ends) > 1 or state.rank > 1) else 0
        thing = Thing((Tie(relation.path, replace(state.thing, chosen=chosen), relation.outward),))
        earlier = (replace(each, level=each.level + 1) for each in state.uses)
        uses = (*earlier, replace(_first_hop(state), relation=relation))
        is_value = relation.leads_to != THING
        return PartialQueryGraph(thing, ends, uses, state.taken, state.levels + 1, state.ordered, is_value)

    @cached_property
    def _others(self) -> tuple[Use, ...]:
        """The words that ask for other things that have the same: "which other", "the same", "share"."""
        words = frozenset(f"{table('framing')['same']} {table('follow_ups')['others']}".split())
        return tuple(Use("deny", index, index + 1) for index, each in enumerate(self.analysis.tokens) if each.plain in words)

    def _without_named(self, state: PartialQueryGraph) -> PartialQueryGraph:
        """ "The states in the same region as Goa" are others than Goa."""
        named = {each.node for each in state.names} & state.nodes if self._others else frozenset()
        known = tuple(sorted((each for each in named if isinstance(each, Entity)), key=lambda each: each.id))
        if not known:
            return state
        thing = replace(state.thing, without=(Thing((), options=known),))
        return replace(state, thing=thing, nodes=state.nodes - frozenset(known), uses=(*state.uses, *self._others))

    def _goes_back(self, relation: Relation, thing: Thing) -> bool:
        """Whether a relation is gone along back again, as to what has the same."""
        for tie in thing.ties:
            turned = tie.path == relation.path and tie.outward != relation.outward
            if turned or self.relations.reverses.get(tie.path) == relation.path:
                return True
        return False

    def compared(self, state: PartialQueryGraph, around: tuple[Relation, ...]) -> Iterator[PartialQueryGraph]:
        partial = self.relations.graph.partial
        for comparison in self.analysis.comparisons:
            if not state.taken.isdisjoint(range(comparison.start, comparison.end)):
                continue
            for relation in (*around[: 2 * _BRANCHES], *self._dates(state, comparison, around)):
                if not (bounds := bounds_of(comparison, relation.leads_to)):
                    continue
                ends = {node: self.relations.follow(node, relation) for node in state.nodes}
                kept = frozenset(node for node, values in ends.items() if any(meets(each, bounds) for each in values))
                if partial:  # others may meet it
                    kept = kept or frozenset(node for node, values in ends.items() if values)
                if kept or (state.thing.ties and any(ends.values())):
                    ties = [Tie(relation.path, each, True) for each in bounds]
                    wider = _with_ties(state, ties, kept, Use("compare", comparison.start, comparison.end, relation))
                    valued = sum(bool(each) for each in ends.values())
                    yield replace(wider, vacuous=state.vacuous or (not partial and _FEW < valued == len(kept)))

    def _dates(
        self, state: PartialQueryGraph, comparison: ComparisonMention, around: tuple[Relation, ...]
    ) -> Iterable[Relation]:
        """The dates on record where no word says which is meant: "westerns since 2000"."""
        if comparison.value.date is None or any(each.leads_to == DATE for each in around):
            return ()
        leaving = self.relations.at(state.some(_SAMPLE))
        dates = [each for each in leaving if each.leads_to == DATE]
        return dates if len(dates) <= _FEW else ()

    def ordered(self, state: PartialQueryGraph, around: tuple[Relation, ...]) -> Iterator[PartialQueryGraph]:
        if state.ordered or not state.nodes:
            return
        for extreme in self.analysis.extremes:
            if (extreme.compares and not state.thing.options) or not self._may_choose(extreme, state):
                continue
            wanted = (DATE,) if extreme.of_date else (NUMBER,) if extreme.about else (NUMBER, DATE)
            yield from self._by_age(state, extreme, around)
            evident = self._meant(extreme, [each for each in around if each.leads_to in wanted])[:_BRANCHES]
            for relation in evident or self._usual(state, wanted):
                yield from self._sorted_by(state, extreme, relation, extreme.descending)

    def _by_age(
        self, state: PartialQueryGraph, extreme: SuperlativeMention, around: tuple[Relation, ...]
    ) -> Iterator[PartialQueryGraph]:
        """The oldest began first, or have the largest age."""
        for relation in around if extreme.of_date else ():
            names = {word for each in relation.path for word in self.relations.graph.names.get(each, "").lower().split()}
            if relation.leads_to == NUMBER and "age" in names:
                yield from self._sorted_by(state, extreme, relation, not extreme.descending)

    def _sorted_by(
        self, state: PartialQueryGraph, extreme: SuperlativeMention, relation: Relation, descending: bool
    ) -> Iterator[PartialQueryGraph]:
        values = {node: best_value(self.relations.follow(node, relation), descending) for node in state.nodes}
        known = {node: value for node, value in values.items() if value is not None}
        if not known or not state.taken.isdisjoint(range(extreme.start, extreme.end)):
            return
        levels = sorted(set(known.values()), reverse=descending)
        best = levels[min(extreme.rank, len(levels)) - 1]
        kept = frozenset(node for node, value in known.items() if value == best)
        if extreme.many > 1:
            kept = frozenset(sorted(known, key=lambda node: known[node], reverse=descending)[: extreme.many])
        tie = Tie(relation.path, forms.Extreme(descending, extreme.many), True)
        wider = _with_ties(state, [tie], kept, Use("order", extreme.start, extreme.end, relation))
        # Where one of those to choose from has no such value, another thing of its name may be meant: the river and not Niger.
        yield replace(wider, ordered=True, rank=extreme.rank, vacuous=state.vacuous or len(known) < len(state.thing.options))

    def _may_choose(self, extreme: SuperlativeMention, state: PartialQueryGraph) -> bool:
        """Whether there are several to choose from, or one of the kind that the superlative is said of."""
        kinds = [each for each in self.analysis.kinds if each.start == extreme.end]
        return len(state.nodes) > 1 or self.context is not None or any(_all_are(state.nodes, each) for each in kinds)

    def _meant(self, extreme: SuperlativeMention, relations: list[Relation]) -> list[Relation]:
        """Of a superlative that is about one thing ("most populous") only the values that it is about, where there are any."""
        if not extreme.about or set(extreme.about) & _ANY_SIZE:
            return relations
        return [each for each in relations if self.analysis.evidence[each].get(extreme.end - 1, 0.0) >= _WEAKEST] or relations

    def _usual(self, state: PartialQueryGraph, wanted: tuple[str, ...]) -> list[Relation]:
        """Where no word says which value decides: those that are asked for most."""
        leaving = self.relations.at(state.some(_SAMPLE))
        values = [each for each in leaving if each.leads_to in wanted and not each.outward]
        return sorted(values, key=lambda each: -self.familiarity.get(each.key, 0.0))[:_BRANCHES]

    def _joined(self, one: PartialQueryGraph, other: PartialQueryGraph) -> Iterator[PartialQueryGraph]:
        """Two descriptions of the same things."""
        if other.literal or one.ordered or other.ordered or one.taken & other.taken:
            return
        kinds = {one.thing.kind, other.thing.kind} - {None}
        nodes = one.nodes & other.nodes
        if (not nodes and not self._are_alike(one, other)) or not one.thing.ties or not other.thing.ties or len(kinds) > 1:
            return
        if set(one.thing.ties) & set(other.thing.ties) or one.thing.options or other.thing.options:
            return
        without = (*one.thing.without, *other.thing.without)
        if len(without) > len(self.denials):
            return
        first, second = sorted((one, other), key=lambda each: min(each.taken, default=0))
        thing = Thing((*first.thing.ties, *second.thing.ties), kinds.pop() if kinds else None, without=without)
        uses = tuple(dict.fromkeys((*first.uses, *second.uses)))
        yield PartialQueryGraph(thing, nodes, uses, one.taken | other.taken, max(one.levels, other.levels))

    def _are_alike(self, one: PartialQueryGraph, other: PartialQueryGraph) -> bool:
        """Whether both find things of one kind, so that it tells something that they have none in common."""
        if one.levels + other.levels > _DEEPEST or not one.nodes or not other.nodes:
            return False
        kinds = [{self.relations.kind_of(node) for node in each.some(_SAMPLE)} - {None} for each in (one, other)]
        return len(kinds[0]) == 1 and kinds[0] == kinds[1]

    # --- kinds
    def with_kinds(self, states: Iterable[PartialQueryGraph]) -> Iterator[PartialQueryGraph]:
        """Each state with the words that say what kind of thing it finds; one more for each kind that narrows it."""
        for state in states:
            yield self._labelled(state)
            if not state.ordered and not state.literal and state.thing.kind is None:
                yield from self._narrowed(state)

    def _labelled(self, state: PartialQueryGraph) -> PartialQueryGraph:
        if state.literal:
            return state
        spans = {(use.start, use.end) for use in state.uses if use.role == "kind"}
        fitting = [each for each in self.analysis.kinds if (each.start, each.end) not in spans and _all_are(state.nodes, each)]
        return replace(state, uses=(*state.uses, *dict.fromkeys(Use("kind", each.start, each.end) for each in fitting)))

    def _narrowed(self, state: PartialQueryGraph) -> Iterator[PartialQueryGraph]:
        for mention in self.analysis.kinds:
            kept = frozenset(each for each in state.nodes if isinstance(each, Entity) and each.id in mention.kind.members)
            if mention.kind.id is not None and len(kept) < len(state.nodes) and (kept or self._may_be_none(state, mention)):
                thing = replace(state.thing, kind=mention.kind.id)
                use = Use("kind", mention.start, mention.end)
                yield self._labelled(replace(state, thing=thing, nodes=kept, uses=(*state.uses, use)))

    def _may_be_none(self, state: PartialQueryGraph, mention: KindMention) -> bool:
        """Whether it tells something that none are of the kind: no prison is at Ostend, where prisons are at other towns."""
        leads_elsewhere = any(state.last_relation == each for each, _ in self._from_asked)
        return leads_elsewhere and mention in self.analysis.asked and self.analysis.frame.kind in ("yes-no", "count")


def _leaving(state: PartialQueryGraph, relations: Iterable[tuple[Relation, frozenset[Node]]]) -> Iterator[Relation]:
    """Those of `relations`, each with what it leaves, that leave something in `state`."""
    return (each for each, starts in relations if not starts.isdisjoint(state.nodes))


def _first_hop(state: PartialQueryGraph) -> Use:
    """The next relation begins at what the question before found as at a name; else no word calls for it by itself."""
    context = next((each for each in state.uses if each.role == "context"), None)
    if context is None or any(each.relation for each in state.uses):
        return Use("hop", 0, 0)
    return Use("start", context.start, context.end)


def _all_are(nodes: frozenset[Node], mention: KindMention) -> bool:
    members = mention.kind.members
    return all(isinstance(each, Entity) and each.id in members for each in nodes)


def _with_ties(state: PartialQueryGraph, ties: list[Tie], kept: frozenset[Node], use: Use) -> PartialQueryGraph:
    thing = replace(state.thing, ties=(*state.thing.ties, *ties))
    return replace(state, thing=thing, nodes=kept, uses=(*state.uses, use), taken=state.taken | frozenset(use.places))
