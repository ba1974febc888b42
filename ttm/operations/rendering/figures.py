"""Plotly figures with one look: readable on light and dark pages and without colour vision, with nothing to spare.

Texts from data go through `plot_text`, since plotly reads some HTML tags in texts.
"""

import html
import textwrap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd
import plotly.graph_objects as go

# After Okabe and Ito, light tones left out or darkened that fade on white; told apart with any colour vision.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#C56E9F", "#8C6D00", "#767676")
# Has enough contrast on white and on black. On the page of the app, chat.css has a stronger tone for text in it.
GREY = "#767676"
HOVER = "#1E293B"  # on the tone of the mark itself, white would be too faint
GRID = "rgba(128, 128, 128, 0.25)"
CLEAR = "rgba(0, 0, 0, 0)"
# Solid, so that what is written on a tone can be told from the tone alone.
LIGHT, DARK = (235, 244, 249), (0, 114, 178)
BLUES = [[0, f"rgb{LIGHT}"], [1, f"rgb{DARK}"]]
HEIGHT = 320
LONGEST = 32
WRAPPED = 18
NARROW = 10  # letters in a line under a column of a matrix, so that two or three of them need no turning on a phone
# Pixels of a lying bar and of its label above it: beside it, a long label would leave no room on a narrow screen.
BAR, LABEL = 14, 20
NO_TICKS: dict[str, Any] = {"showticklabels": False, "ticks": "", "title": None}


def plot_text(text: object, longest: int = LONGEST) -> str:
    """Text from data for a figure: on one line, cut where it is long, tags and entities shown as they are."""
    line = " ".join(str(text).split())
    return html.escape(line if len(line) <= longest else line[: longest - 1] + "…", quote=False)


def framed(figure: go.Figure, title: str, x: str = "", y: str = "", across: Mapping[str, Any] | None = None,
           up: Mapping[str, Any] | None = None, **layout: Any) -> go.Figure:  # fmt: skip
    """Give a figure the look that all share, and what of the layout and of its axes `across` and `up` is its own.

    `title`, `x` and `y` are plain text.
    """
    # Set as a whole: `update_layout` and `update_xaxes` take a millisecond for each setting.
    figure.layout = {
        "title": {"text": plot_text(title, 90), "font": {"size": 14}, "x": 0.01, "y": 0.97, "yanchor": "top"},
        "height": HEIGHT,
        "margin": {"l": 10, "r": 10, "t": 44, "b": 10},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"color": GREY, "size": 13},
        "colorway": COLORS,
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "bgcolor": CLEAR,
            "traceorder": "normal",
        },
        "showlegend": len(figure.data) > 1,
        "hoverlabel": {"bgcolor": HOVER, "font": {"color": "white"}},
        "bargap": 0.15,
        "xaxis": {**_axis(x), "showgrid": False, **(across or {})},
        "yaxis": {**_axis(y), **(up or {})},
        **layout,
    }
    for trace in figure.data:
        if trace.type == "bar":
            trace.marker.line.width = 0
    return figure


def row_marks(ids: Sequence[Any]) -> dict[str, Any]:
    """What makes points the rows with these ids: the page can ask about them, and shows which they are."""
    return {"customdata": [[str(one), plot_text(one)] for one in ids],
            "hovertemplate": "id %{customdata[1]}: %{x}, %{y}<extra>%{fullData.name}</extra>",
            "selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 0.2}}}  # fmt: skip


def choosable(figure: go.Figure, columns: Sequence[str]) -> go.Figure:
    """Let a figure whose points are rows say so, and which columns (tokens) a frame around some of them speaks of."""
    return figure.update_layout(meta={"rows": list(columns)}, clickmode="event", dragmode="select")


def _axis(title: str) -> dict[str, Any]:
    return {"title": {"text": plot_text(title, 60), "standoff": 8, "font": {"size": 13}}, "gridcolor": GRID,
            "zerolinecolor": GRID, "linecolor": GRID, "automargin": True}  # fmt: skip


def wrapped(text: object, width: int = WRAPPED, most: int = 2) -> str:
    """Text from data on at most so many lines."""
    lines = textwrap.wrap(" ".join(str(text).split()), width, max_lines=most, placeholder="…") or [""]
    return "<br>".join(html.escape(line, quote=False) for line in lines)


def histogram(
    edges: Sequence[Any], counts: Mapping[str, Sequence[int]], title: str, x: str, percent: bool = False
) -> go.Figure:
    """Stacked bars between consecutive edges (numbers or ISO dates), one stack part for each name."""
    figure = go.Figure()
    for name, values in counts.items():
        figure.add_bar(**_bins(edges), y=list(values), name=plot_text(name), hovertemplate="%{customdata}: %{y}<extra></extra>",
                       customdata=_ranges(edges, percent))  # fmt: skip
    return framed(figure, title, x, "rows", _percent(percent), barmode="stack", bargap=0.04)


def _percent(percent: bool) -> dict[str, str]:
    return {"tickformat": ".0%"} if percent else {}


def outlines(
    edges: Sequence[float], counts: Mapping[str, Sequence[int]], title: str, x: str, percent: bool = False
) -> go.Figure:
    """Histograms as outlines over each other, the first one dotted: before and after."""
    figure = go.Figure()
    for index, (name, values) in enumerate(counts.items()):
        figure.add_scatter(x=list(edges), y=[*values, values[-1]], mode="lines", name=plot_text(name),
                           line={"shape": "hv", "width": 2.5, "dash": "solid" if index else "dot",
                                 "color": COLORS[0] if index else GREY},
                           hovertemplate="%{customdata}: %{y}<extra></extra>",
                           customdata=[*_ranges(edges, percent), ""])  # fmt: skip
    return framed(figure, title, x, "rows", _percent(percent), {"rangemode": "tozero"})


def _bins(edges: Sequence[Any]) -> dict[str, Any]:
    if isinstance(edges[0], str):
        days = [pd.Timestamp(edge) for edge in edges]
        wide = [(two - one) / pd.Timedelta(milliseconds=1) for one, two in pairwise(days)]  # as an axis of dates counts
        return {"x": list(edges[:-1]), "width": wide, "offset": 0}
    pairs = list(pairwise(edges))
    return {"x": [(low + high) / 2 for low, high in pairs], "width": [high - low for low, high in pairs]}


def _ranges(edges: Sequence[Any], percent: bool) -> list[str]:
    texts = [edge if isinstance(edge, str) else f"{edge:.0%}" if percent else f"{edge:.4g}" for edge in edges]
    return [f"{low} to {high}" for low, high in pairwise(texts)]


def bars(labels: Sequence[str], series: Mapping[str, Sequence[float | None]], title: str, y: str,
         stacked: bool = False, percent: bool = False) -> go.Figure:  # fmt: skip
    """Upright bars, one group of them for each label; lying ones when the labels would not fit side by side."""
    lying = len(labels) > 6 or max(map(len, labels), default=0) > (2 * WRAPPED if len(labels) < 4 else 12)
    names = _distinct([wrapped(label, LONGEST if lying else WRAPPED) for label in labels])
    form = ":.1%" if percent else ":,.4~g"
    figure = go.Figure()
    for name, values in series.items():
        x, along = (list(values), names) if lying else (names, list(values))
        value = f"%{{{'x' if lying else 'y'}{form}}}"
        figure.add_bar(x=x, y=along, orientation="h" if lying else "v", name=plot_text(name),
                       hovertemplate=f"%{{{'y' if lying else 'x'}}}: {value}<extra></extra>")  # fmt: skip
    values_axis = {"tickformat": ".0%" if percent else "", "showgrid": True, "rangemode": "tozero"}
    names_axis = {"type": "category", "showgrid": False, "autorange": "reversed" if lying else True}
    mode = "stack" if stacked else "group"
    if lying:
        above = labels_above(names, 1 if stacked else len(series))
        return framed(figure, title, y, "", values_axis, names_axis | NO_TICKS, barmode=mode, **above)
    return framed(figure, title, "", y, names_axis, values_axis, barmode=mode)


def labels_above(names: Sequence[str], side_by_side: int = 1) -> dict[str, Any]:
    """The layout that writes the labels of lying bars above them, whose axis is to have `NO_TICKS`.

    `names` are those of the figure, `side_by_side` the bars of each.
    """
    thick = BAR * side_by_side
    row = max(thick + LABEL + 4, (HEIGHT - 90) / max(len(names), 1))
    label = {"x": 0, "xref": "paper", "xanchor": "left", "yanchor": "bottom", "yshift": thick / 2, "showarrow": False}
    notes = [{**label, "y": index, "text": name.replace("<br>", " "), "font": {"size": 12}} for index, name in enumerate(names)]
    return {"annotations": notes, "height": row * len(names) + 90, "bargap": 1 - thick / row}


def text_on(red: float, green: float, blue: float) -> str:
    """Black or white, whichever is read better on a colour (of 0 to 255), by its relative luminance as WCAG 2 defines it."""
    parts = [part / 255 for part in (red, green, blue)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


def _tone(share: float) -> tuple[float, ...]:
    """The colour that `BLUES` gives to a share."""
    return tuple(light + (dark - light) * share for light, dark in zip(LIGHT, DARK, strict=True))


def _distinct(names: list[str]) -> list[str]:
    """Names that were cut to the same text get a number, or their bars would fall together."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result


def lines(
    x: Sequence[Any], series: Mapping[str, Sequence[float]], title: str, x_title: str, y_title: str, percent: bool = False
) -> go.Figure:
    """Lines over numbers or ISO dates, one for each name."""
    figure = go.Figure()
    form = ":.1%" if percent else ":,.4~g"
    for name, values in series.items():
        figure.add_scatter(x=list(x), y=list(values), mode="lines+markers", marker={"size": 5}, name=plot_text(name),
                           hovertemplate=f"%{{x}}: %{{y{form}}}<extra></extra>")  # fmt: skip
    return framed(figure, title, x_title, y_title, up=_percent(percent))


def boxes(spreads: Sequence[tuple[str, Sequence[float]]], title: str, percent: bool = False) -> go.Figure:
    """A lying box for each name: its smallest value, lower quartile, median, upper quartile and largest value."""
    figure = go.Figure()
    for index, (name, (low, lower, middle, upper, high)) in enumerate(spreads):
        figure.add_box(lowerfence=[low], q1=[lower], median=[middle], q3=[upper], upperfence=[high], y=[index],
                       orientation="h", name=plot_text(name, 2 * LONGEST))  # fmt: skip
    across = {"tickformat": ".0%" if percent else "", "showgrid": True}
    up = {"showticklabels": False, "ticks": "", "autorange": "reversed", "showgrid": False, "zeroline": False}
    return framed(figure, title, title, "", across, up, showlegend=True)


def curve(x: Sequence[float], y: Sequence[float], title: str, x_title: str, y_title: str,
          guess: tuple[Sequence[float], Sequence[float]] | None = None, markers: bool = False) -> go.Figure:  # fmt: skip
    """A curve in the unit square, with a dotted line for guessing (or for being exactly right)."""
    figure = go.Figure()
    if guess:
        figure.add_scatter(x=list(guess[0]), y=list(guess[1]), mode="lines", hoverinfo="skip", showlegend=False,
                           line={"color": GREY, "dash": "dot", "width": 1})  # fmt: skip
    figure.add_scatter(x=list(x), y=list(y), mode="lines+markers" if markers else "lines", showlegend=False,
                       line={"color": COLORS[0], "width": 2.5},
                       hovertemplate="%{x:.1%}, %{y:.1%}<extra></extra>")  # fmt: skip
    unit = {"tickformat": ".0%", "range": [-0.02, 1.02]}
    return framed(figure, title, x_title, y_title, unit, unit)


def confusion(matrix: Mapping[str, Mapping[str, int]], title: str) -> go.Figure:
    """Counts by true class (down) and predicted class (across), darker for a larger share of the true class."""
    truth = _distinct([wrapped(name) for name in matrix])
    counts = [list(row.values()) for row in matrix.values()]
    shares = [[count / sum(row) if sum(row) else 0 for count in row] for row in counts]
    figure = go.Figure(
        go.Heatmap(
            z=shares,
            x=truth,
            y=truth,
            zmin=0,
            zmax=1,
            colorscale=BLUES,
            showscale=False,
            xgap=2,
            ygap=2,
            hovertemplate="truly %{y}, predicted %{x}: %{customdata} (%{z:.1%})<extra></extra>",
            customdata=counts,
        )
    )
    notes = [{"x": j, "y": i, "text": f"{count:,}", "showarrow": False,
              "font": {"color": text_on(*_tone(shares[i][j])), "size": 15}}
             for i, row in enumerate(counts) for j, count in enumerate(row)]  # fmt: skip
    few = len(truth) < 5
    names = [wrapped(name, NARROW, 4) for name in matrix] if few else truth
    across = {"type": "category", "tickangle": 0 if few else None, "tickvals": truth, "ticktext": names}
    up = {"type": "category", "autorange": "reversed", "showgrid": False}
    height = max(HEIGHT, 40 * len(truth) + 140)
    return framed(figure, title, "predicted", "true", across, up, annotations=notes, height=height)
