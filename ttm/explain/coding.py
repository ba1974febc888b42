"""Rows as a matrix of numbers that can be perturbed, and back to the frame that the model reads.

One column a feature: numbers stay, dates become ordinal days, a category or boolean its place in the feature's values, a
missing value NaN. The model's own encoding is another matter: it never sees these numbers.
"""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ttm.tabular.data.encoding import ORDINAL_OF_1970, SECONDS_A_DAY, days
from ttm.tabular.data.schema import FeatureKind, Schema

Matrix = npt.NDArray[np.float64]
SAMPLE_ROWS = 50_000


class Coding:
    """Encodes and decodes rows of one data set.

    `train` (n, d) are the training rows, at most SAMPLE_ROWS of them, taken evenly. `scale` (d,) is the standard deviation
    of the known values of each feature there, 1 where that is 0 or nothing is known. `discrete` (d,) marks features that
    have values rather than a measure.
    """

    def __init__(self, schema: Schema, train_frame: pd.DataFrame) -> None:
        self.schema = schema
        self.features = schema.features
        self.names = [feature.name for feature in schema.features]
        self.discrete = np.array([f.kind in (FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN) for f in schema.features])
        self._columns = pd.Index(self.names, dtype=object)  # made once: for small frames it costs more than the rest
        self._dtypes = {name: train_frame[name].dtype for name in self.names}
        step = max(1, -(-len(train_frame) // SAMPLE_ROWS))
        self.train = self.encode(train_frame.iloc[::step])

    @property
    def width(self) -> int:
        return len(self.names)

    def encode(self, frame: pd.DataFrame) -> Matrix:
        """The rows as (n, d) numbers; a category that the schema does not know counts as missing."""
        if self.is_plain:
            return frame[self.names].to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
        matrix = np.empty((len(frame), self.width))
        for index, feature in enumerate(self.features):
            column = frame[feature.name]
            if self.discrete[index]:
                codes = pd.Index(feature.values, dtype=object).get_indexer(pd.Index(column.astype(object)))
                matrix[:, index] = np.where(codes < 0, np.nan, codes)
            elif feature.kind is FeatureKind.DATE:
                matrix[:, index] = days(column)
            else:
                matrix[:, index] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return matrix

    def decode(self, matrix: Matrix) -> pd.DataFrame:
        """The frame (n, d) for a matrix; numbers come back as floats, all else in the type of the training rows."""
        if self.is_plain:
            return pd.DataFrame(matrix, columns=self._columns)
        return pd.DataFrame({name: self._column(index, matrix[:, index]) for index, name in enumerate(self.names)})

    def value(self, index: int, code: float) -> Any:
        """The value of a feature as it stands in the data: a number, a Timestamp, one of the feature's values."""
        feature = self.features[index]
        if self.discrete[index]:
            return feature.values[int(code)]
        if feature.kind is FeatureKind.DATE:
            return pd.Timestamp(round((code - ORDINAL_OF_1970) * SECONDS_A_DAY), unit="s")
        return float(code)

    @cached_property
    def is_plain(self) -> bool:
        """Whether every code is the value itself, so that a frame and its matrix hold the same numbers."""
        return all(
            feature.kind is FeatureKind.NUMERIC
            or (self.discrete[index] and feature.values == tuple(range(len(feature.values))) and self._numeric(feature.name))
            for index, feature in enumerate(self.features)
        )

    def _numeric(self, name: str) -> bool:
        dtype = self._dtypes[name]
        return bool(pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype))

    def _column(self, index: int, values: npt.NDArray[Any]) -> Any:
        feature = self.features[index]
        if feature.kind is FeatureKind.DATE:
            seconds = np.round((values - ORDINAL_OF_1970) * SECONDS_A_DAY)
            known = ~np.isnan(values)
            return np.where(known, np.where(known, seconds, 0).astype("int64").astype("M8[s]"), np.datetime64("NaT", "s"))
        if not self.discrete[index]:
            return values
        codes = np.where(np.isnan(values), -1, values).astype(int)
        return self._known_values[index].take(codes, allow_fill=True)

    @cached_property
    def _known_values(self) -> dict[int, Any]:
        return {
            index: pd.array(list(feature.values), dtype=self._value_dtype(feature.name))
            for index, feature in enumerate(self.features)
            if self.discrete[index]
        }

    def _value_dtype(self, name: str) -> Any:
        """A type that can hold the column's values and a missing one."""
        dtype = self._dtypes[name]
        if pd.api.types.is_bool_dtype(dtype):
            return object
        if isinstance(dtype, np.dtype) and dtype.kind in "iu":
            return np.dtype("float64")
        return dtype

    @cached_property
    def scale(self) -> Matrix:
        known = ~np.isnan(self.train)
        count = np.maximum(known.sum(axis=0), 1)
        filled = np.where(known, self.train, 0.0)
        mean = filled.sum(axis=0) / count
        spread = np.sqrt((np.where(known, self.train - mean, 0.0) ** 2).sum(axis=0) / count)
        return np.asarray(np.where(spread > 0, spread, 1.0))

    @cached_property
    def frequencies(self) -> dict[int, Matrix]:
        """How often each value of a discrete feature occurs in training, by the feature's place; never all zero."""
        frequencies = {}
        for index in np.flatnonzero(self.discrete):
            column = self.train[:, index]
            counts = np.bincount(column[~np.isnan(column)].astype(int), minlength=len(self.features[index].values))
            frequencies[int(index)] = counts / counts.sum() if counts.sum() else np.full(len(counts), 1 / len(counts))
        return frequencies

    @cached_property
    def complete(self) -> Matrix:
        """The training rows with each gap filled by a known value of the same feature, keeping every feature's spread."""
        matrix = self.train.copy()
        source = np.random.default_rng(0)
        for index in np.flatnonzero(np.isnan(matrix).any(axis=0)):
            gaps = np.isnan(matrix[:, index])
            known = matrix[~gaps, index]
            matrix[gaps, index] = source.choice(known, gaps.sum()) if len(known) else 0.0
        return matrix
