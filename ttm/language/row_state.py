"""Which rows a conversation is about: what `previousfilter` stands for, as conditions, a made-up case and changes."""

from dataclasses import dataclass

from ttm.language.parse import Change, Condition, Expression, Instance, Joiner, Parse, PreviousFilter, Selection

ALL_ROWS: tuple[Expression, ...] = (((),),)


@dataclass(frozen=True)
class RowState:
    """Groups of rows (more than one after `versus`), each alternatives of conjunctions without `previousfilter`; a made-up
    case; and changes in the order in which they were made."""

    groups: tuple[Expression, ...] = ALL_ROWS
    instance: Instance | None = None
    changes: tuple[Change, ...] = ()

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Every condition once, in order."""
        return tuple(dict.fromkeys(one for group in self.groups for alternative in group for one in alternative))

    @property
    def is_plain(self) -> bool:
        """Whether the rows are one conjunction of conditions."""
        return len(self.groups) == 1 and len(self.groups[0]) == 1


def rows_after(parse: Parse, before: RowState | None) -> RowState | None:
    """The rows that a turn leaves behind: its own if it named any, those of the turns before otherwise."""
    groups, instance, changes, has_rows = ALL_ROWS, None, tuple[Change, ...](), False
    for step in parse.steps:
        if isinstance(step, Selection):
            if before is not None and any(map(recalls, step.groups)):
                instance, changes = before.instance, before.changes
            own = recalled(step.groups, before)
            groups = _joined(groups, own, step.joiner) if has_rows else own
            has_rows = True
        elif isinstance(step, Instance):
            instance, has_rows = step, True
        elif isinstance(step, Change):
            changes, has_rows = (*changes, step), True
    return RowState(groups, instance, changes) if has_rows else before


def recalls(group: Expression) -> bool:
    """Whether a group points back at the rows of the turn before."""
    return any(isinstance(condition, PreviousFilter) for alternative in group for condition in alternative)


def recalled(groups: tuple[Expression, ...], before: RowState | None) -> tuple[Expression, ...]:
    """Groups in which the rows of the turn before are spelled out; where those are several groups, once for each."""
    earlier = before.groups if before is not None else ALL_ROWS
    return tuple(_spelled_out(group, one) for group in groups for one in (earlier if recalls(group) else earlier[:1]))


def _spelled_out(group: Expression, earlier: Expression) -> Expression:
    expanded: list[tuple[Condition, ...]] = []
    for alternative in group:
        own = tuple(one for one in alternative if not isinstance(one, PreviousFilter))
        expanded += [(*part, *own) for part in earlier] if len(own) < len(alternative) else [own]
    return tuple(expanded)


def _joined(groups: tuple[Expression, ...], own: tuple[Expression, ...], joiner: Joiner) -> tuple[Expression, ...]:
    if joiner is Joiner.OR:
        return tuple((*group, *other) for group in groups for other in own)
    return tuple(tuple((*one, *two) for one in group for two in other) for group in groups for other in own)
