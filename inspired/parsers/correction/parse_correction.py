"""Parse correction that works at once: from a sub-question in words and the steps so far to a sub-logical form (5.1)."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from backend.errors import InspiredError
from inspired.decomposition.steps import Step
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.forms import Counting, Entity, LogicalForm, Minus, Order, Term, Variable, variables
from inspired.logical_form.sparql_reader import ANSWER
from inspired.logical_form.substitution import substitute_patterns
from inspired.parsers.correction.corrected_steps import CorrectionTurn, StepCandidate
from inspired.parsers.linking.framing import frame_of
from inspired.parsers.linking.words import content_stems, tokens_of
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.reading import History, StepReading


class DefaultParseCorrector:
    """Reads corrections with the linking, the relations and the weights of `parser`."""

    def __init__(self, parser: DefaultParser) -> None:
        self.parser = parser

    def correct(self, feedback: str, history: History, n: int = 10) -> tuple[StepReading, ...]:
        """Up to `n` steps, the best first; raises InspiredError if `feedback` names nothing that fits."""
        frame = frame_of(tokens_of(feedback))
        if frame.kind == "count" and history.steps and not content_stems(_without(feedback, frame.cues)):
            return (StepReading(Step(returns=Counting()), {}, 1.0),)
        denied = [each for each in frame.negations if each.start or each.end > 1]  # a "no" that opens is an objection
        positive = _without(feedback, {index for each in denied for index in each.places})
        turn = CorrectionTurn(self.parser, positive, replace(history, rejected=()) if denied else history)
        steps = self._distinct(turn.candidates(), bool(denied), {meaning(each) for each in history.rejected})
        best = list(islice(steps, 4 * n))
        if not best or not turn.understood:
            raise InspiredError(turn.refusal())
        chances = self.parser.weights.chances([candidate.score for candidate, _ in best])
        return tuple(
            StepReading(step, self._names(step), chance, candidate.unused())
            for chance, (candidate, step) in list(zip(chances, best, strict=True))[:n]
        )

    def _distinct(
        self, candidates: Iterable[StepCandidate], denied: bool, refused: set[str]
    ) -> Iterator[tuple[StepCandidate, Step]]:
        """Each step once, the best first, without those that say what was refused."""
        seen = set(refused)
        for each in sorted(candidates, key=lambda one: -one.score):
            written = each.write()
            step = _denied(written) if denied and written is not None else written
            if step is not None and (key := meaning(step)) not in seen:
                seen.add(key)
                yield each, step

    def _names(self, step: Step) -> dict[str, str]:
        return self.parser.names(LogicalForm(ANSWER, step.patterns))


def _without(feedback: str, places: Collection[int]) -> str:
    """The words but for those at some places."""
    return " ".join(each.text for index, each in enumerate(tokens_of(feedback)) if index not in places)


def _denied(step: Step) -> Step | None:
    """The step that takes away what `step` finds."""
    return Step(group=Minus(step.patterns)) if step.finds and step.group is None else None


def meaning(step: Step) -> str:
    """A text that is equal for steps that say the same of the same variables, whatever the mediating ones are called."""
    inner = {each for each in variables(step.patterns) if each == step.joint}
    fixed = {each: Entity(f"?{each.name}") for each in [*variables(step.patterns), *_of(step.order)] if each not in inner}

    def pinned(term: Term) -> Term:
        return fixed.get(term, term) if isinstance(term, Variable) else term

    patterns = substitute_patterns(step.patterns, pinned)
    order = f" {step.order}" if step.order else ""
    return canonical(LogicalForm(ANSWER, patterns)) + order


def _of(order: Order | None) -> list[Variable]:
    return variables(order) if order else []
