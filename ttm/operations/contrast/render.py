"""Words, a table and a figure for one row beside others."""

from collections.abc import Callable
from typing import Any

from backend.text.words import listed
from ttm.operations.contrast.run import Contrasted, ContrastedFeature
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    onward,
    opening,
    percent,
    quoted,
    scale_of,
    value_text,
)
from ttm.operations.rendering.figures import bars
from ttm.operations.rendering.marks import features_clickable
from ttm.tabular.data.schema import Schema

UNUSUAL = 0.1  # share of the others that are as far off, below which a value is told in the text
LESS_USUAL = 0.4  # share up to which a value is told where none is unusual
IN_TEXT, LEAST_IN_TEXT = 4, 2
IN_FIGURE = 15


def contrasted(result: Contrasted, schema: Schema) -> Answer:
    unusual = [one for one in result.features if one.as_far <= UNUSUAL][:IN_TEXT]
    parts = [_difference_in_words(one, schema) for one in unusual or _least_usual(result)]
    text = f"{opening(result.group)}, beside {escape(result.others)} ({result.rows:,}): "
    text += "most unusual is " if unusual else f"nothing about it is unusual{'; least usual is ' if parts else ''}"
    text += f"{listed(parts)}."
    text += f" {_output(result, schema)}"
    header = ("feature", "here", "typical for the others", "share of them as far off", "share below")
    rows = tuple(_cells(one, schema) for one in result.features)
    shown = [one for one in result.features if one.below is not None][:IN_FIGURE]
    figure = None
    if shown:
        labels = [schema.by_name[one.column].label for one in shown]
        figure = bars(labels, {"others below": [one.below for one in shown]}, "Share of the others with less", "", percent=True)
        features_clickable(figure, [one.column for one in shown], schema)
    return Answer(text, (AnswerTable("", header, rows),), figure, onward(result.group, "explain features", "similar 5"))


def _least_usual(result: Contrasted) -> list[ContrastedFeature]:
    """The features whose values are the least usual, where none is unusual."""
    return [one for one in result.features if one.as_far <= LESS_USUAL][:LEAST_IN_TEXT]


def _difference_in_words(one: ContrastedFeature, schema: Schema) -> str:
    feature = schema.by_name[one.column]
    here, typical = value_text(one.value, feature), value_text(one.typical, feature)
    return f"{escape(feature.label)} of **{escape(here)}** (typical: {escape(typical)}; as far off are {percent(one.as_far)})"


def _output(result: Contrasted, schema: Schema) -> str:
    if result.of_class is not None:
        return (
            f"The predicted probability of {quoted(result.of_class)} is {percent(result.output)}, "
            f"theirs {percent(result.mean_output)} on average."
        )
    scale = scale_of("", schema)
    return f"Predicted is {scale.fine(result.output)}{scale.unit_text}, for them {scale.fine(result.mean_output)} on average."


def _cells(one: ContrastedFeature, schema: Schema) -> tuple[str, ...]:
    feature = schema.by_name[one.column]
    below = "" if one.below is None else percent(one.below)
    return feature.label, value_text(one.value, feature), value_text(one.typical, feature), percent(one.as_far), below


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {Contrasted: contrasted}
