"""One row of a table, with what hiding features does to the model's output, and measures of explanations that rest on it.

Source: Samek et al. (2017), hiding the highest features; Bhatt et al. (2020), "Evaluating and aggregating feature-based model
explanations" (faithfulness correlation); Yeh et al. (2019), "On the (in)fidelity and sensitivity of explanations" (infidelity,
max-sensitivity).
"""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ttm.explain.explainer import Explainer
    from ttm.explain.selection.hiding import Hiding

SETS = 60  # random sets of features for correlation and infidelity
RANDOM_ORDERS = 5
NEIGHBOURS = 10  # rows close by for max-sensitivity
RADIUS = 0.1  # standard deviations of each measure, the largest distance of a neighbour
OTHER_DRAWS = 1_009  # added to the seed: rows to hide by that no choice has seen
Vector = npt.NDArray[np.float64]
Order = npt.NDArray[np.int_]


class JudgedRow:
    """One row with what hiding its features by the drawn rows does; `result` is its explanation."""

    def __init__(self, explainer: "Explainer", hiding: "Hiding", row: Any, result: Any) -> None:
        from ttm.explain.scoring import Scorer

        self.score, self.column = result.score, result.class_number or 0
        self.encoded: Vector = explainer.coding.encode(row)[0]
        self._explainer, self._hiding = explainer, hiding
        self._scorer = Scorer(explainer.subject.model, explainer.coding)
        self._source = np.random.default_rng([explainer.seed, OTHER_DRAWS])
        self.width = len(self.encoded)
        sizes = self._source.integers(1, self.width, size=SETS) if self.width > 1 else np.ones(SETS, dtype=int)
        self.sets = [self._source.permutation(self.width)[:size] for size in sizes]

    @cached_property
    def moved(self) -> Vector:
        """How far the output falls (s,) on average over the drawn rows when each of `sets` is hidden."""
        return self.moved_by(self.sets)

    def moved_by(self, sets: list[Order]) -> Vector:
        """How far the output falls (s,) on average over the drawn rows when each set of features is hidden."""
        return np.asarray(self.score - self._hidden(sets).mean(axis=1))

    def infidelity(self, weights: Vector) -> float:
        """The mean squared difference between the weights (d,) of hidden features and how far the output fell."""
        return float(((self._sums(weights) - self.moved) ** 2).mean())

    def correlation(self, weights: Vector) -> float:
        """The correlation of the weights (d,) of hidden features with how far the output fell."""
        return pearson(self._sums(weights), self.moved)

    def _sums(self, weights: Vector) -> Vector:
        return np.array([weights[columns].sum() for columns in self.sets])

    def hiding(self, weights: Vector) -> list[float]:
        """How far hiding the features that each technique ranks highest moves the output, from weights (t, d)."""
        from ttm.explain.selection.fidelity import rankings

        return self._curves(list(rankings(weights)))

    @cached_property
    def neighbours(self) -> Vector:
        """Rows close by (n, d): each measure moved at random by at most RADIUS standard deviations, all else as it is."""
        steps = self._source.uniform(-RADIUS, RADIUS, (NEIGHBOURS, self.width)) * self._explainer.coding.scale
        return np.asarray(self.encoded + np.where(self._explainer.coding.discrete, 0.0, steps))

    def weights_near(self, rows: Vector) -> Vector:
        """The weights of each technique (n, t, d) for rows (n, d), towards the class of this row."""
        pools = [self._explainer.techniques.by_hiding(row[None, :], self.column).pool for row in rows]
        return np.array([[candidate.weights for candidate in pool.candidates] for pool in pools])

    def sensitivities(self, weights: Vector) -> Vector:
        """The max-sensitivity (t,) of each technique from its weights (t, d): how far they move at most, by their length."""
        lengths = np.linalg.norm(weights, axis=1)
        moved = np.linalg.norm(self.weights_near(self.neighbours) - weights, axis=2).max(axis=0)
        return np.asarray(moved / np.where(lengths == 0, 1.0, lengths))

    def greedy(self) -> float:
        """The order that adds, one after the other, the feature that moves the output most."""
        order: list[int] = []
        for _ in range(self._hiding.depth):
            left = [column for column in range(self.width) if column not in order]
            moved = np.abs(self._hidden([np.array([*order, column]) for column in left]) - self.score).mean(axis=1)
            order.append(left[int(moved.argmax())])
        return self._curves([np.array(order)])[0]

    def random(self, source: np.random.Generator) -> float:
        """What random orders come to."""
        return float(np.mean(self._curves([source.permutation(self.width) for _ in range(RANDOM_ORDERS)])))

    def _curves(self, orders: list[Order]) -> list[float]:
        result = self._hiding.measure(self.encoded, self.score, self.column, orders, self._scorer)
        return [float(value) for value in result.fidelity]

    def _hidden(self, sets: list[Order]) -> Vector:
        """The output (s, b) for each set of hidden features and drawn row."""
        drawn = self._hiding.drawn
        rows = np.tile(self.encoded, (len(sets), len(drawn), 1))
        for number, columns in enumerate(sets):
            rows[number][:, columns] = drawn[:, columns]
        return self._scorer.scores(rows.reshape(-1, rows.shape[2]), self.column).reshape(len(sets), len(drawn))


def pearson(sums: Vector, moved: Vector) -> float:
    """Pearson's r, nan where one of the two is the same for all sets."""
    return float(np.corrcoef(sums, moved)[0, 1]) if sums.std() > 0 and moved.std() > 0 else float("nan")
