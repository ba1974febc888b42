"""One function an operation of the parse language; each returns a typed result and is pure given its context."""

from collections.abc import Callable
from typing import Any

from ttm.operations.columns import OPERATIONS as COLUMNS
from ttm.operations.comparison import OPERATIONS as COMPARISON
from ttm.operations.correlation import OPERATIONS as CORRELATION
from ttm.operations.data import OPERATIONS as DATA
from ttm.operations.dialogue import OPERATIONS as DIALOGUE
from ttm.operations.explanations import OPERATIONS as EXPLANATIONS
from ttm.operations.exploration import OPERATIONS as EXPLORATION
from ttm.operations.neighbours import OPERATIONS as NEIGHBOURS
from ttm.operations.predictions import OPERATIONS as PREDICTIONS
from ttm.operations.scores import OPERATIONS as SCORES
from ttm.results import Result

OPERATIONS: dict[type, Callable[[Any, Any], Result]] = (
    DATA | COLUMNS | PREDICTIONS | SCORES | EXPLORATION | COMPARISON | CORRELATION | NEIGHBOURS | EXPLANATIONS | DIALOGUE
)
