"""One function an operation of the parse language; each returns a typed result and is pure given its context."""

from collections.abc import Callable
from typing import Any

from ttm.operations.columns.run import OPERATIONS as COLUMNS
from ttm.operations.comparison.run import OPERATIONS as COMPARISON
from ttm.operations.correlation.run import OPERATIONS as CORRELATION
from ttm.operations.data.run import OPERATIONS as DATA
from ttm.operations.dialogue.run import OPERATIONS as DIALOGUE
from ttm.operations.explanations.run import OPERATIONS as EXPLANATIONS
from ttm.operations.exploration.run import OPERATIONS as EXPLORATION
from ttm.operations.fairness.run import OPERATIONS as FAIRNESS
from ttm.operations.neighbours.run import OPERATIONS as NEIGHBOURS
from ttm.operations.predictions.run import OPERATIONS as PREDICTIONS
from ttm.operations.results import Result
from ttm.operations.scores.run import OPERATIONS as SCORES

OPERATIONS: dict[type, Callable[[Any, Any], Result]] = (
    DATA
    | COLUMNS
    | PREDICTIONS
    | SCORES
    | EXPLORATION
    | COMPARISON
    | FAIRNESS
    | CORRELATION
    | NEIGHBOURS
    | EXPLANATIONS
    | DIALOGUE
)
