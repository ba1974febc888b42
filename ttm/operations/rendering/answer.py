"""What a person sees of a result: text, tables and a figure; and how numbers and groups are worded in all of them."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from backend.text.markup import escape_markdown
from backend.text.words import listed
from ttm.operations.results import Group
from ttm.tabular.data.schema import Feature, FeatureKind, Schema, readable


@dataclass(frozen=True)
class AnswerTable:
    """A small table. `rows` are as long as `columns`; title, columns and cells are plain text, escaped by who draws it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Answer:
    """One operation's answer. `text` is Markdown in which everything that came from data is already escaped.

    `next_parses` are parses (surface) that a person may want next, best first.
    """

    text: str
    tables: tuple[AnswerTable, ...] = ()
    figure: go.Figure | None = None
    next_parses: tuple[str, ...] = ()


def escape(text: object) -> str:
    """Text from data or a person on one line, safe inside Markdown and HTML."""
    return escape_markdown(" ".join(str(text).split()))


def number(value: float | None, precision: int) -> str:
    """A number at a feature's precision, with thousands separators: 12345.678 becomes "12,345.7" for precision 1."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "unknown"
    text = f"{value:,.{precision}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text


def finer(value: float | None, precision: int) -> int:
    """Decimals for a mean of values of this precision: one for whole numbers, none where a thousand stands before it."""
    return precision or int(value is None or abs(value) < 1000)


def percent(share: float | None) -> str:
    """A share of 0 to 1 as a percentage with one decimal; never "0.0%" for something that is there."""
    if share is None or not math.isfinite(share):
        return "unknown"
    if 0 < share < 0.0005:
        return "under 0.1%"
    if 0.9995 <= share < 1:
        return "over 99.9%"
    return f"{share:.1%}"


def points(difference: float) -> str:
    """A difference of shares in words: "12.3 points higher"."""
    if abs(difference) < 0.0005:
        return "no different" if difference == 0 else f"under 0.1 points {'higher' if difference > 0 else 'lower'}"
    return f"{abs(difference) * 100:.1f} points {'higher' if difference > 0 else 'lower'}"


def grid_text(value: Any, feature: Feature) -> str:
    """A value that a grid goes through, in which dates are numbers."""
    return value_text(pd.Timestamp(value) if feature.kind is FeatureKind.DATE else value, feature)


def id_text(id: Any) -> str:
    """An id as the parse language has it, in quotes where it holds a space."""
    return f'"{id}"' if " " in str(id) else str(id)


def value_text(value: Any, feature: Feature) -> str:
    """One value of a feature as a person reads it: yes and no for a boolean, a day for a date, "unknown" when missing."""
    if value is None or pd.isna(value):
        return "unknown"
    match feature.kind:
        case FeatureKind.BOOLEAN:
            return "yes" if value == feature.values[1] else "no"
        case FeatureKind.DATE:
            return f"{pd.Timestamp(value):%Y-%m-%d}"
        case FeatureKind.NUMERIC:
            return feature_scale(feature).text(float(value))
    return str(value)


@dataclass(frozen=True)
class Scale:
    """How the numbers of a column are written. Dates are ordinal days; years have no mark between thousands."""

    precision: int
    unit: str = ""
    is_date: bool = False
    is_year: bool = False

    def text(self, value: float | None) -> str:
        """A value of the column, without its unit."""
        if not self.is_date:
            return self._number(value, self.precision)
        known = value is not None and math.isfinite(value)
        return f"{pd.Timestamp.fromordinal(int(value)):%Y-%m-%d}" if known and value else "unknown"

    def fine(self, value: float | None) -> str:
        """A mean or deviation of the column: whole numbers get one decimal, unless they are large."""
        return self.text(value) if self.is_date else self._number(value, finer(value, self.precision))

    def _number(self, value: float | None, precision: int) -> str:
        return number(value, precision).replace(",", "") if self.is_year else number(value, precision)

    @property
    def unit_text(self) -> str:
        return f" {escape(self.unit)}" if self.unit else ""


def scale_of(column: str, schema: Schema) -> Scale:
    """The scale of a feature by its name; of the target for any other name."""
    feature = schema.by_name.get(column)
    if feature is None:
        return Scale(schema.target.precision, schema.target.unit)
    return feature_scale(feature)


def feature_scale(feature: Feature) -> Scale:
    """How the values of a feature are written."""
    return Scale(feature.precision, feature.unit, feature.kind is FeatureKind.DATE, feature.is_year)


def label_of(column: str, schema: Schema) -> str:
    """The readable name of a column in a sentence, escaped."""
    title = title_of(column, schema)
    return escape(title if column in schema.by_name or not schema.target.is_classification else f"the {title}")


def title_of(column: str, schema: Schema) -> str:
    """The readable name of a feature or of the target, as plain text."""
    feature = schema.by_name.get(column)
    if feature is not None:
        return feature.label
    return "true outcome" if schema.target.is_classification else readable(column)


def opening(group: Group, capital: bool = True) -> str:
    """The group an answer speaks of, with its size: "For people with age above 30 (131 of 308)"."""
    text = f"for {escape(group.words)}{size_text(group)}"
    if group.changes:
        text = f"if {escape(group.changes)}, {text}"
    return text[0].upper() + text[1:] if capital else text


def size_text(group: Group) -> str:
    """The size of a group in brackets, where its words do not tell it."""
    if group.words.startswith(("all ", "a made-up ")) or (group.rows == 1 and group.words.startswith("the instance ")):
        return ""
    id = f", id {escape(group.ids[0])}" if group.rows == 1 and group.ids else ""
    return f" ({group.rows:,} of {group.total:,}{id})"


def class_name(number: int, schema: Schema) -> str:
    """The name of a class, quoted and escaped."""
    return quoted(schema.target.classes[number])


def quoted(name: object) -> str:
    """A name from the data, quoted and escaped."""
    return f'"{escape(name)}"'


def shares_text(counts: dict[str, int], shares: dict[str, float]) -> str:
    """How many rows are of which class, most frequent first: `"good" for **72 (55.0%)** and "bad" for 59 (45.0%)`."""
    order = sorted(counts, key=lambda name: -counts[name])
    present = [name for name in order if counts[name]]
    if len(present) == 1:
        return f"{quoted(present[0])} for {'both' if counts[present[0]] == 2 else 'all'} of them"
    parts = [f"{quoted(name)} for {counts[name]:,} ({percent(shares[name])})" for name in present]
    parts[0] = f"{quoted(present[0])} for **{counts[present[0]]:,} ({percent(shares[present[0]])})**"
    return listed(parts, most=6)


def onward(group: Group, *operations: str) -> tuple[str, ...]:
    """Parses that ask something else about the same rows."""
    same = group.rows < group.total or group.changes or group.words.startswith("a made-up ")
    return tuple(f"previousfilter and {operation}" if same else operation for operation in operations)


def notes_text(group: Group) -> str:
    """What must be said about the group (impossible values, a missing earlier group), as closing lines."""
    return "".join(f"\n\n*Note: {escape(note)}*" for note in group.notes)
