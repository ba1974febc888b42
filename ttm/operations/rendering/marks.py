"""What the bars and cells of a figure stand for, features or rows, so that they can be clicked into the conversation.

A mark of rows is written as filters of the parse language, which select exactly the rows that it counts.
"""

import html
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from ttm.language.parse import number_text
from ttm.operations.results import Group
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

FEATURES, ROWS = "features", "rows"
WHOLE = "all"  # a mark that stands for every row of its group
DECIMALS = 9  # of the bounds of bins, in which 0.15000000000000002 would be read as such


def features_clickable(figure: go.Figure, names: Sequence[str], schema: Schema) -> go.Figure:
    """Let bars that stand for features, by their names, be asked about; each series has one bar a name."""
    tokens = [schema.by_name[name].token if name in schema.by_name else "" for name in names]
    return _clickable(figure, FEATURES, [tokens] * len(figure.data))


def rows_clickable(figure: go.Figure, group: Group, marks: Sequence[Sequence[str]]) -> go.Figure:
    """Let bars or cells that stand for rows be asked about: for each series the filters of each of its marks, "" for none.

    Rows of a made-up case or with changed values are selected by no filter.
    """
    return figure if _is_no_selection(group) else _clickable(figure, ROWS, marks)


def groups_clickable(figure: go.Figure, groups: Sequence[tuple[int, Group]], marks: Sequence[Sequence[str]]) -> go.Figure:
    """Let the bars of groups side by side be asked about: each series is of one group, with its index among all of the turn.

    A mark narrows its group alone; `WHOLE` is the group itself.
    """
    known = [[] if _is_no_selection(group) else of_group for (_, group), of_group in zip(groups, marks, strict=True)]
    return _of_groups(_clickable(figure, ROWS, known), [index for index, _ in groups])


def of_one_group(figure: go.Figure, index: int) -> go.Figure:
    """Let a figure that stands for one group among several be asked about in that group alone."""
    return _of_groups(figure, [index] * len(figure.data))


def _of_groups(figure: go.Figure, groups: Sequence[int]) -> go.Figure:
    meta = figure.layout.meta or {}
    return figure.update_layout(meta={**meta, "groups": list(groups)}) if meta.get("asks") == ROWS else figure


def _is_no_selection(group: Group) -> bool:
    return bool(group.changes) or group.words.startswith("a made-up ")


def _clickable(figure: go.Figure, kind: str, marks: Sequence[Sequence[str]]) -> go.Figure:
    if not any(any(one) for one in marks):
        return figure
    # As all texts from data in a figure, escaped; `mark_question` takes that back.
    escaped = [[html.escape(mark, quote=False) for mark in one] for one in marks]
    return figure.update_layout(meta={"asks": kind, "marks": escaped}, clickmode="event", dragmode=False)


def both(*filters: str) -> str:
    """Filters of which all hold; "" where one of them has no words."""
    return " and ".join(filters) if all(filters) else ""


def within(word: str, low: float, high: float, with_high: bool) -> str:
    """A number between two bounds, the lower included; `word` begins the filter, as "filter age" does."""
    ends = [number_text(end) for end in (low, high)]
    return f"{word} greater equal than {ends[0]} and {word} less {'equal ' if with_high else ''}than {ends[1]}"


def bins(word: str, edges: Sequence[Any]) -> list[str]:
    """The filters of the bins between edges; the last one has its upper edge in it."""
    ends = [round(float(edge), DECIMALS) for edge in edges]
    last = len(ends) - 2
    return [within(word, ends[index], ends[index + 1], index == last) for index in range(last + 1)]


def date_text(ordinal: float) -> str:
    """The day of an ordinal as filters and figures write it."""
    return date.fromordinal(int(ordinal)).isoformat()


def date_bins(word: str, edges: Sequence[float]) -> list[str]:
    """The filters of the bins between whole days, as ordinals: each from its first day to the day before the next bin."""
    return [f"{word} greater equal than {date_text(one)} and {word} less {_up_to(two)}" for one, two in pairwise(edges)]


def _up_to(end: float) -> str:
    return f"{'equal ' if end == date.max.toordinal() else ''}than {date_text(end)}"  # no bin begins after the last day


def of_group(feature: Feature, value: Any, low: float | None, high: float | None) -> str:
    """The filter of a group that a feature makes: a value, bounds that are both included, or no value at all."""
    word = f"filter {feature.token}"
    if low is not None and high is not None:
        if feature.kind is FeatureKind.DATE:
            return f"{word} greater equal than {date_text(low)} and {word} less equal than {date_text(high)}"
        return f"{word} equal to {number_text(low)}" if low == high else within(word, low, high, with_high=True)
    if value is None:  # a value may be called so as well
        return "" if "missing" in map(feature.value_token, feature.values) else f"{word} missing"
    return f"{word} {feature.value_token(value)}"
