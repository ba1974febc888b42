"""The figure of typical mistakes: a small tree of rules, with the error of each branch as a bar."""

from collections.abc import Sequence

import plotly.graph_objects as go

from ttm.operations.rendering.figures import COLORS, GREY, NO_TICKS, framed, labels_above, plot_text

INDENT = 14  # pixels a branch stands to the right of the one above it
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
    marks = ["└ " if depth else "" for depth in depths]
    above = labels_above([mark + plot_text(label, 56) for mark, (_, label, *_) in zip(marks, branches, strict=True)])
    for note, depth in zip(above["annotations"], depths, strict=True):
        note["xshift"] = INDENT * max(depth - 1, 0)
    x = "share that is wrong" if is_rate else "mean absolute error"
    ends = [0, (max(errors) or 1) * 1.3]
    across = {"range": ends, "nticks": 4, "showgrid": True, "tickformat": ".0%" if is_rate else ""}
    up = {"autorange": "reversed", "showgrid": False, "zeroline": False, **NO_TICKS}
    return framed(figure, title, x, "", across, up, **above)
