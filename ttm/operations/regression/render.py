"""Words, tables and figures for a line through two columns, and for all columns together."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from backend.text.words import listed
from ttm.operations.breakdowns.render import p_text
from ttm.operations.columns.render import token_of
from ttm.operations.correlation.render import MEASURES, strength_text
from ttm.operations.regression.run import AssociationMatrix, RegressionLine
from ttm.operations.rendering.answer import Answer, AnswerTable, label_of, onward, opening, scale_of, title_of
from ttm.operations.rendering.figures import COLORS, GREY, choosable, framed, plot_text, row_marks
from ttm.tabular.data.schema import Schema

IN_TABLE = 20
CELL = 22
STRENGTH = [[0, COLORS[1]], [0.5, "rgb(235, 244, 249)"], [1, COLORS[0]]]


def regression_line(result: RegressionLine, schema: Schema) -> Answer:
    outcome, predictor = label_of(result.outcome, schema), label_of(result.predictor, schema)
    unit = scale_of(result.outcome, schema).unit_text
    way = "more" if result.slope >= 0 else "less"
    text = (
        f"{opening(result.group)}, each further unit of {predictor} goes with **{_figures(abs(result.slope))}**{unit} {way} "
        f"{outcome} (95% interval of the slope {_figures(result.low)} to {_figures(result.high)}, {p_text(result.p)}). "
        f"The line is "
        f"{outcome} = {_figures(result.intercept)} {'+' if result.slope >= 0 else '-'} {_figures(abs(result.slope))} × "
        f"{predictor} "
        f"and explains {result.r2:.1%} of the variance over {result.rows:,} rows. It shows what goes together, not what "
        f"causes what."
    )
    token, other = token_of(result.predictor, schema), token_of(result.outcome, schema)
    return Answer(text, (), _points(result, schema), onward(result.group, f"correlate {token} {other}", f"effect {token}"))


def _figures(value: float) -> str:
    return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _points(result: RegressionLine, schema: Schema) -> go.Figure:
    figure = go.Figure()
    names = sorted(set(result.labels)) or [""]
    for number, name in enumerate(names):
        mine = [i for i in range(len(result.x)) if not result.labels or result.labels[i] == name]
        figure.add_scatter(x=[result.x[i] for i in mine], y=[result.y[i] for i in mine], mode="markers",
                           name=plot_text(name or "rows"), **row_marks([result.ids[i] for i in mine]),
                           marker={"size": 6, "color": COLORS[number % len(COLORS)]})  # fmt: skip
    ends = [min(result.x), max(result.x)]
    figure.add_scatter(x=ends, y=[result.intercept + result.slope * end for end in ends], mode="lines", name="line",
                       line={"color": GREY, "width": 2.5}, hoverinfo="skip")  # fmt: skip
    x, y = title_of(result.predictor, schema), title_of(result.outcome, schema)
    return choosable(framed(figure, f"{y} by {x}", x, y), [token_of(c, schema) for c in (result.predictor, result.outcome)])


def association_matrix(result: AssociationMatrix, schema: Schema) -> Answer:
    known = [pair for pair in result.pairs if pair.strength is not None]
    if not known:
        return Answer(f"{opening(result.group)}, no connection of two columns can be measured.")
    best = [f"{label_of(p.column, schema)} and {label_of(p.other, schema)} ({strength_text(p)})" for p in known[:3]]
    text = (
        f"{opening(result.group)}, of {len(known):,} pairs of columns those that go together most closely are {listed(best)}."
    )
    if len({pair.measure for pair in known}) > 1:
        text += " Different kinds of columns take different measures; only Pearson's r has a sign."
    rows = tuple(
        (title_of(p.column, schema), title_of(p.other, schema), strength_text(p), MEASURES[p.measure], f"{p.rows:,}")
        for p in known[:IN_TABLE]
    )
    title = f"The {len(rows)} closest pairs of {len(known)}" if len(rows) < len(known) else ""
    token = token_of(known[0].column, schema)
    table = AnswerTable(title, ("column", "with", "strength", "measure", "rows"), rows)
    return Answer(text, (table,), _matrix(result, schema), onward(result.group, f"correlate {token}"))


def _matrix(result: AssociationMatrix, schema: Schema) -> go.Figure:
    names = [plot_text(title_of(name, schema), 24) for name in result.columns]
    index = {name: number for number, name in enumerate(result.columns)}
    cells: list[list[float | None]] = [[None] * len(names) for _ in names]
    for pair in result.pairs:
        value = pair.strength if pair.pearson is None else pair.pearson
        one, other = index[pair.column], index[pair.other]
        cells[one][other] = cells[other][one] = value
    for number in range(len(names)):
        cells[number][number] = 1.0
    figure = go.Figure(
        go.Heatmap(
            z=cells, x=names, y=names, zmin=-1, zmax=1, colorscale=STRENGTH, xgap=1, ygap=1, colorbar={"thickness": 10},
            hovertemplate="%{y} and %{x}: %{z:.2f}<extra></extra>",
        )
    )  # fmt: skip
    # Names beside the rows, and numbers under the columns: names there would have to be turned.
    numbers = [str(number) for number in range(1, len(names) + 1)]
    labels = [f"{name} {number}" for name, number in zip(names, numbers, strict=True)]
    ticks = {"type": "category", "tickmode": "array", "tickvals": names}
    up = {**ticks, "autorange": "reversed", "showgrid": False, "ticktext": labels}
    height = max(320, CELL * len(names) + 160)
    return framed(figure, "How closely columns go together", "", "", {**ticks, "ticktext": numbers}, up, height=height)


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    RegressionLine: regression_line,
    AssociationMatrix: association_matrix,
}
