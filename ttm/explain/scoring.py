"""What the model says of many perturbed rows, counted and timed, with equal rows asked only once where that is known.

For an ensemble of trees whose inputs are single features, all rows that fall between the same split points get the same
answer; a thousand slightly moved copies of a row are then a few different ones.
"""

import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ttm.explain.coded_inputs import CodedInputs, coded_inputs
from ttm.explain.coding import Coding, Matrix
from ttm.tabular.model.model import Model

CHUNK_CELLS = 500_000  # of rows that a model is asked for at once: 4 MB, of which a pipeline makes several copies


class RowScorer(Protocol):
    """What gives outputs (n, k) for encoded rows (n, d)."""

    @property
    def coding(self) -> Coding: ...

    def outputs(self, matrix: Matrix, /) -> Matrix: ...


@dataclass
class Effort:
    """Model rows evaluated and seconds spent inside the model, for one answer."""

    rows: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Scorer:
    """The model on encoded rows. `is_classifier` tells probabilities from quantities; `effort` adds up."""

    model: Model
    coding: Coding
    effort: Effort = field(default_factory=Effort)

    @property
    def is_classifier(self) -> bool:
        return self.coding.schema.target.is_classification

    @cached_property
    def _inputs(self) -> CodedInputs | None:
        return coded_inputs(self.model.estimator, self.coding)

    def outputs(self, matrix: Matrix) -> Matrix:
        """Class probabilities (n, k), or predicted values (n, 1), of encoded rows (n, d)."""
        step = max(1, CHUNK_CELLS // max(1, matrix.shape[1]))
        parts = [self._part(matrix[start : start + step]) for start in range(0, len(matrix), step)]
        return np.concatenate(parts) if parts else np.zeros((0, max(1, len(self.coding.schema.target.classes))))

    def _part(self, matrix: Matrix) -> Matrix:
        rows = self.coding.decode(matrix) if self._inputs is None else self._inputs.of(matrix)
        started = time.perf_counter()
        result = self.model.predict_proba(rows) if self.is_classifier else self.model.predict(rows)[:, None]
        self.effort.seconds += time.perf_counter() - started
        self.effort.rows += len(matrix)
        return np.asarray(result, dtype=np.float64)

    def scores(self, matrix: Matrix, column: int) -> npt.NDArray[np.float64]:
        """One column (n,) of `outputs`: the probability of a class, or the predicted value for column 0."""
        return np.asarray(self.outputs(matrix)[:, column])
