"""Words, tables and figures for distributions, comparisons between groups, and the rows at either end."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ttm.operations.exploration import (
    PROBABILITY,
    CategoryDistribution,
    ComparedGroup,
    Comparison,
    NumberDistribution,
    RankedRow,
    RankedRows,
)
from ttm.render.answer import (
    Answer,
    Scale,
    Table,
    escape,
    label_of,
    onward,
    opening,
    percent,
    points,
    quoted,
    scale_of,
    shares_text,
    title_of,
    value_text,
)
from ttm.render.columns import token_of
from ttm.render.figures import bars, histogram
from ttm.schema import Schema

MAX_GROUPS = 15
MAX_BARS = 25
MISSING = "no value"


def number_distribution(result: NumberDistribution, schema: Schema) -> Answer:
    summary, probability = result.summary, result.is_probability
    scale = scale_of("" if result.column == PROBABILITY else result.column, schema)
    name, title = _what(result, schema)
    if not summary.count:
        return Answer(f"{opening(result.group)}, no value of {name} is known.")
    text, fine = (percent, percent) if probability else (scale.text, scale.fine)
    unit = "" if probability else scale.unit_text
    words = (
        f"{opening(result.group)}, the middle half of {name} lies between **{text(summary.lower_quartile)}** and "
        f"**{text(summary.upper_quartile)}**{unit} (median {text(summary.median)}, mean {fine(summary.mean)}, from "
        f"{text(summary.min)} to {text(summary.max)})."
    )
    if summary.missing:
        words += f" For {summary.missing:,} rows it is missing."
    edges = [f"{pd.Timestamp.fromordinal(int(e)):%Y-%m-%d}" for e in result.edges] if result.is_date else result.edges
    figure = histogram(edges, _series(result.by_class, result.counts), title, title, probability)
    token = "target" if result.column == PROBABILITY else token_of(result.column, schema)
    score = "score calibration" if schema.target.is_classification else "score default"
    follow = ("predict", score) if result.column == PROBABILITY else (f"statistic {token}",)
    if token != "target":
        follow = (f"effect {token}", f"compare {token}")
    return Answer(words, (), figure, onward(result.group, *follow))


def _what(result: NumberDistribution, schema: Schema) -> tuple[str, str]:
    """The column in a sentence (escaped) and as a title (plain)."""
    if result.of_class is not None:
        return f"the predicted probability of {quoted(result.of_class)}", f'predicted probability of "{result.of_class}"'
    if result.is_probability:
        return "the probability of the predicted class", "probability of the predicted class"
    if result.column == PROBABILITY:
        return f"the predicted {escape(schema.target.label)}", f"predicted {schema.target.label}"
    feature = schema.by_name.get(result.column)
    unit = f" ({feature.unit})" if feature and feature.unit else ""
    return label_of(result.column, schema), f"{title_of(result.column, schema)}{unit}"


def _series(by_class: dict[str, tuple[int, ...]], counts: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """Counts by class where every row has one; otherwise those without a class stay visible as such."""
    if not by_class:
        return {"rows": counts}
    unknown = tuple(total - sum(parts) for total, *parts in zip(counts, *by_class.values(), strict=True))
    return by_class | ({"unknown outcome": unknown} if any(unknown) else {})


def category_distribution(result: CategoryDistribution, schema: Schema) -> Answer:
    feature, name = schema.by_name.get(result.column), label_of(result.column, schema)

    def named(value: Any) -> str:
        return value_text(value, feature) if feature else str(value)

    shown = list(result.counts)[:MAX_BARS]
    counts = {named(value): result.counts[value] for value in result.counts}
    text = f"{opening(result.group)}, {name} is {shares_text(counts, {named(v): s for v, s in result.shares.items()})}."
    if result.missing:
        text += f" For {result.missing:,} rows it is missing."
    by_class = {label: tuple(part[value] for value in shown) for label, part in result.by_class.items()}
    series = _series(by_class, tuple(result.counts[value] for value in shown))
    title = title_of(result.column, schema)
    figure = bars([named(value) for value in shown], series, title, "rows", stacked=True)
    token = token_of(result.column, schema)
    follow = ("statistic target", "predict") if token == "target" else (f"compare {token}", f"effect {token}")
    return Answer(text, (), figure, onward(result.group, *follow))


# --- groups side by side -------------------------------------------------------------------------------------------------


def comparison(result: Comparison, schema: Schema) -> Answer:
    name = label_of(result.column, schema)
    known = [group for group in result.groups if group.value is not None or group.low is not None]
    text = f"{opening(result.group)}, grouped by {name}: {_extremes(result, known or result.groups, schema)}"
    shown = result.groups[:MAX_GROUPS]
    if len(shown) < len(result.groups):
        text += f" The {len(shown)} largest of {len(result.groups)} groups are shown."
    table = Table("", _columns(result, schema), tuple(_cells(group, result, schema) for group in shown))
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
    names = [f"**{escape(_group_name(groups[place], result, schema))}**" for place in ends]
    high, low = (outputs[place] for place in ends)
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


def _group_name(group: ComparedGroup, result: Comparison, schema: Schema) -> str:
    feature = schema.by_name[result.column]
    if group.low is not None and group.high is not None:
        scale = Scale(feature.precision, is_date=feature.kind == "date")
        low, high = scale.text(group.low), scale.text(group.high)
        return low if low == high else f"{low} to {high}"
    return MISSING if group.value is None else value_text(group.value, feature)


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
    if not schema.target.is_classification:
        means = {"true (mean)": [g.mean_label for g in groups], "predicted (mean)": [g.mean_prediction for g in groups]}
        return bars(names, means, f"{schema.target.label} by {feature.label}", schema.target.label)
    positive = _shown_class(groups, schema)
    series: dict[str, Sequence[float | None]] = {
        "truly": [None if g.label_shares is None else g.label_shares[positive] for g in groups],
        "mean predicted probability": _outputs(groups, schema),
    }
    known = {name: values for name, values in series.items() if any(value is not None for value in values)}
    return bars(names, known, f'"{positive}" by {feature.label}', "", percent=True)


# --- the ends ------------------------------------------------------------------------------------------------------------


def ranked_rows(result: RankedRows, schema: Schema) -> Answer:
    end = "lowest" if result.lowest else "highest"
    classes, probability = schema.target.is_classification, result.by == PROBABILITY
    if probability and len(schema.target.classes) > 2:
        what, column = "probability of the predicted class", "probability"
    elif probability and classes:
        what, column = f"predicted probability of {quoted(schema.target.classes[-1])}", "probability"
    elif probability:
        what, column = f"predicted {escape(schema.target.label)}", f"predicted {schema.target.label}"
    else:
        what, column = label_of(result.by, schema), schema.by_name[result.by].label
    if not result.rows:
        return Answer(f"{opening(result.group)}, no value of {what} is known.")
    values = [_ranked_value(row, result, schema) for row in result.rows]
    which = f"the **{len(values)}** rows" if len(values) > 1 else "the row"
    span = values[0] if values[0] == values[-1] else f"{values[0]} to {values[-1]}"
    text = f"{opening(result.group)}, these are {which} with the {end} {what}: {span}."
    if len(values) == 1:
        text = text.replace("these are", "this is")
    if result.unknown:
        text += f" {result.unknown:,} rows without a value are left out."
    own = () if probability else (column,)
    header = [schema.id_name or "id", *own, *model_columns(schema), "true outcome"]
    rows = tuple(_ranked_cells(row, value, bool(own), schema) for row, value in zip(result.rows, values, strict=True))
    first = str(result.rows[0].id)
    id = f'"{first}"' if " " in first else first
    follow = (f"filter id {id} and explain features", f"filter id {id} and show") if result.rows[0].id is not None else ()
    return Answer(text, (Table("", tuple(header), rows),), None, follow)


def model_columns(schema: Schema) -> tuple[str, ...]:
    """The headers of `model_cells`, but for the last."""
    if not schema.target.is_classification:
        return (f"predicted {schema.target.label}",)
    of = f'probability of "{schema.target.classes[1]}"' if len(schema.target.classes) == 2 else "its probability"
    return "predicted", of


def _ranked_value(row: RankedRow, result: RankedRows, schema: Schema) -> str:
    if result.by == PROBABILITY:
        return percent(row.output) if schema.target.is_classification else scale_of("", schema).fine(row.output)
    return value_text(row.value, schema.by_name[result.by])


def _ranked_cells(row: RankedRow, value: str, has_own: bool, schema: Schema) -> tuple[str, ...]:
    start = (str(row.id), value) if has_own else (str(row.id),)
    return (*start, *model_cells(row.prediction, row.output, row.label, schema))


def model_cells(prediction: str | None, output: float, label: str | float | None, schema: Schema) -> tuple[str, ...]:
    """What the model says of a row and its true outcome, as the last cells of a table row."""
    scale = scale_of("", schema)
    truth = "unknown" if label is None else label if isinstance(label, str) else scale.text(label)
    return (prediction, percent(output), truth) if prediction is not None else (scale.fine(output), truth)


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    NumberDistribution: number_distribution,
    CategoryDistribution: category_distribution,
    Comparison: comparison,
    RankedRows: ranked_rows,
}
