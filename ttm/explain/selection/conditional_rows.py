"""Training rows whose values hidden features take: any, or near the row in what they go together with.

A feature that goes together with ones that stay as they are gets the values that it has in training rows that are like the row
in these; otherwise hiding would make people with many pregnancies and an age of 21. A feature that goes together with
nothing, or only with what is hidden too, takes its values from any row.

Source: Aas, Jullum and Løland (2021), "Explaining individual predictions when features are dependent", whose simplest way to
draw from a conditional distribution this is: that of the nearest rows.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.importance import evenly

TOGETHER_FROM = 0.3  # absolute correlation from which two features go together
MOST_SEARCHED = 2_000  # training rows, spread evenly
NEAREST, SHARE_NEAREST, FEWEST_NEAREST = 60, 8, 5  # at most so many rows, an eighth of those searched, at least so many
OTHERWISE = 4.0  # squared distance of two values of a category, in the variances that measures are counted in

Sets = npt.NDArray[np.bool_]


class ConditionalRows:
    """Draws from the training rows of one data set, the same number for every row. Deterministic for a seed."""

    def __init__(self, coding: Coding, drawn: Matrix, source: np.random.Generator) -> None:
        places = evenly(len(coding.train), MOST_SEARCHED)
        complete = coding.complete[places]
        self._any, self._rows, self._coding = drawn, coding.train[places], coding
        self._related = _related(coding, complete)
        near = int(np.clip(len(places) // SHARE_NEAREST, FEWEST_NEAREST, NEAREST))
        self._near = min(near, len(places))
        self._picked = source.integers(0, self._near, len(drawn))

    def for_sets(self, row: Vector, hidden: Sets) -> Iterator[Matrix]:
        """The rows (b, d) from which each set (s, d) of hidden features of an encoded row (d,) takes its values.

        One set after the other: those of all sets of a wide table are many times the table.
        """
        likened = (hidden @ self._related) & ~hidden  # what stays and goes together with something hidden
        if not likened.any():
            yield from [self._any] * len(hidden)
            return
        with np.errstate(invalid="ignore"):
            apart = ((self._rows - row) / self._coding.scale) ** 2
        apart = np.where(self._coding.discrete, OTHERWISE * (self._rows != row), apart)
        distances = likened.astype(float) @ np.nan_to_num(apart).T
        nearest = np.argpartition(distances, self._near - 1, axis=1)[:, : self._near]
        for own, kept in zip(nearest, likened, strict=True):
            yield self._rows[own[self._picked]] if kept.any() else self._any


def _related(coding: Coding, rows: Matrix) -> Sets:
    """Which features (d, d) go together: by the correlation of measures and of each value of a category."""
    columns, owners = list[Vector](), list[int]()
    for index in range(coding.width):
        values = np.unique(rows[:, index]) if coding.discrete[index] else np.array([])
        own = [(rows[:, index] == value).astype(float) for value in values] if len(values) else [rows[:, index]]
        columns += own
        owners += [index] * len(own)
    table = np.column_stack(columns)
    spread = table.std(axis=0)
    scaled = np.where(spread > 0, (table - table.mean(axis=0)) / np.where(spread > 0, spread, 1.0), 0.0)
    close = np.abs(scaled.T @ scaled) >= TOGETHER_FROM * len(rows)
    related = np.zeros((coding.width, coding.width), dtype=bool)
    np.logical_or.at(related, (np.array(owners)[:, None], np.array(owners)[None, :]), close)
    np.fill_diagonal(related, False)
    return related
