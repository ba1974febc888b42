"""Leave out the conditions of a parse that only repeat what a message names plainly."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from ttm.language.parse import Selection, Step


def without_conditions(steps: Iterable[Step], goes: Callable[[object], bool]) -> list[Step]:
    """The steps without the conditions that go; what becomes equal is one, a selection without any is left out."""
    kept: list[Step] = []
    for step in steps:
        if not isinstance(step, Selection):
            kept.append(step)
            continue
        groups = [[tuple(one for one in part if not goes(one)) for part in group] for group in step.groups]
        left = dict.fromkeys(tuple(dict.fromkeys(part for part in group if part)) for group in groups)
        left.pop((), None)
        before = next((one.groups for one in reversed(kept) if isinstance(one, Selection)), ())
        if left and tuple(left) != before:  # rows that are named again are the same, however joined
            kept.append(replace(step, groups=tuple(left)))
    return kept
