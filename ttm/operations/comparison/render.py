"""Words, tables and figures for comparisons between the groups that a feature makes."""

from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go

from ttm.operations.columns.render import token_of
from ttm.operations.comparison.run import ComparedGroup, Comparison
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    feature_scale,
    label_of,
    onward,
    opening,
    percent,
    points,
    quoted,
    scale_of,
    value_text,
)
from ttm.operations.rendering.figures import bars
from ttm.operations.rendering.marks import of_group, rows_clickable
from ttm.tabular.data.schema import Schema

MAX_GROUPS = 15
MISSING = "no value"


def comparison(result: Comparison, schema: Schema) -> Answer:
    name = label_of(result.column, schema)
    known = [group for group in result.groups if group.value is not None or group.low is not None]
    text = f"{opening(result.group)}, grouped by {name}: {_extremes(result, known or result.groups, schema)}"
    shown = result.groups[:MAX_GROUPS]
    if len(shown) < len(result.groups):
        text += f" The {len(shown)} largest of {len(result.groups)} groups are shown."
    table = AnswerTable("", _columns(result, schema), tuple(_cells(group, result, schema) for group in shown))
    token = token_of(result.column, schema)
    figure = _comparison_figure(result, shown, schema)
    return Answer(text, (table,), figure, onward(result.group, f"effect {token}", f"distribution {token}"))


def _shown_class(groups: Sequence[ComparedGroup], schema: Schema) -> str:
    """The positive one of two classes; of more, the one whose mean probability differs most between the groups."""
    if len(schema.target.classes) == 2:
        return schema.target.classes[1]
    means = [group.mean_probability or {} for group in groups]
    return max(schema.target.classes, key=lambda name: max(m[name] for m in means) - min(m[name] for m in means))


def _outputs(groups: Sequence[ComparedGroup], schema: Schema) -> list[float]:
    if not schema.target.is_classification:
        return [group.mean_prediction or 0.0 for group in groups]
    shown = _shown_class(groups, schema)
    return [(group.mean_probability or {})[shown] for group in groups]


def _extremes(result: Comparison, groups: Sequence[ComparedGroup], schema: Schema) -> str:
    outputs = _outputs(groups, schema)
    ends = [end(range(len(groups)), key=outputs.__getitem__) for end in (max, min)]
    names = [f"**{escape(_group_name(groups[index], result, schema))}**" for index in ends]
    high, low = (outputs[index] for index in ends)
    if schema.target.is_classification:
        what = f"the mean predicted probability of {quoted(_shown_class(groups, schema))}"
        values, gap = [percent(high), percent(low)], points(high - low).removesuffix(" higher")
    else:
        scale = scale_of("", schema)
        what = f"the mean predicted {escape(schema.target.label)}"
        values, gap = [scale.fine(high), scale.fine(low)], scale.fine(high - low)
    if values[0] == values[1]:
        return f"{what} is {values[0]} in all groups."
    return f"{what} is highest for {names[0]} ({values[0]}) and lowest for {names[1]} ({values[1]}), a gap of {gap}."


def group_name(value: Any, low: float | None, high: float | None, column: str, schema: Schema) -> str:
    """The name of a group that a column makes: its value, its bounds, or that there is no value."""
    feature = schema.by_name[column]
    if low is not None and high is not None:
        scale = feature_scale(feature)
        first, last = scale.text(low), scale.text(high)
        return first if first == last else f"{first} to {last}"
    return MISSING if value is None else value_text(value, feature)


def _group_name(group: ComparedGroup, result: Comparison, schema: Schema) -> str:
    return group_name(group.value, group.low, group.high, result.column, schema)


def _columns(result: Comparison, schema: Schema) -> tuple[str, ...]:
    name = schema.by_name[result.column].label
    if not schema.target.is_classification:
        return (name, "rows", f"true {schema.target.label} (mean)", "predicted (mean)", "mean absolute error")
    if len(schema.target.classes) == 2:
        positive = schema.target.classes[-1]
        return (name, "rows", f'truly "{positive}"', f'predicted "{positive}"', "mean probability", "accuracy")
    return (name, "rows", *(f'"{c}" (mean probability)' for c in schema.target.classes), "accuracy")


def _cells(group: ComparedGroup, result: Comparison, schema: Schema) -> tuple[str, ...]:
    start = (_group_name(group, result, schema), f"{group.rows:,}")
    if group.mean_probability is None:
        scale = scale_of("", schema)
        return (*start, scale.fine(group.mean_label), scale.fine(group.mean_prediction), scale.fine(group.mae))
    if len(schema.target.classes) == 2:
        positive = schema.target.classes[-1]
        shares = [None if part is None else part[positive] for part in (group.label_shares, group.predicted_shares)]
        return (*start, *map(percent, shares), percent(group.mean_probability[positive]), percent(group.accuracy))
    return (*start, *map(percent, group.mean_probability.values()), percent(group.accuracy))


def _comparison_figure(result: Comparison, groups: tuple[ComparedGroup, ...], schema: Schema) -> go.Figure:
    names = [_group_name(group, result, schema) for group in groups]
    feature = schema.by_name[result.column]
    filters = [of_group(feature, group.value, group.low, group.high) for group in groups]
    if not schema.target.is_classification:
        means = {"true (mean)": [g.mean_label for g in groups], "predicted (mean)": [g.mean_prediction for g in groups]}
        figure = bars(names, means, f"{schema.target.label} by {feature.label}", schema.target.label)
        return rows_clickable(figure, result.group, [filters] * len(figure.data))
    positive = _shown_class(groups, schema)
    series: dict[str, Sequence[float | None]] = {
        "truly": [None if g.label_shares is None else g.label_shares[positive] for g in groups],
        "mean predicted probability": _outputs(groups, schema),
    }
    known = {name: values for name, values in series.items() if any(value is not None for value in values)}
    figure = bars(names, known, f'"{positive}" by {feature.label}', "", percent=True)
    return rows_clickable(figure, result.group, [filters] * len(figure.data))


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    Comparison: comparison,
}
