"""What nobody means: conditions that no row can meet together (`women and men` are two groups), a column beside itself."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from ttm.language.parse import (
    CategoricalCondition,
    Change,
    ChangeKind,
    Comparator,
    Condition,
    Instance,
    LabelCondition,
    NumericCondition,
    Parse,
    PredictionCondition,
    Selection,
    Step,
)
from ttm.parsers.learned.composition.rows_of_reading import Alternatives

ABOVE = (Comparator.GREATER, Comparator.GREATER_EQUAL, Comparator.EQUAL)
BELOW = (Comparator.LESS, Comparator.LESS_EQUAL, Comparator.EQUAL)

_BESIDE_ITSELF = re.compile(r"\b(?:interact|correlate|regress|scatter|by) (\S+) \1(?= |$)")


def is_contradictory(parse: Parse) -> bool:
    """Whether a group of a parse can hold no row, whatever the data, or a column is set beside itself."""
    selections = [step for step in parse.steps if isinstance(step, Selection)]
    empty = any(all(map(excludes_itself, group)) for selection in selections for group in selection.groups)
    return empty or _sets_twice(parse) or _BESIDE_ITSELF.search(str(parse)) is not None


def _sets_twice(parse: Parse) -> bool:
    """Whether a made-up case has a column twice, or a column is changed to two values."""
    cases = [[name for name, _ in step.values] for step in parse.steps if isinstance(step, Instance)]
    changed = [step.feature for step in {*parse.steps} if isinstance(step, Change) and _is_set(step)]
    return any(len({*names}) < len(names) for names in [*cases, changed])


def each_once(parse: Parse) -> Parse:
    """The parse with each condition of a group once, and each change to a value."""
    steps = [step for at, step in enumerate(parse.steps) if not (_is_set(step) and step in parse.steps[:at])]
    return Parse(tuple(_each_once(step) if isinstance(step, Selection) else step for step in steps))


def _is_set(step: Step) -> bool:
    """Whether a step changes a column to a value, which twice is as good as once."""
    return isinstance(step, Change) and step.kind in (None, ChangeKind.SET)


def _each_once(selection: Selection) -> Selection:
    groups = tuple(tuple(tuple(dict.fromkeys(part)) for part in group) for group in selection.groups)
    return replace(selection, groups=groups)


def excludes_itself(conjunction: Iterable[Condition]) -> bool:
    """Whether two of some conditions exclude each other: two values of one column, or a lower bound above an upper one.

    Nor does anybody set two lower bounds of one column: one of these is meant of another column.
    """
    values: dict[object, set[object]] = defaultdict(set)
    lowest: dict[object, list[float]] = defaultdict(list)
    highest: dict[object, list[float]] = defaultdict(list)
    for one in conjunction:
        match one:
            case CategoricalCondition(feature=name, value=value, negated=False):
                values[name].add(value)
            case LabelCondition(value=number, comparator=None) | PredictionCondition(value=number, comparator=None):
                values[type(one)].add(number)
            case NumericCondition(feature=name, comparator=comparator, value=int() | float() as number):
                lowest[name] += [number] if comparator in ABOVE else []
                highest[name] += [number] if comparator in BELOW else []
            case LabelCondition(value=number, comparator=comparator) | PredictionCondition(value=number, comparator=comparator):
                lowest[type(one)] += [number] if comparator in ABOVE else []
                highest[type(one)] += [number] if comparator in BELOW else []
    crossed = any(lowest[name] and highest[name] and max(lowest[name]) > min(highest[name]) for name in lowest)
    twice = any(len({*bounds}) > 1 for name in {*lowest, *highest} for bounds in (lowest[name], highest[name]))
    return crossed or twice or any(len(different) > 1 for different in values.values())


def either_value(factors: list[Alternatives]) -> list[Alternatives]:
    """Values of one column that were named one by one, as alternatives."""
    merged: dict[object, Alternatives] = {}
    for number, part in enumerate(factors):
        single = part[0][0] if len(part) == 1 and len(part[0]) == 1 else None
        is_value = isinstance(single, CategoricalCondition) and not single.negated
        merged.setdefault(single.feature if is_value and isinstance(single, CategoricalCondition) else number, []).extend(part)
    return [list(dict.fromkeys(part)) for part in merged.values()]
