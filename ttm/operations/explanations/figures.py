"""Figures of explanations: signed bars, mean weights with intervals, an interaction surface."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from ttm.operations.explanations.run import PairSurface
from ttm.operations.rendering.answer import value_text
from ttm.operations.rendering.figures import COLORS, GREY, NO_TICKS, framed, labels_above, plot_text
from ttm.tabular.data.schema import FeatureKind, Schema

# Solid tones, which look the same on light and dark pages: light to dark.
SURFACE_TONES = [[0, "#E3EEF7"], [0.5, "#6FA8D6"], [1, "#00507D"]]

# The axis of the names of lying bars.
NAMES = {"type": "category", "autorange": "reversed", "showgrid": False, **NO_TICKS}


def signed_bars(labels: Sequence[str], weights: Sequence[float], title: str, x: str) -> go.Figure:
    """Lying bars to both sides of zero, largest on top; direction also told by place, so colour is no one's only clue."""
    names = _distinct(labels)
    figure = go.Figure()
    figure.add_bar(
        x=list(weights), y=names, orientation="h", marker={"color": [COLORS[1] if w > 0 else COLORS[0] for w in weights]},
        hovertemplate="%{y}: %{x:+.3~g}<extra></extra>",
    )  # fmt: skip
    across = {"showgrid": True, "zeroline": True, "zerolinewidth": 2, "zerolinecolor": GREY, "nticks": 6}
    return framed(figure, title, x, "", across, NAMES, **labels_above(names))


def importance_bars(rows: Sequence[tuple[str, float, float, float]], axis: str, single: bool) -> go.Figure:
    """Mean absolute weights as lying bars with their intervals (label, mean, low, high); of one row without intervals."""
    names, means = _distinct([label for label, *_ in rows]), [mean for _, mean, *_ in rows]
    ends = None if single else {
        "type": "data", "symmetric": False, "array": [high - mean for _, mean, _, high in rows],
        "arrayminus": [mean - low for _, mean, low, _ in rows], "color": GREY, "thickness": 1.5,
    }  # fmt: skip
    figure = go.Figure()
    figure.add_bar(x=means, y=names, orientation="h", marker={"color": COLORS[0]}, error_x=ends,
                   customdata=[[low, high] for *_, low, high in rows],
                   hovertemplate="%{y}: %{x:.3~g} (%{customdata[0]:.3~g} to %{customdata[1]:.3~g})<extra></extra>")  # fmt: skip
    title = "Weight of each feature" if single else "How far each feature moves the prediction, with 95% interval"
    return framed(figure, title, axis, "", {"showgrid": True, "rangemode": "tozero"}, NAMES, **labels_above(names))


def interaction_surface(surface: PairSurface, schema: Schema, towards: str | None) -> go.Figure:
    """The model's mean output for each pair of values, darker where it is higher."""
    first, second = schema.by_name[surface.first], schema.by_name[surface.second]
    output = f'mean probability of "{towards}"' if towards else f"mean predicted {schema.target.name}"
    form = ":.1%" if towards else ":,.4~g"
    hover = f"{plot_text(first.label)} %{{y}}, {plot_text(second.label)} %{{x}}: %{{z{form}}}<extra></extra>"
    figure = go.Figure(
        go.Heatmap(
            z=[list(row) for row in surface.outputs],
            x=_distinct([value_text(value, second) for value in surface.second_values]),
            y=_distinct([value_text(value, first) for value in surface.first_values]),
            colorscale=SURFACE_TONES,
            xgap=1,
            ygap=1,
            colorbar={"thickness": 12, "outlinewidth": 0, "tickformat": ".0%" if towards else ""},
            hovertemplate=hover,
        )
    )
    title, of_names = output[0].upper() + output[1:], {"type": "category"}
    return framed(figure, title, _titled(second), _titled(first), of_names, {**of_names, "showgrid": False})


def _titled(feature: Any) -> str:
    return f"{feature.label} ({feature.unit})" if feature.unit and feature.kind is FeatureKind.NUMERIC else feature.label


def _distinct(labels: Sequence[str]) -> list[str]:
    """Labels that became equal when they were cut get a number, or their marks would fall together."""
    names: list[str] = []
    for label in labels:
        name, number = plot_text(label), 2
        while name in names:
            name, number = f"{plot_text(label)} ({number})", number + 1
        names.append(name)
    return names
