"""The parser that works at once, offline and on any graph that fits into memory: staged query graphs, scored and ranked."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from cachetools import LRUCache

from backend.errors import InspiredError
from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.published import OWL, SUBCLASS
from inspired.knowledge_base.vocabulary import NOTABLE, Node
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.forms import (
    Aggregate,
    Entity,
    Filter,
    Literal,
    LogicalForm,
    Minus,
    Pattern,
    RelationalExpression,
    SubQuery,
    Triple,
    Union,
    Variable,
    triples,
    walk,
)
from inspired.logical_form.sparql_reader import ANSWER
from inspired.parsers.linking.analysis import QuestionAnalysis, analyse
from inspired.parsers.linking.entities import EntityLinker
from inspired.parsers.linking.framing import nobody
from inspired.parsers.linking.lexicon import RelationLexicon
from inspired.parsers.linking.relations import Relations
from inspired.parsers.query_graphs.answer_kinds import AnswerKinds, Candidate
from inspired.parsers.query_graphs.columns import (
    OF_FOUND,
    ColumnsAsked,
    column_relations,
    columns_asked,
    columns_of_one,
    naming,
    pointer_in,
    questions_in,
    relation_columns,
    shares_asked,
    things_in,
    with_columns,
    with_shares,
)
from inspired.parsers.query_graphs.comparing import in_the_words_of, value_of_first
from inspired.parsers.query_graphs.query_graph import Either, Thing, Tie, logical_form, meaning, unframed
from inspired.parsers.query_graphs.ranking.claims import unexplained
from inspired.parsers.query_graphs.ranking.features import features
from inspired.parsers.query_graphs.ranking.opposites import fact_claimed, shared, undirected
from inspired.parsers.query_graphs.ranking.second_look import COMPARED, compared, first_reading, second_look
from inspired.parsers.query_graphs.ranking.ways import ways_of
from inspired.parsers.query_graphs.ranking.weights import Weights, fitted_weights
from inspired.parsers.query_graphs.state import PartialQueryGraph
from inspired.parsers.query_graphs.walk import described
from inspired.parsers.reading import QuestionReading
from inspired.sub_questions.templates import Corpus, own_corpus

_LONGEST = 600
_RANKED = 60
REMEMBERED = 2000
_A_NAME = 0.75
_IN_VAIN, _NEARLY = 0.7, 0.85
DOUBTED = 0.45  # confidence at most of what is read, but most often not meant
# Below this confidence a reading is no answer: of questions of people 1 in 24 was read rightly (`corpus/knowledge_bases/read`).
IMPROBABLE = 0.08


def _trust(best: Mapping[str, float], state: PartialQueryGraph) -> float:
    """How far a reading is to be trusted beside its score: less if it finds nothing, or rests on a name nearly spelt."""
    trust = _IN_VAIN if best.get("empty") or best.get("vacuous") else 1.0
    nearly = any(each.match < _A_NAME for each in state.names)
    return trust * (_NEARLY if nearly else 1.0)


States = LRUCache[str, PartialQueryGraph]


class DefaultParser:
    """Reads questions over `graph`. What it works out about the graph is kept; it can serve several threads."""

    def __init__(
        self, graph: Graph, weights: Weights | None = None, corpus: Corpus | None = None, states: "States | None" = None
    ) -> None:
        """`states`: what readings of other parsers found, where follow-ups go on from questions that those have read."""
        self.graph = graph
        self.weights = weights or fitted_weights()
        self.second_look = second_look() if weights is None else None
        self.relations = Relations(graph)
        self.lexicon = RelationLexicon(self.relations, corpus or own_corpus(), self.weights.words)
        self.linker = EntityLinker(graph)
        self._nodes = 0
        self._states: States = LRUCache(REMEMBERED) if states is None else states

    def focused(self, question: str, earlier: Sequence[str] = ()) -> "DefaultParser":
        """This parser, which knows the whole graph whatever is asked (see `InPlaceParser.focused`)."""
        return self

    def parse(self, question: str, n: int = 10, context: PartialQueryGraph | None = None) -> tuple[QuestionReading, ...]:
        """Up to `n` readings, the best first. Raises InspiredError if the question names nothing that is known here.

        `context` is what the question before found, where this one goes on from that.
        """
        if (plain := shares_asked(question)) and (shares := self._with_shares(*plain, n, context)):
            return shares
        if (asked := columns_asked(question)) and (in_columns := self._with_columns(asked, n, context)):
            return in_columns
        of_one = columns_of_one(question)
        if (parts := of_one or questions_in(question)) and (together := self._together(parts, n, context, bool(of_one))):
            return together
        several = things_in(question, self.linker.knows)
        if several and not self.linker.knows(several[0]) and (values := self._of_things(several[1], question, n, context)):
            return values
        return self._parsed(question, n, context)

    def _parsed(self, question: str, n: int, context: PartialQueryGraph | None) -> tuple[QuestionReading, ...]:
        analysis = self.analyse(question)
        ranked = self.meanings(analysis, context)
        if not ranked:
            raise InspiredError(self._refusal(analysis))
        ranked, chances = self._weighed(ranked, analysis)
        readings: dict[str, QuestionReading] = {}
        # Forms are written for the readings that are returned, not for all that were weighed.
        for chance, each in zip(chances, ranked, strict=True):
            value = value_of_first(each.state, analysis, self.relations) if each.returns is None else None
            key, form = self._written(each if value is None else replace(each, state=value))
            ambiguous = analysis.linking.ambiguous(each.state.names)
            if analysis.frame.asks_who and each.returns is None and self._finds_nobody(each.state):
                chance = min(chance, DOUBTED)
            unused, improbable = unexplained(each.state, analysis), chance < IMPROBABLE
            reading = QuestionReading(form, self.names(form), chance, unused, ambiguous, improbable=improbable)
            readings.setdefault(key, reading)
            if len(readings) >= n:
                break
        return tuple(readings.values())

    def _finds_nobody(self, state: PartialQueryGraph) -> bool:
        """Whether all of what is found is of kinds that are nobody: who governs Laos is not its form of government."""
        kinds = {kind for each in state.some() if (kind := self.relations.kind_of(each)) is not None}
        first = {words[0] for kind in kinds if (words := self.graph.names.get(kind, "").lower().split())}
        return bool(kinds) and len(first) == len(kinds) and first <= nobody()

    def _with_columns(self, asked: ColumnsAsked, n: int, context: PartialQueryGraph | None) -> tuple[QuestionReading, ...]:
        """The readings of the question for the answers that have all columns asked for; none if the likeliest has not."""
        readings: list[QuestionReading] = []
        for reading in self.parse(asked.whole, n, context):
            state = self.state_of(reading.form)
            relations = column_relations(state, asked.columns, self.relations, self.analyse) if state is not None else None
            if state is None or relations is None or not relations or reading.form.returns is not None or state.literal:
                if not readings:
                    return ()
                continue
            form = with_columns(reading.form, relation_columns(relations))
            self._states[canonical(form)] = state
            readings.append(replace(reading, form=form, names={**reading.names, **self.names(form)}))
        return tuple(readings)

    def _with_shares(self, question: str, words: str, n: int, context: PartialQueryGraph | None) -> tuple[QuestionReading, ...]:
        """The readings of a question whose answers have shares, with these; of others with `words` left out."""
        readings = self._read(question, n, context)
        for each in readings:
            form, state = with_shares(each.form, self.graph), self.state_of(each.form)
            if form is not None and state is not None and not (each.improbable or each.unused or readings[0].improbable):
                self._states[canonical(form)] = state
                # Who asks for shares means what has them, of the same things by two ways.
                sure = each.confidence + (readings[0].confidence if each is not readings[0] else 0.0)
                return (replace(each, form=form, names=self.names(form), confidence=sure),)
        return tuple(replace(each, unused=(*each.unused, words)) for each in readings)

    def _likeliest(self, question: str, context: PartialQueryGraph | None = None) -> QuestionReading | None:
        return next(iter(self._read(question, 1, context)), None)

    def _read(self, question: str, n: int, context: PartialQueryGraph | None) -> tuple[QuestionReading, ...]:
        """The readings of a question; none where it cannot be read."""
        try:
            return self._parsed(question, n, context)
        except InspiredError:
            return ()

    def _together(
        self, parts: Sequence[str], n: int, context: PartialQueryGraph | None, of_one: bool
    ) -> tuple[QuestionReading, ...]:
        """The readings of the first of several questions, with what the others ask beside the answers, else with those unused.

        The others ask of each of the things that the first finds, or of the one that is named, as all do that are `of_one`.
        There is none where the first is not understood: "the longest and newest film" has one question.
        """
        readings = self._read(parts[0], n, context)
        if not readings:
            return ()
        first, others = readings[0], parts[1:]
        state = self.state_of(first.form)
        if first.improbable or (of_one and self._only_tie(first) is None):
            return ()
        if state is not None and first.form.returns is None:
            point = (pointer_in(others[0]) or "").lower()
            of_each = self._of_each(state, first, others[0]) if point and not state.literal else ()
            found_only = not state.literal and point in OF_FOUND
            if beside := of_each or (() if found_only else self._of_one(first, others)):
                return beside
        left = tuple(each.rstrip("?") for each in others)
        return tuple(replace(each, unused=(*each.unused, *left)) for each in readings)

    def _of_one(self, first: QuestionReading, others: Sequence[str]) -> tuple[QuestionReading, ...]:
        """What several questions ask of the thing that all of them name or point to."""
        tie = self._only_tie(first)
        if tie is None or not isinstance(tie.other, Entity):
            return ()
        name = self.graph.names.get(tie.other.id, "")
        asking = [first, *(self._likeliest(naming(each, name)) for each in others)]
        one = PartialQueryGraph(Thing((), options=(tie.other,)), frozenset((tie.other,)), ())
        return self._in_columns(first, asking, tie.other, self.form(one), one)

    def _of_each(self, context: PartialQueryGraph, first: QuestionReading, other: str) -> tuple[QuestionReading, ...]:
        """What another question asks of each of the things that the first one finds."""
        tokens = self.analyse(other).tokens
        index = next((index for index, token in enumerate(tokens) if pointer_in(token.text)), len(tokens))
        asking = self._likeliest(other, context.as_context(range(index, index + 1)))
        return self._in_columns(first, [asking], context.thing, first.form, context)

    def _of_things(
        self, parts: Sequence[str], question: str, n: int, context: PartialQueryGraph | None
    ) -> tuple[QuestionReading, ...]:
        """The same of several things, where all of the `parts` ask for it; of two that have some in common, what both have."""
        readings = [self._likeliest(each) for each in parts]
        ties = [tie for each in readings if (tie := self._only_tie(each)) is not None]
        things = tuple(dict.fromkeys(each.other for each in ties if isinstance(each.other, Entity)))
        if len({replace(each, other=ANSWER) for each in ties}) != 1 or len(things) < len(parts) or readings[0] is None:
            return ()
        states = [self.state_of(each.form) for each in readings if each is not None]
        if len(parts) == 2 and not all(each is not None and each.literal for each in states):
            both = self._read(question, n, context)
            state = self.state_of(both[0].form) if both else None
            if state is not None and state.nodes and {*state.thing.ties} == {*ties}:
                return both
        several = PartialQueryGraph(Thing((), options=things), frozenset(things), ())
        return self._in_columns(readings[0], readings[:1], things[0], self.form(several), several)

    def _only_tie(self, reading: QuestionReading | None) -> Tie | None:
        """The one link by which a reading goes on from what is known, where it says no more and leaves no word out."""
        state = self.state_of(reading.form) if reading is not None else None
        if reading is None or state is None or reading.form.returns is not None:
            return None
        plain = not (reading.unused or reading.improbable or state.ordered)
        return state.thing.ties[0] if plain and len(state.thing.ties) == 1 else None

    def _in_columns(
        self,
        first: QuestionReading,
        asking: Sequence[QuestionReading | None],
        asked: Thing | Entity,
        form: LogicalForm,
        state: PartialQueryGraph,
    ) -> tuple[QuestionReading, ...]:
        """What each of the readings in `asking` asks of `asked`, beside what `form` finds; none where one asks otherwise."""
        ties = [tie for each in asking if (tie := self._only_tie(each)) is not None and tie.other == asked]
        if len(set(ties)) < len(asking):
            return ()
        whole = with_columns(form, [replace(each, outward=not each.outward) for each in ties])
        self._states[canonical(whole)] = state
        confidence = min(each.confidence for each in (first, *asking) if each is not None)
        return (replace(first, form=whole, names=self.names(whole), confidence=confidence),)

    def _weighed(self, ranked: list[Candidate], analysis: QuestionAnalysis) -> tuple[list[Candidate], list[float]]:
        """The readings with their probabilities: by a second look at the likeliest, else by their scores alone."""
        rows = [features(each.state, analysis, self.weights.familiarity) for each in ranked[:COMPARED]]
        if self.second_look is None:
            chances = self.weights.confidences(self.weights.chances([each.score for each in ranked]), rows[0])
            return ranked, self._directed([chances[0] * _trust(rows[0], ranked[0].state), *chances[1:]], ranked, analysis)
        beside = compared(rows, [each.score for each in ranked])
        looked = self._directed(self.second_look.probabilities(beside).tolist(), ranked, analysis)
        first = first_reading(np.array(looked), beside)
        order = sorted(range(len(looked)), key=lambda index: (index != first, -looked[index]))
        chances = [looked[index] / max(sum(looked), 1.0) for index in order]
        return [*(ranked[index] for index in order), *ranked[COMPARED:]], [*chances, *[0.0] * (len(ranked) - len(order))]

    def _directed(self, chances: list[float], ranked: list[Candidate], analysis: QuestionAnalysis) -> list[float]:
        """The chances of the readings, as far as their words tell in which direction facts are read."""
        ways = [list(ways_of(each.state, analysis)) for each in ranked[: len(chances)]]
        alike = [(undirected(each.state.thing, self.relations), each.returns) for each in ranked[: len(chances)]]
        return shared(chances, alike, ways)

    def meanings(self, analysis: QuestionAnalysis, context: PartialQueryGraph | None = None) -> list[Candidate]:
        """What the question may mean, each meaning once, the best first."""
        result: dict[Hashable, Candidate] = {}
        for each in AnswerKinds(analysis, self.relations, self.score, self.weights.familiarity, context).candidates():
            fact = fact_claimed(each.state.thing, each.returns, self.relations)
            result.setdefault(fact or (meaning(each.state.thing), each.state.nodes, each.state.rank, each.returns), each)
            if len(result) >= _RANKED:
                break
        return list(result.values())

    def written(self, candidate: Candidate) -> LogicalForm:
        """The logical form of a reading."""
        return self._written(candidate)[1]

    def _written(self, candidate: Candidate) -> tuple[str, LogicalForm]:
        """The form of a reading, and what equivalent forms share."""
        plain = self.form(candidate.state)
        key = canonical(plain)
        self._states[key] = candidate.state
        form = replace(plain, returns=candidate.returns)
        return canonical(form) if candidate.returns else key, form

    def analyse(self, question: str) -> QuestionAnalysis:
        if not question.strip():
            raise InspiredError("There is no question yet. Ask one, such as: What is the capital of ...?")
        if len(question) > _LONGEST:
            raise InspiredError(f"The question has {len(question)} characters; up to {_LONGEST} can be read.")
        return analyse(question, self.linker, self.lexicon)

    def state_of(self, form: LogicalForm) -> PartialQueryGraph | None:
        """What a reading of the last questions found; None for a form that came otherwise."""
        return self._states.get(canonical(form))

    def read_as(self, reading: QuestionReading, state: PartialQueryGraph) -> QuestionReading:
        """The reading with another graph in place of its own."""
        form = self.form(state)
        self._states[canonical(form)] = state
        form = replace(form, returns=reading.form.returns)
        return replace(reading, form=form, names={**reading.names, **self.names(form)})

    def sorted_as(self, reading: QuestionReading, context: PartialQueryGraph) -> QuestionReading:
        """A reading that sorts with all that is sorted, which is what `context` found."""
        order = reading.form.order and replace(reading.form.order, limit=None)
        form = replace(reading.form, order=order)
        self._states[canonical(form)] = context
        return replace(reading, form=form)

    def ranked(
        self, analysis: QuestionAnalysis, context: PartialQueryGraph | None = None
    ) -> list[tuple[float, PartialQueryGraph, LogicalForm]]:
        """What the question may mean, each meaning once, with its score, the best first."""
        result: dict[str, tuple[float, PartialQueryGraph, LogicalForm]] = {}
        kinds = AnswerKinds(analysis, self.relations, self.score, self.weights.familiarity, context)
        for each in kinds.candidates():
            key, form = self._written(each)
            result.setdefault(key, (each.score, each.state, form))
            if len(result) >= _RANKED:
                break
        return list(result.values())

    def score(self, state: PartialQueryGraph, analysis: QuestionAnalysis) -> float:
        return self.weights.score(features(state, analysis, self.weights.familiarity))

    def form(self, state: PartialQueryGraph) -> LogicalForm:
        form = self.form_of(self._with_needed_kinds(state.thing))
        order = replace(form.order, offset=state.rank - 1) if form.order else None
        return replace(form, order=order)

    def form_of(self, thing: Thing) -> LogicalForm:
        """The canonical form for `thing`, whose kinds may be types of the schema."""
        return self._published(logical_form(thing))

    def described(self, thing: Thing) -> LogicalForm:
        """What `thing` describes, without the frame of a question of its own."""
        return self._published(unframed(thing))

    def _published(self, form: LogicalForm) -> LogicalForm:
        return replace(form, patterns=self._as_published(form.patterns))

    def _as_published(self, patterns: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
        """The kinds and dates of a form as the graph writes them."""
        dates = {
            each.object: kind for each in triples(patterns) if (kind := self.relations.date_type(each.predicate)) is not None
        }

        def inside(part: tuple[Pattern, ...]) -> tuple[Pattern, ...]:
            return tuple(each for inner in part for each in self._restricted(changed(inner)))

        def changed(pattern: Pattern) -> Pattern:
            match pattern:
                case Aggregate():
                    return replace(pattern, patterns=inside(pattern.patterns))
                case Triple():
                    return self._kind(pattern)
                case Filter(RelationalExpression(Variable() as value, operator, Literal() as limit)) if value in dates:
                    return Filter(RelationalExpression(value, operator, in_the_words_of(limit, dates[value])))
                case Minus(inner):
                    return Minus(inside(inner))
                case SubQuery(form):
                    return SubQuery(replace(form, patterns=inside(form.patterns)))
                case Union(branches):
                    return Union(tuple(inside(branch) for branch in branches))
                case _:
                    return pattern

        return tuple(each for pattern in patterns for each in self._restricted(changed(pattern)))

    def _restricted(self, pattern: Pattern) -> Iterator[Pattern]:
        """A fact that OWL tells of a class, in the way in which it is told."""
        value = self.graph.restricted.get(pattern.predicate) if isinstance(pattern, Triple) else None
        if value is None or not isinstance(pattern, Triple):
            yield pattern
            return
        self._nodes += 1
        node = Variable(f"r{self._nodes}")
        yield Triple(pattern.subject, SUBCLASS, node)
        yield Triple(node, value, pattern.object)
        yield Triple(node, f"{OWL}onProperty", Entity(pattern.predicate))

    def _with_needed_kinds(self, thing: Thing) -> Thing:
        """Without the kinds that hold anyhow of what the ties lead to."""
        ties = tuple(
            replace(each, other=self._with_needed_kinds(each.other)) if isinstance(each.other, Thing) else each
            for each in thing.ties
        )
        needed = Thing(tuple(each for each in ties if each.finds))
        if thing.kind is None or not needed.ties or thing.kind in self._types:
            return replace(thing, ties=ties)
        kinds = {self.graph.kinds.get(each.id) if isinstance(each, Entity) else None for each in self._reached(needed)}
        return replace(thing, ties=ties, kind=None if kinds == {thing.kind} else thing.kind)

    def _reached(self, thing: Thing) -> Iterable[Node]:
        """What the ties of `thing` lead to; those that say more than where to are left to the careful walk."""
        if any(each.attributes or each.year or isinstance(each.other, Either) for each in thing.ties):
            return described(self.graph, thing)
        nodes: frozenset[Node] | None = None
        for tie in thing.ties:
            relation = self.relations.by_way.get((tie.path, tie.outward))
            starts = self._starts(tie.other)
            if relation is None or starts is None:
                return described(self.graph, thing) if starts is not None else ()
            ends = self.relations.follow_all([*starts], relation) - {tie.other}
            nodes = ends if nodes is None else nodes & ends
        if thing.kind is None:
            return nodes or ()
        return [each for each in nodes or () if isinstance(each, Entity) and self.graph.kinds.get(each.id) == thing.kind]

    def _starts(self, other: object) -> Iterable[Node] | None:
        if isinstance(other, Thing):
            finding = replace(other, ties=tuple(each for each in other.ties if each.finds))
            return self._reached(finding) if finding.ties else None
        return (other,) if isinstance(other, Entity | Literal) else None

    def _kind(self, triple: Triple) -> Triple:
        """A type of the schema is no notable type; queries say it by another predicate."""
        a_type = triple.predicate == NOTABLE and isinstance(triple.object, Entity) and triple.object.id in self._types
        if not a_type or not isinstance(triple.object, Entity):
            return triple
        return Triple(triple.subject, self.graph.type_predicate(triple.object.id), triple.object)

    @cached_property
    def _types(self) -> frozenset[str]:
        return frozenset(self.graph.classes)

    def names(self, form: LogicalForm) -> dict[str, str]:
        ids = dict.fromkeys(each.id for each in walk(form) if isinstance(each, Entity))
        ids |= dict.fromkeys(each.predicate for each in triples(form) if "://" in each.predicate)
        return {id_: self.graph.names[id_] for id_ in ids if id_ in self.graph.names}

    def _refusal(self, analysis: QuestionAnalysis) -> str:
        known = [analysis.linking.text(each) for each in analysis.mentions]
        known += [" ".join(token.text for token in analysis.tokens[each.start : each.end]) for each in analysis.kinds]
        strange = " ".join(each.text for each in analysis.tokens if not each.is_stop and each.text[:1].isupper())
        near = self.linker.near(strange) if strange and not known else ()
        recognised = f"Recognised: {', '.join(dict.fromkeys(known))}." if known else "No name in the question is known here."
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        return f"The question cannot be read. {recognised}{hint} Ask about things by name, such as the capital of a country."
