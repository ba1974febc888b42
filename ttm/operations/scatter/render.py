"""Rows as points in words and as a figure, whose points carry the ids of their rows."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as go

from ttm.language.operations.scatter import COLOUR_WORDS
from ttm.operations.columns.render import token_of
from ttm.operations.exploration.run import PROBABILITY
from ttm.operations.rendering.answer import Answer, escape, label_of, onward, opening, percent, quoted, title_of
from ttm.operations.rendering.figures import COLORS, GREY, choosable, framed, plot_text, row_marks
from ttm.operations.scatter.run import RIGHT, UNKNOWN, WRONG, RowPoints
from ttm.tabular.data.schema import Schema

MARKER = {"size": 7}
TONES = {RIGHT: COLORS[0], WRONG: COLORS[1], UNKNOWN: GREY}
SHAPES = ("circle", "diamond", "square", "cross", "triangle-up", "x")


def row_points(result: RowPoints, schema: Schema) -> Answer:
    across, up = (_label(column, schema) for column in (result.across, result.up))
    text = f"{opening(result.group)}, each point is a row: {across} across, {up} up, coloured by {COLOUR_WORDS[result.by]}."
    if result.by == "error" and schema.target.is_classification:
        wrong = Counter(result.colours)[WRONG]
        text += f" Of the {len(result.ids):,} points **{wrong:,} ({percent(wrong / len(result.ids))})** are predicted wrongly."
    if result.known < result.group.rows:
        text += f" {result.group.rows - result.known:,} rows without both values are left out."
    if len(result.ids) < result.known:
        text += f" Drawn are {len(result.ids):,} of {result.known:,} rows, chosen at random."
    tokens = [_token(column, schema) for column in (result.across, result.up)]
    follow = (
        [f"correlate {tokens[0]} {tokens[1]}"] if PROBABILITY not in tokens and tokens[0] not in ("target", tokens[1]) else []
    )
    others = [f"scatter {' '.join(tokens)} by {by}" for by in ("error", "prediction") if by != result.by]
    return Answer(text, (), _figure(result, tokens, schema), onward(result.group, *follow, *others))


def _token(column: str, schema: Schema) -> str:
    return column if column == PROBABILITY else token_of(column, schema)


def _label(column: str, schema: Schema) -> str:
    """A column in a sentence, escaped."""
    if column != PROBABILITY:
        return label_of(column, schema)
    classes = schema.target.classes
    if len(classes) == 2:
        return f"the predicted probability of {quoted(classes[1])}"
    return "the probability of the predicted class" if classes else f"the predicted {escape(schema.target.label)}"


def _title(column: str, schema: Schema) -> str:
    """A column on an axis, as plain text."""
    if column != PROBABILITY:
        return title_of(column, schema)
    classes = schema.target.classes
    of = f'probability of "{classes[1]}"' if len(classes) == 2 else "probability of the predicted class"
    return f"predicted {of}" if classes else f"predicted {schema.target.label}"


def _figure(result: RowPoints, tokens: Sequence[str], schema: Schema) -> go.Figure:
    figure = go.Figure()
    x, y = _title(result.across, schema), _title(result.up, schema)
    if schema.target.is_classification:
        names = [name for name in (*schema.target.classes, RIGHT, WRONG, UNKNOWN) if name in result.colours]
        for number, name in enumerate(dict.fromkeys(names)):
            _add(figure, result, [i for i, one in enumerate(result.colours) if one == name], name, number)
    else:
        _add(figure, result, range(len(result.ids)), "rows", 0, list(result.colours))
    choosable(framed(figure, f"{y} by {x}", x, y), tokens).update_layout(height=380)
    for axis, column in ((figure.layout.xaxis, result.across), (figure.layout.yaxis, result.up)):
        if column == PROBABILITY and schema.target.is_classification:
            axis.tickformat = ".0%"
    return figure


def _add(
    figure: go.Figure, result: RowPoints, mine: Sequence[int], name: str, number: int, numbers: list[Any] | None = None
) -> None:
    marker: dict[str, Any] = MARKER | {"symbol": SHAPES[number % len(SHAPES)]}
    if numbers is None:
        marker["color"] = TONES.get(name, COLORS[number % len(COLORS)])
    else:
        marker |= {"color": numbers, "colorscale": "Viridis", "showscale": True, "colorbar": {"thickness": 10}}
    figure.add_scatter(x=[result.x[i] for i in mine], y=[result.y[i] for i in mine], mode="markers", name=plot_text(name),
                       marker=marker, **row_marks([result.ids[i] for i in mine]))  # fmt: skip


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {RowPoints: row_points}
