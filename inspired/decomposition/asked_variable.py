"""What a row of steps asks for once corrections have changed it: the answer is what its last step finds.

The variable that a question asks for is called `?x` throughout, as the compact form of the paper takes for granted. So
where the answer moves to another variable, the two change names.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from inspired.decomposition.decompose import compared
from inspired.decomposition.steps import Decomposition, OwnGroup, Step
from inspired.logical_form.forms import Filter, LogicalForm, Term, Triple, Union, Variable, variables
from inspired.logical_form.substitution import substitute


def following_the_steps(decomposition: Decomposition, extended: bool = False) -> Decomposition:
    """`decomposition`, asking for another variable if no step finds the answer any more.

    With `extended`, the last step was added to go on from the answer: what it newly finds is asked for from now on.
    """
    answer = decomposition.frame.answer
    steps = [step for step in decomposition.steps if step.finds]
    known = any(answer in step.nodes for step in steps)
    if not steps or (known and not extended):
        return decomposition
    if known and decomposition.steps[-1].order is not None:
        wanted = _sorted_things(decomposition)
    else:
        wanted = _new_variable_of(steps[-1], steps[:-1], compared(decomposition), new_only=known)
    return decomposition if wanted in (None, answer) else _asking_for(decomposition, wanted)


def _sorted_things(decomposition: Decomposition) -> Variable | None:
    """What has the values that the last step sorts by, if these were the answer: the largest population is not asked for,
    but the country that has it.
    """
    answer, order = decomposition.frame.answer, decomposition.steps[-1].order
    if order is None or answer not in variables(order):
        return None
    others = [node for step in decomposition.steps if answer in step.nodes for node in step.nodes if node != answer]
    return next(iter(others), None)


def _new_variable_of(step: Step, earlier: Iterable[Step], values: set[Variable], new_only: bool) -> Variable | None:
    before = {node for each in earlier for node in each.nodes}
    ends = [step.main[-1].object, step.main[0].subject] if step.main else []
    free = [end for end in [*ends, *step.nodes] if isinstance(end, Variable) and end not in values and end != step.joint]
    new = [each for each in free if each not in before]
    return next(iter(new if new_only else [*new, *free]), None)


def _asking_for(decomposition: Decomposition, wanted: Variable | None) -> Decomposition:
    assert wanted is not None
    answer = decomposition.frame.answer
    swapped: dict[Term, Term] = {wanted: answer, answer: wanted}
    frame = replace(decomposition.frame, filters=_filters(decomposition.frame.filters, swapped))
    return Decomposition(frame, tuple(_renamed(step, swapped) for step in decomposition.steps))


def _renamed(step: Step, names: Mapping[Term, Term]) -> Step:
    form = LogicalForm(Variable(""), step.patterns, step.order, returns=step.returns)
    changed = substitute(form, lambda term: names.get(term, term))
    triples = [each for each in changed.patterns if isinstance(each, Triple)]
    return Step(
        main=tuple(triples[: len(step.main)]),
        restrictions=tuple(triples[len(step.main) :]),
        conditions=tuple(each for each in changed.patterns if isinstance(each, Filter)),
        union=next((each for each in changed.patterns if isinstance(each, Union)), None),
        order=changed.order,
        group=next((each for each in changed.patterns if isinstance(each, OwnGroup)), None),
        returns=changed.returns,
    )


def _filters(filters: tuple[Filter, ...], names: Mapping[Term, Term]) -> tuple[Filter, ...]:
    changed = substitute(LogicalForm(Variable(""), filters), lambda term: names.get(term, term))
    return tuple(each for each in changed.patterns if isinstance(each, Filter))
