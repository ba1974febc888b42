"""What a run is expected to spend, with its error, and limits that end it before it spends more."""

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from backend.errors import SpendingLimitReached
from faithfulness.method.explain import Plan

FEWEST_ROWS = 5  # finished, for an expectation from them
# Before anything is known of a model: which share of rows it answers with the passage, and which share of regions is then
# sufficient. In runs so far a sample took 5.3 calls (SmolLM2, 34 % answered), 8.1 (Gemma 3 270M, 60 %) and 10 (planted, all).
ANSWERED = (0.3, 0.6, 0.9)
SUFFICIENT = (1 / 3, 0.43, 0.53)


@dataclass(frozen=True)
class Expected:
    """A value, and the bounds between which it lies with 95 % where it comes from finished rows."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> "Expected":
        return Expected(self.value * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True)
class RowSpent:
    """What one finished row took."""

    calls: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class Expectation:
    """`basis` says in words what it rests on."""

    calls: Expected
    prompt_tokens: Expected
    completion_tokens: Expected
    dollars: Expected
    basis: str


class SpendingLimit:
    """Counts the calls and dollars of a run, over all its models; safe to share between threads.

    No call is made beyond `calls`. Dollars are known once a reply is there, so that calls in flight may go beyond `dollars`.
    """

    def __init__(self, calls: int | None = None, dollars: float | None = None) -> None:
        self._most = (calls, dollars)
        self._lock = threading.Lock()
        self._calls, self._dollars = 0, 0.0
        self.reached = ""

    def take_call(self) -> None:
        """Raises SpendingLimitReached where the next call would be too many; `reached` says so from then on."""
        calls, dollars = self._most
        with self._lock:
            if calls is not None and self._calls >= calls:
                self.reached = f"The limit of {calls:,} calls is reached."
            if dollars is not None and self._dollars >= dollars:
                self.reached = f"The limit of ${dollars:,.2f} is reached."
            if self.reached:
                raise SpendingLimitReached(self.reached)
            self._calls += 1

    def pay(self, dollars: float) -> None:
        with self._lock:
            self._dollars += dollars


def expected_of(rows: Sequence[RowSpent], left: int, cost: Callable[[float, float], float]) -> Expectation | None:
    """What `left` more rows will take, by those that are finished; None for fewer than FEWEST_ROWS.

    The bounds are a 95 % prediction interval of the sum, by Student's t.
    """
    if len(rows) < FEWEST_ROWS:
        return None
    calls, prompt, completion = (
        _total(np.asarray(values, dtype=float), left)
        for values in zip(*((each.calls, each.prompt_tokens, each.completion_tokens) for each in rows), strict=True)
    )
    dollars = _total(np.asarray([cost(each.prompt_tokens, each.completion_tokens) for each in rows]), left)
    return Expectation(calls, prompt, completion, dollars, f"by {len(rows)} finished rows")


def expected_before(
    calls: tuple[float, float], prompt: tuple[float, float], reply_tokens: float, plan: Plan,
    cost: Callable[[float, float], float],
) -> Expectation:  # fmt: skip
    """What a run will take by its bounds (least, most), before anything is known of the model; `reply_tokens` are of a call."""
    low, middle, high = (_share(answered, of, plan) for answered, of in zip(ANSWERED, SUFFICIENT, strict=True))

    def between(bounds: tuple[float, float]) -> Expected:
        least, most = bounds
        return Expected(*(least + share * (most - least) for share in (middle, low, high)))

    asked, read = between(calls), between(prompt)
    written = asked.times(reply_tokens)
    dollars = Expected(*(cost(p, c) for p, c in zip(_values(read), _values(written), strict=True)))
    return Expectation(asked, read, written, dollars, f"if {ANSWERED[0]:.0%} to {ANSWERED[2]:.0%} of the rows are answered")


def _values(expected: Expected) -> tuple[float, float, float]:
    return expected.value, expected.low, expected.high


def _share(answered: float, sufficient: float, plan: Plan) -> float:
    """The share of what may be asked beyond the least."""
    return answered * (1 + sufficient * plan.groups) / (1 + plan.groups)


def _total(values: "np.ndarray[tuple[int], np.dtype[np.float64]]", left: int) -> Expected:
    from scipy.stats import t

    count, mean = len(values), float(values.mean())
    error = float(t.ppf(0.975, count - 1)) * float(values.std(ddof=1)) * math.sqrt(left + left**2 / count)
    return Expected(mean * left, max(0.0, mean * left - error), mean * left + error)
