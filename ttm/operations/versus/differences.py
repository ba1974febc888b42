"""Whether what was measured on several groups differs by more than chance would make it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from backend.intervals import difference_interval, difference_p, holm
from ttm.operations.scores.estimates import FEW_ROWS, ScoreEstimate

CHANCE = 0.05


@dataclass(frozen=True)
class Difference:
    """How far the group at `first` is above that at `second`, with its 95 % interval, all None where it is unknown.

    `p` is the p-value of no difference, adjusted (Holm) for the number of `tests` that it is one of; None where what is
    measured is not a share of rows. `is_clear` says that chance alone would hardly make such a difference; `few` that one of
    the values rests on too few rows to say much.
    """

    first: int
    second: int
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    tests: int
    is_clear: bool
    few: bool


def all_differences(measures: Sequence[Sequence[ScoreEstimate]]) -> list[list[Difference]]:
    """For each measure, given by group, the difference of each two groups, which must share no rows.

    The pairs are in the order of `itertools.combinations`. All tests in all measures are adjusted together.
    """
    pairs = [list(combinations(range(len(estimates)), 2)) for estimates in measures]
    p_values = [_p(e[one], e[other]) for e, both in zip(measures, pairs, strict=True) for one, other in both]
    known = holm([p for p in p_values if p is not None])
    adjusted = iter(known)
    in_order = iter([None if p is None else next(adjusted) for p in p_values])
    return [
        [_difference(e, pair, next(in_order), max(len(known), 1)) for pair in both]
        for e, both in zip(measures, pairs, strict=True)
    ]


def difference_of(estimates: Sequence[ScoreEstimate], first: int, second: int) -> Difference:
    """The difference of two of the groups, tested as one of all their pairs."""
    low, high = sorted((first, second))
    (differences,) = all_differences([estimates])
    difference = next(one for one in differences if (one.first, one.second) == (low, high))
    return difference if first == low else turned(difference)


def turned(difference: Difference) -> Difference:
    """The same difference seen from the other group."""
    value, low, high = difference.value, difference.low, difference.high
    return Difference(
        difference.second, difference.first, None if value is None else -value, None if high is None else -high,
        None if low is None else -low, difference.p, difference.tests, difference.is_clear, difference.few,
    )  # fmt: skip


def _p(one: ScoreEstimate, other: ScoreEstimate) -> float | None:
    if one.hits is None or other.hits is None or not one.rows or not other.rows:
        return None
    return difference_p(one.hits, one.rows, other.hits, other.rows)


def _difference(estimates: Sequence[ScoreEstimate], pair: tuple[int, int], p: float | None, tests: int) -> Difference:
    one, other = (estimates[index] for index in pair)
    few = min(one.rows, other.rows) < FEW_ROWS
    if one.value is None or other.value is None:
        return Difference(*pair, None, None, None, None, tests, False, few)
    value = one.value - other.value
    if one.interval is None or other.interval is None:
        return Difference(*pair, value, None, None, p, tests, False, few)
    low, high = difference_interval(one.value, one.interval, other.value, other.interval)
    apart = low > 0 or high < 0
    return Difference(*pair, value, low, high, p, tests, apart and (p is None or p < CHANCE), few)
