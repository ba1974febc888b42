"""What comes out of the first step of a pipeline for encoded rows, without the frame between, which for few rows takes most
of the time."""

import threading
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from cachetools import LRUCache

from ttm.explain.coding import Coding, Matrix
from ttm.tabular.data.encoding import ORDINAL_OF_1970, SECONDS_A_DAY, FrameEncoder
from ttm.tabular.data.schema import FeatureKind

MODELS_KEPT = 8  # of one data set
_kept: "WeakKeyDictionary[Coding, LRUCache[int, CodedInputs]]" = WeakKeyDictionary()
_lock = threading.Lock()


class CodedInputs:
    """What `encoder` gives (n, c) for rows (n, d) of `coding`: to the last bit that for the decoded frame.

    `tables` (values + 1, c) hold it for each value of the features that have values, and at the end for none.
    """

    def __init__(self, encoder: FrameEncoder, coding: Coding) -> None:
        self.encoder = encoder  # kept, for it is known by its id
        features = [coding.features[coding.names.index(str(name))] for name in encoder.feature_names_in_]
        self._order = np.array([coding.names.index(feature.name) for feature in features])
        self._discrete = coding.discrete[self._order] & (not coding.is_plain)
        self._dates = [index for index, feature in enumerate(features) if feature.kind is FeatureKind.DATE]
        most = max((len(feature.values) for feature in features), default=0)
        rows = np.full((most + 1, coding.width), np.nan)
        for index in np.flatnonzero(coding.discrete):
            count = len(coding.features[index].values)
            rows[:count, index] = np.arange(count)
        self._tables = np.asarray(encoder.transform(coding.decode(rows)), dtype=np.float64)

    def of(self, matrix: Matrix) -> Matrix:
        inputs = np.take(matrix, self._order, axis=1)  # rows one after another, as an encoder gives them
        for index in self._dates:  # as they are in a frame, to the second
            seconds = np.round((inputs[:, index] - ORDINAL_OF_1970) * SECONDS_A_DAY)
            inputs[:, index] = seconds / SECONDS_A_DAY + ORDINAL_OF_1970
        gaps = np.isnan(inputs)
        if self._discrete.any():
            codes = np.where(gaps, -1, inputs)[:, self._discrete].astype(int)
            inputs[:, self._discrete] = self._tables[codes, np.flatnonzero(self._discrete)]
        if gaps.any():
            inputs[gaps] = self._tables[-1][np.nonzero(gaps)[1]]
        return inputs


def coded_inputs(estimator: Any, coding: Coding) -> CodedInputs | None:
    """That of a pipeline which begins with a FrameEncoder; None for any other model."""
    steps = [step for _, step in getattr(estimator, "steps", [])]
    if len(steps) < 2 or type(steps[0]) is not FrameEncoder or not _fits(steps[0], coding):
        return None
    with _lock:
        known = _kept.setdefault(coding, LRUCache(MODELS_KEPT))
        if id(steps[0]) not in known:
            known[id(steps[0])] = CodedInputs(steps[0], coding)
        return known[id(steps[0])]


def _fits(encoder: FrameEncoder, coding: Coding) -> bool:
    """Whether measures and dates of the data set are that for the encoder too."""
    kinds = {feature.name: feature.kind for feature in coding.features}
    numbers = [str(name) for name in encoder.feature_names_in_ if kinds.get(str(name)) is FeatureKind.NUMERIC]
    dates = [str(name) for name in encoder.feature_names_in_ if kinds.get(str(name)) is FeatureKind.DATE]
    return {*map(str, encoder.feature_names_in_)} <= set(kinds) and not (
        {*numbers, *dates} & set(encoder.categories_) or set(numbers) & set(encoder.dates_) or set(dates) - set(encoder.dates_)
    )
