"""What kind of column this is: numbers, yes/no, categories, dates, or something that is no feature at all."""

import warnings
from dataclasses import dataclass

import pandas as pd
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

from backend.errors import DatasetError
from ttm.tabular.data.schema import FeatureKind

MAX_CATEGORIES = 100
YES_NO = ({"no", "yes"}, {"n", "y"}, {"false", "true"}, {"f", "t"})
YES = frozenset({"yes", "y", "true", "t"})
DATE_FORMATS = (
    "ISO8601",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d.%m.%Y",
    "%Y/%m/%d",
    "%d-%m-%Y",
    "%m/%d/%y",
    "%b %d, %Y",
    "%d %b %Y",
    "%d %B %Y",
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M",
    "%d.%m.%Y %H:%M",
)
SAMPLE = 2_000


@dataclass(frozen=True)
class Column:
    """A column made ready for use: its kind, its values, and `values` of a categorical or boolean one in order."""

    kind: FeatureKind
    series: pd.Series
    values: tuple[object, ...] = ()


@dataclass(frozen=True)
class Unusable:
    """A column that cannot be a feature, and why, as it reads after "because"."""

    reason: str


def usable_column(series: pd.Series, stated: FeatureKind | None, required: bool = False) -> Column | Unusable:
    """Find out the kind of a column, or follow the `stated` one.

    A `required` column (the model reads it, or somebody described it) is never judged unusable by its content; without
    that, constants, identifiers, free text and columns of more than MAX_CATEGORIES categories are.
    Raises DatasetError if the values contradict the stated kind.
    """
    known = series.dropna()
    if known.empty:
        if not required:
            return Unusable("it is empty")
        return Column(FeatureKind.NUMERIC, series.astype("float64"))
    if stated is not None:
        return _as_stated(series, known, stated)
    column = _inferred(series, known)
    reason = None if required else _why_unusable(column, known)
    return Unusable(reason) if reason else column


def _inferred(series: pd.Series, known: pd.Series) -> Column:
    if is_datetime64_any_dtype(series.dtype):
        return Column(FeatureKind.DATE, _plain_dates(series))
    booleans = _boolean_values(known)
    if booleans:
        return Column(FeatureKind.BOOLEAN, series, booleans)
    if is_numeric_dtype(series.dtype) and not is_bool_dtype(series.dtype):
        return Column(FeatureKind.NUMERIC, series)
    dates = _dates(series, known)
    return Column(FeatureKind.DATE, dates) if dates is not None else _categorical(series, known)


def _as_stated(series: pd.Series, known: pd.Series, stated: FeatureKind) -> Column:
    if stated is FeatureKind.CATEGORICAL:
        return _categorical(series, known)
    if stated is FeatureKind.NUMERIC:
        numbers = pd.to_numeric(series, errors="coerce")
        wrong = series[numbers.isna() & series.notna()]
        if len(wrong):
            raise DatasetError(f"Column {series.name} is stated to be numeric but holds {str(wrong.iloc[0])!r}.")
        return Column(FeatureKind.NUMERIC, numbers.astype("int64") if is_bool_dtype(numbers.dtype) else numbers)
    if stated is FeatureKind.BOOLEAN:
        values = _boolean_values(known) or tuple(sorted(known.unique().tolist(), key=str))
        if len(values) != 2:
            raise DatasetError(f"Column {series.name} is stated to be boolean but holds {len(values)} values, not two.")
        return Column(FeatureKind.BOOLEAN, series, values)
    dates = _plain_dates(series) if is_datetime64_any_dtype(series.dtype) else _dates(series, known)
    if dates is None:
        raise DatasetError(f"Column {series.name} is stated to hold dates, but {str(known.iloc[0])!r} reads as none.")
    return Column(FeatureKind.DATE, dates)


def _boolean_values(known: pd.Series) -> tuple[object, ...]:
    """The false and the true value of a column that reads as yes and no, or nothing."""
    if is_numeric_dtype(known.dtype) and not is_bool_dtype(known.dtype):
        if known.min() != 0 or known.max() != 1 or not known.isin((0, 1)).all():
            return ()
        return (known.dtype.type(0).item(), known.dtype.type(1).item())
    distinct = known.unique().tolist()
    if len(distinct) != 2 or {str(value).strip().lower() for value in distinct} not in YES_NO:
        return ()
    true = distinct[0] if str(distinct[0]).strip().lower() in YES else distinct[1]
    return (distinct[1] if true is distinct[0] else distinct[0], true)


def _categorical(series: pd.Series, known: pd.Series) -> Column:
    return Column(FeatureKind.CATEGORICAL, series, tuple(sorted_values(known.unique().tolist())))


def sorted_values(values: list[object]) -> list[object]:
    """Values in their own order if they have one, else by their text; 1.0 among whole numbers stays as it is."""
    try:
        return sorted(values)  # type: ignore[type-var]
    except TypeError:
        return sorted(values, key=str)


def _dates(series: pd.Series, known: pd.Series) -> pd.Series | None:
    """The column as dates if one format reads all of its values."""
    text = known.astype("str")
    sample = text.iloc[:: max(1, len(text) // SAMPLE)].head(SAMPLE)
    if not sample.str.contains(r"\d").all() or not sample.str.len().between(6, 32).all():
        return None
    for form in DATE_FORMATS:
        if _parsed(sample, form) is None:
            continue
        parsed = _parsed(text, form)
        if parsed is not None:
            return _plain_dates(parsed.reindex(series.index))
    return None


def _parsed(text: pd.Series, form: str) -> pd.Series | None:
    if form == "ISO8601" and not text.str.contains("-", regex=False).all():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a format that does not fit is no news here
        try:
            return pd.to_datetime(text, format=form, utc=form == "ISO8601")
        except (ValueError, TypeError):
            return None


def _plain_dates(series: pd.Series) -> pd.Series:
    """Dates without a time zone (UTC), so that they compare with plain dates."""
    if getattr(series.dt, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    return series.astype("datetime64[s]")


def _why_unusable(column: Column, known: pd.Series) -> str | None:
    if known.iloc[0] == known.iloc[-1] and known.nunique() == 1:
        return f"it has the same value everywhere ({known.iloc[0]})"
    if column.kind is not FeatureKind.CATEGORICAL:
        return None
    distinct, rows = len(column.values), len(known)
    if distinct == rows and rows > 2 * MAX_CATEGORIES // 10:
        return "every row has its own value, like an identifier or free text"
    if distinct > MAX_CATEGORIES:
        return f"it has {distinct:,} different texts, more than {MAX_CATEGORIES}"
    return None
