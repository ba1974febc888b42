"""Our own search for counterfactuals: one change, then two, then more, keeping the most promising at each step.

Works for every kind of feature and target, with missing values, and gives the same answer every time. Every proposal, also
those of other searches, is then brought as near to the row as it can be while still reaching the goal.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.counterfactuals.goal import Goal
from ttm.explain.counterfactuals.moves import Move, Moves
from ttm.explain.counterfactuals.side_by_side import Trial
from ttm.explain.scoring import RowScorer

BEAM = 24
MOST_CHANGES = 5
MOST_FEATURES = 40  # are combined with others
ROWS_A_STEP = 40_000
REFINED = 12  # values tried between one that reaches the goal and one that does not


@dataclass(frozen=True)
class StepwiseSearch:
    """Looks for changed rows that reach a goal. `weights` of features are what a standard deviation of change costs."""

    scorer: RowScorer
    moves: Moves
    most: int = MOST_CHANGES

    @property
    def coding(self) -> Coding:
        return self.scorer.coding

    def proposals(self, row: Vector, goal: Goal, enough: int) -> Matrix:
        """Changed rows (n, d) that reach the goal, perhaps none.

        Two changes are tried even if one is enough, since several smaller ones can be easier; more only if fewer than
        `enough` different sets of features were found.
        """
        moves = self.moves.of(row)
        beam, reached = row[None, :], np.zeros((0, len(row)))
        for step in range(1, self.most + 1):
            states, margins = self.led_on(row, beam, moves, goal)
            if not len(states):
                break
            reached = np.concatenate([reached, states[margins >= 0]])
            if step >= 2 and len(np.unique(self._changed(row, reached), axis=0)) >= enough:
                break
            beam = self.best(row, states[margins < 0], margins[margins < 0])
            if step == 1:
                moves = self.promising(row, states, margins, moves)
        return self._cheapest(row, reached)

    def led_on(self, row: Vector, beam: Matrix, moves: list[Move], goal: Goal) -> tuple[Matrix, Vector]:
        """The states (n, d) that are one change from the beam, and how far beyond the goal or short of it each is, (n,)."""
        states = self._moved(row, beam, moves)
        return states, goal.margin(self.scorer.outputs(states)) if len(states) else np.zeros(0)

    def _moved(self, row: Vector, beam: Matrix, moves: list[Move]) -> Matrix:
        """Every state of the beam with one more feature changed, without repetition."""
        parts = []
        for state in beam:
            free = [m for m in moves if not any(state[p] != row[p] for p in m.places)]
            if not free:
                continue
            states = np.tile(state, (len(free), 1))
            for number, move in enumerate(free):
                states[number, list(move.places)] = move.values
            parts.append(states)
        if not parts:
            return np.zeros((0, len(row)))
        states = np.unique(np.concatenate(parts), axis=0)
        states = states[:: max(1, -(-len(states) // ROWS_A_STEP))]
        return np.asarray(states[self.moves.consistent(row, states)])

    def promising(self, row: Vector, states: Matrix, margins: Vector, moves: list[Move]) -> list[Move]:
        """The moves of the features that come nearest to the goal alone."""
        changed = self._changed(row, states)
        nearest = np.array([margins[column].max(initial=-np.inf) for column in changed.T])
        kept = set(np.argsort(-nearest, kind="stable")[:MOST_FEATURES].tolist())
        return [move for move in moves if move.places[0] in kept]

    def best(self, row: Vector, states: Matrix, margins: Vector) -> Matrix:
        """The states nearest to the goal for each set of changed features, the most promising sets first."""
        order = np.argsort(-margins, kind="stable")
        _, first = np.unique(self._changed(row, states[order]), axis=0, return_index=True)
        return np.asarray(states[order[np.sort(first)[:BEAM]]])

    def _changed(self, row: Vector, states: Matrix) -> npt.NDArray[np.bool_]:
        return np.asarray((states != row) & ~np.isnan(row))

    def _cheapest(self, row: Vector, states: Matrix, each: int = 2) -> Matrix:
        """At most `each` states for each set of changed features, the ones nearest to the row, cheapest first."""
        order = np.argsort(self.costs(row, states), kind="stable")
        seen: dict[bytes, int] = {}
        kept = []
        for index in order:
            key = self._changed(row, states[index]).tobytes()
            seen[key] = seen.get(key, 0) + 1
            if seen[key] <= each:
                kept.append(index)
        return states[kept]

    def costs(self, row: Vector, states: Matrix) -> Vector:
        """How much changed, (n,): standard deviations of measures, 1 for another category, and 1/2 for each change."""
        changed = self._changed(row, states)
        moved = np.abs(np.where(changed, states - row, 0.0)) / self.coding.scale
        return np.asarray(np.where(self.coding.discrete, changed, moved).sum(axis=1) + changed.sum(axis=1) / 2)

    def tightened(self, row: Vector, state: Vector, goal: Goal) -> Trial[Vector]:
        """A trial that returns the state (d,) with every change that is not needed undone and every other one made as small
        as it can be."""
        state = state.copy()
        for index in self._by_cost(row, state):
            state = yield from self._undone(row, state, int(index), goal)
        for index in self._by_cost(row, state):
            if not self.coding.discrete[index]:
                state = yield from self._nearer(row, state, int(index), goal)
        return state

    def _by_cost(self, row: Vector, state: Vector) -> npt.NDArray[np.int_]:
        changed = np.flatnonzero(self._changed(row, state))
        cost = np.abs(state[changed] - row[changed]) / self.coding.scale[changed]
        return np.asarray(changed[np.argsort(cost, kind="stable")])

    def _undone(self, row: Vector, state: Vector, index: int, goal: Goal) -> Trial[Vector]:
        back = state.copy()
        back[index] = row[index]
        for members, _ in self.moves.alternatives:
            if index in members:
                back[list(members)] = row[list(members)]
        if not self.moves.allows(row, back):
            return state
        return back if goal.reached((yield back[None, :]))[0] else state

    def _nearer(self, row: Vector, state: Vector, index: int, goal: Goal) -> Trial[Vector]:
        """One measure moved back towards the row as far as the goal allows, to its precision."""
        near, far = row[index], state[index]
        feature = self.coding.features[index]
        unit = 10.0**-feature.precision
        for _ in range(8):
            values = np.unique(np.round(np.linspace(near, far, REFINED + 2), feature.precision))
            values = values[(values != near) & (values != row[index])]
            values = values if far > near else values[::-1]
            states = np.tile(state, (len(values), 1))
            states[:, index] = values
            good = np.flatnonzero(goal.reached((yield states))) if len(values) else np.zeros(0, dtype=int)
            if not len(good):
                return state
            state, far = states[good[0]], values[good[0]]
            near = values[good[0] - 1] if good[0] else near
            if abs(far - near) <= unit * 1.5:
                break
        return state
