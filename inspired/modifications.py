"""Change one part of a step without writing it anew: an entity, a comparator, a value, the sort, a restriction.

The paper lists such corrections as future work; they leave the rest of the step as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from backend.errors import LogicalFormError
from inspired.expressions import COMPARATORS
from inspired.logical_form import (
    Comparison,
    Entity,
    Filter,
    Literal,
    Term,
    Triple,
    Union,
    Variable,
    delexicalise,
    substitute_patterns,
    walk,
)
from inspired.steps import Decomposition, Step, compose


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


def modifications(old: Step, new: Step) -> tuple[Modification, ...] | None:
    """The changes of parts that turn `old` into `new`; None if more than parts differ.

    Applied one after the other they give `new`.
    """
    found: list[Modification] = []
    here = old
    for change in _candidates(old, new):
        try:
            here = modify(here, change)
        except LogicalFormError:
            return None
        found.append(change)
    return tuple(found) if here == new else None


def _candidates(old: Step, new: Step) -> list[Modification]:
    found: list[Modification] = [RemoveRestriction(each) for each in old.restrictions if _shape(each) not in _shapes(new)]
    kept = [each for each in old.restrictions if _shape(each) in _shapes(new)]
    before, after = list(walk(replace(old, restrictions=tuple(kept)).patterns)), list(walk(new.patterns))
    added = [each for each in new.restrictions if _shape(each) not in _shapes(old)]
    after = list(walk(replace(new, restrictions=tuple(each for each in new.restrictions if each not in added)).patterns))
    if len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            if isinstance(one, Comparison) and isinstance(other, Comparison) and one.operator != other.operator:
                value = next((each for each in walk(one) if isinstance(each, Literal)), None)
                if value is not None:
                    found.insert(0, ChangeComparator(value, one.operator, other.operator))
            if isinstance(one, Entity) and isinstance(other, Entity | Variable) and one != other:
                found.append(ChangeEntity(one, other))
            if isinstance(one, Literal) and isinstance(other, Literal) and one != other:
                found.append(ChangeValue(one, other))
    if old.order and new.order and old.order.descending != new.order.descending:
        found.append(ChangeDirection(new.order.descending))
    return [*dict.fromkeys(found), *(AddRestriction(each) for each in added)]


def rename_entities(step: Step, ids: Mapping[str, str]) -> Step:
    """The step with other ids for its entities: for placeholders, or in place of them."""
    return _changed(step, lambda term: Entity(ids.get(term.id, term.id)) if isinstance(term, Entity) else term)


def delexicalised_steps(decomposition: Decomposition) -> tuple[Step, ...]:
    """The steps with the placeholders that their entities have in the whole query."""
    form = compose(decomposition)
    _, entities = delexicalise(form)
    numbers = {id_: f"#entity{number}#" for number, id_ in enumerate(entities, 1)}
    return tuple(rename_entities(step, numbers) for step in decomposition.steps)


def _shape(restriction: Triple) -> tuple[Term, str]:
    return restriction.subject, restriction.predicate


def _shapes(step: Step) -> set[tuple[Term, str]]:
    return {_shape(each) for each in step.restrictions}


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
    )


def _triples(triples: tuple[Triple, ...], change: Callable[[Term], Term]) -> tuple[Triple, ...]:
    return tuple(each for each in substitute_patterns(triples, change) if isinstance(each, Triple))


def _compared(step: Step, change: ChangeComparator) -> Step:
    if change.new not in COMPARATORS:
        raise LogicalFormError(f"{change.new!r} is no comparator; there are {' '.join(COMPARATORS)}.")
    conditions = []
    for each in step.conditions:
        inner = each.condition
        if isinstance(inner, Comparison) and inner.operator == change.old and change.value in walk(inner):
            conditions.append(Filter(replace(inner, operator=change.new)))
        else:
            conditions.append(each)
    if tuple(conditions) == step.conditions and change.old != change.new:
        raise LogicalFormError(f"The step does not compare with {change.value.text!r} by {change.old}.")
    return replace(step, conditions=tuple(conditions))
