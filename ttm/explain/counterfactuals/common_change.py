"""The smallest change that, made to all rows of a group alike, turns most of their predictions.

One feature is moved in all rows by the same step, within its range, or set to the same value; where that is not enough, two of
those that turn most are moved together. Small is what costs little: standard deviations of the step, 1 for another value, and
1/2 for each change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from ttm.explain.attribution import Vector
from ttm.explain.coding import Matrix
from ttm.explain.counterfactuals.goal import Goal
from ttm.explain.counterfactuals.moves import Moves
from ttm.explain.counterfactuals.results import LASTING, CommonChange, CommonStep
from ttm.explain.scoring import Scorer

STEPS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)  # standard deviations, up and down
AT_ONCE_CELLS = 5_000_000
PAIRED, PAIRED_STEPS = 3, 6  # features that are combined, and how many steps of each


@dataclass(frozen=True)
class _Tried:
    steps: tuple[CommonStep, ...]
    cost: float
    turned: int


def common_change(rows: Matrix, goal: Goal, scorer: Scorer, moves: Moves) -> CommonChange | None:
    """The smallest change for encoded rows (m, d) of which none reaches the goal yet; None where no change turns any.

    It turns at least LASTING of them, or as many as any that was tried.
    """
    search = _Search(rows, goal, scorer, moves)
    tried = search.tried([(step,) for index in np.flatnonzero(moves.mutable) for step in search.steps(int(index))])
    if not any(one.turned >= LASTING * len(rows) for one in tried):
        tried += search.tried(search.pairs(tried))
    enough = [one for one in tried if one.turned >= LASTING * len(rows)]
    best = (
        min(enough, key=lambda one: one.cost) if enough else max(tried, key=lambda one: (one.turned, -one.cost), default=None)
    )
    return CommonChange(best.steps, best.cost, best.turned, len(rows)) if best and best.turned else None


@dataclass(frozen=True)
class _Search:
    rows: Matrix
    goal: Goal
    scorer: Scorer
    moves: Moves

    def steps(self, index: int) -> list[CommonStep]:
        """The steps that all rows could take in one feature."""
        coding = self.scorer.coding
        name, feature = coding.names[index], coding.features[index]
        if coding.discrete[index]:
            return [CommonStep(name, None, float(value)) for value in np.flatnonzero(coding.frequencies[index])]
        sizes = np.round(np.array(STEPS) * coding.scale[index], feature.precision)
        sizes = np.unique(sizes[sizes > 0])
        return [CommonStep(name, float(sign * size), None) for size in sizes for sign in (1, -1)]

    def tried(self, each: Sequence[tuple[CommonStep, ...]]) -> list[_Tried]:
        """What steps that are taken together cost, and how many rows they turn: many are put to the model in one call."""
        at_once = max(1, AT_ONCE_CELLS // self.rows.size)
        return [one for start in range(0, len(each), at_once) for one in self._part(each[start : start + at_once])]

    def _part(self, each: Sequence[tuple[CommonStep, ...]]) -> list[_Tried]:
        states = np.array([self._after(steps) for steps in each])  # (s, m, d)
        reached = self.goal.reached(self.scorer.outputs(states.reshape(-1, states.shape[2]))).reshape(states.shape[:2])
        turned = [sum(self.moves.allows(self.rows[row], own[row]) for row in np.flatnonzero(good))
                  for own, good in zip(states, reached, strict=True)]  # fmt: skip
        return [_Tried(steps, self._cost(steps), count) for steps, count in zip(each, turned, strict=True)]

    def _after(self, steps: tuple[CommonStep, ...]) -> Matrix:
        states = self.rows
        for step in steps:
            index = self.scorer.coding.names.index(step.feature)
            states = np.array([self._moved(row, index, step) for row in states])
        return states

    def _cost(self, steps: tuple[CommonStep, ...]) -> float:
        scale = dict(zip(self.scorer.coding.names, self.scorer.coding.scale.tolist(), strict=True))
        return sum(0.5 + (1.0 if step.shift is None else abs(step.shift) / scale[step.feature]) for step in steps)

    def _moved(self, row: Vector, index: int, step: CommonStep) -> Vector:
        """One row after a step: within its range, with the switches that a step brings along; as it is where it cannot."""
        after = row.copy()
        if np.isnan(row[index]):
            return after
        if step.shift is not None:
            low, high = self.moves.bounds(row, index)
            after[index] = np.clip(row[index] + step.shift, low, high) if low <= high else row[index]
            return after
        move = None if row[index] == step.value else self.moves.single(row, index, float(step.value or 0.0))
        for position, value in zip(*((move.places, move.values) if move else ((), ())), strict=True):
            after[position] = value
        return after

    def pairs(self, tried: list[_Tried]) -> list[tuple[CommonStep, CommonStep]]:
        """Steps of two of the features that turn most rows alone."""
        by_feature: dict[str, list[_Tried]] = {}
        for one in tried:
            by_feature.setdefault(one.steps[0].feature, []).append(one)
        best = sorted(by_feature.values(), key=lambda own: -max(one.turned for one in own))[:PAIRED]
        few: list[list[CommonStep]] = []
        for own in best:
            order = sorted(own, key=lambda one: one.cost)
            useful = [one.steps[0] for one in order if one.turned] or [one.steps[0] for one in order]
            chosen: npt.NDArray[np.int_] = np.unique(np.linspace(0, len(useful) - 1, PAIRED_STEPS).astype(int))
            few.append([useful[int(number)] for number in chosen])
        return [pair for one, other in combinations(few, 2) for pair in product(one, other)]
