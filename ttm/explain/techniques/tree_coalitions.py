"""Exact Shapley values of a boosted model's probability, from the leaves of its trees.

The tree algorithm of the `shap` library is exact for the sum of the trees, the log odds, and scales its values to
probabilities. Here the worth of every coalition is written down instead. A row put together from the explained row x and a
background row b reaches a leaf if each feature on the leaf's path comes from a row that satisfies its conditions: some features
must come from x, some must not. So each leaf adds its value to a range of coalitions, and the sums over all coalitions follow
by adding over subsets, feature by feature; then comes the link to probabilities, and the definition. Only features in which x
and b fall on different sides of some cut take part, which are few for most b.
"""

import threading
from dataclasses import dataclass
from functools import cache
from math import comb
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache, cachedmethod

from ttm.explain.attribution import Vector
from ttm.explain.coding import Matrix
from ttm.explain.scoring import Scorer
from ttm.explain.techniques.tree_inputs import BoosterTree, booster_trees, tree_inputs, tree_learner
from ttm.tabular.model.model import class_places, model_features

MOST_LEAVES = 20_000
LONGEST_PATH = 6
MOST_CELLS = 500_000  # coalitions, over all background rows
TOLERANCE = 1e-4
BACKGROUNDS_KEPT = 16
VALUES_KEPT = 5_000

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int_]


@dataclass(frozen=True)
class Leaves:
    """All leaves of all trees.

    Each has up to LONGEST_PATH conditions (leaves, conditions): the model's input `place` within `low` <= value < `high`, or
    missing if `missing`; unused ones hold for every row. `value` (leaves,) is what a leaf adds to the margin of `output`
    (leaves,). `cuts` are the sorted split points of each input.
    """

    column: Ints
    low: npt.NDArray[np.float32]
    high: npt.NDArray[np.float32]
    missing: Bools
    value: Vector
    output: Ints
    cuts: tuple[npt.NDArray[np.float32], ...]

    def cells(self, inputs: Matrix) -> npt.NDArray[np.int32]:
        """Between which cuts each input (n, c) lies, -1 where it is missing."""
        narrow = inputs.astype(np.float32)
        columns = [np.searchsorted(cuts, narrow[:, index], side="right") for index, cuts in enumerate(self.cuts)]
        return np.where(np.isnan(narrow), -1, np.column_stack(columns)).astype(np.int32)

    def holds(self, inputs: Vector) -> Bools:
        """Which conditions one row of inputs (c,) satisfies, (leaves, conditions)."""
        values = inputs.astype(np.float32)[self.column]
        return np.asarray(((values >= self.low) & (values < self.high)) | (np.isnan(values) & self.missing))

    def packed(self, inputs: Matrix) -> npt.NDArray[np.uint8]:
        """The same of rows (n, c) as (n, leaves), the conditions of a leaf as the bits of one number; row by row for memory."""
        return np.stack([_packed(self.holds(row)) for row in inputs])

    @property
    def all_hold(self) -> np.uint8:
        """What `packed` has where all conditions of a leaf hold."""
        return np.uint8(_packed(np.ones(self.column.shape[1], dtype=bool)))


@dataclass(frozen=True)
class _Reached:
    """What `packed` (b, leaves) and `cells` (b, c) say of the background rows."""

    packed: npt.NDArray[np.uint8]
    cells: npt.NDArray[np.int32]


class TreeCoalitions:
    """Exact values for one XGBoost classifier that reads the features themselves; `is_usable` says whether it is one."""

    def __init__(self, scorer: Scorer, background: Matrix, cuts_known: bool) -> None:
        self._scorer = scorer
        self._background = background
        self._offset: Vector = np.zeros(1)
        self._places: list[int] = []
        self._backgrounds: LRUCache[bytes, _Reached] = LRUCache(BACKGROUNDS_KEPT)
        self._values: LRUCache[bytes, tuple[Vector, float]] = LRUCache(VALUES_KEPT)
        self._lock = threading.Lock()
        leaves = _leaves(scorer) if cuts_known and scorer.is_classifier else None
        self._leaves = leaves if leaves is not None and self._agrees(leaves) else None

    @property
    def is_usable(self) -> bool:
        return self._leaves is not None

    def _agrees(self, leaves: Leaves) -> bool:
        """Whether the leaves, with an offset found from the background, give what the model says of it."""
        self._places = class_places(self._scorer.model.estimator, self._scorer.coding.schema)
        outputs = self._scorer.outputs(self._background)[:, self._places]
        reached = leaves.packed(tree_inputs(self._scorer, self._background)) == leaves.all_hold
        kinds = range(int(leaves.output.max()) + 1)
        margins = np.column_stack([reached @ np.where(leaves.output == kind, leaves.value, 0.0) for kind in kinds])
        known = np.log(np.clip(outputs, 1e-12, 1))
        known = known - known[:, [0]]  # only differences between classes count
        relative = margins - margins[:, [0]] if len(kinds) > 1 else margins
        self._offset = np.median(known[:, -len(kinds) :] - relative, axis=0)
        return bool(np.allclose(_linked((margins + self._offset).T).T, outputs, atol=TOLERANCE))

    def values(self, rows: Matrix, columns: Ints) -> list[tuple[Vector, float] | None]:
        """Values (d,) of each encoded row (n, d) and the worth of the empty coalition; None if there are too many coalitions.

        Rows in the same cells get the same values, which are kept.
        """
        assert self._leaves is not None
        inputs = tree_inputs(self._scorer, rows)
        cells = self._leaves.cells(inputs)
        return [self._of_row(*row) for row in zip(inputs, cells, np.isnan(rows), columns.tolist(), strict=True)]

    def _of_row(self, inputs: Vector, cells: npt.NDArray[np.int32], unknown: Bools, column: int) -> tuple[Vector, float] | None:
        assert self._leaves is not None
        key = cells.tobytes() + unknown.tobytes() + bytes([column % 256, column // 256])
        with self._lock:
            result = self._values.get(key)
        if result is not None:
            return result
        result = self._computed(self._leaves.holds(inputs), cells, unknown, self._places.index(column))
        if result is not None:
            with self._lock:
                self._values[key] = result
        return result

    def _computed(self, own: Bools, cells: npt.NDArray[np.int32], unknown: Bools, column: int) -> tuple[Vector, float] | None:
        assert self._leaves is not None
        theirs = self._of_background(unknown)
        differ = theirs.cells != cells
        sizes = differ.sum(axis=1)
        if (2.0**sizes).sum() > MOST_CELLS:
            return None
        total, base = np.zeros(differ.shape[1]), 0.0
        reached = (theirs.packed | _packed(own)) == self._leaves.all_hold  # by some coalition
        for size in np.unique(sizes):
            rows = np.flatnonzero(sizes == size)
            row, leaf = np.nonzero(reached[rows])
            worth = self._worth(row, leaf, theirs.packed[rows[row], leaf], own, differ[rows], column)
            players = np.nonzero(differ[rows])[1].reshape(len(rows), size)
            np.add.at(total, players, worth @ shares(int(size)).T)
            base += float(worth[:, 0].sum())
        names = model_features(self._scorer.model.estimator, self._scorer.coding.schema)
        weights = np.zeros(len(unknown))
        weights[[self._scorer.coding.names.index(name) for name in names]] = total / len(differ)
        return weights, base / len(differ)

    @cachedmethod(attrgetter("_backgrounds"), key=lambda self, unknown: unknown.tobytes(), lock=attrgetter("_lock"))
    def _of_background(self, unknown: Bools) -> _Reached:
        """Conditions and cells of the background rows without values for what is `unknown` (d,)."""
        assert self._leaves is not None
        rows = self._background.copy()
        rows[:, unknown] = np.nan
        inputs = tree_inputs(self._scorer, rows)
        return _Reached(self._leaves.packed(inputs), self._leaves.cells(inputs))

    def _worth(self, row: Ints, leaf: Ints, theirs: npt.NDArray[np.uint8], own: Bools, differ: Bools, column: int) -> Matrix:
        """Probability of each coalition for each background row (b, 2^size), of which `differ` (b, c) has `size` in each row.

        Background row and leaf (n,) are those that some coalition reaches; `theirs` (n,) and `own` (leaves, conditions) tell
        which conditions of the leaf hold for the background row and for x. Bit i of a coalition's number stands for the i-th
        feature in which that background row differs.
        """
        leaves, size = self._leaves, int(differ[0].sum())
        assert leaves is not None
        shape = (int(leaves.output.max()) + 1, len(differ), 2**size)
        number = np.where(differ, 1 << np.maximum(np.cumsum(differ, axis=1) - 1, 0), 0).ravel()
        order = np.argsort(own, axis=1, kind="stable")  # first the conditions that x does not satisfy
        inputs = np.take_along_axis(leaves.column, order, axis=1)
        bits = [number[row * differ.shape[1] + inputs[leaf, condition]] for condition in range(own.shape[1])]
        index = (leaves.output[leaf] * shape[1] + row) * shape[2]
        for condition, bit in enumerate(bits):  # what must come from x
            index += bit * (theirs >> 7 - order[leaf, condition] & 1 == 0)
        value, barred = leaves.value[leaf], (~own).sum(axis=1)[leaf]
        table = np.zeros(np.prod(shape))
        for count in np.unique(barred):  # what must not come from x: without regard to it, less those where it does
            chosen = np.flatnonzero(barred == count)
            cells, added = index[chosen, None], value[chosen, None]
            for bit in bits[:count]:
                cells, added = np.hstack([cells, cells + bit[chosen, None]]), np.hstack([added, -added])
            table += np.bincount(cells.ravel(), added.ravel(), minlength=table.size)
        margins = _summed_over_subsets(table.reshape(-1, shape[2]), size).reshape(shape)
        return np.asarray(_linked(margins + self._offset[:, None, None])[column])


def _packed(holds: Bools) -> npt.NDArray[np.uint8]:
    """Conditions (..., at most 8) as the bits of one number."""
    return np.asarray(np.packbits(holds, axis=-1)[..., 0])


def _linked(margins: Matrix) -> Matrix:
    """Probabilities (classes of the estimator, ...) from margins (1, ...) or (classes, ...)."""
    if len(margins) == 1:
        positive = 1 / (1 + np.exp(-margins))
        return np.concatenate([1 - positive, positive])
    raised = np.exp(margins - margins.max(axis=0))
    return np.asarray(raised / raised.sum(axis=0))


def _summed_over_subsets(table: Matrix, players: int) -> Matrix:
    """For each coalition (columns) the sum over all its subsets, row by row."""
    for player in range(players):
        view = table.reshape(len(table), -1, 2, 2**player)
        view[:, :, 1] += view[:, :, 0]
    return table


@cache
def shares(players: int) -> Matrix:
    """Weights (players, 2^players) by which the worths of coalitions make Shapley values: the definition as a matrix."""
    coalitions = np.arange(2**players)
    inside = (coalitions[None, :] >> np.arange(players)[:, None] & 1).astype(bool)
    size = inside.sum(axis=0)
    joining = np.array([1 / (players * comb(players - 1, s)) if s < players else 0.0 for s in range(players + 1)])
    return np.asarray(np.where(inside, joining[np.maximum(size - 1, 0)], -joining[size]))


def _leaves(scorer: Scorer) -> Leaves | None:
    """The leaves of the model's trees; None if there are too many or their paths are too long."""
    estimator = tree_learner(scorer)
    trees = booster_trees(estimator)
    if sum(tree.left.count(-1) for tree in trees) > MOST_LEAVES:
        return None
    outputs = int(estimator.n_classes_) if estimator.n_classes_ > 2 else 1
    leaves = [(path, value, number % outputs) for number, tree in enumerate(trees) for path, value in _paths(tree)]
    if not leaves or max(len(path) for path, *_ in leaves) > LONGEST_PATH:
        return None
    return _as_arrays(leaves, len(model_features(scorer.model.estimator, scorer.coding.schema)))


def _paths(tree: BoosterTree) -> list[tuple[dict[int, list[Any]], float]]:
    """The conditions on the way to each leaf, by feature: lowest, below, and whether a missing value goes there."""
    paths: list[tuple[dict[int, list[Any]], float]] = []

    def walk(node: int, path: dict[int, list[Any]]) -> None:
        if tree.left[node] == -1:
            paths.append((path, tree.split[node]))
            return
        index, split, left = tree.column[node], np.float32(tree.split[node]), bool(tree.missing_left[node])
        low, high, missing = path.get(index, [-np.inf, np.inf, True])
        walk(tree.left[node], path | {index: [low, min(high, split), missing and left]})
        walk(tree.right[node], path | {index: [max(low, split), high, missing and not left]})

    walk(0, {})
    return paths


def _as_arrays(leaves: list[tuple[dict[int, list[Any]], float, int]], columns: int) -> Leaves:
    longest = max(1, max(len(path) for path, *_ in leaves))
    shape = (len(leaves), longest)
    index, missing = np.zeros(shape, dtype=int), np.ones(shape, dtype=bool)
    low, high = np.full(shape, -np.inf, np.float32), np.full(shape, np.inf, np.float32)
    for number, (path, *_) in enumerate(leaves):
        for condition, (feature, (lowest, below, or_missing)) in enumerate(path.items()):
            index[number, condition] = feature
            low[number, condition], high[number, condition] = lowest, below
            missing[number, condition] = or_missing
    bounds = [np.concatenate([low[index == feature], high[index == feature]]) for feature in range(columns)]
    cuts = tuple(np.unique(bound[np.isfinite(bound)]) for bound in bounds)
    values = np.array([value for _, value, _ in leaves])
    return Leaves(index, low, high, missing, values, np.array([output for *_, output in leaves]), cuts)
