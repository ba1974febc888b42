"""The report of a sweep as one page: calls against success for each model, and every setting in a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from backend.text.markup import escape_html
from faithfulness.lab.sweep import SWEEP_COLUMNS, SweepRow, sweep_cells
from faithfulness.reports.figures import COLOURS, SYMBOLS, plain
from faithfulness.reports.page import HTML, html_figure, html_table, section, whole_page

if TYPE_CHECKING:
    import plotly.graph_objects as go


def sweep_html(rows: Sequence[SweepRow]) -> str:
    """The page of a sweep: the plot of calls against success, and the table."""
    about = (
        "Each point is one number of regions (p) and of groups in a region (q), written p·q. Success is the share of the "
        "samples answered with the passage in which a sufficient region, and in it a necessary keyword, was found."
    )
    cells = [sweep_cells(row) for row in rows]
    models = dict.fromkeys(row.model for row in rows)
    figures = [html_figure(sweep_figure([row for row in rows if row.model == model])) for model in models]
    parts = [HTML("paragraph", about), *figures, section("Every setting", html_table(SWEEP_COLUMNS, cells))]
    return whole_page("Calls against success", parts)


def sweep_figure(rows: Sequence[SweepRow]) -> "go.Figure":
    """Mean calls a sample against the shares of samples with a sufficient region and a necessary keyword, and F; one model.

    The labels at F are p·q.
    """
    import plotly.graph_objects as go

    kinds = {
        "sufficient region": [row.sufficient for row in rows],
        "necessary keyword": [row.necessary for row in rows],
        "F": [row.F for row in rows],
    }
    figure = go.Figure()
    for index, (kind, values) in enumerate(kinds.items()):
        figure.add_scatter(
            name=kind, x=[row.calls for row in rows], y=values, textposition="bottom center",
            mode="markers+text" if kind == "F" else "markers",
            text=[f"{row.parts}·{row.groups}" for row in rows], textfont={"size": 11},
            customdata=[f"p = {row.parts}, q = {row.groups}" for row in rows],
            marker={"color": COLOURS[index], "symbol": SYMBOLS[index], "size": 10},
            hovertemplate="%{customdata}<br>%{x:.1f} calls, %{y:.2f}",
        )  # fmt: skip
    figure.update_yaxes(range=[-0.02, 1.1])
    return plain(figure, escape_html(rows[0].model), "calls a sample", "share, F")
