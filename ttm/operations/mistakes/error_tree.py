"""The figure of typical mistakes: a small tree of rules, with the error of each branch as a bar."""

from collections.abc import Sequence

import plotly.graph_objects as go

from ttm.operations.rendering.figures import COLORS, GREY, HEIGHT, framed, plot_text

ROW = 26
# Solid tones, which look the same on light and dark pages: light to dark.
ERROR_TONES = [[0, "#FBE9DD"], [0.5, "#EE9A5B"], [1, "#B34700"]]


def error_tree(branches: Sequence[tuple[int | None, str, int, float]], is_rate: bool, title: str) -> go.Figure:
    """A tree written line by line (parent's place, label, rows, error; parents first), with the error of each as a bar."""
    depths: list[int] = []
    for parent, *_ in branches:
        depths.append(0 if parent is None else depths[parent] + 1)
    places = list(range(len(branches)))
    errors = [error for *_, error in branches]
    texts = [f"{error:.0%} of {rows:,}" if is_rate else f"{error:,.3g} ({rows:,} rows)" for _, _, rows, error in branches]
    figure = go.Figure()
    figure.add_bar(
        x=errors, y=places, orientation="h", text=texts, textposition="outside", cliponaxis=False, textfont={"color": GREY},
        marker={"color": errors, "colorscale": ERROR_TONES, "cmin": 0, "cmax": max(errors) or 1,
                "line": {"width": 1, "color": COLORS[1]}},
        customdata=[plot_text(label, 90) for _, label, *_ in branches], hovertemplate="%{customdata}: %{text}<extra></extra>",
    )  # fmt: skip
    framed(figure, title, "share that is wrong" if is_rate else "mean absolute error")
    for place, (_, label, *_), depth in zip(places, branches, depths, strict=True):
        figure.add_annotation(
            x=0.03 * depth, xref="paper", xanchor="left", y=place, showarrow=False, font={"color": GREY, "size": 12},
            text=("└ " if depth else "") + plot_text(label, 36 - 2 * depth),
        )  # fmt: skip
    figure.update_layout(height=max(HEIGHT, ROW * len(branches) + 110), bargap=0.3)
    figure.update_xaxes(domain=[0.56, 1], range=[0, (max(errors) or 1) * 1.5], nticks=4, showgrid=True)
    figure.update_xaxes(tickformat=".0%" if is_rate else "")
    return figure.update_yaxes(autorange="reversed", showticklabels=False, showgrid=False, zeroline=False)
