"""Leave out the conditions of a parse that only repeat what a message names plainly."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from ttm.language.parse import Selection, Step


def without_conditions(steps: Iterable[Step], goes: Callable[[object], bool]) -> list[Step]:
    """The steps without the conditions that go; groups that become equal are one, a selection without any is left out."""
    kept: list[Step] = []
    for step in steps:
        if not isinstance(step, Selection):
            kept.append(step)
            continue
        groups = [[tuple(one for one in part if not goes(one)) for part in group] for group in step.groups]
        left = dict.fromkeys(tuple(part for part in group if part) for group in groups)
        left.pop((), None)
        if left:
            kept.append(replace(step, groups=tuple(left)))
    return kept
