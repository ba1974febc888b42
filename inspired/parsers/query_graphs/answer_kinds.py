"""Readings by the kind of answer that is asked for: a list, a number of things, or yes and no; and by what is denied."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, product

from inspired.knowledge_base.vocabulary import NOTABLE, Node
from inspired.logical_form.forms import Asking, Counting, Entity, Literal, RelationalExpression, Returns
from inspired.logical_form.sparql_reader import ANSWER
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.entities import EntityMention
from inspired.parsers.linking.framing import Negation, between, scopes
from inspired.parsers.linking.relations import NUMBER, TEXT, THING, Relation, Relations
from inspired.parsers.query_graphs.comparing import bounds_of
from inspired.parsers.query_graphs.denials import Denial, exception, has_any
from inspired.parsers.query_graphs.query_graph import NOTHING, Anything, Bound, Thing, Tie
from inspired.parsers.query_graphs.ranking.claims import unexplained
from inspired.parsers.query_graphs.staged_generation import StagedGeneration
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use
from inspired.parsers.query_graphs.tallies import linked_to_kinds

Score = Callable[[PartialQueryGraph, QuestionAnalysis], float]

# What speaks for a reading besides its words, on the scale of the fitted weights.
HOLDS, FIRST, ONE_OF_TWO, FIGURE = 1.0, 1.5, 2.0, 2.5
_CLEARLY, _SPOKEN = 0.5, 0.3
_DENIED = 10
_SUBJECTS = 4
_OPENING = 3
_SOME = 40
_ASIDE = 0.7


@dataclass(frozen=True)
class Candidate:
    """One reading: what it finds, and what is asked of that."""

    score: float
    state: PartialQueryGraph
    returns: Returns | None = None


@dataclass(frozen=True, eq=False)
class AnswerKinds:
    """All readings of one question on one graph."""

    analysis: QuestionAnalysis
    relations: Relations
    score: Score
    familiarity: Mapping[str, float] = field(default_factory=dict)
    context: PartialQueryGraph | None = None

    def candidates(self) -> list[Candidate]:
        """The readings, the best first. Each follows the frame of the question: nothing that it denies is left out."""
        match self.analysis.frame.kind:
            case "list":
                result = [Candidate(score, state) for score, state in self._searched(self._everywhere)]
            case "count":
                result = [*self._counts()]
            case "yes-no":
                result = [*self._claims()]
        if "whom" in {each.plain for each in self.analysis.tokens[:_OPENING]}:  # "from whom" asks for no number and no date
            result = [each for each in result if not each.state.literal] or result
        return sorted(result, key=lambda each: -each.score)

    @property
    def _everywhere(self) -> frozenset[int]:
        return frozenset(range(len(self.analysis.tokens)))

    # --- searching the words at some places, with what they deny
    def _searched(self, places: frozenset[int], sought: frozenset[str] = frozenset()) -> list[tuple[float, PartialQueryGraph]]:
        result: list[tuple[float, PartialQueryGraph]] = []
        negations = [each for each in self.analysis.frame.negations if places.issuperset(each.places)]
        for chosen in islice(product(*(self._scopes(each, places) for each in negations)), 8):
            denials = tuple(self._denial(each, scope, places) for each, scope in zip(negations, chosen, strict=True))
            denied = {index for each, scope in zip(negations, chosen, strict=True) for index in (*each.places, *scope)}
            search = StagedGeneration(
                replace(self.analysis.restricted(places - denied), sought=sought),
                self.relations,
                self._scored(places),
                self.familiarity,
                denials,
                self.context,
            )
            result += search.run()
        return sorted(result, key=lambda each: -each[0])

    def _scored(self, places: frozenset[int]) -> Callable[[PartialQueryGraph], float]:
        part = self.analysis if places == self._everywhere else self.analysis.restricted(places)
        return lambda state: self.score(state, part)

    def _scopes(self, negation: Negation, places: frozenset[int]) -> tuple[range, ...]:
        ends = [each.end for each in self.analysis.mentions]
        following = [each.start for each in self.analysis.frame.negations if each.start > negation.end]
        possible = scopes(negation, self.analysis.tokens, [*ends, *following])
        kept = [each for each in possible if not following or each.stop <= min(following)]
        return tuple(each for each in kept if places.issuperset(each)) or possible[-1:]

    def _denial(self, negation: Negation, scope: range, places: frozenset[int]) -> Denial:
        inner = self.analysis.restricted(scope, _ASIDE)
        # Of the words outside, only those of relations count, and only where the denied words have none of their own.
        inner = replace(inner, passed=frozenset(range(len(self.analysis.tokens))) - frozenset(scope), asked=())
        search = StagedGeneration(inner, self.relations, lambda state: self.score(state, inner), self.familiarity)
        described = [state for _, state in search.run()[:_DENIED] if not state.literal]
        return Denial(negation, inner, (*described, *exception(inner, negation)))

    # --- how many
    def _counts(self) -> Iterator[Candidate]:
        counted = self._counted_word()
        for score, state in self._searched(self._everywhere):
            returns = None if _leads_to(state) == NUMBER else Counting()
            figure = returns is None and self._speaks(counted, state)
            things = any(each.start == counted for each in self.analysis.kinds) or self._is_beside_things(state)
            counts = returns is not None and (not state.literal or self._counts_texts(counted, state))
            if counts or (returns is None and (figure or not things)):
                yield Candidate(score + (FIGURE if figure else 0.0), state, returns)

    def _counts_texts(self, counted: int, state: PartialQueryGraph) -> bool:
        """Whether what is counted are texts on record: "how many postal codes"."""
        last = state.last_relation
        places = range(counted, counted + 2)
        row = self.analysis.evidence.get(last, {}) if last is not None and last.leads_to == TEXT else {}
        return any(row.get(index, 0.0) >= _CLEARLY for index in places)

    def _counted_word(self) -> int:
        """The place of the noun behind "how many"."""
        behind = max(self.analysis.frame.cues) + 1
        places = range(behind, len(self.analysis.tokens))
        return next((index for index in places if not self.analysis.tokens[index].is_stop), behind)

    def _speaks(self, index: int, state: PartialQueryGraph) -> bool:
        """Whether a figure is on record for what is to be counted: "people" for the population."""
        relations = (use.relation for use in state.uses if use.relation is not None and not self._is_about_things(use.relation))
        rows = (self.analysis.evidence.get(each, {}) for each in relations)
        return any(row.get(index, 0.0) >= _CLEARLY for row in rows)

    def _is_beside_things(self, state: PartialQueryGraph) -> bool:
        last = state.last_relation
        return last is not None and self._is_about_things(last)

    def _is_about_things(self, relation: Relation) -> bool:
        """Whether the figure is told of a link to other things, which are what is counted: neighbours, not their borders."""
        same = self.relations.by_first.get(relation.path[0], ())
        return relation.mediated and any(each.leads_to == THING for each in same)

    # --- yes or no
    def _claims(self) -> Iterator[Candidate]:
        frame = self.analysis.frame
        if frame.every is not None:
            yield from self._universal(frame.every)
            return
        if frame.exists:
            yield from (
                Candidate(score, state, Asking()) for score, state in self._searched(self._everywhere) if not state.literal
            )
            return
        for subjects in self._subjects():
            yield from self._about(subjects)
        yield from self._had()
        yield from self._values_claimed()
        yield from self._choices()

    def _subjects(self) -> Iterator[tuple[EntityMention, ...]]:
        """The things that may be what is said to be so: one, or two joined by "and"."""
        best = [each for each in self.analysis.mentions if not self._is_inside(each)][: 3 * _SUBJECTS]
        spans = dict.fromkeys((each.start, each.end) for each in best)
        for start, end in list(spans)[:_SUBJECTS]:
            for one in [each for each in best if (each.start, each.end) == (start, end)][:2]:
                yield (one,)
                for other in best:
                    if other.start == end + 1 and self.analysis.tokens[end].plain in ("and", "or") and other.node != one.node:
                        yield (one, other)

    def _opens(self, subject: EntityMention) -> bool:
        """Whether the question begins with it: "is Lima the capital of Peru?"."""
        before = self.analysis.tokens[: subject.start]
        return all(each.is_stop for each in before)

    def _is_inside(self, mention: EntityMention) -> bool:
        wider = [each for each in self.analysis.mentions if each.start <= mention.start and each.end >= mention.end]
        return any(each.end - each.start > mention.end - mention.start and each.match >= mention.match for each in wider)

    def _about(self, subjects: tuple[EntityMention, ...]) -> Iterator[Candidate]:
        places = frozenset(range(subjects[0].start, subjects[-1].end))
        uses = tuple(Use("claim", each.start, each.end, mention=each) for each in subjects)
        members = tuple(each.node for each in subjects)
        alike = frozenset(each.id for each in self.relations.members(self.relations.kind_of(members[0])))
        for _, state in self._searched(self._everywhere - places, alike)[:_SOME]:
            if state.literal or places & state.taken or not self._may_be(members, state):
                continue
            claimed = replace(state, uses=(*state.uses, *uses), taken=state.taken | places)
            holds = all(each in state.nodes for each in members)
            score = (
                self.score(claimed, self.analysis) + (HOLDS if holds else 0.0) + (FIRST if self._opens(subjects[0]) else 0.0)
            )
            yield Candidate(score, claimed, Asking(members))

    def _had(self) -> Iterator[Candidate]:
        """ "Does Bolivia have a coastline?": whether there is anything along a relation, or a figure above 0."""
        for (subject,) in (each for each in self._subjects() if len(each) == 1):
            places = frozenset(range(subject.start, subject.end))
            part = self.analysis.restricted(self._everywhere - places)
            if part.comparisons or part.extremes:
                continue
            yield from self._having_one(subject, part)
            for relation in self.relations.of_kind(self.relations.kind_of(subject.node)):
                if part.speaks_for(relation) >= _SPOKEN and relation.leads_to in (THING, NUMBER):
                    yield from self._having(subject, relation)

    def _having_one(self, subject: EntityMention, part: QuestionAnalysis) -> Iterator[Candidate]:
        """ "Has Ypres a prison?": whether it is linked to one of a kind."""
        alike = frozenset(self.relations.members(self.relations.kind_of(subject.node)))
        for link in linked_to_kinds(part, self.relations):
            nodes = link.nodes & (alike | {subject.node})
            tie = Tie(link.relation.path, Thing((), link.mention.kind.id), link.relation.outward)
            named = Use("kind", link.mention.start, link.mention.end, level=1)
            uses = (Use("hop", 0, 0, link.relation), Use("claim", subject.start, subject.end, mention=subject), named)
            state = PartialQueryGraph(Thing((tie,)), nodes, uses, frozenset((*uses[1].places, *named.places)))
            if nodes and not unexplained(state, self.analysis):
                holds = subject.node in nodes
                asking = Asking((subject.node,), negated=bool(self.analysis.frame.negations))
                yield Candidate(self.score(state, self.analysis) + (HOLDS if holds else 0.0), state, asking)

    def _having(self, subject: EntityMention, relation: Relation) -> Iterator[Candidate]:
        number = relation.leads_to == NUMBER
        tie = Tie(relation.path, Bound(">", NOTHING) if number else Anything(), not relation.outward)
        uses = (Use("hop", 0, 0, relation), Use("claim", subject.start, subject.end, mention=subject))
        alike = self.relations.members(self.relations.kind_of(subject.node))
        nodes = frozenset(each for each in (subject.node, *alike) if has_any(self.relations, each, relation))
        state = PartialQueryGraph(Thing((tie,)), nodes, uses, frozenset(uses[1].places))
        if nodes and not unexplained(state, self.analysis):
            holds = subject.node in nodes
            asking = Asking((subject.node,), negated=bool(self.analysis.frame.negations))
            yield Candidate(self.score(state, self.analysis) + (HOLDS if holds else 0.0), state, asking)

    def _may_be(self, members: tuple[Node, ...], state: PartialQueryGraph) -> bool:
        """Whether the things are of a kind with those found: no city is asked whether it is one of the languages."""
        if not state.nodes:
            return True
        return all(each in state.nodes or bool(self._kinds([each]) & self._kinds(state.some(_SOME))) for each in members)

    def _kinds(self, nodes: Iterable[Node]) -> set[str]:
        graph = self.relations.graph
        kinds: set[str] = set()
        for node in nodes:
            if isinstance(node, Literal):
                kinds.add("text")
                continue
            kinds |= {each.id for each in graph.objects(node.id, NOTABLE) if isinstance(each, Entity)}
            kinds |= graph.types.get(node.id, frozenset()) if not graph.objects(node.id, NOTABLE) else set()
        return kinds

    def _values_claimed(self) -> Iterator[Candidate]:
        """ "Is the population of Japan over 100 million?": a value that is compared."""
        for comparison in self.analysis.comparisons:
            places = frozenset(range(comparison.start, comparison.end))
            for _, state in self._searched(self._everywhere - places)[:_SOME]:
                bounds = bounds_of(comparison, _leads_to(state)) if state.literal else ()
                if bounds:
                    use = Use("compare", comparison.start, comparison.end)
                    claimed = replace(state, uses=(*state.uses, use), taken=state.taken | places)
                    tests = tuple(RelationalExpression(ANSWER, each.operator, each.value) for each in bounds)
                    yield Candidate(self.score(claimed, self.analysis), claimed, Asking((), tests))

    def _choices(self) -> Iterator[Candidate]:
        """ "Is Brazil larger than Argentina?": whether it is the first of the two."""
        for score, state in self._searched(self._everywhere):
            first = state.thing.options[:1]
            if state.ordered and len(state.thing.options) > 1:
                yield Candidate(score + ONE_OF_TWO, state, Asking(first))

    def _universal(self, every: int) -> Iterator[Candidate]:
        """ "Do all countries of Benelux use the euro?": whether none is left without those of which it holds."""
        whole = self._everywhere - {every}
        for begin in between(self.analysis.tokens, self.analysis.frame) if self.context is None else (every + 1,):
            claimed = range(begin, len(self.analysis.tokens))
            denial = self._denial(Negation(every, every + 1), claimed, whole)
            part = self.analysis.restricted(frozenset(range(every + 1, begin)))
            search = StagedGeneration(part, self.relations, self._scored(whole), self.familiarity)
            bases = [state for _, state in search.run()[:_DENIED]] if self.context is None else [self.context]
            for base in bases:
                if base.literal or not (base.thing.ties or base.thing.options):
                    continue
                for other in denial.described:
                    yield from self._all_are(base, other, denial)

    def _all_are(self, base: PartialQueryGraph, other: PartialQueryGraph, denial: Denial) -> Iterator[Candidate]:
        if not base.nodes & other.nodes:
            return
        thing = replace(base.thing, without=(other.thing,))
        uses = tuple(dict.fromkeys((*base.uses, denial.use, *other.uses)))
        state = replace(base, thing=thing, uses=uses, taken=base.taken | other.taken)
        yield Candidate(self.score(state, self.analysis), state, Asking((), (), negated=True))


def _leads_to(state: PartialQueryGraph) -> str:
    last = state.last_relation
    return last.leads_to if last is not None else THING
