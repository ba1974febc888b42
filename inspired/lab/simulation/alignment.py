"""Oracle error detection: which steps of a prediction are those of the gold form, whatever their variables are called."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from inspired.decomposition.correction_operations import Operation, diff
from inspired.decomposition.steps import Decomposition, Step
from inspired.logical_form.equivalence import canonical
from inspired.logical_form.forms import Entity, LogicalForm, Term, Variable, variables
from inspired.logical_form.sparql_reader import ANSWER
from inspired.logical_form.substitution import substitute

_NOBODY = Variable("")


def operations(predicted: Decomposition | None, gold: Decomposition) -> tuple[Operation[Step], ...]:
    """The corrections that turn `predicted` into `gold`; without a prediction every step is inserted.

    Steps that say the same count as equal, and the order of equal steps as that of `gold`: neither the names of
    variables nor the order of steps carries meaning.
    """
    steps = () if predicted is None else matched(predicted.steps, gold.steps)
    return diff(_in_order(steps, gold.steps), gold.steps)


def matched(steps: Sequence[Step], gold: Sequence[Step]) -> tuple[Step, ...]:
    """`steps`, with the step of `gold` in place of each that says the same."""
    free = list(gold)
    result = []
    for step in steps:
        same = next((each for each in free if signature(each) == signature(step)), None)
        if same is not None:
            free.remove(same)
        result.append(same or step)
    return tuple(result)


def signature(step: Step, known: Iterable[Variable] = (ANSWER,)) -> str:
    """A text that is equal for steps that say the same about the `known` variables; the others may have any names."""
    return meaning(LogicalForm(_NOBODY, step.patterns, step.order, returns=step.returns), known)


def meaning(form: LogicalForm, known: Iterable[Variable] = (ANSWER,)) -> str:
    """As `signature`, of a sub-logical form that is a form of its own, whatever variable that calls its answer."""
    marks: dict[Term, Term] = {each: Entity(f"known:{each.name}") for each in known}
    return canonical(substitute(replace(form, answer=_NOBODY), lambda term: marks.get(term, term)))


def says_the_same(step: Step, gold: Step, before: Sequence[Step]) -> bool:
    """Whether `step`, coming after the steps `before`, is `gold`.

    What a step newly finds may be called anything: the answer is decided by the last step
    (`inspired.decomposition.asked_variable`).
    """
    known = variables([pattern for each in before for pattern in each.patterns])
    return signature(step, known) == signature(gold, known)


def _in_order(steps: Sequence[Step], gold: Sequence[Step]) -> tuple[Step, ...]:
    """`steps`, those that also stand in `gold` in its order."""
    kept = iter([each for each in gold if each in steps])
    return tuple(next(kept) if each in gold else each for each in steps)
