"""Corrections that change one part of a step and leave the rest: "Spain instead of France", "more than 5 million"."""

from collections.abc import Iterator, Sequence

from backend.errors import LogicalFormError
from inspired.decomposition.modifications import (
    ChangeComparator,
    ChangeDirection,
    ChangeEntity,
    ChangeValue,
    Modification,
    modify,
)
from inspired.decomposition.steps import Step
from inspired.logical_form.forms import Entity, Literal, RelationalExpression, Variable, walk
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.relations import DATE, NUMBER, kind_of_literal
from inspired.parsers.query_graphs.comparing import bounds_of

# Words that only say that something is to be another way.
SMALL_TALK = frozenset("instead rather wrong not no but actually sorry mean meant should use change make replace".split())
_DOWN = frozenset(("descending", "largest", "highest", "biggest", "most", "latest", "down"))
_UP = frozenset(("ascending", "smallest", "lowest", "fewest", "least", "earliest", "up"))
_TURN = frozenset(("other", "reverse", "opposite", "round", "around", "way", "order", "direction", "first", "last"))


def modified(step: Step, analysis: QuestionAnalysis) -> Iterator[Step]:
    """`step` with the one change that the words clearly ask for, if they do; nothing for a whole new question."""
    for changes in (*_entities(step, analysis), *_values(step, analysis), *_direction(step, analysis)):
        try:
            changed = step
            for change in changes:
                changed = modify(changed, change)
        except LogicalFormError:
            continue
        if changed != step:
            yield changed


def _rest(analysis: QuestionAnalysis, used: set[int]) -> set[str]:
    """The meaningful words besides those in `used`."""
    words = {each.plain for index, each in enumerate(analysis.tokens) if index not in used and not each.is_stop}
    return words - SMALL_TALK


def _entities(step: Step, analysis: QuestionAnalysis) -> Iterator[Sequence[Modification]]:
    standing = {each for each in walk(step.patterns) if isinstance(each, Entity)}
    used = {index for each in analysis.mentions for index in range(each.start, each.end)}
    if _rest(analysis, used):
        return
    old = [each for each in analysis.mentions if each.node in standing]
    for mention in analysis.mentions:
        if not isinstance(mention.node, Entity) or mention.node in standing:
            continue
        apart = [each for each in old if each.end <= mention.start or each.start >= mention.end]
        for each in dict.fromkeys(each.node for each in apart) if apart else standing if len(standing) == 1 else ():
            if isinstance(each, Entity):
                yield (ChangeEntity(each, mention.node),)


def _values(step: Step, analysis: QuestionAnalysis) -> Iterator[Sequence[Modification]]:
    tests = [each.condition for each in step.conditions if isinstance(each.condition, RelationalExpression)]
    for comparison in analysis.comparisons:
        if _rest(analysis, set(range(comparison.start, comparison.end))):
            continue
        for test in tests:
            if not isinstance(test.left, Variable) or not isinstance(test.right, Literal):
                continue
            kind = DATE if kind_of_literal(test.right) == DATE else NUMBER
            bounds = bounds_of(comparison, kind)
            if len(bounds) == 1:
                comparator = ChangeComparator(test.right, test.operator, bounds[0].operator)
                yield (comparator, ChangeValue(test.right, bounds[0].value))
            elif comparison.operator == "=" and bounds:
                yield (ChangeValue(test.right, bounds[0].value),)


def _direction(step: Step, analysis: QuestionAnalysis) -> Iterator[Sequence[Modification]]:
    if step.order is None or analysis.mentions or not analysis.tokens:
        return
    words = {each.plain for each in analysis.tokens if not each.is_stop or each.plain in ("up", "down")} - SMALL_TALK
    if words and words <= _DOWN | _UP | _TURN | {"sort", "sorted"}:
        down, up = bool(words & _DOWN), bool(words & _UP)
        yield (ChangeDirection(down if down != up else not step.order.descending),)
