"""Words, tables and figures for how far predictions lie from the truth."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from ttm.language.operations.scores import TOO
from ttm.operations.exploration.render import model_cells, model_columns
from ttm.operations.rendering.answer import Answer, AnswerTable, onward, opening, percent, scale_of
from ttm.operations.rendering.figures import COLORS, framed, histogram
from ttm.operations.residuals.run import LargestResiduals, ResidualPlot
from ttm.tabular.data.schema import Schema

NOTEWORTHY = 0.2  # |r| of residual size with prediction from which it is told
BINS = 20


def largest_residuals(result: LargestResiduals, schema: Schema) -> Answer:
    scale, is_class = scale_of("", schema), schema.target.is_classification
    if not result.rows and result.side:
        text = f"{opening(result.group)}, no {schema.target.label} is predicted too {TOO[result.side]}."
        return Answer(text, (), None, onward(result.group, "residuals 5", "residuals"))
    texts = [percent(1 - row.value) if is_class else scale.fine(row.value) for row in result.rows]
    which = f"these are the **{len(texts)}** rows" if len(texts) > 1 else "this is the row"
    if is_class:
        what = (
            f"whose true class the model found least likely: {texts[0]} to {texts[-1]}"
            if len(texts) > 1
            else (f"whose true class the model found least likely: {texts[0]}")
        )
        column = "probability of the true class"
    else:
        off = [scale.fine(abs(row.value)) for row in result.rows]
        of_side = f"whose {schema.target.label} is predicted too {TOO.get(result.side)}, the farthest off"
        how = of_side if result.side else "where the prediction is farthest off"
        what = f"{how}: by {off[0]}{scale.unit_text}"
        what += f" to {off[-1]}{scale.unit_text}" if len(off) > 1 else ""
        column = f"true minus predicted {schema.target.label}"
    text = f"{opening(result.group)}, {which} {what}."
    header = (schema.id_name or "id", column, *model_columns(schema), "true outcome")
    rows = tuple(
        (str(row.id), value, *model_cells(row.prediction, row.output, row.label, schema))
        for row, value in zip(result.rows, texts, strict=True)
    )
    first = str(result.rows[0].id)
    id = f'"{first}"' if " " in first else first
    return Answer(text, (AnswerTable("", header, rows),), None, (f"filter id {id} and explain features", "mistake typical"))


def residual_plot(result: ResidualPlot, schema: Schema) -> Answer:
    follow = onward(result.group, "residuals 5", "mistake typical")
    if schema.target.is_classification:
        return Answer(_class_text(result), (), _class_figure(result), follow)
    scale, now = scale_of("", schema), result.summary
    text = f"{opening(result.group)}, truth minus prediction is **{scale.fine(now.mean)}**{scale.unit_text}"
    if len(result.residuals) == 1:
        text += "."
    else:
        text += (
            f" on average, with a standard deviation of {scale.fine(now.std)}; half of the rows lie between "
            f"{scale.fine(now.lower_quartile)} and {scale.fine(now.upper_quartile)}."
        )
    if result.trend is not None and abs(result.trend) >= NOTEWORTHY:
        grows = "larger" if result.trend > 0 else "smaller"
        text += f" Errors get {grows} as the prediction grows (r = {result.trend:.2f})."
    figure = go.Figure()
    figure.add_scatter(x=list(result.predicted), y=list(result.residuals), mode="markers", name="rows",
                       marker={"size": 6, "color": COLORS[0]},
                       hovertemplate="predicted %{x:,.4~g}, off by %{y:,.4~g}<extra></extra>")  # fmt: skip
    framed(figure, "Residuals", f"predicted {schema.target.label}", "true minus predicted", showlegend=False)
    return Answer(text, (), figure, follow)


def _class_text(result: ResidualPlot) -> str:
    now, spread = result.summary, ""
    if len(result.residuals) > 1:
        lowest = percent(1 - now.upper_quartile)
        spread = f" on average (median {percent(1 - now.median)}); for a quarter of the rows it is under {lowest}"
    return (
        f"{opening(result.group)}, the model gives the true class a probability of **{percent(1 - now.mean)}**{spread}. "
        "A class has no residual as a quantity has, so this is how far each probability is from 1."
    )


def _class_figure(result: ResidualPlot) -> go.Figure:
    edges = [step / BINS for step in range(BINS + 1)]
    counts: dict[str, list[int]] = {name: [0] * BINS for name in sorted(set(result.truth))}
    for name, value in zip(result.truth, result.residuals, strict=True):
        counts[name][min(int(value * BINS), BINS - 1)] += 1
    return histogram(edges, counts, "How far the true class's probability is from 1", "distance, by true class", percent=True)


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    LargestResiduals: largest_residuals,
    ResidualPlot: residual_plot,
}
