"""How much an explanation knows of a prediction: what happens when the features that it ranks highest are hidden.

A hidden feature takes the value that it has in a training row drawn at random, whatever its kind, or drawn from those near the
row in the features that it goes together with (`conditional_rows.py`). For k = 1..K the k highest features of a ranking are
hidden together; how far the model's output then moves, on average over the drawn rows, is its
fidelity. All rankings see the same rows, so two of them are compared row by row, and one is called better only if the 95 %
interval of the difference, widened for being several comparisons, is above zero.

Source: Samek et al. (2017), "Evaluating the visualization of what a deep neural network has learned" (perturbation curves),
with values from the data's own distribution in place of noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.scoring import CHUNK_CELLS, Scorer
from ttm.explain.selection.conditional_rows import ConditionalRows, Sets

DRAWN_ROWS = 100
TOGETHER = 3  # features hidden at once in the sentence that a person reads
AT_RANDOM, PER_DRAWN = 30, 3  # sets of that many features, of which each drawn row hides so many

Order = npt.NDArray[np.int_]


def hiding_depth(width: int) -> int:
    """K for d features: max(3, floor(d / 5)), but not more than there are."""
    return min(width, max(TOGETHER, width // 5))


@dataclass(frozen=True)
class HiddenCurves:
    """How far the output moves for each ranking, k and drawn row (t, K, b), and with `together` random features hidden."""

    moved: npt.NDArray[np.float64]
    at_random: float
    together: int

    @property
    def fidelity(self) -> Vector:
        """The mean over k and drawn rows, for each ranking (t,)."""
        return np.asarray(self.moved.mean(axis=(1, 2)))

    @property
    def of_together(self) -> Vector:
        """How far hiding the `together` highest features moves the output, for each ranking (t,)."""
        return np.asarray(self.moved[:, self.together - 1].mean(axis=1))

    def better_than_first(self) -> int:
        """The place of the best ranking that is clearly better than the first, or 0."""
        from scipy.stats import norm

        areas = self.moved.mean(axis=1)
        differences = areas - areas[0]
        rivals = max(1, len(areas) - 1)
        half = norm.ppf(1 - 0.025 / rivals) * differences.std(axis=1, ddof=1) / np.sqrt(areas.shape[1])
        clear = np.flatnonzero(differences.mean(axis=1) - half > 0)
        return int(max(clear, key=lambda index: areas[index].mean(), default=0))


class Hiding:
    """Hides features of rows of one data set, with the same drawn rows for every row. Deterministic for a seed."""

    def __init__(self, coding: Coding, seed: int) -> None:
        source = np.random.default_rng([seed, 7])
        count = min(DRAWN_ROWS, len(coding.train))
        self.drawn: Matrix = coding.train[np.sort(source.choice(len(coding.train), count, replace=False))]
        self.depth = hiding_depth(coding.width)
        self.together = min(TOGETHER, coding.width)
        orders = [source.permutation(coding.width)[: self.together] for _ in range(AT_RANDOM)]
        self._random = _as_sets(orders, coding.width)
        self._conditional = ConditionalRows(coding, self.drawn, source)

    def measure(self, row: Vector, score: float, column: int, orders: list[Order], scorer: Scorer) -> HiddenCurves:
        """The curves of rankings (places, most important first) of one encoded row (d,) whose output is `score`."""
        tops = [frozenset(order[:k].tolist()) for order in orders for k in range(1, self.depth + 1)]
        different = {top: number for number, top in enumerate(dict.fromkeys(tops))}
        sets = np.concatenate([_as_sets([sorted(top) for top in different], len(row)), self._random])
        count, step = len(different), max(1, AT_RANDOM // PER_DRAWN)
        sources = enumerate(self._conditional.for_sets(row, sets))  # of a random set every tenth drawn row alone
        some = (rows if number < count else rows[(number - count) % step :: step] for number, rows in sources)
        asked = (np.where(hidden, rows, row) for hidden, rows in zip(sets, some, strict=True))
        together = max(1, CHUNK_CELLS // self.drawn.size)
        outputs = []
        while part := list(islice(asked, together)):
            outputs.append(scorer.scores(np.concatenate(part), column))
        moved = np.abs(np.concatenate(outputs) - score)
        each = moved[: count * len(self.drawn)].reshape(count, -1)
        curves = each[[different[top] for top in tops]].reshape(len(orders), self.depth, -1)
        return HiddenCurves(curves, float(moved[each.size :].mean()), self.together)


def _as_sets(sets: Sequence[Sequence[int] | Order], width: int) -> Sets:
    """Sets of places as rows of a table (s, d)."""
    table = np.zeros((len(sets), width), dtype=bool)
    for row, places in zip(table, sets, strict=True):
        row[list(places)] = True
    return table
