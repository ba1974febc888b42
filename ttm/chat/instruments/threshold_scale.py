"""A decision threshold that slides: the confusion matrix and the scores at every hundredth, as `threshold N` gives them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from backend.errors import ExecutionError
from ttm.chat.conversation import Turn
from ttm.chat.instruments.rows_of_turn import rows_of_turn
from ttm.language.operations.predictions import Threshold
from ttm.language.parse import Parse
from ttm.operations.data.run import labelled
from ttm.operations.execution_engine import ExecutionEngine
from ttm.operations.rows.context import Context, Memory
from ttm.operations.rows.selection import check_threshold
from ttm.operations.scores.run import DEFAULT_THRESHOLD, AtThreshold, scores_at

HUNDREDTHS = tuple(round(step / 100, 2) for step in range(101))
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ThresholdScale:
    """What each threshold from 0 to 1 does to `rows` rows with a known outcome; `words` name them after "For".

    `matrices` (101, 2, 2) count them by true, then predicted class, `scores` are about the last class. `classes` are both.
    """

    words: str
    rows: int
    classes: tuple[str, str]
    matrices: Array
    scores: tuple[AtThreshold, ...]

    @property
    def default(self) -> AtThreshold:
        return self.scores[HUNDREDTHS.index(DEFAULT_THRESHOLD)]


def threshold_scale(engine: ExecutionEngine, memory: Memory) -> ThresholdScale:
    """The scale over the rows that an answer was about, or over all rows.

    Raises ExecutionError where there are not two classes or no known outcome.
    """
    check_threshold(DEFAULT_THRESHOLD, engine.schema)
    if len(memory.groups) > 1:
        raise ExecutionError("A threshold slides over one group of rows, and these are several.")
    context = engine.context(engine.groups.recall(memory.groups[0]) if memory.groups else engine.groups.everything())
    return _scale(context)


def _scale(context: Context) -> ThresholdScale:
    labels, known = labelled(context), context.rows.labelled
    truth, probabilities = labels[known].astype(int), context.probabilities[known, 1]
    matrices = np.stack([_counted(probabilities[truth == number]) for number in (0, 1)], axis=1)
    scores = tuple(scores_at(matrix, value) for matrix, value in zip(matrices, HUNDREDTHS, strict=True))
    first, second = context.schema.target.classes
    return ThresholdScale(context.group.words, len(truth), (first, second), matrices, scores)


def _counted(probabilities: Array) -> Array:
    """How many of these (m,) lie below and from each threshold on: (101, 2). Sorted once, as there may be many."""
    below = np.searchsorted(np.sort(probabilities), HUNDREDTHS, side="left")
    return np.stack([below, len(probabilities) - below], axis=1)


def threshold_question(turns: list[Turn], number: int, value: float) -> tuple[str, str]:
    """A question about a threshold on the rows that turn `number` was about, or on all rows: in words, and its parse."""
    words, rows = f"What would a threshold of {value:g} do", rows_of_turn(turns, number)
    if rows is None:
        return f"{words}?", str(Parse((Threshold(value),)))
    return f"{words} for {rows.words}?", str(Parse((*rows.steps, Threshold(value))))
