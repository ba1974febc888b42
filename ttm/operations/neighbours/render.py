"""Words, tables and figures for similar rows, and for how the prediction moves with a feature."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from ttm.operations.exploration.render import model_cells, model_columns
from ttm.operations.neighbours.run import PartialDependence, SimilarRows
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    grid_text,
    onward,
    opening,
    percent,
    points,
    quoted,
    scale_of,
    size_text,
    value_text,
)
from ttm.operations.rendering.figures import bars, lines
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

TOLD_APART = 12


# --- similar rows --------------------------------------------------------------------------------------------------------


def similar_rows(result: SimilarRows, schema: Schema) -> Answer:
    group = result.group
    if not result.rows:
        return Answer("There is no other row to compare with.")
    count = len(result.rows)
    what_if = f" if {escape(group.changes)}" if group.changes else ""
    these = f"These **{count} {escape(schema.entity)}** are" if count > 1 else "This row is"
    text = f"{these} most like {escape(group.words)}{size_text(group)}{what_if}. "
    if result.prediction is not None:
        same = sum(row.prediction == result.prediction for row in result.rows)
        text += f"The model predicts {quoted(result.prediction)} for it, and the same for **{same} of {count}** of them."
    else:
        scale = scale_of("", schema)
        mean = sum(row.output for row in result.rows) / count
        text += f"The model predicts {scale.fine(result.output)} for it, and {scale.fine(mean)} on average for them."
    features = _telling(result, schema)
    header = (schema.id_name or "id", "difference", *(f.label for f in features), *model_columns(schema), "true outcome")
    rows = [_own_row(result, features, schema)]
    for index, row in enumerate(result.rows, start=1):
        values = (value_text(result.values[f.name].iloc[index], f) for f in features)
        rows.append((str(row.id), percent(row.distance), *values, *model_cells(row.prediction, row.output, row.label, schema)))
    first = str(result.rows[0].id)
    id = f'"{first}"' if " " in first else first
    return Answer(
        text,
        (AnswerTable("", header, tuple(rows)),),
        None,
        (f"filter id {id} and explain features", f"filter id {id} and show"),
    )


def _own_row(result: SimilarRows, features: list[Feature], schema: Schema) -> tuple[str, ...]:
    values = (value_text(result.values[f.name].iloc[0], f) for f in features)
    name = "made up" if result.id is None else f"{result.id} (asked)"
    return (name, "", *values, *model_cells(result.prediction, result.output, None, schema)[:-1], "")


def _telling(result: SimilarRows, schema: Schema) -> list[Feature]:
    """The features to show: all of a few, otherwise those in which the rows differ."""
    if len(schema.features) <= TOLD_APART:
        return list(schema.features)
    differing = [f for f in schema.features if result.values[f.name].nunique(dropna=False) > 1]
    return (differing or list(schema.features))[:TOLD_APART]


# --- partial dependence --------------------------------------------------------------------------------------------------


def partial_dependence(result: PartialDependence, schema: Schema) -> Answer:
    feature, values = schema.by_name[result.column], result.mean[result.shown]
    classes = schema.target.is_classification
    scale = scale_of("", schema)
    text_of = percent if classes else scale.fine
    what = (
        f"the mean predicted probability of {quoted(result.shown)}"
        if classes
        else f"the mean predicted {escape(schema.target.label)}"
    )
    if result.group.rows == 1:
        what = what.replace("the mean predicted", "the predicted")
    low, high = (end(range(len(values)), key=values.__getitem__) for end in (min, max))
    names = [escape(grid_text(value, feature)) for value in result.grid]
    unit = f" {escape(feature.unit)}" if feature.unit else ""
    if text_of(values[low]) == text_of(values[high]):
        text = f"{opening(result.group)}, {what} stays at **{text_of(values[low])}** whatever {escape(feature.label)} is."
    elif feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        gap = (
            points(values[-1] - values[0])
            if classes
            else f"{scale.fine(abs(values[-1] - values[0]))} {'more' if values[-1] >= values[0] else 'less'}"
        )
        text = (
            f"{opening(result.group)}, {what} goes from **{text_of(values[0])}** to **{text_of(values[-1])}** ({gap}) as "
            f"{escape(feature.label)} goes from {names[0]} to {names[-1]}{unit} and all else stays as it is. It is lowest at "
            f"{names[low]} ({text_of(values[low])}) and highest at {names[high]} ({text_of(values[high])})."
        )
    else:
        text = (
            f"{opening(result.group)}, {what} is highest if {escape(feature.label)} is **{names[high]}** "
            f"({text_of(values[high])}) and lowest if it is **{names[low]}** ({text_of(values[low])}), all else as it is."
        )
    if result.sampled:
        text += f" This was computed on a random sample of {result.rows:,} of these {result.group.rows:,} rows."
    token = feature.token
    return Answer(
        text, (), _effect_figure(result, feature, schema), onward(result.group, f"important {token}", f"compare {token}")
    )


def _effect_figure(result: PartialDependence, feature: Feature, schema: Schema) -> go.Figure:
    unit = f" ({feature.unit})" if feature.unit else ""
    if schema.target.is_classification:
        y, percents = "mean predicted probability", True
        one = len(result.mean) == 2
        series = {result.shown: result.mean[result.shown]} if one else result.mean
        title = f'How the probability of "{result.shown}" moves' if one else "How the probabilities move"
    else:
        y, percents, series = f"mean predicted {schema.target.label}", False, result.mean
        title = f"How the predicted {schema.target.label} moves"
    title = f"{title} with {feature.label}"
    if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        return lines(result.grid, series, title, f"{feature.label}{unit}", y, percent=percents)
    return bars([grid_text(value, feature) for value in result.grid], series, title, y, percent=percents)


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    SimilarRows: similar_rows,
    PartialDependence: partial_dependence,
}
