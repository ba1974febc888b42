"""Which explanation to believe: fidelity by perturbing the features it ranks highest, stability to break ties.

Fidelity of a ranking is the mean, over k = 1..K, of how far the model's output moves on average when its k highest features
are perturbed (equation 1). Numbers and dates get Gaussian noise of `sigma` standard deviations of the feature, a category
or boolean takes another of its values `resample` of the time. All rankings of all rows see the same perturbations, drawn
once so that they cover their distribution evenly, and perturbed rows that are equal are given to the model once.

Stability is the mean Jaccard similarity of the k highest features between a row and its perturbed neighbours, over the same
k. Source: TalkToModel, section 2.2, equation 1, and appendix A.4.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ttm.explain.attribution import Vector, ranking
from ttm.explain.coding import Coding, Matrix
from ttm.explain.scoring import Scorer
from ttm.explain.selection.split_points import split_points

ROW_BUDGET = 500_000
FEWEST_SAMPLES = 200

# Values of perturbed rows that are in memory at a time: 40 MB, beside what the model itself takes for them.
CHUNK_VALUES = 5_000_000


@dataclass(frozen=True)
class SelectionSettings:
    """How explanations are selected.

    `samples` is N; `delta` the difference in fidelity that counts as a tie; `neighbours` perturbed rows show how stable an
    explanation is, and a difference in stability up to `alike` (one neighbour in twenty) tells nothing.
    """

    samples: int = 10_000
    sigma: float = 0.05
    resample: float = 0.3
    delta: float = 0.01
    neighbours: int = 20
    alike: float = 0.05


def depth(width: int) -> int:
    """K for d features: max(1, floor(d / 5))."""
    return max(1, width // 5)


class Perturbation:
    """Perturbed copies of rows of one data set, the same draws for every row. Deterministic for a seed."""

    def __init__(self, coding: Coding, settings: SelectionSettings, seed: int, samples: int) -> None:
        self._coding = coding
        self._settings = settings
        self.samples = samples
        self._source = np.random.default_rng([seed, 3])

    @cached_property
    def _draws(self) -> npt.NDArray[np.float64]:
        """Standard normal values (N, d) for numbers, uniform ones for the rest, each column evenly spread."""
        from scipy.special import ndtri

        shape = (self.samples, self._coding.width)
        draws = (
            self._source.permuted(np.tile(np.arange(shape[0])[:, None], shape[1]), axis=0) + self._source.random(shape)
        ) / shape[0]
        measured = ~self._coding.discrete
        draws[:, measured] = ndtri(np.clip(draws[:, measured], 1e-12, 1 - 1e-12))
        return draws

    def column(self, row: Vector, index: int) -> Vector:
        """Perturbed values (N,) of one feature of an encoded row (d,); a missing value stays missing."""
        draws, value = self._draws[:, index], row[index]
        if np.isnan(value):
            return np.full(self.samples, np.nan)
        if not self._coding.discrete[index]:
            return np.asarray(value + self._settings.sigma * self._coding.scale[index] * draws)
        others = self._coding.frequencies[index].copy()
        others[int(value)] = 0.0
        if not others.sum():
            return np.full(self.samples, value)
        bounds = np.cumsum(others / others.sum())
        drawn = np.searchsorted(bounds, draws / self._settings.resample, side="right")
        last = int(np.flatnonzero(others)[-1])
        return np.where(draws < self._settings.resample, np.minimum(drawn, last), value).astype(np.float64)

    def neighbours(self, row: Vector) -> Matrix:
        """The row (d,) perturbed in all its features, (N, d)."""
        return np.column_stack([self.column(row, index) for index in range(len(row))])


class Fidelity:
    """Measures fidelity of rankings on one data set. Safe to use from several threads once built."""

    def __init__(self, scorer: Scorer, settings: SelectionSettings, seed: int) -> None:
        self._coding = scorer.coding
        self.depth = depth(self._coding.width)
        self.splits = split_points(scorer.model, self._coding)
        samples = settings.samples
        if self.splits is None:  # every perturbed row must be asked, so wide data get fewer of them
            samples = min(samples, max(FEWEST_SAMPLES, ROW_BUDGET // (5 * self.depth)))
        self.perturbation = Perturbation(self._coding, settings, seed, samples)

    def measure(
        self, row: Vector, score: float, column: int, rankings: list[npt.NDArray[np.int_]], scorer: Scorer
    ) -> list[float]:
        """Fidelity of each ranking (places, most important first) of one encoded row whose output is `score`."""
        tops = [frozenset(order[:k].tolist()) for order in rankings for k in range(1, self.depth + 1)]
        different = list(dict.fromkeys(tops))
        moved = dict(zip(different, self._moved(row, score, column, different, scorer), strict=True))
        curves = np.array([moved[top] for top in tops]).reshape(len(rankings), self.depth)
        return [float(value) for value in curves.mean(axis=1)]

    def alone(self, row: Vector, score: float, column: int, scorer: Scorer) -> Vector:
        """How far the output moves on average when each feature (d,) of an encoded row is perturbed by itself."""
        return np.array(self._moved(row, score, column, [frozenset([index]) for index in range(len(row))], scorer))

    def _moved(self, row: Vector, score: float, column: int, tops: list[frozenset[int]], scorer: Scorer) -> list[float]:
        """Mean absolute change of the output for each set of perturbed features: Fudge of equation 1."""
        places = sorted(set().union(*tops))
        columns = {index: self.perturbation.column(row, index) for index in places}
        cells = {index: self._cells(index, columns[index]) for index in places}
        sets = [sorted(top) for top in tops]
        chosen = [self._distinct(top, cells) for top in sets]
        moved: list[float] = []
        for chunk in _chunks([len(kept) for kept, _ in chosen], CHUNK_VALUES // len(row)):
            rows = [_perturbed(row, sets[n], columns, chosen[n][0]) for n in chunk]
            scores = scorer.scores(np.concatenate(rows), column)
            parts = np.split(np.abs(scores - score), np.cumsum([len(each) for each in rows])[:-1])
            moved.extend(float(part @ chosen[n][1] / chosen[n][1].sum()) for n, part in zip(chunk, parts, strict=True))
        return moved

    def _cells(self, index: int, values: Vector) -> npt.NDArray[np.int64] | None:
        """A number for each value (N,) such that equal numbers mean equal answers of the model; None if unknown."""
        if np.isnan(values[0]):
            return np.zeros(len(values), dtype=np.int64)
        if self._coding.discrete[index]:
            return values.astype(np.int64)
        if self.splits is None:
            return None
        return np.searchsorted(self.splits[index], values.astype(np.float32), side="right").astype(np.int64)

    def _distinct(
        self, top: list[int], cells: dict[int, npt.NDArray[np.int64] | None]
    ) -> tuple[npt.NDArray[np.int_], npt.NDArray[np.int_]]:
        """The samples that the model can tell apart when these features are perturbed, and how many each stands for."""
        known = [cell for index in top if (cell := cells[index]) is not None]
        if len(known) == len(top):
            return _first_of_each(known)
        return np.arange(self.perturbation.samples), np.ones(self.perturbation.samples, dtype=int)


def _perturbed(row: Vector, top: list[int], columns: dict[int, Vector], kept: npt.NDArray[np.int_]) -> Matrix:
    rows = np.tile(row, (len(kept), 1))
    for index in top:
        rows[:, index] = columns[index][kept]
    return rows


def _chunks(lengths: list[int], most: int) -> Iterator[list[int]]:
    """Indices of the lengths in order, as many together as come to `most`, at least one."""
    chunk, total = list[int](), 0
    for index, length in enumerate(lengths):
        if chunk and total + length > most:
            yield chunk
            chunk, total = [], 0
        chunk.append(index)
        total += length
    if chunk:
        yield chunk


def _first_of_each(cells: list[npt.NDArray[np.int64]]) -> tuple[npt.NDArray[np.int_], npt.NDArray[np.int_]]:
    """Places of the first of each different combination, and how often it occurs."""
    codes = np.zeros(len(cells[0]), dtype=np.int64)
    for column in cells:
        low, high = int(column.min()), int(column.max())
        codes = codes * (high - low + 1) + (column - low)
        if codes.max() > 2**40:
            codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    _, kept, counts = np.unique(codes, return_index=True, return_counts=True)
    return kept, counts


def jaccard(first: npt.NDArray[np.int_], others: npt.NDArray[np.int_], depth: int) -> float:
    """Mean Jaccard similarity of the k first of `first` (d,) and of each row of `others` (n, d), over k = 1..depth."""
    width = len(first)
    index = np.argsort(first)
    places = np.argsort(others, axis=1)
    total = 0.0
    for k in range(1, depth + 1):
        both = ((index < k) & (places < k)).sum(axis=1)
        total += float((both / (2 * min(k, width) - both)).mean())
    return total / depth


def rankings(weights: Matrix) -> npt.NDArray[np.int_]:
    """`ranking` for each row of weights (n, d)."""
    return np.array([ranking(row) for row in weights])
