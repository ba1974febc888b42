"""The edges between which values are counted: on round numbers and calendar dates, which can be read, said and filtered by."""

from datetime import MAXYEAR, date
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

MAX_BINS = 30
# Calendar units from short to long, as pandas calls them; what is longer is counted by so many years.
CALENDAR = ("D", "W", "M", "Q")
YEARS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
Array = npt.NDArray[Any]


def number_edges(values: Array) -> Array:
    """One bin a value for few whole numbers, otherwise bins of equal width. `values` (n,) are known numbers."""
    low, high = float(values.min()), float(values.max())
    if (values == values.round()).all() and high - low < MAX_BINS:
        return np.arange(low, high + 2) - 0.5
    if high == low:
        return np.array([low - 0.5, low + 0.5])
    bins = int(np.clip(2 * np.cbrt(len(values)), 5, MAX_BINS))  # Rice's rule
    return _round_edges(low, high, bins)


def date_edges(values: Array) -> Array:
    """Whole days around `values` (n,), as ordinals: single ones, weeks, months, quarters or years, the shortest that fit."""
    first, last = (pd.Timestamp.fromordinal(int(end)) for end in (values.min(), values.max()))
    for unit in CALENDAR:
        periods = pd.period_range(first, last, freq=unit)
        if len(periods) <= MAX_BINS:
            starts = [period.start_time for period in periods] + [(periods[-1] + 1).start_time]
            return np.array([_ordinal(start.year, start.month, start.day) for start in starts])
    return _year_edges(first.year, last.year)


def _year_edges(first: int, last: int) -> Array:
    """The first days of years, from that of `first` or before it to one after `last`."""
    step = next(step for step in YEARS if last // step - first // step < MAX_BINS)
    years = range(first - first % step, last + step + 1 - last % step, step)
    return np.array([_ordinal(max(year, 1), 1, 1) for year in years])


def _ordinal(year: int, month: int, day: int) -> float:
    return float((date(year, month, day) if year <= MAXYEAR else date.max).toordinal())


def _round_edges(low: float, high: float, bins: int) -> Array:
    rough = (high - low) / bins
    power = 10.0 ** np.floor(np.log10(rough))
    width = power * next(step for step in (1, 2, 2.5, 5, 10) if step * power >= rough * 0.999)
    first, last = np.floor(low / width), np.floor(high / width) + 1
    decimals = max(0, 2 - int(np.floor(np.log10(width))))
    return np.asarray(np.round(np.arange(first, last + 1) * width, decimals))
