"""Which readings of a message mean the same, and how much of what a source holds likely means it.

A request can be written in several ways: with `previousfilter` or with the conditions that it stands for. What decoder and
decisions find likely is spread over these, and over readings that agree with each other in part (minimum Bayes risk decoding,
Kumar and Byrne 2004).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ttm.language.parse import Change, Instance, Parse, Selection, surface
from ttm.language.row_state import rows_after
from ttm.parsers.learned.assumption import operations_of
from ttm.parsers.understanding import DialogueContext

Key = frozenset[object]


@dataclass(frozen=True)
class RequestMeaning:
    """What a parse asks for and of which rows, whatever it takes from the turn before."""

    operations: Key
    rows: Key


def meaning_of(parse: Parse, context: DialogueContext) -> RequestMeaning:
    operations = frozenset(surface(one) for one in operations_of(parse, context))
    if not any(isinstance(step, Selection | Instance | Change) for step in parse.steps):
        return RequestMeaning(operations, frozenset())
    rows = rows_after(parse, context.rows)
    assert rows is not None, "a parse that names rows leaves them behind"
    groups = [frozenset(frozenset(map(surface, alternative)) for alternative in group) for group in rows.groups]
    case = [] if rows.instance is None else [surface(rows.instance)]
    return RequestMeaning(operations, frozenset([("groups", *groups), *case, *map(surface, rows.changes)]))


def shared_probabilities(meanings: Sequence[RequestMeaning], probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Of each reading (n, 3): the probability of all that mean the same, that ask for the same, that are of the same rows."""
    asks, of = (_alike(own) for own in ([one.operations for one in meanings], [one.rows for one in meanings]))
    return np.stack([(asks & of) @ probabilities, asks @ probabilities, of @ probabilities], axis=1)


def _alike(keys: Sequence[Key]) -> npt.NDArray[np.bool_]:
    """Which of some keys are equal (n, n)."""
    numbers: dict[Key, int] = {}
    own = np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)
    return np.asarray(own[:, None] == own[None, :])
