"""Rows that were chosen in a figure, as a question: few by their ids, many by the frame that holds them."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from backend.errors import ExecutionError
from ttm.chat.suggestions import SuggestedQuestion
from ttm.language.describe_group import group_words
from ttm.language.grammar import grammar_of
from ttm.language.parse import Selection, number_text
from ttm.tabular.data.schema import FeatureKind, Schema

MOST_IDS = 40
Text = Annotated[str, StringConstraints(max_length=200)]
# What can be asked of chosen rows: the question, in words that are understood without the parse as well, and the operation.
QUESTIONS: Mapping[str, tuple[str, str]] = {
    "show": ("Show {rows}", "show"),
    "predict": ("What does the model predict for {rows}?", "predict"),
    "accuracy": ("How accurate is the model for {rows}?", "score accuracy"),
    "important": ("What are the most important features for {rows}?", "important all"),
    "why": ("Why does the model predict this for {rows}?", "explain features"),
}


class PointFrame(BaseModel):
    """The smallest and largest value of a column among chosen rows; `column` is a feature token, "target" or "probability"."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    column: Text
    low: float | Text
    high: float | Text


class ChosenRows(BaseModel):
    """What the script of the tab hands on: the ids of points, the frame around them, and what is asked of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ids: tuple[Text, ...] = Field(min_length=1, max_length=5_000)
    frames: tuple[PointFrame, ...] = Field(default=(), max_length=2)
    asks: Text


def chosen_question(chosen: ChosenRows, schema: Schema) -> SuggestedQuestion:
    """The question about chosen rows, in words and as a parse. Raises ExecutionError if so many cannot be named."""
    if chosen.asks not in QUESTIONS:
        raise ExecutionError(f"Nothing is known by {chosen.asks!r}; rows can be asked about by {', '.join(QUESTIONS)}.")
    words, operation = QUESTIONS[chosen.asks]
    parse = grammar_of(schema).read(f"{_filters(chosen, schema)} and {operation}")
    selection = next(step for step in parse.steps if isinstance(step, Selection))
    return SuggestedQuestion(words.format(rows=group_words(selection.groups[0], schema)), str(parse))


def _filters(chosen: ChosenRows, schema: Schema) -> str:
    if len(chosen.ids) <= MOST_IDS:
        return " or ".join(f"filter id {_quoted(row)}" for row in chosen.ids)
    framed = [_between(frame, schema) for frame in chosen.frames]
    if not framed or not all(framed):
        raise ExecutionError(
            f"{len(chosen.ids):,} rows are too many to be named singly; choose up to {MOST_IDS}, or two numbers as columns."
        )
    return " and ".join(framed)


def _quoted(row: str) -> str:
    return f'"{row}"' if " " in row else row


def _between(frame: PointFrame, schema: Schema) -> str:
    """Two conditions, or nothing where the column has no order."""
    word = _condition(frame.column, schema)
    low, high = (value if isinstance(value, str) else number_text(value) for value in (frame.low, frame.high))
    return f"{word} greater equal than {low} and {word} less equal than {high}" if word else ""


def _condition(column: str, schema: Schema) -> str:
    classes = schema.target.classes
    if column == "probability":
        return f"probabilityfilter {schema.target.positive}" if len(classes) == 2 else "" if classes else "predictionfilter"
    if column == "target":
        return "" if classes else "labelfilter"
    feature = schema.by_token.get(column)
    ordered = feature is not None and feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE)
    return f"filter {column}" if ordered else ""
