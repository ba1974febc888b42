"""Words, tables and figures for how single rows answer to one feature."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    grid_text,
    onward,
    opening,
    percent,
    quoted,
    scale_of,
    value_text,
)
from ttm.operations.rendering.figures import COLORS, GREY, bars, framed, plot_text
from ttm.operations.single_rows.run import OtherValues, ShapDependence, SingleCurves
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

DRAWN = 60  # curves in a figure
IN_TEXT = 3
WEAK = 0.3  # |rank correlation| under which no direction is told


def _what(of_class: str | None, schema: Schema) -> str:
    if of_class is None:
        return f"the predicted {escape(schema.target.label)}"
    return f"the predicted probability of {quoted(of_class)}"


def single_curves(result: SingleCurves, schema: Schema) -> Answer:
    feature, rows = schema.by_name[result.column], result.rows
    low, high = (grid_text(end, feature) for end in (result.grid[0], result.grid[-1]))
    text = (
        f"{opening(result.group)}, from {escape(feature.label)} {escape(low)} to {escape(high)}, all else as it is, "
        f"{_what(result.of_class, schema)} goes up for **{percent(result.rising / rows)}** of the rows, down for "
        f"**{percent(result.falling / rows)}**, and stays for {percent(result.flat / rows)}."
    )
    if result.bent:
        text += f" For {percent(result.bent / rows)} it goes both up and down in between."
    if result.sampled:
        text += f" This was computed on a random sample of {rows:,} of these {result.group.rows:,} rows."
    token = feature.token
    follow = onward(result.group, f"effect {token}", f"dependence {token}", *_crossing(feature, schema))
    return Answer(text, (), _curves_figure(result, feature, schema), follow)


def _crossing(feature: Feature, schema: Schema) -> tuple[str, ...]:
    is_number = feature.kind is FeatureKind.NUMERIC and schema.target.is_classification
    return (f"crossing {feature.token}",) if is_number else ()


def _curves_figure(result: SingleCurves, feature: Feature, schema: Schema) -> go.Figure:
    figure, step = go.Figure(), max(1, len(result.curves) // DRAWN)
    x = [grid_text(value, feature) for value in result.grid] if feature.values else list(result.grid)
    for curve in result.curves[::step]:
        figure.add_scatter(
            x=x, y=list(curve), mode="lines", line={"color": GREY, "width": 1}, opacity=0.5, hoverinfo="skip", showlegend=False
        )
    mean = [sum(values) / len(values) for values in zip(*result.curves, strict=True)]
    form = ":.1%" if result.of_class is not None else ":,.4~g"
    figure.add_scatter(x=x, y=mean, mode="lines", name="mean", line={"color": COLORS[0], "width": 3},
                       hovertemplate=f"%{{x}}: %{{y{form}}}<extra></extra>")  # fmt: skip
    y = schema.target.label if result.of_class is None else f'probability of "{result.of_class}"'
    title = f"Each row's prediction by {feature.label}, and their mean"
    return framed(figure, title, feature.label, y, up=None if result.of_class is None else {"tickformat": ".0%"})


def shap_dependence(result: ShapDependence, schema: Schema) -> Answer:
    feature = schema.by_name[result.column]
    towards = (
        f"a higher {escape(schema.target.label)}"
        if result.of_class is None
        else (result.of_class if result.of_class == "the predicted class" else quoted(result.of_class))
    )
    texts = [_weight(value, result, schema) for value in (min(result.weights), max(result.weights))]
    text = (
        f"{opening(result.group)}, {escape(feature.label)} moves single predictions by **{texts[0]}** to **{texts[1]}** "
        f"towards "
        f"{towards} (SHAP values)."
    )
    if feature.values:
        means = _means(result)
        best, worst = (end(means, key=means.__getitem__) for end in (max, min))
        ends = [f"**{escape(grid_text(end, feature))}** ({_weight(means[end], result, schema)})" for end in (best, worst)]
        text += f" On average it is most where it is {ends[0]} and least where it is {ends[1]}."
    elif result.trend is not None and abs(result.trend) >= WEAK:
        text += f" The higher it is, the {'more' if result.trend > 0 else 'less'} (rank correlation {result.trend:.2f})."
    elif result.trend is not None:
        text += f" There is no one direction (rank correlation {result.trend:.2f})."
    if result.sampled:
        text += f" This rests on {result.rows:,} of these {result.group.rows:,} rows."
    token = feature.token
    return Answer(text, (), _dependence_figure(result, feature), onward(result.group, f"important {token}", f"ice {token}"))


def _weight(value: float, result: ShapDependence, schema: Schema) -> str:
    return f"{100 * value:+.1f} points" if result.of_class is not None else f"{value:+,.{schema.target.precision + 1}f}"


def _means(result: ShapDependence) -> dict[Any, float]:
    by: dict[Any, list[float]] = {}
    for value, weight in zip(result.values, result.weights, strict=True):
        by.setdefault(value, []).append(weight)
    return {value: sum(weights) / len(weights) for value, weights in by.items()}


def _dependence_figure(result: ShapDependence, feature: Feature) -> go.Figure:
    figure = go.Figure()
    x: list[Any] = list(result.values)
    if feature.kind is FeatureKind.DATE:
        x = [f"{pd.Timestamp.fromordinal(int(value)):%Y-%m-%d}" for value in x]
    elif feature.values:
        x = [plot_text(grid_text(value, feature)) for value in x]
    figure.add_scatter(x=x, y=list(result.weights), mode="markers", name="rows",
                       marker={"size": 6, "color": COLORS[0]},
                       hovertemplate="%{x}: %{y:.4~g}<extra></extra>")  # fmt: skip
    return framed(figure, f"SHAP value of {feature.label} by its value", feature.label, "SHAP value", showlegend=False)


def other_values(result: OtherValues, schema: Schema) -> Answer:
    feature, is_class = schema.by_name[result.column], result.of_class is not None
    scale = scale_of("", schema)
    text_of = percent if is_class else scale.fine
    mean = "" if result.group.rows == 1 else "on average "
    now = f"{_what(result.of_class, schema)} is {mean}{text_of(result.output)}"
    own = "" if result.own is None else f" with {escape(feature.label)} {escape(value_text(result.own, feature))}"
    text = f"{opening(result.group)}, {now}{own}. "
    ends = sorted(result.others, key=lambda one: one.output)
    shown = [ends[-1], ends[0]] if len(ends) > IN_TEXT else ends
    parts = [f"**{text_of(one.output)}** if it were {escape(grid_text(one.value, feature))}" for one in shown]
    text += f"All else as it is, it would be {' and '.join(parts)}."
    if len(ends) > 1:
        how = "by how frequent they are" if feature.values else "each counted alike"
        text += f" Over all other values, {how}, it would be {text_of(result.weighted)}."
    if result.prediction is not None:
        flips = [escape(grid_text(one.value, feature)) for one in result.others if one.changed]
        text += (
            f" The prediction, {quoted(result.prediction)}, would change for {', '.join(flips[:6])}."
            if flips
            else (f" The prediction stays {quoted(result.prediction)} for all of them.")
        )
    header = (feature.label, "probability" if is_class else "predicted", *(("predicted otherwise",) if is_class else ()))
    rows = tuple(
        (grid_text(one.value, feature), text_of(one.output), *((f"{one.changed:,}",) if is_class else ()))
        for one in result.others
    )
    labels = [grid_text(one.value, feature) for one in result.others]
    title = f"Prediction by {feature.label}"
    figure = bars(labels, {"prediction": [one.output for one in result.others]}, title, "", percent=is_class)
    return Answer(
        text, (AnswerTable("", header, rows),), figure, onward(result.group, f"effect {feature.token}", "explain cfe")
    )


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    SingleCurves: single_curves,
    ShapDependence: shap_dependence,
    OtherValues: other_values,
}
