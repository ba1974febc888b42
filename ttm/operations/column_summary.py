"""Numbers that sum up a column: of numbers, of classes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ttm.tabular.data.schema import Schema

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class NumberSummary:
    """`count` known values and `missing` ones; `std` is the sample standard deviation (ddof=1).

    Quartiles are interpolated linearly. Everything is NaN when no value is known, `std` also when only one is.
    """

    count: int
    missing: int
    mean: float
    std: float
    min: float
    lower_quartile: float
    median: float
    upper_quartile: float
    max: float


def summarise(values: Array) -> NumberSummary:
    """Sum up values (m,), in which NaN stands for a missing one."""
    known = values[~np.isnan(values)].astype(float)
    missing = len(values) - len(known)
    if not len(known):
        return NumberSummary(0, missing, *[float("nan")] * 7)
    quartiles = np.quantile(known, (0, 0.25, 0.5, 0.75, 1)).tolist()
    std = float(known.std(ddof=1)) if len(known) > 1 else float("nan")
    return NumberSummary(len(known), missing, float(known.mean()), std, *quartiles)


def class_counts(numbers: Array, schema: Schema) -> dict[str, int]:
    """How often each class number occurs, by class name, including classes that do not occur."""
    counts = np.bincount(numbers.astype(np.int64), minlength=len(schema.target.classes))
    return dict(zip(schema.target.classes, counts.tolist(), strict=True))


def shares_of(counts: Mapping[Any, int]) -> dict[Any, float]:
    """Counts as shares of their sum, 0 to 1; NaN when there is nothing."""
    total = sum(counts.values())
    return {name: count / total if total else float("nan") for name, count in counts.items()}


def class_means(probabilities: Array, schema: Schema) -> dict[str, float]:
    """Mean of each column of probabilities (m, k), by class name."""
    return dict(zip(schema.target.classes, probabilities.mean(axis=0).tolist(), strict=True))
