"""LIME's local linear models for several kernel widths from one neighbourhood and one batch of predictions.

The neighbourhood is drawn by the `lime` library's own pieces with its defaults: numbers in quartile bins, samples drawn from
the training data's bins, ridge regression with penalty 1 on "has the same bin or value as the row". Such samples
do not depend on the row, so one neighbourhood serves every row of a data set and only the row's own bins differ. The kernel is
the library's, exp(-distance² / (2 width²)) with width in units of sqrt(d); its default is 0.75 sqrt(d).

Source: Ribeiro et al., "Why Should I Trust You?", and lime 0.2's LimeTabularExplainer.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.scoring import Scorer

MOST_SAMPLES = 20_000  # four times the library's: they cost little where they serve every row, and rankings vary less
FEWEST_SAMPLES = 5_000  # the library's
SAMPLE_CELLS = 1_000_000
PENALTY = 1.0
PATTERNS_KEPT = 32


@dataclass(frozen=True)
class _Drawn:
    bins: npt.NDArray[np.int16]
    rows: Matrix


class Neighbourhood:
    """Local linear models around rows of one data set. Deterministic for a seed; safe to use from several threads."""

    def __init__(self, coding: Coding, seed: int) -> None:
        self._coding = coding
        self._seed = seed
        self.samples = int(np.clip(SAMPLE_CELLS // coding.width, FEWEST_SAMPLES, MOST_SAMPLES))
        self._outputs: OrderedDict[bytes, Matrix] = OrderedDict()
        self._lock = threading.Lock()

    def weights(self, rows: Matrix, scores: Vector, column: int, widths: list[float], scorer: Scorer) -> tuple[Matrix, Matrix]:
        """Weights (n, widths, d) and intercepts (n, widths) of the local models of encoded rows (n, d).

        `scores` (n,) is what the model says of the rows themselves in `column` of its outputs. A feature that a row has no
        value for stays missing throughout its neighbourhood and gets weight 0.
        """
        weights, intercepts = np.zeros((len(rows), len(widths), rows.shape[1])), np.zeros((len(rows), len(widths)))
        bins = np.where(np.isnan(rows), -1, self._bins_of(rows))
        different, which = np.unique(bins, axis=0, return_inverse=True)
        for number, own in enumerate(different):
            members = np.flatnonzero(which.ravel() == number)
            labels = self._labels(own == -1, scorer)[:, column]
            same = (self._drawn.bins == own).astype(np.float64)
            same[0], same[:, own == -1] = 1.0, 1.0
            models = _local_models(same, labels, scores[members], widths)
            weights[members], intercepts[members] = models
        weights[np.isnan(np.broadcast_to(rows[:, None, :], weights.shape))] = 0.0  # not only nearly so
        return weights, intercepts

    @cached_property
    def _library(self) -> Any:
        from lime.lime_tabular import LimeTabularExplainer

        places = [int(place) for place in np.flatnonzero(self._coding.discrete)]
        return LimeTabularExplainer(self._coding.complete, categorical_features=places, random_state=self._seed)

    @property
    def _drawn(self) -> _Drawn:
        with self._lock:
            return self._drawing

    @cached_property
    def _drawing(self) -> _Drawn:
        library = self._library
        columns = [
            library.random_state.choice(library.feature_values[place], size=self.samples, p=library.feature_frequencies[place])
            for place in range(self._coding.width)
        ]
        bins = np.column_stack(columns).astype(np.float64)
        rows = bins.copy()
        rows[1:] = library.discretizer.undiscretize(bins[1:])
        return _Drawn(bins.astype(np.int16), rows)

    def _bins_of(self, rows: Matrix) -> Matrix:
        drawn = self._drawn  # the library is made under the lock
        assert drawn is not None
        return np.asarray(self._library.discretizer.discretize(np.where(np.isnan(rows), 0.0, rows)))

    def _labels(self, unknown: npt.NDArray[np.bool_], scorer: Scorer) -> Matrix:
        """Model outputs (samples, k) of the neighbourhood with some features missing, kept for the next such row."""
        key = unknown.tobytes()
        with self._lock:
            if key in self._outputs:
                self._outputs.move_to_end(key)
                return self._outputs[key]
        rows = self._drawn.rows.copy()
        rows[:, unknown] = np.nan
        outputs = scorer.outputs(rows)
        with self._lock:
            self._outputs[key] = outputs
            while len(self._outputs) > PATTERNS_KEPT:
                self._outputs.popitem(last=False)
        return outputs


def _local_models(same: Matrix, labels: Vector, scores: Vector, widths: list[float]) -> tuple[Matrix, Matrix]:
    """Ridge regressions with a free intercept of rows (n) that lie in the same bins: (n, widths, d) and (n, widths).

    Such rows differ only in the first label, their own, and the coefficients are linear in it. Samples weigh by how many
    features are the same as the row's, so sums over samples with equally many serve all widths.
    """
    features = same.shape[1]
    own = np.zeros((len(labels), 3))
    own[:, 0], own[0, 0], own[0, 1], own[:, 2] = labels, 0.0, 1.0, 1.0  # other labels, the row's own, the intercept
    distance = (features - same.sum(axis=1)).astype(int)  # squared: the samples are binary
    order = np.argsort(distance, kind="stable")
    everything = np.column_stack([same, own])[order]
    levels, starts = np.unique(distance[order], return_index=True)
    sums = np.array([part.T @ part for part in np.split(everything, starts[1:])])
    weights = np.empty((len(scores), len(widths), features))
    intercepts = np.empty((len(scores), len(widths)))
    for place, width in enumerate(widths):
        kernel = np.exp(-levels / (2 * width**2 * features))
        coefficients, intercept = _ridge(np.tensordot(kernel, sums, axes=1), features)
        weights[:, place] = coefficients[:, 0] + scores[:, None] * coefficients[:, 1]
        intercepts[:, place] = intercept[0] + scores * intercept[1]
    return weights, intercepts


def _ridge(sums: Matrix, features: int) -> tuple[Matrix, Vector]:
    """Coefficients (d, 2) and intercepts (2,) from weighted sums of products of features, two targets and 1."""
    total = sums[-1, -1]
    centre, level = sums[-1, :features] / total, sums[-1, features:-1] / total
    normal = sums[:features, :features] - total * np.outer(centre, centre)
    normal[np.diag_indices_from(normal)] += PENALTY
    coefficients = np.linalg.solve(normal, sums[:features, features:-1] - total * np.outer(centre, level))
    return coefficients, level - centre @ coefficients
