"""Numbers as people write them: decimal commas, marks between thousands, currencies, percent, negatives in brackets.

One file is written in one convention. A column that leaves it open ("10.549" alone) follows the columns that do not.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype

SAMPLE = 100
# Columns of a file by name as they stand in it, their first rows or all.
Written = Callable[[list[str], int | None], pd.DataFrame]
# These stand for a missing value in a column of numbers; in a column of words they are values.
DASHES_AND_DOTS = frozenset(("-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "?"))
WORDS = frozenset(("na", "n.a.", "n.a", "n/a", "nan", "none", "null", "nil", "unknown", "missing"))
CELL_ERRORS = frozenset(("#n/a", "#na", "#value!", "#div/0!", "#ref!", "#null!", "#num!", "#name?"))  # of spreadsheets
MISSING = DASHES_AND_DOTS | WORDS | CELL_ERRORS
CURRENCIES = "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|TRY|RUB|UAH|ILS|ZAR|BRL|MXN|KRW|SGD|HKD"
_UNIT = rf"US\$|[$€£¥₹₽₩₺₪฿%‰]|{CURRENCIES}|kr|zł|Kč"
WRITTEN = rf"""(?P<sign>[+-])?\s*(?P<ahead>{_UNIT})?\s*(?P<bracket>\()?\s*(?P<inside>{_UNIT})?\s*(?P<inner>[+-])?\s*
    (?P<digits>(?:\d[\d.,'’\u00a0\u202f]*|[.,]\d+)(?:[eE][+-]?\d+)?)\s*(?P<behind>{_UNIT})?\s*(?(bracket)\))"""
UNITS, SIGNS = ["ahead", "inside", "behind"], ["sign", "inner", "bracket"]
BARE = r"[+-]?(?:\d[\d.,]*|[.,]\d+)(?:[eE][+-]?\d+)?"
CODE = r"0\d+"
MINUS = "\u2212"
_SPACED = re.compile(r"[1-9]\d{0,2}(?:['’\u00a0\u202f]\d{3})+(?![\d'’\u00a0\u202f])")
_SPACES = re.compile(r"['’\u00a0\u202f]")


class Convention(Enum):
    """Which mark begins the decimals; the other one stands between thousands."""

    POINT = "."
    COMMA = ","

    @property
    def between(self) -> str:
        """The mark between thousands."""
        return "," if self is Convention.POINT else "."


def _fitting(convention: Convention) -> str:
    """The pattern of all numbers of a convention, without sign."""
    decimals, between = re.escape(convention.value), re.escape(convention.between)
    return rf"(?:\d+|[1-9]\d{{0,2}}(?:{between}\d{{3}})+)(?:{decimals}\d+)?(?:[eE][+-]?\d+)?|{decimals}\d+"


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of texts that are numbers.

    `digits` (m,) are those of each different text, by the text, without sign and unit; `negative` (m,) says which have a
    minus or stand in brackets. `fits` are the conventions that read all of them, `missing` the texts that stand for no number.
    """

    name: str
    digits: pd.Series
    negative: pd.Series
    missing: tuple[str, ...]
    fits: frozenset[Convention]
    unit: str = ""
    in_brackets: bool = False

    @property
    def is_marked(self) -> bool:
        """Whether any number holds a point or a comma."""
        return self.holds(".") or self.holds(",")

    @property
    def is_open(self) -> bool:
        """Whether both conventions read it, to different numbers."""
        return len(self.fits) == len(Convention) and self.is_marked

    @property
    def is_decisive(self) -> bool:
        """Whether a number holds both marks, as in "2,763.54", which nothing but a number of one convention does."""
        both = self.digits.str.contains(".", regex=False) & self.digits.str.contains(",", regex=False)
        return len(self.fits) == 1 and bool(both.any())

    @property
    def is_mixed(self) -> bool:
        """Whether the texts hold more than numbers: a unit, brackets, marks for missing values."""
        return bool(self.unit or self.in_brackets or self.missing)

    def holds(self, mark: str) -> bool:
        """Whether any number holds a mark."""
        return bool(self.digits.str.contains(mark, regex=False).any())

    def plain(self, convention: Convention) -> pd.Series:
        """The numbers (m,) as texts with a decimal point and nothing between thousands, without sign."""
        return self.digits.str.replace(convention.between, "", regex=False).str.replace(convention.value, ".", regex=False)


@dataclass
class NumberNotes:
    """What was read how, by kind of reading, and the sentences about it."""

    names: dict[str, list[str]] = field(default_factory=dict)

    def add(self, key: str, text: str) -> None:
        self.names.setdefault(key, []).append(text)

    def sentences(self) -> list[str]:
        return [f"{key} {', '.join(texts)}." for key, texts in self.names.items()]


@dataclass(frozen=True)
class ReadNumbers:
    """Units of columns by name, where their values carried one, and whole sentences on what was read how."""

    units: dict[str, str]
    notes: tuple[str, ...]


def read_numbers(
    frame: pd.DataFrame, separator: str, written: Written, leave: Collection[str], clean: Collection[str]
) -> ReadNumbers:
    """Turn the text columns of `frame` (n, d) that hold numbers into numbers, in place.

    `separator` is that of the file: between commas a lone "10,549" has thousands, elsewhere decimals. `written` gives columns
    as they stand in the file, for those that were read as numbers already although they may have points between thousands.
    Columns in `leave` stay as they are, and those that hold more than numbers too, except for those in `clean`.
    """
    names = [str(name) for name in frame.columns if name not in leave]
    columns = _read_columns([name for name in names if frame[name].dtype == "str"], frame)
    doubtful = _doubtful([name for name in names if _perhaps_thousands(frame[name])], written)
    source = written(doubtful, None) if doubtful else frame
    columns += [column for column in _read_columns(doubtful, source) if column.is_marked]
    convention = _convention(columns, sum(_has_decimals(frame[name]) for name in frame.columns if name not in doubtful))
    notes, units = NumberNotes(), {}
    for column in columns:
        if column.is_mixed and column.name not in clean:
            continue
        chosen = _chosen(column, convention, separator)
        _note(notes, column, chosen, convention is None and not (separator == "," and column.holds(",")))
        frame[column.name] = _numbers((source if column.name in doubtful else frame)[column.name], column, chosen)
        if column.unit:
            units[column.name] = column.unit
    return ReadNumbers(units, tuple(notes.sentences()))


def _read_columns(names: list[str], texts: pd.DataFrame) -> list[NumberColumn]:
    columns = (number_column(name, texts[name]) for name in names)
    return [column for column in columns if column is not None]


def number_column(name: str, series: pd.Series) -> NumberColumn | None:
    """A column of texts (n,) as numbers, or None where it holds other texts, codes such as "007", or one number alone."""
    known = series.dropna()
    if known.empty or not all(is_number_or_missing(text) for text in known.head(SAMPLE)):
        return None
    different = pd.Index(known.unique(), dtype="str")
    texts = pd.Series(different.str.strip().str.replace(MINUS, "-", regex=False), index=different)
    is_missing = texts.str.lower().isin(MISSING)
    parts = _parts(texts[~is_missing])
    if parts is None or len(parts) < 2 or parts["digits"].str.fullmatch(CODE).any():
        return None
    fits = frozenset(each for each in Convention if parts["digits"].str.fullmatch(_fitting(each)).all())
    units = parts["unit"].unique()
    if len(units) > 1 or not fits or parts["in_brackets"].all():
        return None
    missing = tuple(sorted(different[is_missing]))
    return NumberColumn(
        name, parts["digits"], parts["negative"], missing, fits, str(units[0]), bool(parts["in_brackets"].any())
    )


def _parts(texts: pd.Series) -> pd.DataFrame | None:
    """Texts (m,) as digits, unit, whether negative and whether in brackets; None if one is no number with one sign and unit."""
    if texts.str.fullmatch(BARE).all():  # by far the most, and in a fraction of the time
        negative = texts.str.startswith("-")
        return pd.DataFrame({"digits": texts.str.lstrip("+-"), "unit": "", "negative": negative, "in_brackets": False})
    parts = texts.str.extract(rf"\A{WRITTEN}\Z", flags=re.VERBOSE)
    if parts["digits"].isna().any() or (parts[UNITS].notna().sum(axis=1) > 1).any():
        return None
    if (parts[SIGNS].notna().sum(axis=1) > 1).any():
        return None
    unit = parts["ahead"].fillna(parts["inside"]).fillna(parts["behind"]).fillna("")
    in_brackets = parts["bracket"].notna()
    negative = in_brackets | (parts["sign"] == "-") | (parts["inner"] == "-")
    digits = parts["digits"].map(_without_spaces)
    return pd.DataFrame({"digits": digits, "unit": unit, "negative": negative, "in_brackets": in_brackets})


def codes(source: pd.DataFrame) -> list[str]:
    """The columns of texts that are whole numbers with zeros before them, as "01105": codes that nothing can be added to."""
    return [str(name) for name in source.columns if source[name].str.strip().str.fullmatch(CODE).any()]


def is_number_or_missing(text: str) -> bool:
    """Whether a text is a number, perhaps with a unit, or stands for a missing one."""
    plain = text.strip().replace(MINUS, "-")
    return plain.lower() in MISSING or re.fullmatch(WRITTEN, plain, re.VERBOSE) is not None


def _without_spaces(digits: str) -> str:
    """Digits without the marks of thousands that are no point and no comma: 12'345.60."""
    return _SPACED.sub(lambda match: _SPACES.sub("", match[0]), digits)


def _has_decimals(series: pd.Series) -> bool:
    """Whether a column was read as numbers with a decimal point."""
    known = series.dropna().to_numpy() if is_float_dtype(series.dtype) else np.zeros(0)
    return bool((known != known.round()).any())


def _perhaps_thousands(series: pd.Series) -> bool:
    """Whether points between thousands could have made a column of decimals: at most three digits before and after each."""
    known = np.abs(series.dropna().to_numpy()) if is_float_dtype(series.dtype) else np.zeros(0)
    # Each is 10.549 or a whole number under 1,000; 0.549 can only be decimals.
    whole = np.isclose(known * 1000, (known * 1000).round(), rtol=0, atol=1e-6)
    return len(known) > 0 and bool((whole & (known < 1000) & ((known >= 1) | (known == 0))).all())


def _doubtful(names: list[str], written: Written) -> list[str]:
    """Those of the columns whose first rows leave the convention open; most have one or two decimals somewhere there."""
    if not names:
        return []
    head = written(names, SAMPLE)
    columns = {name: number_column(name, head[name]) for name in names}
    return [name for name, column in columns.items() if column is None or len(column.fits) == len(Convention)]


def _convention(columns: list[NumberColumn], plain: int) -> Convention | None:
    """The convention of the file: that of numbers with both marks, else of most columns; None where nothing shows it.

    `plain` columns with a decimal point were read already.
    """
    shown = [column for column in columns if len(column.fits) == 1]
    decisive = {next(iter(column.fits)) for column in shown if column.is_decisive}
    if len(decisive) == 1:
        return decisive.pop()
    votes = Counter(next(iter(column.fits)) for column in shown)
    votes[Convention.POINT] += plain
    point, comma = votes[Convention.POINT], votes[Convention.COMMA]
    return None if point == comma else Convention.POINT if point > comma else Convention.COMMA


def _chosen(column: NumberColumn, convention: Convention | None, separator: str) -> Convention:
    if len(column.fits) == 1:
        return next(iter(column.fits))
    if convention is not None:
        return convention
    return Convention.COMMA if separator != "," and not column.holds(".") else Convention.POINT


def _numbers(series: pd.Series, column: NumberColumn, convention: Convention) -> pd.Series:
    plain = column.plain(convention)
    return series.map(pd.to_numeric(plain.where(~column.negative, "-" + plain)))


def _note(notes: NumberNotes, column: NumberColumn, convention: Convention, undecided: bool) -> None:
    name = column.name
    if convention is Convention.COMMA and column.holds(","):
        notes.add("Numbers with decimal commas were read in", name)
    if column.holds(convention.between):
        mark = "commas" if convention is Convention.POINT else "points"
        notes.add(f"Numbers with {mark} between thousands were read in", name)
    if column.is_open and undecided:
        text = column.digits.index[column.digits.str.contains("[.,]")][0]
        digits, value = column.digits[text], column.plain(convention)[text]
        mark = "decimals" if convention.value in digits else "thousands"
        shown = f'"{text}" in {name}, read as {value} ({mark})'
        notes.add("The file does not show whether these are decimals or thousands:", shown)
    if column.in_brackets:
        notes.add("Numbers in brackets were read as negative in", name)
    if column.unit:
        notes.add("Numbers with a unit were read in", f"{name} ({column.unit})")
    if column.missing:
        shown = ", ".join(f'"{text.strip()}"' for text in column.missing)
        notes.add("Taken as missing among numbers:", f"{shown} in {name}")
