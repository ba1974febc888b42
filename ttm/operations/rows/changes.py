"""What a change ("what if") does to rows, and when to warn that the result is like nothing in the data."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.parse import Change, ChangeKind, number_text
from ttm.operations.rows.selection import Mask, as_date
from ttm.tabular.data.schema import Feature, FeatureKind


def apply_change(frame: pd.DataFrame, mask: Mask, change: Change, feature: Feature) -> tuple[pd.DataFrame, list[str]]:
    """`frame` with the change made to the rows in `mask` (n,), and notes on values that look impossible.

    Other columns are shared, not copied. Missing values stay missing under increase and decrease. An integer column becomes
    float. Raises ExecutionError for a day that does not exist.
    """
    changed = frame.copy(deep=False)
    column = frame[feature.name]
    if change.kind is None:
        value = next(v for v in feature.values if feature.value_token(v) == change.value)
        changed[feature.name] = column.mask(mask, value)
        return changed, []
    column = column if feature.kind is FeatureKind.DATE else column.astype(float)
    changed[feature.name] = column.mask(mask, _moved(column, change, feature))
    return changed, flag_values(changed.loc[mask, feature.name], feature)


def with_each_value(frame: pd.DataFrame, feature: Feature, values: Sequence[Any]) -> pd.DataFrame:
    """The rows (n, d) once with each of the values (g,) of a feature: (g * n, d), those of the first value first.

    A model takes hardly longer for all of them than for those of one value.
    """
    if not values:
        return frame.iloc[:0]
    column, everywhere = frame[feature.name], np.ones(len(frame), dtype=bool)
    plain = column.astype(float) if feature.kind is FeatureKind.NUMERIC else column
    filled = pd.concat([plain.mask(everywhere, value) for value in values])
    return frame.iloc[np.tile(np.arange(len(frame)), len(values))].assign(**{feature.name: filled.array})


def _moved(column: pd.Series, change: Change, feature: Feature) -> Any:
    if feature.kind is FeatureKind.DATE:
        return as_date(change.value) if change.kind is ChangeKind.SET else _other_days(column, change)
    amount = float(change.value)
    step = column * amount / 100 if change.percent else amount
    if change.kind is ChangeKind.SET:
        return step
    return column + step if change.kind is ChangeKind.INCREASE else column - step


def _other_days(column: pd.Series, change: Change) -> pd.Series:
    if isinstance(change.value, str):
        raise ExecutionError(f'A date is moved by a number of days, not by "{change.value}"; use "set" to give a date.')
    sign = 1 if change.kind is ChangeKind.INCREASE else -1
    try:
        moved = column + sign * pd.Timedelta(days=change.value).as_unit("s")
        known = moved.dropna().dt.year
    except (OverflowError, ValueError):
        known = pd.Series([0])
    if not known.between(1, 9999).all():
        raise ExecutionError(f"{number_text(change.value)} days lead to dates that are not in any calendar.")
    return moved


def flag_values(values: pd.Series, feature: Feature) -> list[str]:
    """A note when values that a person made up leave what was observed, or what was stated to be possible."""
    if feature.kind is not FeatureKind.NUMERIC or values.empty or feature.low is None or feature.high is None:
        return []
    outside = int(((values < feature.low) | (values > feature.high)).sum())
    if not outside:
        return []
    rows = "" if outside == len(values) else f" in {outside:,} of {len(values):,} rows"
    note = f"The {feature.label} is then outside anything in the data{rows} ({_bounds(feature.low, feature.high, feature)})"
    if feature.range is not None:
        low, high = min(feature.range[0], feature.low), max(feature.range[1], feature.high)
        if ((values < low) | (values > high)).any():
            note += f" and outside what is possible ({_bounds(low, high, feature)})"
    return [note + "; the model was never tested there."]


def _bounds(low: float, high: float, feature: Feature) -> str:
    return f"{low:.{feature.precision}f} to {high:.{feature.precision}f}"
