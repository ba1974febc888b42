"""Words, tables and figures for drift and outliers."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from backend.text.words import listed
from ttm.operations.breakdowns.render import p_text, score_value
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    label_of,
    number,
    onward,
    opening,
    percent,
    quoted,
    scale_of,
    title_of,
    value_text,
)
from ttm.operations.rendering.figures import bars
from ttm.operations.second_table.outlying import FAR
from ttm.operations.second_table.run import ColumnDrift, OutlyingRow, OutlyingRows, ScoreDrift, TableDrift, UnusualValue
from ttm.operations.versus.differences import CHANCE
from ttm.operations.versus.render import difference_text
from ttm.tabular.data.schema import FeatureKind, Schema

MOST_NAMED = 3
MOST_DRAWN = 12


def drift(result: TableDrift, schema: Schema) -> Answer:
    clear = [column for column in result.columns if column.is_clear]
    about = f"Between the {result.reference:,} training rows and {_newer(result.table, result.rows)}"
    if clear:
        named = listed([_drifted(column, schema) for column in clear[:MOST_NAMED]])
        more = f"; {len(clear) - MOST_NAMED} more are in the table" if len(clear) > MOST_NAMED else ""
        text = f"{about}, **{len(clear)} of {len(result.columns)} columns** have drifted: {named}{more}."
    else:
        text = f"{about}, **no column** of {len(result.columns)} has drifted beyond chance."
    text += (
        f" The size of a drift goes from 0 (the same) to 1 (nothing in common); p-values are corrected (Holm) for the "
        f"{result.tests} tests made."
    )
    tables = (_column_table(result, schema), *([_score_table(result.scores, schema)] if result.scores else []))
    shown = result.columns[:MOST_DRAWN]
    figure = bars([title_of(c.column, schema) for c in shown], {"size": [c.size for c in shown]}, "How far columns drifted", "")
    after = onward(result.group, f"distribution {schema.by_name[result.columns[0].column].token}", "outliers")
    return Answer(text + _unseen(result, schema) + _model(result, schema), tables, figure, after)


def _newer(table: str, rows: int) -> str:
    return f"the {rows:,} rows of {escape(table)}" if table else f"these {rows:,} rows"


def _drifted(column: ColumnDrift, schema: Schema) -> str:
    """What a column did: "glucose (size 0.31, mean 120.9 instead of 113.0, p < 0.001)"."""
    parts = []
    if column.p is not None and column.p < CHANCE:
        parts = [f"size {column.size:.2f}", _change(column, schema), p_text(column.p)]
    if column.missing_p is not None and column.missing_p < CHANCE:
        gone = f"missing in {percent(column.missing_after)} instead of {percent(column.missing_before)}"
        parts.append(f"{gone}, {p_text(column.missing_p)}")
    return f"**{label_of(column.column, schema)}** ({', '.join(parts)})"


def _change(column: ColumnDrift, schema: Schema) -> str:
    if column.value is not None:
        return f"{quoted(column.value)} in {percent(column.after)} instead of {percent(column.before)}"
    scale = scale_of(column.column, schema)
    return f"mean {scale.fine(column.after)} instead of {scale.fine(column.before)}{scale.unit_text}"


def _unseen(result: TableDrift, schema: Schema) -> str:
    """Values that no training row has."""
    new = [(column, value, count) for column in result.columns for value, count in column.unseen.items()]
    beyond = [column for column in result.columns if column.outside]
    text = ""
    if new:
        named = [f"{quoted(value)} of {label_of(c.column, schema)} ({count:,} times)" for c, value, count in new[:MOST_NAMED]]
        more = f" and {len(new) - MOST_NAMED} more" if len(new) > MOST_NAMED else ""
        text += f" Never seen in training: {', '.join(named)}{more}; the model reads them as missing."
    if beyond:
        named = [
            f"{label_of(c.column, schema)} in {c.outside:,} row{'' if c.outside == 1 else 's'}" for c in beyond[:MOST_NAMED]
        ]
        text += f" Beyond all training rows: {listed(named)}."
    return text


def _model(result: TableDrift, schema: Schema) -> str:
    """What the drift does to the model."""
    if result.output is None:
        return ""
    output = result.output
    what = "prediction" if not schema.target.is_classification else (
        f"predicted probability of {quoted(schema.target.classes[1])}" if len(schema.target.classes) == 2
        else "probability of the predicted class")  # fmt: skip
    means = [percent(v) if schema.target.is_classification else number(v, schema.target.precision or 1)
             for v in (output.after, output.before)]  # fmt: skip
    p = "" if output.p is None else f", {p_text(output.p)}"
    text = f"\n\nThe mean {what} is {means[0]} instead of {means[1]} (size {output.size:.2f}{p})."
    if not result.scores:
        return text + " Without true outcomes in the second table nothing can be said of how good the model is there."
    first = result.scores[0]
    values = [score_value(first.metric, one.value, schema) for one in (first.after, first.before)]
    name = "accuracy" if first.metric == "accuracy" else "mean absolute error"
    text += (
        f" Its {name} is **{values[0]}** there (n = {first.after.rows:,}) against {values[1]} here (n = {first.before.rows:,})"
    )
    factor, unit = (100, " points") if schema.target.is_classification else (1, "")
    text += difference_text(first.difference, "+.1f", factor, unit)
    if result.flatters:
        text += " The rows here are those that the model was trained on, on which it looks better than it is."
    return text


def _column_table(result: TableDrift, schema: Schema) -> AnswerTable:
    header = ("column", "size", "p", "training rows", "newer rows", "missing before", "missing after", "beyond training")
    return AnswerTable("Drift of each column", header, tuple(_cells(column, schema) for column in result.columns))


def _cells(column: ColumnDrift, schema: Schema) -> tuple[str, ...]:
    if column.value is not None:
        sides = [f"{column.value}: {percent(value)}" for value in (column.before, column.after)]
    else:
        scale = scale_of(column.column, schema)
        sides = ["" if value is None else f"mean {scale.fine(value)}" for value in (column.before, column.after)]
    p = "" if column.p is None else p_text(column.p).removeprefix("p ").removeprefix("= ")
    beyond = column.outside + sum(column.unseen.values())
    return (title_of(column.column, schema), f"{column.size:.2f}", p, *sides, percent(column.missing_before),
            percent(column.missing_after), f"{beyond:,}" if beyond else "")  # fmt: skip


def _score_table(scores: tuple[ScoreDrift, ...], schema: Schema) -> AnswerTable:
    rows = []
    for score in scores:
        values = [score_value(score.metric, one.value, schema) for one in (score.before, score.after)]
        p = "" if score.difference.p is None else p_text(score.difference.p).removeprefix("p ").removeprefix("= ")
        rows.append((NAMES[score.metric], *values, p))
    return AnswerTable("The model on both tables", ("score", "here", "second table", "p"), tuple(rows))


NAMES = {
    "accuracy": "accuracy",
    "fpr": "false positive rate",
    "fnr": "false negative rate",
    "selection": "selection rate",
    "baserate": "base rate",
    "mae": "mean absolute error",
}


# --- outliers ------------------------------------------------------------------------------------------------------------


def outliers(result: OutlyingRows, schema: Schema) -> Answer:
    chance = result.rows * FAR
    whose = f"Of {_newer(result.table, result.rows)}" if result.table else f"{opening(result.group)}, of {result.rows:,} rows"
    verdict = "more than chance alone makes" if result.p_more < CHANCE else "not more than chance alone makes"
    text = (
        f"{whose}, **{result.far or 'none'}** {'is' if result.far < 2 else 'are'} farther from the training rows than 99% of "
        f"{result.reference:,} of these are from one another; about {chance:.0f} would be by chance: {verdict} "
        f"({p_text(result.p_more)})."
    )
    if result.listed:
        text += f" Farthest is id {escape(result.listed[0].id)}, by {_why(result.listed[0], schema)}."
    rows = tuple(
        (str(row.id), f"{row.distance:.2f}", p_text(row.p).removeprefix("p ").removeprefix("= "), _plain_why(row, schema))
        for row in result.listed
    )
    table = AnswerTable("Rows least like the training rows", ("id", "distance", "share as far", "set apart by"), rows)
    return Answer(text, (table,) if rows else (), None, onward(result.group, "drift"))


def _why(row: OutlyingRow, schema: Schema) -> str:
    return listed([escape(_value(value, schema)) for value in row.values])


def _plain_why(row: OutlyingRow, schema: Schema) -> str:
    return ", ".join(_value(value, schema) for value in row.values)


def _value(value: UnusualValue, schema: Schema) -> str:
    """A value that sets a row apart: "glucose 198 (mostly 78 to 181)"."""
    feature = schema.by_name[value.column]
    text = f"{feature.label} {value_text(value.value, feature)}"
    if feature.kind is not FeatureKind.NUMERIC or value.low is None or value.high is None or pd.isna(value.value):
        return text
    return f"{text} (mostly {value_text(value.low, feature)} to {value_text(value.high, feature)})"


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {TableDrift: drift, OutlyingRows: outliers}
