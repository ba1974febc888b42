"""The rows that an operation is about, cut out, and how numbers and counts of them are given in JSON."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from .oracle import Rows, predicted
from .world import World

Expected = dict[str, Any]
T = TypeVar("T")
REFUSED: Expected = {"type": "Refused"}


@dataclass(frozen=True)
class View:
    """One group, before and after the changes, and what the model says about both."""

    world: World
    rows: Rows
    threshold: float | None

    @cached_property
    def frame(self) -> pd.DataFrame:
        return self.rows.table[self.rows.mask]

    @cached_property
    def original(self) -> pd.DataFrame:
        return self.rows.original[self.rows.mask]

    @property
    def is_single(self) -> bool:
        return len(self.frame) == 1

    @property
    def ids(self) -> list[Any]:
        """The ids; a made-up row has none."""
        return [None] if self.rows.made_up else self.frame.index.tolist()

    @cached_property
    def truth(self) -> np.ndarray:
        """Class numbers (m,) with -1 for the unknown, or quantities with NaN; nothing is known of a made-up row."""
        return np.array([-1 if self.world.classes else np.nan]) if self.rows.made_up else self.world.truth[self.rows.mask]

    @cached_property
    def known(self) -> np.ndarray:
        return self.world.known(self.truth)

    @property
    def known_truth(self) -> np.ndarray:
        return self.truth[self.known]

    @cached_property
    def outputs(self) -> np.ndarray:
        return self.world.output(self.frame)

    @cached_property
    def outputs_before(self) -> np.ndarray:
        return self.world.output(self.original)

    @cached_property
    def predictions(self) -> np.ndarray:
        return predicted(self.world, self.outputs, self.threshold)

    @property
    def predictions_before(self) -> np.ndarray:
        return predicted(self.world, self.outputs_before, self.threshold)

    @property
    def main_output(self) -> np.ndarray:
        """One number a row: the quantity, the probability of the second of two classes, or of the likeliest of several."""
        return main_output(self.outputs)

    def by_class(self, values: Any) -> dict[str, Any]:
        return dict(zip(self.world.classes, values, strict=True))

    def class_counts(self, numbers: np.ndarray) -> dict[str, int]:
        return self.by_class([int((numbers == number).sum()) for number in range(len(self.world.classes))])

    def outcome(self, value: Any) -> Any:
        """A true or predicted value as it is told: the name of the class, the quantity, or nothing if unknown."""
        if self.world.classes:
            return self.world.classes[int(value)] if value >= 0 else None
        return None if np.isnan(value) else float(value)

    def predicted_class(self, value: Any) -> str | None:
        return self.world.classes[int(value)] if self.world.classes else None


def once(work: Callable[[Expected], T]) -> Callable[[Expected], T]:
    """The same of an answer, worked out once for all entries of an expectation that need it."""
    done: list[tuple[Expected, T]] = []

    def remembered(got: Expected) -> T:
        if not done or done[0][0] is not got:
            done[:] = [(got, work(got))]
        return done[0][1]

    return remembered


def main_output(outputs: np.ndarray) -> np.ndarray:
    return outputs.max(axis=1) if outputs.shape[1] > 2 else outputs[:, -1]


def records(view: View, frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as objects, with the id but for a made-up row, and days as ISO text."""
    told = frame if view.rows.made_up else frame.reset_index()
    days = [name for name, kind in view.world.kinds.items() if kind == "date"]
    told = told.assign(**{name: told[name].dt.strftime("%Y-%m-%d") for name in days})
    return [
        {str(name): None if pd.isna(value) else value for name, value in row.items()} for row in told.to_dict(orient="records")
    ]


def value_counts(column: pd.Series) -> dict[str, int]:
    return {str(value): int(count) for value, count in column.value_counts().items() if count}


def shares(counts: dict[str, int]) -> dict[str, float | None]:
    total = sum(counts.values())
    return {name: count / total if total else None for name, count in counts.items()}


def summary(values: Any) -> Expected:
    """What pandas' `describe` says of some numbers."""
    column = pd.Series(values, dtype=float)
    told = column.describe()
    return {"count": int(column.count()), "missing": int(column.isna().sum()), "mean": told["mean"], "std": told["std"],
            "min": told["min"], "lower_quartile": told["25%"], "median": told["50%"], "upper_quartile": told["75%"],
            "max": told["max"]}  # fmt: skip
