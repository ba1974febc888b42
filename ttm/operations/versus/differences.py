"""Whether what was measured on several groups differs by more than chance would make it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from backend.intervals import difference_interval, difference_p, holm
from ttm.operations.scores.estimates import FEW_ROWS, Estimate

CHANCE = 0.05


@dataclass(frozen=True)
class Difference:
    """How far the group at `first` is above that at `second`, with its 95 % interval, all None where it is unknown.

    `p` is the p-value of no difference, adjusted for the number of `pairs` of groups that could have been chosen; None where
    what is measured is not a share of rows. `is_clear` says that chance alone would hardly make such a difference; `few` that
    one of the values rests on too few rows to say much.
    """

    first: int
    second: int
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    pairs: int
    is_clear: bool
    few: bool


def all_differences(estimates: Sequence[Estimate]) -> list[Difference]:
    """The difference of each two groups that share no rows, in the order of `itertools.combinations`."""
    pairs = list(combinations(range(len(estimates)), 2))
    p_values = [_p(estimates[one], estimates[other]) for one, other in pairs]
    known = [p for p in p_values if p is not None]
    adjusted = iter(holm(known))
    adjusted_all = [None if p is None else next(adjusted) for p in p_values]
    return [_difference(estimates, pair, p, len(pairs)) for pair, p in zip(pairs, adjusted_all, strict=True)]


def difference_of(estimates: Sequence[Estimate], first: int, second: int) -> Difference:
    """The difference of two of the groups, tested as one of all their pairs."""
    low, high = sorted((first, second))
    found = next(one for one in all_differences(estimates) if (one.first, one.second) == (low, high))
    return found if first == low else turned(found)


def turned(difference: Difference) -> Difference:
    """The same difference seen from the other group."""
    value, low, high = difference.value, difference.low, difference.high
    return Difference(
        difference.second, difference.first, None if value is None else -value, None if high is None else -high,
        None if low is None else -low, difference.p, difference.pairs, difference.is_clear, difference.few,
    )  # fmt: skip


def _p(one: Estimate, other: Estimate) -> float | None:
    if one.hits is None or other.hits is None or not one.rows or not other.rows:
        return None
    return difference_p(one.hits, one.rows, other.hits, other.rows)


def _difference(estimates: Sequence[Estimate], pair: tuple[int, int], p: float | None, pairs: int) -> Difference:
    one, other = (estimates[place] for place in pair)
    few = min(one.rows, other.rows) < FEW_ROWS
    if one.value is None or other.value is None:
        return Difference(*pair, None, None, None, None, pairs, False, few)
    value = one.value - other.value
    if one.interval is None or other.interval is None:
        return Difference(*pair, value, None, None, p, pairs, False, few)
    low, high = difference_interval(one.value, one.interval, other.value, other.interval)
    apart = low > 0 or high < 0
    return Difference(*pair, value, low, high, p, pairs, apart and (p is None or p < CHANCE), few)
