"""The numbers that a figure shows, as a table: for those who cannot see it, and for those who want to read one off."""

import html
import re
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from ttm.operations.rendering.answer import AnswerTable

MISSING = "–"
MOST_POINTS = 100  # in a table: as many again as can be read
_TAG = re.compile(r"<[^>]*>")


def figure_table(figure: go.Figure) -> AnswerTable | None:
    """One row for each place along the figure, one column for each series; None if the figure holds no numbers."""
    traces = [trace for trace in figure.data if trace.hoverinfo != "skip"]
    if not traces:
        return None
    if isinstance(traces[0], go.Heatmap):
        return _grid(traces[0], figure)
    if isinstance(traces[0], go.Box):
        return _spreads(traces, figure)
    if (figure.layout.meta or {}).get("rows"):
        return _points(traces, figure)
    lying = isinstance(traces[0], go.Bar) and traces[0].orientation == "h"
    along, across = (figure.layout.yaxis, figure.layout.xaxis) if lying else (figure.layout.xaxis, figure.layout.yaxis)
    series = [dict(zip(_labels(trace, lying, along), trace.x if lying else trace.y, strict=False)) for trace in traces]
    labels = list(dict.fromkeys(label for column in series for label in column))
    names = [_plain(trace.name) or _plain(across.title.text) or "value" for trace in traces]
    rows = tuple((label, *(_text(column.get(label), across) for column in series)) for label in labels)
    return AnswerTable("", (_plain(along.title.text), *names), rows)


def _grid(trace: go.Heatmap, figure: go.Figure) -> AnswerTable:
    counts: Any = trace.z if trace.customdata is None else trace.customdata
    columns = tuple(map(_plain, trace.x))
    corner = f"{_plain(figure.layout.yaxis.title.text)} / {_plain(figure.layout.xaxis.title.text)}"
    rows = tuple((_plain(name), *(_number(cell, "") for cell in row)) for name, row in zip(trace.y, counts, strict=True))
    return AnswerTable("", (corner, *columns), rows)


def _spreads(traces: Sequence[go.Box], figure: go.Figure) -> AnswerTable:
    numbers = [(box.lowerfence[0], box.q1[0], box.median[0], box.q3[0], box.upperfence[0]) for box in traces]
    rows = tuple(
        (_plain(box.name), *(_text(value, figure.layout.xaxis) for value in five))
        for box, five in zip(traces, numbers, strict=True)
    )
    return AnswerTable("", ("", "smallest", "lower quartile", "median", "upper quartile", "largest"), rows)


def _points(traces: Sequence[Any], figure: go.Figure) -> AnswerTable:
    """One row for each point that is a row of the data, by its id; the first of them where there are many."""
    across, up = figure.layout.xaxis, figure.layout.yaxis
    named = len(traces) > 1
    rows = [
        (str(point[0]), _text(x, across), _text(y, up), *([_plain(trace.name)] if named else []))
        for trace in traces
        for point, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
    ]
    title = f"The first {MOST_POINTS:,} of {len(rows):,} points" if len(rows) > MOST_POINTS else ""
    columns = ("id", _plain(across.title.text), _plain(up.title.text), *(["colour"] if named else []))
    return AnswerTable(title, columns, tuple(rows[:MOST_POINTS]))


def _labels(trace: Any, lying: bool, axis: Any) -> Sequence[str]:
    """What stands along the axis; bins and cut names are written out in the trace's own data."""
    own = trace.customdata
    if own is not None and len(own) and isinstance(own[0], str):
        return list(map(_plain, own))
    return [_text(index, axis) for index in (trace.y if lying else trace.x)]


def _text(value: Any, axis: Any) -> str:
    if value is None:
        return MISSING
    return _plain(value) if isinstance(value, str) else _number(value, axis.tickformat or "")


def _number(value: Any, form: str) -> str:
    if "%" in form:
        return f"{float(value):.1%}"
    return f"{float(value):,.4g}"


def _plain(text: Any) -> str:
    """A text of a figure without its tags and entities."""
    return html.unescape(_TAG.sub(" ", str(text or ""))).strip()
