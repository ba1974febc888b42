"""Shapley values of a prediction against one background of training rows.

The game: a coalition of features keeps the row's values, the others take a background row's, and its worth is the mean of
the model's output over the background. How they are found depends on the model:

- boosted trees of XGBoost that predict probabilities: all coalitions, from the leaves (`tree_coalitions.py`, exact);
- other trees whose sum is the output itself: the `shap` library's tree algorithm (exact);
- few features: all coalitions, by asking the model (exact, what KernelSHAP computes when it may enumerate);
- boosted trees over more features: the library's tree algorithm, which scales the exact values of the log odds;
- anything else: orders of features drawn at random, each also run backwards.

Source: Lundberg and Lee, "A Unified Approach to Interpreting Model Predictions"; Mitchell et al., "Sampling Permutations for
Shapley Value Estimation".
"""

from collections.abc import Callable
from functools import cached_property
from math import comb

import numpy as np
import numpy.typing as npt

from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.scoring import Scorer
from ttm.explain.techniques.tree_coalitions import TreeCoalitions
from ttm.explain.techniques.tree_shapley import TreeShapley

BACKGROUND_ROWS = 100
ROW_BUDGET = 20_000
FEWEST_BACKGROUND_ROWS = 25
GROUP_LEAVES = 100_000_000  # rows times background rows times leaves of all trees, of which a second takes about half
MOST_SCORED = 5_000  # training rows among which the background is looked for


class Shapley:
    """Shapley values for rows of one data set. Deterministic for a seed; safe to use from several threads."""

    def __init__(self, scorer: Scorer, seed: int, cuts_known: bool = False) -> None:
        self._scorer = scorer
        self._coding: Coding = scorer.coding
        self._seed = seed
        self._trees = TreeShapley(scorer, self.background)
        self._coalitions = TreeCoalitions(scorer, self.background, cuts_known)

    @cached_property
    def background(self) -> Matrix:
        """The rows (b, d) that stand for "feature not known": spread evenly over what the model says of the training rows.

        Chosen by rule, not by chance, so that values vary less. Wide data get fewer, so that an answer stays in reach.
        """
        width, train = self._coding.width, self._coding.train
        wanted = ROW_BUDGET // (2**width if self._can_enumerate(width) else 4 * width)
        rows = int(np.clip(wanted, FEWEST_BACKGROUND_ROWS, BACKGROUND_ROWS))
        if len(train) <= rows:
            return train
        few = train[:: max(1, len(train) // MOST_SCORED)]
        order = np.argsort(self._scorer.outputs(few)[:, -1], kind="stable")
        return np.asarray(few[np.sort(order[((np.arange(rows) + 0.5) * len(few) / rows).astype(int)])])

    @cached_property
    def is_quick(self) -> bool:
        """Whether values cost no model evaluations."""
        return self._coalitions.is_usable or self._prefers_trees

    @cached_property
    def takes_groups(self) -> bool:
        """Whether the values of hundreds of rows can be had at once, by `values_of_group`."""
        return self._trees.is_usable

    @cached_property
    def rows_at_once(self) -> int:
        """How many rows `values_of_group` takes while a person waits; hundreds of deep trees take long for each."""
        outputs = max(1, len(self._coding.schema.target.classes) - 1)
        return int(GROUP_LEAVES // (len(self.background) * max(1, self._trees.leaves) * outputs))

    @property
    def is_scaled(self) -> bool:
        """Whether `values_of_group` scales the exact values of the log odds to the probability."""
        return not self._trees.is_exact

    def values_of_group(self, rows: Matrix, columns: npt.NDArray[np.int_]) -> Matrix:
        """Values (n, d) of encoded rows (n, d) by the tree algorithm alone, fast; only where `takes_groups`."""
        return self._trees.values_of_group(rows, columns)

    @cached_property
    def _prefers_trees(self) -> bool:
        return self._trees.is_usable and (self._trees.is_exact or not self._can_enumerate(self._coding.width))

    def values(self, rows: Matrix, columns: npt.NDArray[np.int_], scorer: Scorer) -> tuple[Matrix, Vector]:
        """Values (n, d) for encoded rows (n, d) and the worth (n,) of the empty coalition.

        `columns` (n,) says which of the model's outputs to explain for each row. A feature that a row has no value for is
        missing in every coalition and gets 0.
        """
        if not self._coalitions.is_usable and self._prefers_trees:  # the library is only imported where it is needed
            return self._trees.values(rows, columns)
        counted = self._coalitions.values(rows, columns) if self._coalitions.is_usable else [None] * len(rows)
        chunks = [
            known or self._of_row(row, int(column), scorer) for known, row, column in zip(counted, rows, columns, strict=True)
        ]
        return np.array([values for values, _ in chunks]), np.array([base for _, base in chunks])

    def _of_row(self, row: Vector, column: int, scorer: Scorer) -> tuple[Vector, float]:
        if self._prefers_trees:
            values, bases = self._trees.values(row[None, :], np.array([column]))
            return values[0], float(bases[0])
        players = np.flatnonzero(~np.isnan(row))
        background = self.background.copy()
        background[:, np.isnan(row)] = np.nan
        if self._can_enumerate(len(players)):
            values, base = _enumerated(row, players, background, column, scorer)
        else:
            values, base = self._sampled(row, players, background, column, scorer)
        weights = np.zeros(len(row))
        weights[players] = values
        return weights, base

    @staticmethod
    def _can_enumerate(players: int) -> bool:
        return bool(2**players * FEWEST_BACKGROUND_ROWS <= ROW_BUDGET)

    def _sampled(
        self, row: Vector, players: npt.NDArray[np.int_], background: Matrix, column: int, scorer: Scorer
    ) -> tuple[Vector, float]:
        """Mean marginal contributions over random orders, each background row with orders of its own."""
        source = np.random.default_rng([self._seed, 2])
        sweeps = max(1, ROW_BUDGET // (2 * len(players) * len(background)))
        orders = [np.array([source.permutation(len(players)) for _ in background]) for _ in range(sweeps)]
        walks = np.concatenate([walk for order in orders for walk in (order, order[:, ::-1])])
        steps = _walked(row, walks, players, background, lambda rows: scorer.scores(rows, column))
        total = np.zeros(len(players))
        np.add.at(total, walks, np.diff(steps, axis=1))
        return total / len(walks), float(steps[: len(background), 0].mean())


def _walked(
    row: Vector,
    walks: npt.NDArray[np.int_],
    players: npt.NDArray[np.int_],
    background: Matrix,
    output: Callable[[Matrix], Vector],
) -> Matrix:
    """Outputs (w, players + 1) as features join one by one, in the order of each walk (w, players) over a background row.

    The walks take the background rows in turn. Many of them meet in the same coalition, most of all at their beginnings and
    ends, which is asked about once.
    """
    joined = np.argsort(walks, axis=1)[:, None, :] < np.arange(walks.shape[1] + 1)[:, None]  # (w, players + 1, players)
    theirs = np.resize(np.arange(len(background), dtype=np.uint32), len(walks))[:, None]
    theirs = np.where(joined.all(axis=2), 0, theirs).astype(np.uint32)  # nothing of a background row is left there
    bits = np.packbits(joined, axis=2).reshape(theirs.size, -1)
    key = np.ascontiguousarray(np.hstack([theirs.reshape(-1, 1).view(np.uint8), bits]))
    _, first, which = np.unique(key.view(f"V{key.shape[1]}").ravel(), return_index=True, return_inverse=True)
    rows = background[theirs.ravel()[first]]
    rows[:, players] = np.where(joined.reshape(theirs.size, -1)[first], row[players], rows[:, players])
    return np.asarray(output(rows)[which].reshape(theirs.shape))


def _enumerated(
    row: Vector, players: npt.NDArray[np.int_], background: Matrix, column: int, scorer: Scorer
) -> tuple[Vector, float]:
    """Values (players,) from the worth of all 2^players coalitions, and the worth of the empty one."""
    count = len(players)
    coalitions = np.arange(2**count)[:, None] >> np.arange(count) & 1  # (2^players, players)
    rows = np.repeat(background[None, :, :], len(coalitions), axis=0)
    for number, feature in enumerate(players):
        rows[coalitions[:, number] == 1, :, feature] = row[feature]
    worth = scorer.scores(rows.reshape(-1, len(row)), column).reshape(len(coalitions), -1).mean(axis=1)
    sizes = coalitions.sum(axis=1)
    values = np.zeros(count)
    for number in range(count):
        without = np.flatnonzero(coalitions[:, number] == 0)
        share = np.array([1 / (count * comb(count - 1, size)) for size in sizes[without]])
        values[number] = share @ (worth[without | 1 << number] - worth[without])
    return values, float(worth[0])
