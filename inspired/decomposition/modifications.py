"""Change one part of a step without rewriting it: an entity, a comparator, a value, the sort, a restriction.

The paper lists such corrections as future work; they leave the rest of the step as it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from backend.errors import LogicalFormError
from inspired.decomposition.steps import Decomposition, OwnGroup, Step, compose
from inspired.logical_form.forms import (
    COMPARATORS,
    Entity,
    Filter,
    Literal,
    RelationalExpression,
    Term,
    Triple,
    Union,
    Variable,
    walk,
)
from inspired.logical_form.substitution import delexicalise, substitute_patterns


@dataclass(frozen=True, slots=True)
class ChangeEntity:
    """Every mention of `old` in the step; `new` may be a variable, when the entity is one that an earlier step finds."""

    old: Entity
    new: Entity | Variable


@dataclass(frozen=True, slots=True)
class ChangeValue:
    old: Literal
    new: Literal


@dataclass(frozen=True, slots=True)
class ChangeComparator:
    """In the comparisons with `value`: from `old` to `new`, as they are written in the step."""

    value: Literal
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ChangeDirection:
    descending: bool


@dataclass(frozen=True, slots=True)
class AddRestriction:
    restriction: Triple


@dataclass(frozen=True, slots=True)
class RemoveRestriction:
    restriction: Triple


Modification = ChangeEntity | ChangeValue | ChangeComparator | ChangeDirection | AddRestriction | RemoveRestriction


def modify(step: Step, change: Modification) -> Step:
    """The step with that one part changed. Raises LogicalFormError if it has no such part."""
    match change:
        case ChangeEntity(old, new):
            return _substituted(step, old, new, old.id)
        case ChangeValue(old, new):
            return _substituted(step, old, new, repr(old.text))
        case ChangeComparator():
            return _compared(step, change)
        case ChangeDirection(descending):
            if step.order is None:
                raise LogicalFormError("This step does not sort, so it has no direction to change.")
            return replace(step, order=replace(step.order, descending=descending))
        case AddRestriction(restriction):
            if restriction.subject not in [*step.nodes, step.joint]:
                raise LogicalFormError("A restriction must be about a variable of its step.")
            return replace(step, restrictions=(*step.restrictions, restriction))
        case RemoveRestriction(restriction):
            if restriction not in step.restrictions:
                raise LogicalFormError(f"The step has no restriction {restriction.predicate} of that kind.")
            return replace(step, restrictions=tuple(each for each in step.restrictions if each != restriction))


def rename_entities(step: Step, ids: Mapping[str, str]) -> Step:
    """The step with other ids for its entities: for placeholders, or in place of them."""
    return _changed(step, lambda term: Entity(ids.get(term.id, term.id)) if isinstance(term, Entity) else term)


def delexicalised_steps(decomposition: Decomposition) -> tuple[Step, ...]:
    """The steps with the placeholders that their entities have in the whole query."""
    form = compose(decomposition)
    _, entities = delexicalise(form)
    numbers = {id_: f"#entity{number}#" for number, id_ in enumerate(entities, 1)}
    return tuple(rename_entities(step, numbers) for step in decomposition.steps)


def _substituted(step: Step, old: Entity | Literal, new: Term, name: str) -> Step:
    if old not in walk(step.patterns):
        raise LogicalFormError(f"The step does not mention {name}.")
    return _changed(step, lambda term: new if term == old else term)


def _changed(step: Step, change: Callable[[Term], Term]) -> Step:
    union = step.union and Union(tuple(substitute_patterns(branch, change) for branch in step.union.branches))
    return replace(
        step,
        main=_triples(step.main, change),
        restrictions=_triples(step.restrictions, change),
        conditions=tuple(each for each in substitute_patterns(step.conditions, change) if isinstance(each, Filter)),
        union=union,
        group=_group(step, change),
    )


def _group(step: Step, change: Callable[[Term], Term]) -> OwnGroup | None:
    changed = substitute_patterns([step.group] if step.group else [], change)
    return next((each for each in changed if isinstance(each, OwnGroup)), None)


def _triples(triples: tuple[Triple, ...], change: Callable[[Term], Term]) -> tuple[Triple, ...]:
    return tuple(each for each in substitute_patterns(triples, change) if isinstance(each, Triple))


def _compared(step: Step, change: ChangeComparator) -> Step:
    if change.new not in COMPARATORS:
        raise LogicalFormError(f"{change.new!r} is no comparator; there are {' '.join(COMPARATORS)}.")
    conditions = []
    for each in step.conditions:
        inner = each.condition
        if isinstance(inner, RelationalExpression) and inner.operator == change.old and change.value in walk(inner):
            conditions.append(Filter(replace(inner, operator=change.new)))
        else:
            conditions.append(each)
    if tuple(conditions) == step.conditions and change.old != change.new:
        raise LogicalFormError(f"The step does not compare with {change.value.text!r} by {change.old}.")
    return replace(step, conditions=tuple(conditions))
