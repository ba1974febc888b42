"""Words, tables and figures for distributions, and the rows at either end."""

from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go

from ttm.language.operations.groups import is_certainty
from ttm.operations.columns.render import token_of
from ttm.operations.exploration.run import PROBABILITY, TARGET, CategoryDistribution, NumberDistribution, RankedRow, RankedRows
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    label_of,
    onward,
    opening,
    percent,
    quoted,
    scale_of,
    shares_text,
    title_of,
    value_text,
)
from ttm.operations.rendering.figures import bars, histogram
from ttm.operations.rendering.marks import bins, both, date_bins, date_text, of_group, rows_clickable
from ttm.tabular.data.schema import Schema

MAX_BARS = 25


def number_distribution(result: NumberDistribution, schema: Schema) -> Answer:
    summary, probability = result.summary, result.is_probability
    scale = scale_of("" if result.column == PROBABILITY else result.column, schema)
    name, title = distributed(result, schema)
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
    edges = [date_text(edge) for edge in result.edges] if result.is_date else result.edges
    figure = histogram(edges, _series(result.by_class, result.counts), title, title, probability)
    if word := _word(result, schema):
        filters = date_bins(word, result.edges) if result.is_date else bins(word, result.edges)
        rows_clickable(figure, result.group, _by_class(filters, figure, schema))
    token = "target" if result.column == PROBABILITY else token_of(result.column, schema)
    score = "score calibration" if schema.target.is_classification else "score default"
    follow = ("predict", score) if result.column == PROBABILITY else (f"statistic {token}",)
    if token != "target":
        follow = (f"effect {token}", f"compare {token}")
    return Answer(words, (), figure, onward(result.group, *follow))


def _word(result: NumberDistribution, schema: Schema) -> str:
    """What begins a filter on the numbers that are shown; "" where bounds cannot be written."""
    if result.is_probability and result.of_class is None:
        return ""
    if result.column == PROBABILITY:
        return f"probabilityfilter {schema.target.positive}" if result.is_probability else "predictionfilter"
    return f"filter {token_of(result.column, schema)}" if result.column in schema.by_name else "labelfilter"


def _by_class(filters: Sequence[str], figure: go.Figure, schema: Schema) -> list[list[str]]:
    """The filters of each series: those of one class are of that class; those without an outcome have no filter."""
    if len(figure.data) == 1:
        return [list(filters)]
    labels = [f"labelfilter {number}" for number in range(len(schema.target.classes))] + [""]
    return [[both(one, label) for one in filters] for label in labels[: len(figure.data)]]


def distributed(result: NumberDistribution, schema: Schema) -> tuple[str, str]:
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
    if feature is not None:
        filters = [of_group(feature, value, None, None) for value in shown]
        rows_clickable(figure, result.group, _by_class(filters, figure, schema))
    else:
        rows_clickable(figure, result.group, [[f"labelfilter {schema.target.classes.index(str(value))}" for value in shown]])
    token = token_of(result.column, schema)
    follow = ("statistic target", "predict") if token == "target" else (f"compare {token}", f"effect {token}")
    return Answer(text, (), figure, onward(result.group, *follow))


# --- the ends ------------------------------------------------------------------------------------------------------------


def ranked_rows(result: RankedRows, schema: Schema) -> Answer:
    end = "lowest" if result.lowest else "highest"
    what, column = _ranked_by(result, schema)
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
    if result.lowest and is_certainty(result.by, schema):
        text += f" With all classes alike it would be {percent(1 / len(schema.target.classes))}."
    own = (column,) if column else ()
    header = [schema.id_name or "id", *own, *model_columns(schema), "true outcome"]
    rows = tuple(_ranked_cells(row, value, bool(own), schema) for row, value in zip(result.rows, values, strict=True))
    first = str(result.rows[0].id)
    id = f'"{first}"' if " " in first else first
    follow = (f"filter id {id} and explain features", f"filter id {id} and show") if result.rows[0].id is not None else ()
    return Answer(text, (AnswerTable("", tuple(header), rows),), None, follow)


def _ranked_by(result: RankedRows, schema: Schema) -> tuple[str, str]:
    """What rows are ranked by, escaped, and the header of its own column, "" where the model's columns have it."""
    if is_certainty(result.by, schema):
        return "probability of the predicted class", "certainty"
    if result.by == TARGET:
        return f"true {escape(schema.target.label)}", ""
    if result.by != PROBABILITY:
        return label_of(result.by, schema), schema.by_name[result.by].label
    if not schema.target.is_classification:
        return f"predicted {escape(schema.target.label)}", ""
    if len(schema.target.classes) > 2:
        return "probability of the predicted class", ""
    return f"predicted probability of {quoted(schema.target.classes[-1])}", ""


def model_columns(schema: Schema) -> tuple[str, ...]:
    """The headers of `model_cells`, but for the last."""
    if not schema.target.is_classification:
        return (f"predicted {schema.target.label}",)
    of = f'probability of "{schema.target.classes[1]}"' if len(schema.target.classes) == 2 else "its probability"
    return "predicted", of


def _ranked_value(row: RankedRow, result: RankedRows, schema: Schema) -> str:
    if is_certainty(result.by, schema):
        return percent(row.value)
    if result.by == PROBABILITY:
        return percent(row.output) if schema.target.is_classification else scale_of("", schema).fine(row.output)
    if result.by == TARGET:
        return scale_of("", schema).text(row.value)
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
    RankedRows: ranked_rows,
}
