"""How the features of a row could be different: values in range, allowed directions, and switches that belong together.

Two yes/no features that never go together in the training data although chance alone would have brought them together often
(one column for each loan purpose, say) are alternatives: turning one on turns the other off. Where every training row has one
of such a set, turning one off needs another to be turned on.
"""

from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.tabular.data.schema import Direction, Feature, FeatureKind

VALUES = 24  # tried for one numeric feature
EXPECTED = 10.0  # rows that chance would give two switches in common before "never" means something


@dataclass(frozen=True)
class Move:
    """One change: the value that each of `places` takes."""

    places: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class ChangeLimits:
    """What somebody wants of the changes: features (names) to keep as they are, the only ones to change, at most so many.

    `bounds` are the lowest and the highest value (None is open) that a measure may have after the changes, by name.
    """

    keep: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    most: int | None = None
    bounds: tuple[tuple[str, float | None, float | None], ...] = ()


class Moves:
    """What may be changed in the rows of one data set."""

    def __init__(self, coding: Coding) -> None:
        self._coding = coding
        self.mutable = np.array([feature.mutable for feature in coding.features])
        self._within = np.array([(-np.inf, np.inf)] * coding.width)

    def limited(self, limits: "ChangeLimits") -> "Moves":
        """The same with fewer features that may change."""
        names = self._coding.names
        open_ = np.array([not limits.only or name in limits.only for name in names])
        other = copy(self)
        other.mutable = self.mutable & open_ & ~np.isin(names, limits.keep)
        other._within = self._within.copy()
        for name, least, most in limits.bounds:
            ends = other._within[names.index(name)]
            ends[0] = ends[0] if least is None else max(ends[0], least)
            ends[1] = ends[1] if most is None else min(ends[1], most)
        return other

    def count(self, before: Vector, after: Vector) -> int:
        """How many changes lead from one encoded row (d,) to another; switches that exclude each other change together."""
        changed = set(np.flatnonzero(~np.isnan(before) & (before != after)).tolist())
        together = sum(max(0, len(changed & set(members)) - 1) for members, _ in self.alternatives)
        return len(changed) - together

    def of(self, row: Vector) -> list[Move]:
        """All single moves from an encoded row (d,); a feature without a value there is left alone."""
        moves: list[Move] = []
        for index in np.flatnonzero(self.mutable & ~np.isnan(row)):
            for value in self.values(row, int(index)):
                move = self.single(row, int(index), float(value))
                if move is not None:
                    moves.append(move)
        return list(dict.fromkeys(moves))

    def values(self, row: Vector, index: int) -> Vector:
        """Values that one feature could take instead, within its range and direction."""
        feature, now = self._coding.features[index], row[index]
        if self._coding.discrete[index]:
            seen = np.flatnonzero(self._coding.frequencies[index]).astype(float)
            return np.asarray(seen[seen != now])
        low, high = self.bounds(row, index)
        values = np.unique(np.append(self._quantiles[index], [low, high]))
        if feature.kind is FeatureKind.NUMERIC:
            values = np.unique(np.round(values, feature.precision))
        return np.asarray(values[(values >= low) & (values <= high) & (values != now) & np.isfinite(values)])

    def bounds(self, row: Vector, index: int) -> tuple[float, float]:
        """Lowest and highest value that one measured feature may take."""
        feature = self._coding.features[index]
        low, high = _stated_range(feature)
        if low is None or high is None:
            quantiles = self._quantiles[index]
            low, high = (quantiles.min(), quantiles.max()) if len(quantiles) else (row[index], row[index])
        if feature.direction is Direction.INCREASE:
            low = max(low, row[index])
        if feature.direction is Direction.DECREASE:
            high = min(high, row[index])
        least, most = self._within[index]
        return float(max(low, least)), float(min(high, most))

    def allows(self, before: Vector, after: Vector) -> bool:
        """Whether a changed row (d,) keeps to ranges, directions, what cannot be changed and what excludes what."""
        known = ~np.isnan(before)
        changed = known & (before != after)
        if (changed & ~self.mutable).any() or not np.isnan(after[~known]).all():
            return False
        if ((after < self._within[:, 0]) | (after > self._within[:, 1])).any():
            return False
        for index in np.flatnonzero(changed & ~self._coding.discrete):
            low, high = self.bounds(before, int(index))
            if not low <= after[index] <= high:
                return False
        return bool(self.consistent(before, after[None, :])[0])

    def consistent(self, before: Vector, states: Matrix) -> npt.NDArray[np.bool_]:
        """Which changed rows (n, d) have no more of a set of alternatives turned on than there can be, (n,)."""
        fine = np.ones(len(states), dtype=bool)
        for members, whole in self.alternatives:
            places = list(members)
            on = np.nansum(states[:, places], axis=1)
            same = ((states[:, places] == before[places]) | np.isnan(before[places])).all(axis=1)
            fine &= same | (on == 1) | ((on == 0) & (not whole))
        return fine

    def single(self, row: Vector, index: int, value: float) -> Move | None:
        """The move with the switches that it brings along, None if it cannot be made."""
        for members, whole in self.alternatives:
            if index not in members:
                continue
            if value == 0:  # turned off: only where none of the set has to be on
                return None if whole else Move((index,), (value,))
            on = [other for other in members if other != index and row[other] == 1]
            if not all(self.mutable[other] for other in on):
                return None
            return Move((index, *on), (value, *(0.0 for _ in on)))
        return Move((index,), (value,))

    @cached_property
    def _quantiles(self) -> list[Vector]:
        """Values of each measured feature as they occur in training, VALUES of them spread over the distribution."""
        quantiles = []
        for index in range(self._coding.width):
            column = self._coding.train[:, index]
            known = column[~np.isnan(column)]
            quantiles.append(
                np.unique(np.quantile(known, np.linspace(0, 1, VALUES), method="nearest")) if len(known) else known
            )
        return quantiles

    @cached_property
    def alternatives(self) -> tuple[tuple[tuple[int, ...], bool], ...]:
        """Sets of yes/no features of which at most one is on, each with whether always one is."""
        switches = [index for index, feature in enumerate(self._coding.features) if feature.kind is FeatureKind.BOOLEAN]
        rows = self._coding.train[:, switches]
        rows = rows[~np.isnan(rows).any(axis=1)]
        if len(switches) < 2 or not len(rows):
            return ()
        return tuple(
            (tuple(switches[number] for number in members), bool((rows[:, members].sum(axis=1) == 1).all()))
            for members in _exclusive_sets(rows)
        )


def _stated_range(feature: Feature) -> tuple[float | None, float | None]:
    return feature.range if feature.range is not None else (feature.low, feature.high)


def _exclusive_sets(rows: Matrix) -> list[list[int]]:
    """Columns (of 0 and 1) that exclude one another, grown from the most frequent on."""
    together = rows.T @ rows
    share = rows.mean(axis=0)
    never = together == 0
    surely: npt.NDArray[np.bool_] = never & (np.outer(share, share) * len(rows) >= EXPECTED)
    sets: list[list[int]] = []
    for column in np.argsort(-share, kind="stable").tolist():
        fitting = [s for s in sets if never[column, s].all() and surely[column, s].any()]
        if fitting:
            fitting[0].append(column)
        else:
            sets.append([column])
    return [members for members in sets if len(members) > 1]
