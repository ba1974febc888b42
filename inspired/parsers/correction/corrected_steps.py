"""One correction: the steps that its words may stand for, each with what speaks for it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from inspired.decomposition.decompose import group
from inspired.decomposition.steps import Step
from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Entity, Literal, Order, Pattern, Term, Triple, Variable, variables
from inspired.logical_form.sparql_reader import ANSWER
from inspired.logical_form.substitution import substitute_patterns
from inspired.parsers.correction.bindings import bindings
from inspired.parsers.correction.pointers import Pointer, pointers_in
from inspired.parsers.correction.worded_modifications import SMALL_TALK, modified
from inspired.parsers.linking.relations import DATE, NUMBER, THING, Relation
from inspired.parsers.linking.words import plain
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.mediators import narrowed
from inspired.parsers.query_graphs.query_graph import Anything, Bound, Either, Extreme, Tally, Than, Thing, Tie
from inspired.parsers.query_graphs.ranking.claims import unexplained
from inspired.parsers.query_graphs.staged_generation import StagedGeneration
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use
from inspired.parsers.reading import History

_NEW = ("x", "c", "k", "z", "w")
_SAMPLE = 300
_MEANT = 0.3
# What speaks for a reading besides its words; on the scale of the fitted weights.
CHANGE, LINKED, CHOICE, POINTED, QUESTION, APART, TWICE = 6.0, 1.5, 2.0, 2.5, 1.0, -4.0, -2.0


@dataclass(frozen=True)
class StepCandidate:
    """`write` makes the step, or None where more than one would be needed: only the best are written.

    `unused` lists the words of the correction that the step does not explain.
    """

    score: float
    write: Callable[[], Step | None]
    unused: Callable[[], tuple[str, ...]] = tuple


class CorrectionTurn:
    """One correction. What earlier steps find stands for their variables, so that a relation has to fit it."""

    def __init__(self, parser: DefaultParser, feedback: str, history: History) -> None:
        self.parser = parser
        self.history = history
        self.analysis = parser.analyse(feedback)
        self.search = StagedGeneration(self.analysis, parser.relations, lambda each: parser.score(each, self.analysis))
        self.whole = parser.analyse(history.question) if history.question.strip() else None
        self.values = bindings(history.steps, parser.graph)
        self.known = tuple(each for each in _nodes(history.steps) if each in self.values)
        self._changed = [each for step in history.rejected[-1:] for each in modified(step, self.analysis)]
        self.pointers = pointers_in(self.analysis.tokens, history.nouns, self.known)

    @property
    def understood(self) -> bool:
        """Whether any word means something here."""
        seen = self.analysis
        claimed = {index for row in seen.evidence.values() for index in row}
        telling = any(not seen.tokens[index].is_stop for index in claimed)
        return bool(telling or seen.mentions or seen.kinds or seen.comparisons or seen.extremes or self._changed)

    def candidates(self) -> Iterator[StepCandidate]:
        yield from (_ready(CHANGE, each) for each in self._changed)
        yield from self._orders()
        yield from self._values_asked()
        for score, state in self._from_names():
            yield from self._placed(score, state)
        for variable in self._starting_points():
            yield from self._from_variable(variable)

    def _starting_points(self) -> tuple[Variable, ...]:
        """The variables that the words may be about: those pointed to, else any, the latest first."""
        pointed = tuple(dict.fromkeys(each.variable for each in self.pointers))
        return pointed or tuple(reversed(self.known))

    # --- sorting by a value that an earlier step finds
    def _orders(self) -> Iterator[StepCandidate]:
        values = dict(value for step in self.history.steps for value in self._values_of(step))
        rivals = [self.analysis.speaks_for(each) for each in self.analysis.evidence if each.leads_to in (NUMBER, DATE)]
        for extreme in self.analysis.extremes:
            for variable, relation in values.items():
                fits = self.analysis.speaks_for(relation) if relation is not None else 0.0
                meant = fits >= max(rivals, default=0.0) or (len(values) == 1 and relation is None)
                step = Step(order=Order(variable, extreme.descending, 1, extreme.rank - 1))
                sorts = _uses(Use("order", extreme.start, extreme.end, relation))
                score = (CHANGE if meant else CHOICE) + fits
                yield StepCandidate(score, partial(_same, step), partial(self._unused, sorts, variable))

    def _values_of(self, step: Step) -> Iterator[tuple[Variable, Relation | None]]:
        """The numbers and dates that a step leads to, each with its relation if it has one of its own."""
        for each in (*step.main[-1:], *step.restrictions):
            if isinstance(each.object, Variable) and self.parser.relations.end_of(each.predicate) in (NUMBER, DATE):
                path = (step.main[0].predicate, each.predicate) if step.joint == each.subject else (each.predicate,)
                known = (one for one in self.parser.relations.all if one.path == path and not one.outward)
                yield each.object, next(known, None)

    def _values_asked(self) -> Iterator[StepCandidate]:
        """Where nothing is found yet: the value to sort by or to compare, of whatever is asked for."""
        if self.known:
            return
        for relation in self.analysis.evidence:
            fits = self.analysis.speaks_for(relation)
            if fits >= _MEANT and relation.leads_to in (NUMBER, DATE) and not self.analysis.mentions:
                tie = Tie(relation.path, self.history.answer, relation.outward)
                state = replace(_uses(Use("hop", 0, 0, relation)), thing=Thing((tie,)))
                yield from self._steps(state, self._fresh("num"), 3 * fits)

    # --- steps about a thing that is named
    def _from_names(self) -> Iterator[tuple[float, PartialQueryGraph]]:
        for score, state in self.search.run():
            if state.thing.ties and sum(use.role in ("start", "hop") for use in state.uses) == 1 and not state.ordered:
                yield score + self._agreement_with_feedback(state), state

    def _agreement_with_feedback(self, state: PartialQueryGraph) -> float:
        """What the whole question adds: it has words for the right step too."""
        relations = [use.relation for use in state.uses if use.relation is not None]
        if self.whole is None or not relations:
            return 0.0
        return QUESTION * sum(self.whole.speaks_for(each) for each in relations) / len(relations)

    def _placed(self, score: float, state: PartialQueryGraph) -> Iterator[StepCandidate]:
        """The step for what `state` describes, as each variable that it may be about."""
        for variable in self.known:
            shared = self.values[variable] & state.nodes
            if shared:
                among = any(each.variable == variable for each in self.pointers)
                more = LINKED + (POINTED if among else 0.0) + (CHOICE if variable == self.history.answer else 0.0)
                yield from self._steps(state, variable, score + more)
        if not any(each.among for each in self.pointers):
            for variable, more in self._new_variables(state):
                yield from self._steps(state, variable, score + more)
        yield from self._named_by_answer(score, state)

    def _new_variables(self, state: PartialQueryGraph) -> Iterator[tuple[Variable, float]]:
        """What a step that starts at a name may be about, if it is nothing known: what a refused step was, or the answer."""
        before = [each for step in self.history.rejected for each in _nodes([step]) if each not in self.known]
        apart = APART if self.known else 0.0
        for variable in dict.fromkeys(before):
            yield variable, 0.5 + apart
        if self.history.answer not in self.known:
            asked = self.whole is None or not self.whole.asked or self._is_asked(state.nodes)
            yield self.history.answer, apart + (0.3 if asked else -0.3)
        yield self._fresh(), apart

    def _is_asked(self, nodes: Iterable[Node]) -> bool:
        kinds = [each.kind for each in self.whole.asked] if self.whole else []
        return any(isinstance(each, Entity) and each.id in kind.members for each in nodes for kind in kinds)

    def _named_by_answer(self, score: float, state: PartialQueryGraph) -> Iterator[StepCandidate]:
        """People say the name of what an earlier step found ("of Egypt" for "of that country"): the variable is meant."""
        tie = state.thing.ties[0]
        for variable in self.known:
            if self.values[variable] == {tie.other} and self.history.answer not in self.known:
                thing = replace(state.thing, ties=(replace(tie, other=variable), *state.thing.ties[1:]))
                yield from self._steps(replace(state, thing=thing), self.history.answer, score + LINKED + POINTED)

    # --- steps about what an earlier step found
    def _from_variable(self, variable: Variable) -> Iterator[StepCandidate]:
        some = frozenset(sorted(self.values[variable], key=str)[:_SAMPLE])
        pointer = next((each for each in self.pointers if each.variable == variable), None)
        start = self._standing_for(variable, some, pointer)
        pointed = POINTED if pointer else 0.0
        among = pointer is not None and pointer.among
        for relation in self.parser.relations.at(list(some)[:24]):
            for state in self._followed(start, variable, relation):
                score = self.parser.score(state, self.analysis) + self._agreement_with_feedback(state) + pointed
                yield from self._led_on(state, relation, score + (TWICE if among else 0.0))
        base = replace(start, thing=Thing((), None), levels=0)
        for state in self.search.with_kinds(self.search.extended(base)):
            if state.thing.ties:
                score = self.parser.score(state, self.analysis) + self._agreement_with_feedback(state)
                yield from self._steps(state, variable, score + pointed + LINKED + (CHOICE if among else 0.0))
        yield from self._kinds(base, variable, pointed + (CHOICE if among else 0.0))

    def _standing_for(self, variable: Variable, some: frozenset[Node], pointer: Pointer | None) -> PartialQueryGraph:
        uses = (Use("attribute", pointer.start, pointer.end),) if pointer else ()
        taken = frozenset(uses[0].places) if uses else frozenset()
        return PartialQueryGraph(Thing(()), some, uses, taken)

    def _followed(self, start: PartialQueryGraph, variable: Variable, relation: Relation) -> Iterator[PartialQueryGraph]:
        nodes = self.parser.relations.follow_all(start.nodes, relation)
        if not nodes:
            return
        index = next((each.start for each in self.pointers if each.variable == variable), 0)
        end = next((each.end for each in self.pointers if each.variable == variable), 0)
        use = Use("start", index, end, relation)
        tie = Tie(relation.path, variable, relation.outward)
        state = PartialQueryGraph(Thing((tie,)), nodes, (use,), start.taken, 1, literal=relation.leads_to != THING)
        states = [state]
        if relation.mediated:
            states += narrowed(state, tie, start.nodes, relation, self.parser.relations, self.analysis)
        yield from self.search.with_kinds(states)

    def _led_on(self, state: PartialQueryGraph, relation: Relation, score: float) -> Iterator[StepCandidate]:
        """The step that goes on from a variable: to the answer, to something on the way, or to a value to sort by."""
        answer = self.history.answer
        if answer not in self.known:
            yield from self._steps(state, answer, score + LINKED)
            yield from self._steps(state, self._fresh(), score)
        elif relation.leads_to != THING:
            yield from self._steps(state, self._fresh("num"), score + LINKED)
        else:
            yield from self._steps(state, self._fresh(), score - LINKED)
        for variable in self.known:
            if self.values[variable] & state.nodes and state.thing.ties[0].other != variable:
                yield from self._steps(state, variable, score + 0.5)

    def _kinds(self, base: PartialQueryGraph, variable: Variable, more: float) -> Iterator[StepCandidate]:
        """ "Of these, which are islands?": only the kind is asked for."""
        for mention in self.analysis.kinds:
            some = any(isinstance(each, Entity) and each.id in mention.kind.members for each in base.nodes)
            if some and mention.kind.triple is not None:
                state = replace(base, uses=(*base.uses, Use("kind", mention.start, mention.end)))
                step = Step(main=(Triple(variable, *mention.kind.triple),))
                score = self.parser.score(state, self.analysis) + more
                yield StepCandidate(score, partial(_same, step), partial(self._unused, state, variable))

    # --- from a description to a step
    def _steps(self, state: PartialQueryGraph, variable: Variable, score: float) -> Iterator[StepCandidate]:
        about = {variable, *(each.other for each in state.thing.ties if isinstance(each.other, Variable))}
        yield StepCandidate(score, partial(self.written, state.thing, variable), partial(self._unused, state, *about))

    def _unused(self, state: PartialQueryGraph, *about: Variable) -> tuple[str, ...]:
        """The words of the correction that a step `about` some variables makes no use of."""
        pointed = [Use("attribute", each.start, each.end) for each in self.pointers if each.variable in about]
        left = unexplained(replace(state, uses=(*state.uses, *pointed)), self.analysis)
        return tuple(each for each in left if plain(each) not in SMALL_TALK)

    def written(self, thing: Thing, variable: Variable) -> Step | None:
        """The sub-logical form that says of `variable` what `thing` describes; None if it takes more than one step."""
        ties = tuple(replace(each, other=_pinned(each.other)) for each in thing.ties)
        form = self.parser.described(replace(thing, ties=ties))
        names = self._renaming(form.patterns, variable)

        def renamed(term: Term) -> Term:
            return names.get(term, term) if isinstance(term, Variable) else term

        steps = group(substitute_patterns(form.patterns, renamed))
        if len(steps) != 1:
            return None
        key = form.order.key if form.order else None
        order = replace(form.order, key=names.get(key, key)) if form.order and isinstance(key, Variable) else None
        return replace(steps[0], order=order)

    def _renaming(self, patterns: tuple[Pattern, ...], variable: Variable) -> dict[Variable, Variable]:
        """The answer as `variable`, pinned variables as they were, and new names that no earlier step has."""
        taken = {each.name for step in self.history.steps for each in variables(step.patterns)} | {variable.name}
        renaming = {ANSWER: variable}
        for each in variables(patterns):
            if each.name.startswith(_PIN):
                renaming[each] = Variable(each.name.removeprefix(_PIN))
            elif each not in renaming:
                renaming[each] = _unused(each.name.rstrip("0123456789"), taken)
                taken.add(renaming[each].name)
        return renaming

    def _fresh(self, name: str | None = None) -> Variable:
        taken = {each.name for each in self.known} | {self.history.answer.name}
        return _unused(name, taken) if name else next(Variable(each) for each in (*_NEW, "v") if each not in taken)

    def refusal(self) -> str:
        named = [self.analysis.linking.text(each) for each in self.analysis.mentions]
        recognised = f" Recognised: {', '.join(dict.fromkeys(named))}." if named else ""
        nouns = [f"that {noun}" for variable, noun in self.history.nouns.items() if variable in self.known]
        about = " or ".join(nouns) or "something by name"
        return f"The correction cannot be read.{recognised} Ask one thing of {about}, in a few words."


def _ready(score: float, step: Step) -> StepCandidate:
    return StepCandidate(score, partial(_same, step))


def _same(step: Step) -> Step:
    return step


def _uses(use: Use) -> PartialQueryGraph:
    """What makes use of a part of the words, whatever it finds."""
    return PartialQueryGraph(Thing(()), frozenset(), (use,))


Other = Entity | Literal | Thing | Either | Bound | Extreme | Tally | Than | Anything | Variable
_PIN = "known_"


def _pinned(other: Other) -> Other:
    return Variable(f"{_PIN}{other.name}") if isinstance(other, Variable) else other


def _unused(name: str, taken: Iterable[str]) -> Variable:
    number, known = 0, set(taken)
    while (name_tried := f"{name}{number or ''}") in known:
        number += 1
    return Variable(name_tried)


def _nodes(steps: Iterable[Step]) -> list[Variable]:
    return list(dict.fromkeys(node for step in steps for node in step.nodes))
