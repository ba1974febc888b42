"""LIME's local linear models for several kernel widths from one neighbourhood and one batch of predictions.

The neighbourhood is drawn by the `lime` library's own pieces with its defaults: numbers in quartile bins, samples drawn from
the training data's bins, ridge regression with penalty 1 on "has the same bin or value as the row". Such samples
do not depend on the row, so one neighbourhood serves every row of a data set and only the row's own bins differ. The kernel is
the library's, exp(-distance² / (2 width²)) with width in units of sqrt(d); its default is 0.75 sqrt(d).

Only the random numbers behind the draws are not the library's own: they are spread evenly (`draws.py`), since features of
nearly the same weight would otherwise change places with the seed.

Source: Ribeiro et al., "Why Should I Trust You?", and lime 0.2's LimeTabularExplainer.
"""

import threading
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache, cachedmethod

from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.scoring import Scorer
from ttm.explain.techniques.draws import EvenRandomState

MOST_SAMPLES = 2**17  # the library takes 5,000; more cost little where they serve every row, and rankings vary less
DEAR_SAMPLES = 2**15  # where values are missing, so the model is asked for each pattern of gaps, or it has trees for each class
SLOW_SAMPLES = 2**14  # where a model takes its time
ROUGH_SAMPLES = 2**14
FEWEST_SAMPLES = 2**13
FIT_PRODUCTS = 2**27  # of the features of all samples with each other, which take the time of a fit
PENALTY = 1.0
PATTERNS_KEPT = 32


@dataclass(frozen=True)
class _Samples:
    """The first so many samples, those of which all features have the same bins and values taken together.

    There are `counts` (m,) samples of each combination `bins` (d, m), and `which` (samples - 1,) tells the combination of each.
    Place 0 is kept for the row itself, which stands for the first sample.
    """

    bins: npt.NDArray[np.int16]
    counts: Vector
    which: npt.NDArray[np.int_]

    def sums(self, outputs: Matrix) -> Matrix:
        """Sums (m, k) of what belongs to the samples (samples - 1 or more, k)."""
        own = outputs[: len(self.which)]
        return np.column_stack([np.bincount(self.which, column, len(self.counts)) for column in own.T])


@dataclass(frozen=True)
class _Drawn:
    """The encoded samples (samples - 1, d) after the first; all of them, and a part, as they are fitted."""

    rows: Matrix
    all: _Samples
    rough: _Samples


class LimeModels:
    """Local linear models around rows of one data set. Deterministic for a seed; safe to use from several threads.

    `quick` says whether the model answers a hundred thousand rows at once in a fraction of a second.
    """

    def __init__(self, coding: Coding, seed: int, quick: bool = False) -> None:
        self._coding = coding
        self._seed = seed
        affordable = 2 ** ((FIT_PRODUCTS // coding.width**2).bit_length() - 1)
        dear = len(coding.schema.target.classes) > 2 or bool(np.isnan(coding.train).any())
        most = SLOW_SAMPLES if not quick else DEAR_SAMPLES if dear else MOST_SAMPLES
        self.samples = int(np.clip(affordable, FEWEST_SAMPLES, most))
        self._outputs: LRUCache[bytes, tuple[Matrix, Matrix]] = LRUCache(PATTERNS_KEPT)
        self._lock = threading.Lock()

    def weights(
        self, rows: Matrix, scores: Vector, column: int, widths: list[float], scorer: Scorer, rough: bool = False
    ) -> tuple[Matrix, Matrix]:
        """Weights (n, widths, d) and intercepts (n, widths) of the local models of encoded rows (n, d).

        `scores` (n,) is what the model says of the rows themselves in `column` of its outputs. A feature that a row has no
        value for stays missing throughout its neighbourhood and gets weight 0. `rough` models are of the first ROUGH_SAMPLES
        samples only: quicker, and good enough to compare rows with each other, as they share what is wrong with them.
        """
        weights, intercepts = np.zeros((len(rows), len(widths), rows.shape[1])), np.zeros((len(rows), len(widths)))
        bins = np.where(np.isnan(rows), -1, self._bins_of(rows))
        different, which = np.unique(bins, axis=0, return_inverse=True)
        samples = self._drawn.rough if rough else self._drawn.all
        for number, own in enumerate(different):
            members = np.flatnonzero(which.ravel() == number)
            labels = self._labels(own == -1, scorer)[int(rough)][:, column]
            same = samples.bins == own[:, None]
            same[:, 0], same[own == -1] = True, True
            models = _local_models(same, samples.counts, labels, scores[members], widths)
            weights[members], intercepts[members] = models
        weights[np.isnan(np.broadcast_to(rows[:, None, :], weights.shape))] = 0.0  # not only nearly so
        return weights, intercepts

    @property
    def randomness(self) -> EvenRandomState:
        """What the library draws from: for each feature a bin or value, and for each measure a place within the bin."""
        columns = 2 * self._coding.width - int(self._coding.discrete.sum())
        return EvenRandomState(self._seed, self.samples, columns)

    @cached_property
    def _library(self) -> Any:
        from lime.lime_tabular import LimeTabularExplainer

        places = [int(index) for index in np.flatnonzero(self._coding.discrete)]
        return LimeTabularExplainer(self._coding.complete, categorical_features=places, random_state=self.randomness)

    @property
    def _drawn(self) -> _Drawn:
        with self._lock:
            return self._drawing

    @cached_property
    def _drawing(self) -> _Drawn:
        library = self._library
        bins = np.empty((self.samples - 1, self._coding.width), np.int16)
        for index, column in enumerate(bins.T):
            values, frequencies = library.feature_values[index], library.feature_frequencies[index]
            column[:] = library.random_state.choice(values, size=self.samples, p=frequencies)[1:]
        rows = bins.astype(np.float64)
        for index in library.discretizer.means:  # one at a time: all of 200 columns take several times the memory
            rows[:, index] = library.discretizer.get_undiscretize_values(index, bins[:, index].astype(np.int_))
        library.random_state.give_back()  # nothing is drawn any more
        drawn = _taken_together(bins)
        return _Drawn(rows, drawn, _taken_together(bins[: ROUGH_SAMPLES - 1]) if self.samples > ROUGH_SAMPLES else drawn)

    def _bins_of(self, rows: Matrix) -> Matrix:
        drawn = self._drawn  # the library is made under the lock
        assert drawn is not None
        return np.asarray(self._library.discretizer.discretize(np.where(np.isnan(rows), 0.0, rows)))

    @cachedmethod(attrgetter("_outputs"), key=lambda self, unknown, scorer: unknown.tobytes(), lock=attrgetter("_lock"))
    def _labels(self, unknown: npt.NDArray[np.bool_], scorer: Scorer) -> tuple[Matrix, Matrix]:
        """Sums of model outputs (m, k) over all and over the rough samples, with some features missing; kept for later."""
        drawn = self._drawn
        rows = drawn.rows.copy() if unknown.any() else drawn.rows
        rows[:, unknown] = np.nan
        outputs = scorer.outputs(rows)
        return drawn.all.sums(outputs), drawn.rough.sums(outputs)


def _taken_together(bins: npt.NDArray[np.int16]) -> _Samples:
    """Samples with bins and values (n, d)."""
    packed = bins.view(f"V{bins.itemsize * bins.shape[1]}").ravel()
    _, first, which, counts = np.unique(packed, return_index=True, return_inverse=True, return_counts=True)
    own = np.zeros((1, bins.shape[1]), dtype=np.int16)  # whatever stands here is taken to be the same as the row
    different = np.concatenate([own, bins[first]])
    return _Samples(np.ascontiguousarray(different.T), np.concatenate([[1.0], counts]), which.ravel() + 1)


def _local_models(
    same: npt.NDArray[np.bool_], counts: Vector, labels: Vector, scores: Vector, widths: list[float]
) -> tuple[Matrix, Matrix]:
    """Ridge regressions with a free intercept of rows (n) that lie in the same bins: (n, widths, d) and (n, widths).

    `same` (d, m) marks what the samples have in common with the rows, `counts` (m,) how many samples are alike in that, and
    `labels` (m,) is the sum of theirs. The rows differ only in the first label, their own, and coefficients are linear in
    it. Samples weigh by how many features are the same as the row's, so sums over samples with equally many serve all widths.
    """
    features = len(same)
    distance = (features - same.sum(axis=0, dtype=np.int16)).astype(np.int16)  # squared: the samples are binary
    order = np.argsort(distance, kind="stable")
    weight = np.sqrt(counts[order])
    everything = np.zeros((features + 3, len(order)))  # after the features: other labels, the row's own, the intercept
    np.multiply(np.take(same, order, axis=1), weight, out=everything[:features])
    everything[features] = np.where(order == 0, 0.0, labels[order] / weight)
    everything[features + 1, order == 0] = 1.0
    everything[features + 2] = weight
    levels, starts = np.unique(distance[order], return_index=True)
    kernels = [np.exp(-levels / (2 * width**2 * features)) for width in widths]
    sums = np.zeros((len(widths), len(everything), len(everything)))
    for level, part in enumerate(np.split(everything, starts[1:], axis=1)):  # all levels at once are a large array
        products = part @ part.T
        for own, kernel in zip(sums, kernels, strict=True):
            own += kernel[level] * products
    weights = np.empty((len(scores), len(widths), features))
    intercepts = np.empty((len(scores), len(widths)))
    for index, own in enumerate(sums):
        coefficients, intercept = _ridge(own, features)
        weights[:, index] = coefficients[:, 0] + scores[:, None] * coefficients[:, 1]
        intercepts[:, index] = intercept[0] + scores * intercept[1]
    return weights, intercepts


def _ridge(sums: Matrix, features: int) -> tuple[Matrix, Vector]:
    """Coefficients (d, 2) and intercepts (2,) from weighted sums of products of features, two targets and 1."""
    total = sums[-1, -1]
    centre, level = sums[-1, :features] / total, sums[-1, features:-1] / total
    normal = sums[:features, :features] - total * np.outer(centre, centre)
    normal[np.diag_indices_from(normal)] += PENALTY
    coefficients = np.linalg.solve(normal, sums[:features, features:-1] - total * np.outer(centre, level))
    return coefficients, level - centre @ coefficients
