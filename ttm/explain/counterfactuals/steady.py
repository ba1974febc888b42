"""A second search, for rows of which no counterfactual lasts: it looks for changes that hold for slightly different rows.

How far a prediction is beyond the line says little of trees, whose output jumps: a state far beyond it may stand beside a step.
So each state is judged by the copy of it that a given share of its slightly different copies does at least as well as.
"""

from dataclasses import dataclass, replace

import numpy as np

from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.counterfactuals.goal import Goal
from ttm.explain.counterfactuals.moves import Moves
from ttm.explain.counterfactuals.own_search import StepwiseSearch
from ttm.explain.counterfactuals.side_by_side import carried_out
from ttm.explain.scoring import Scorer

SHARE = 0.87  # a little more than what has to hold, since other copies will differ
GUIDE = 0.8  # of the copies: by which states are led on where none reaches SHARE
TRIED = 5  # of the states of each step, with all copies
FEW = 20  # copies while searching, all of them for what is found
ROWS_AT_ONCE = 2_000


@dataclass(frozen=True)
class SteadyScorer:
    """The model's output for the copy of a state that ranks at 1 - `share` among its copies, moved by `noise` (c, d)."""

    scorer: Scorer
    goal: Goal
    noise: Matrix
    share: float

    @property
    def coding(self) -> Coding:
        return self.scorer.coding

    def outputs(self, states: Matrix) -> Matrix:
        """One row of outputs (n, k) for each state (n, d)."""
        parts = [self._part(states[start : start + ROWS_AT_ONCE]) for start in range(0, len(states), ROWS_AT_ONCE)]
        return np.concatenate(parts) if parts else self.scorer.outputs(states)

    def _part(self, states: Matrix) -> Matrix:
        copies = (states[:, None, :] + self.noise).reshape(-1, states.shape[1])
        outputs = self.scorer.outputs(copies)
        margins = self.goal.margin(outputs).reshape(len(states), -1)
        rank = np.argsort(margins, axis=1, kind="stable")[:, int((1 - self.share) * len(self.noise))]
        return np.asarray(outputs.reshape(len(states), len(self.noise), -1)[np.arange(len(states)), rank])


def steady_states(row: Vector, goal: Goal, scorer: Scorer, moves: Moves, noise: Matrix, most: int, enough: int) -> list[Vector]:
    """Changed rows of which SHARE of the slightly different copies reach the goal, or where there are none the steadiest."""
    steady = SteadyScorer(scorer, goal, noise[:FEW], SHARE)
    search = StepwiseSearch(steady, moves, most)
    states = search.proposals(row, goal, enough)[:enough]
    if not len(states):
        return _steadiest(row, replace(steady, share=GUIDE), moves, noise, most)
    trials = [search.tightened(row, state, goal) for state in states]
    return list(carried_out(trials, replace(steady, noise=noise).outputs))


def _steadiest(row: Vector, guide: SteadyScorer, moves: Moves, noise: Matrix, most_changes: int) -> list[Vector]:
    """The changed row of which most copies reach the goal, with nothing changed that it does without; none if none does."""
    search, goal = StepwiseSearch(guide, moves, most_changes), guide.goal
    tried, beam, best, most = moves.of(row), row[None, :], row, 0.0
    for step in range(most_changes):
        states, margins = search.led_on(row, beam, tried, goal)
        if not len(states):
            break
        for state in states[np.argsort(-margins, kind="stable")[:TRIED]]:
            share = float(goal.reached(guide.scorer.outputs(state + noise)).mean())
            best, most = (state, share) if share > most else (best, most)
        if most >= SHARE:
            break
        beam = search.best(row, states, margins)
        tried = search.promising(row, states, margins, tried) if step == 0 else tried
    if not most:
        return []
    # the copy that ranks lowest of those that reach the goal must go on doing so
    kept = replace(guide, noise=noise, share=min(most, SHARE))
    return list(carried_out([search.tightened(row, best, goal)], kept.outputs))
