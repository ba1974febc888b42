"""What an operation works on: rows, the subject they come from, and what the conversation remembers."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from ttm.explain.explainer import Explainer
from ttm.language.parse import Change, Instance, Operation
from ttm.operations.results import Group, Result
from ttm.operations.rows.selection import Mask, apply_threshold, known_labels
from ttm.tabular.data.schema import Schema
from ttm.tabular.subject import Subject


@dataclass(frozen=True)
class Rows:
    """Rows that an operation works on, cut out of whole tables only when they are asked for.

    `table` (n, d) holds all rows as changed, `original_table` (n, d) without changes; they are the same object when nothing
    was changed. `all_labels` (n,) are class numbers (-1 unknown) or values (NaN unknown), or None. `positions` (m,) are the
    places of the rows in the data set; [-1] stands for a made-up row, which is then alone in its tables.
    """

    table: pd.DataFrame
    original_table: pd.DataFrame
    all_labels: npt.NDArray[Any] | None
    positions: npt.NDArray[np.int_]

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def is_made_up(self) -> bool:
        return len(self.positions) == 1 and self.positions[0] == -1

    @property
    def is_changed(self) -> bool:
        return self.table is not self.original_table

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The rows (m, d) with all changes made."""
        return self.table if self._is_whole else self.table.iloc[self.positions]

    @cached_property
    def original(self) -> pd.DataFrame:
        """The rows (m, d) without changes; the same object as `frame` when there are none."""
        if not self.is_changed:
            return self.frame
        return self.original_table if self._is_whole else self.original_table.iloc[self.positions]

    @cached_property
    def labels(self) -> npt.NDArray[Any] | None:
        """True class numbers or values (m,), or None where no row of the data set has one."""
        return None if self.all_labels is None or self.is_made_up else self.all_labels[self.positions]

    @cached_property
    def labelled(self) -> Mask:
        """Which of the rows (m,) have a known label."""
        return np.zeros(len(self), dtype=bool) if self.labels is None else known_labels(self.labels)

    def column(self, name: str) -> pd.Series:
        """One column (m,) with all changes made, without cutting out the others."""
        return self.table[name] if self._is_whole else self.table[name].iloc[self.positions]

    def unchanged(self) -> "Rows":
        return replace(self, table=self.original_table)

    @property
    def _is_whole(self) -> bool:
        return len(self.table) == len(self)


@dataclass(frozen=True)
class RememberedGroup:
    """One group of an earlier turn: the places (n,) of its rows or the made-up row, each change with the places that it
    was made in, the words for the group, and why it was empty if it was."""

    mask: Mask | None
    instance: Instance | None
    changes: tuple[tuple[Change, Mask | None], ...]
    words: str
    empty: str = ""


@dataclass(frozen=True)
class FilterMemory:
    """What `previousfilter` stands for: one group, or several after `versus`."""

    groups: tuple[RememberedGroup, ...]


@dataclass(frozen=True)
class Memory:
    """What a turn leaves for the next.

    `filter` holds the filters and changes of the last turn that had any, `groups` those of the very last turn (none when it
    was about all rows), `operations` the last questions, and `results` the answers of the last turn. `other_model` is the kind
    of model that was last set beside the own one, "" for none.
    """

    filter: FilterMemory | None = None
    operations: tuple[Operation, ...] = ()
    results: tuple[Result, ...] = ()
    groups: tuple[RememberedGroup, ...] = ()
    other_model: str = ""


def model_outputs(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """One number (m,) for class probabilities (m, k): that of the positive class of two, of the most probable of more."""
    return probabilities[:, 1] if probabilities.shape[1] == 2 else probabilities.max(axis=1)


@dataclass(frozen=True)
class Context:
    """What an operation sees. Predictions are computed once for a group, and taken from the subject for unchanged rows."""

    subject: Subject
    explainer: Explainer
    rows: Rows
    group: Group
    memory: Memory
    threshold: float | None = None
    seed: int = 0

    @property
    def schema(self) -> Schema:
        return self.subject.dataset.schema

    @property
    def is_single(self) -> bool:
        return len(self.rows) == 1

    @property
    def is_changed(self) -> bool:
        return self.rows.is_changed

    @cached_property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """Class probabilities (m, k) of the rows as changed. Raises ExecutionError for a regression model."""
        if not self.schema.target.is_classification:
            raise ExecutionError("This model predicts a number, not classes, so there are no probabilities.")
        if self.is_changed or self.rows.is_made_up:
            return self.subject.model.predict_proba(self.rows.frame)
        return np.asarray(self.subject.probabilities[self.rows.positions])

    @cached_property
    def predictions(self) -> npt.NDArray[Any]:
        """Predicted class numbers or values (m,) of the rows as changed, under the decision threshold."""
        if self.schema.target.is_classification:
            return apply_threshold(self.probabilities, self.threshold)
        if self.is_changed or self.rows.is_made_up:
            return self.subject.model.predict(self.rows.frame)
        return np.asarray(self.subject.predictions[self.rows.positions])

    @cached_property
    def outputs(self) -> npt.NDArray[np.float64]:
        """The number (m,) that stands for the model's output; see `model_outputs`."""
        target = self.schema.target
        return model_outputs(self.probabilities) if target.is_classification else self.predictions

    @cached_property
    def before(self) -> "Context":
        """The same rows without the changes."""
        return replace(self, rows=self.rows.unchanged()) if self.is_changed else self

    @property
    def original_predictions(self) -> npt.NDArray[Any]:
        """Predictions (m,) before the changes, for comparison."""
        return self.before.predictions

    @property
    def original_probabilities(self) -> npt.NDArray[np.float64]:
        """Class probabilities (m, k) before the changes, for comparison."""
        return self.before.probabilities
