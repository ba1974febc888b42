"""The figures of reports. Names of models are escaped, since plotly reads labels as HTML."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from backend.text.markup import escape_html
from faithfulness.method.chance import CONTROLS
from faithfulness.reports.summary import Summary

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Told apart also without colour vision, on white and on near black.
COLOURS = ("#0d9488", "#d97706", "#6d8ff0", "#c0559b", "#8a8f2d", "#8b8b99")
SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up", "x")


def stages_figure(summaries: Mapping[str, Summary]) -> "go.Figure":
    """How many samples reached each stage of Table 1, by model."""
    import plotly.graph_objects as go

    stages: dict[str, Callable[[Summary], int]] = {
        "retrieval-hard": lambda s: s.retrieval_hard,
        "answered": lambda s: s.answered,
        "sufficient region": lambda s: s.sufficient,
        "necessary keyword": lambda s: s.necessary,
    }
    bars = [
        go.Bar(
            name=escape_html(name), x=list(stages), y=[count(summary) for count in stages.values()],
            text=[count(summary) for count in stages.values()], textposition="outside", cliponaxis=False,
            marker_color=COLOURS[index % len(COLOURS)],
        )
        for index, (name, summary) in enumerate(summaries.items())
    ]  # fmt: skip
    return plain(go.Figure(bars), "Samples that reached each stage", "", "samples")


def score_figure(summaries: Mapping[str, Summary]) -> "go.Figure":
    """F with its interval, beside that of random keywords, of the answer as only keyword and of lists that know nothing."""
    import plotly.graph_objects as go

    scored = {name: summary for name, summary in summaries.items() if summary.F is not None}
    kinds: dict[str, Callable[[Summary], float | None]] = {
        "the model's keywords": lambda s: s.F,
        "the answer as only keyword": lambda s: s.F_own_answer,
        "matched random keywords": lambda s: s.F_random,
        next(iter(CONTROLS)): lambda s: s.F_frequent_words,
        "capitals and numbers": lambda s: s.F_capitals,
    }
    figure = go.Figure()
    for index, (kind, value) in enumerate(kinds.items()):
        bounds = [summary.F_interval or (summary.F, summary.F) for summary in scored.values()]
        error = {
            "type": "data",
            "symmetric": False,
            "color": COLOURS[index],
            "arrayminus": [(s.F or 0) - (low or 0) for s, (low, _) in zip(scored.values(), bounds, strict=True)],
            "array": [(high or 0) - (s.F or 0) for s, (_, high) in zip(scored.values(), bounds, strict=True)],
        }
        figure.add_scatter(
            name=kind, mode="markers", y=[escape_html(name) for name in scored], x=[value(s) for s in scored.values()],
            marker={"size": 12, "color": COLOURS[index], "symbol": SYMBOLS[index]},
            error_x=error if index == 0 else None,
        )  # fmt: skip
    figure.update_xaxes(range=[-0.02, 1.02])
    figure = plain(figure, "Faithfulness F with its 95% interval", "", "")
    return figure.update_layout(height=170 + 60 * max(1, len(scored)))


def plain(figure: "go.Figure", title: str, x: str, y: str) -> "go.Figure":
    """Give a figure the look that all figures of reports share."""
    figure.update_layout(
        title={"text": title, "font": {"size": 15}}, xaxis_title=x, yaxis_title=y, template="none", showlegend=True,
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)", font={"family": "system-ui, sans-serif", "size": 13},
        margin={"l": 60, "r": 20, "t": 50, "b": 90 if x else 60},
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"}, height=380,
    )  # fmt: skip
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    return figure
