"""The groups of rows of one turn: selected, changed, made up, or recalled from an earlier turn."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from backend.errors import ExecutionError
from backend.text.words import listed
from ttm.language.describe_group import already_words, instance_words, narrowed_words
from ttm.language.describe_parse import change_words, group_words
from ttm.language.parse import Change, ChangeKind, Condition, Expression, Instance, Joiner, PreviousFilter, Selection
from ttm.language.row_state import recalls
from ttm.operations.results import Group
from ttm.operations.rows.changes import apply_change, flag_values
from ttm.operations.rows.context import FilterMemory, RememberedGroup, Rows
from ttm.operations.rows.selection import Mask, Selector, as_date, flag_condition
from ttm.tabular.data.schema import FeatureKind
from ttm.tabular.subject import Subject

MAX_IDS = 20


@dataclass(frozen=True)
class RowGroup:
    """One group while a parse is carried out.

    `mask` (n,) marks its rows, None for a made-up row; `table` holds all rows as changed so far, `original` unchanged ones.
    Each change goes with the rows that it was made in. `empty` is the reason why no row is left.
    """

    mask: Mask | None
    table: pd.DataFrame
    original: pd.DataFrame
    words: str
    changes: tuple[tuple[Change, Mask | None], ...] = ()
    notes: tuple[str, ...] = ()
    instance: Instance | None = None
    empty: str = ""
    narrowed: bool = False

    @property
    def remembered(self) -> RememberedGroup:
        return RememberedGroup(self.mask, self.instance, self.changes, self.words, self.empty)


class Groups:
    """Makes groups of the rows of one subject. Holds no state but what is computed once from the data."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.schema = subject.dataset.schema
        self.total = len(subject.dataset.frame)

    def everything(self) -> RowGroup:
        frame = self.subject.dataset.frame
        return RowGroup(np.ones(self.total, dtype=bool), frame, frame, self._all)

    @property
    def _all(self) -> str:
        return f"all {self.total:,} {self.schema.entity}"

    def select(self, group: RowGroup, step: Selection, memory: FilterMemory | None, threshold: float | None) -> list[RowGroup]:
        """The groups that a run of filters makes of one: one for each side of `versus`, now or in the recalled turn."""
        if group.instance is not None:
            raise ExecutionError("A made-up case is a single row, so it cannot be narrowed by a filter.")
        made: list[RowGroup] = []
        for expression in step.groups:
            if not recalls(expression):
                made.append(self._narrow(group, expression, step.joiner, None, threshold))
            elif memory is None:
                note = f"There is no earlier group in this conversation, so all {self.schema.entity} were taken."
                everything = replace(self.everything(), notes=(note,)).remembered
                rows = self._narrow(group, expression, step.joiner, everything, threshold)
                made.append(replace(rows, notes=(*rows.notes, note)))
            else:
                made += [self._narrow(group, expression, step.joiner, one, threshold) for one in memory.groups]
        return made

    def _narrow(
        self,
        group: RowGroup,
        expression: Expression,
        joiner: Joiner,
        recalled: RememberedGroup | None,
        threshold: float | None,
    ) -> RowGroup:
        if recalled is not None and recalled.instance is not None:
            return self._recalled_instance(recalled, expression)
        assert group.mask is not None
        adds = joiner is Joiner.OR and group.narrowed
        selector = Selector(self.subject, recalled.mask if recalled else None, threshold)
        selected = selector.select(expression, None if adds else group.mask)
        mask = group.mask | selected.mask if adds else selected.mask
        empty = "" if mask.any() else (recalled.empty if recalled and recalled.empty else selected.reason)
        notes = group.notes if empty else (*group.notes, *self._notes(expression))
        words = self._words(group, expression, recalled, adds)
        made = replace(group, mask=mask, words=words, notes=notes, empty=empty, narrowed=True)
        for change, changed in recalled.changes if recalled else ():
            made = self.change(made, change, changed)
        return made

    def _recalled_instance(self, recalled: RememberedGroup, expression: Expression) -> RowGroup:
        if any(len(conjunction) > 1 for conjunction in expression) or len(expression) > 1:
            raise ExecutionError("The group before was one made-up case, so it cannot be narrowed by a filter.")
        return self.recall(recalled)

    def recall(self, recalled: RememberedGroup) -> RowGroup:
        """A group of an earlier turn, with the changes that were made to it."""
        if recalled.instance is not None:
            group = self.made_up(recalled.instance)
        else:
            group = replace(self.everything(), mask=recalled.mask, words=recalled.words, empty=recalled.empty, narrowed=True)
        for change, changed in recalled.changes:
            group = self.change(group, change, changed)
        return group

    def change(self, group: RowGroup, change: Change, only: Mask | None = None) -> RowGroup:
        """`group` with a change made to its rows, or to those of them that are also in `only` (n,)."""
        feature = self.schema.by_token[change.feature]
        everywhere = np.ones(len(group.table), dtype=bool) if group.mask is None else group.mask
        mask = everywhere if only is None or group.mask is None else everywhere & only
        table, notes = apply_change(group.table, mask, change, feature)
        sets = change.kind in (None, ChangeKind.SET) and not change.percent
        if sets and mask.any() and (table[feature.name] == group.table[feature.name])[mask].all():
            notes = [*notes, already_words(change, self.schema)]
        made = (change, None if group.mask is None else mask)
        return replace(group, table=table, changes=(*group.changes, made), notes=(*group.notes, *notes))

    def made_up(self, step: Instance) -> RowGroup:
        """One row with the named values; every other feature takes its median or most frequent value in training."""
        source = self._typical
        row = {name: column.iloc[0] for name, column in source.items()}
        notes = []
        for token, value in step.values:
            feature = self.schema.by_token[token]
            if feature.kind is FeatureKind.NUMERIC:
                row[feature.name] = float(value)
                notes += flag_values(pd.Series([float(value)]), feature)
            elif feature.kind is FeatureKind.DATE:
                row[feature.name] = as_date(value)
            else:
                row[feature.name] = next(v for v in feature.values if feature.value_token(v) == value)
        columns = {name: pd.Series([value], dtype=source[name].dtype) for name, value in row.items()}
        frame = pd.DataFrame(columns).set_axis(pd.Index(["made up"], name=self.subject.dataset.frame.index.name))
        named = {token for token, _ in step.values}
        others = [f.label for f in self.schema.features if f.token not in named]
        if others:
            notes.append(f"Typical values were taken for {listed(others, most=6)}.")
        return RowGroup(None, frame, frame, instance_words(step, self.schema), notes=tuple(notes), instance=step)

    @cached_property
    def _typical(self) -> pd.DataFrame:
        """One row of medians and most frequent values; numbers as floats."""
        train = self.subject.dataset.train_frame
        columns = {}
        for feature in self.schema.features:
            column = train[feature.name]
            dtype = np.dtype(float) if feature.kind is FeatureKind.NUMERIC else column.dtype
            columns[feature.name] = pd.Series([_typical(column, feature.kind)], dtype=dtype)
        return pd.DataFrame(columns)

    def _words(self, group: RowGroup, expression: Expression, recalled: RememberedGroup | None, adds: bool) -> str:
        """Words for a group; `previousfilter` is spelled out as what it stands for."""
        if recalled is not None:
            words = ", or ".join(self._recalled_words(conjunction, recalled.words) for conjunction in expression)
        elif group.narrowed and not adds:
            return narrowed_words(group.words, expression, self.schema)
        else:
            words = group_words(expression, self.schema)
        if not group.narrowed:
            return words
        return f"{group.words}, or {words}" if adds else f"{group.words}, and of these only {words}"

    def _recalled_words(self, conjunction: tuple[Condition, ...], earlier: str) -> str:
        rest = tuple(c for c in conjunction if not isinstance(c, PreviousFilter))
        if len(rest) == len(conjunction) or (rest and earlier == self._all):
            return group_words((rest,), self.schema)
        return narrowed_words(earlier, (rest,), self.schema) if rest else earlier

    def _notes(self, expression: Expression) -> list[str]:
        conditions = [condition for conjunction in expression for condition in conjunction]
        known = self.schema.by_token
        notes = [flag_condition(c, known.get(getattr(c, "feature", ""))) for c in conditions]
        return [note for note in notes if note]

    # --- what operations and answers see ---------------------------------------------------------------------------------

    def rows(self, group: RowGroup) -> Rows:
        if group.mask is None:
            return Rows(group.table, group.original, None, np.array([-1]))
        return Rows(group.table, group.original, self.subject.dataset.labels, np.flatnonzero(group.mask))

    def summary(self, group: RowGroup) -> Group:
        changes = " and ".join(change_words(change, self.schema) for change, _ in group.changes)
        notes = tuple(dict.fromkeys((*group.notes, *self._partial(group))))
        if group.mask is None:
            return Group(group.words, 1, self.total, (), changes, notes)
        positions = np.flatnonzero(group.mask)
        ids = tuple(group.original.index[positions[:MAX_IDS]].tolist())
        return Group(group.words, len(positions), self.total, ids, changes, notes, group.empty)

    def _partial(self, group: RowGroup) -> list[str]:
        """A note where a change reached only some of the rows."""
        notes = []
        for change, mask in group.changes:
            if mask is None or group.mask is None:
                continue
            rows, reached = int(group.mask.sum()), int((group.mask & mask).sum())
            if reached < rows:
                words = change_words(change, self.schema)
                notes.append(f"The change ({words}) was made to {reached:,} of these {rows:,} rows, those named before it.")
        return notes


def _typical(column: pd.Series, kind: FeatureKind) -> Any:
    known = column.dropna()
    if known.empty:
        return (
            None if kind in (FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN) else (pd.NaT if kind is FeatureKind.DATE else np.nan)
        )
    if kind is FeatureKind.DATE:
        return pd.Timestamp(known.median()).floor("D")
    return known.median() if kind is FeatureKind.NUMERIC else known.mode().iloc[0]
