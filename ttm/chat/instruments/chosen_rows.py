"""Rows that were chosen in a figure, as a question: few by their ids, many by the frame that holds them."""

import html
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from backend.errors import ExecutionError
from ttm.chat.conversation import Turn
from ttm.chat.instruments.rows_of_turn import TurnRows, rows_of_turn
from ttm.chat.suggestions import SuggestedQuestion
from ttm.language.describe_group import group_words
from ttm.language.grammar import grammar_of
from ttm.language.parse import Expression, Parse, Selection, Step, Threshold, number_text
from ttm.language.row_state import ALL_ROWS
from ttm.operations.rendering.marks import WHOLE
from ttm.tabular.data.schema import FeatureKind, Schema

MOST_IDS = 40
LONGEST_MARK = 2_000
Text = Annotated[str, StringConstraints(max_length=200)]
# What can be asked of chosen rows: the question, in words that are understood without the parse as well, and the operation.
QUESTIONS: Mapping[str, tuple[str, str]] = {
    "show": ("Show {rows}", "show"),
    "predict": ("What does the model predict for {rows}?", "predict"),
    "accuracy": ("How accurate is the model for {rows}?", "score accuracy"),
    "important": ("What are the most important features for {rows}?", "important all"),
    "why": ("Why does the model predict this for {rows}?", "explain features"),
}


# What can be asked of a feature that was clicked; where its figure is about some rows, of these.
FEATURE_QUESTIONS: Mapping[str, tuple[str, str]] = {
    "effect": ("How does {feature} affect the prediction", "effect {feature}"),
    "distribution": ("How is {feature} distributed", "distribution {feature}"),
    "define": ("What does {feature} mean", "define {feature}"),
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


class ChosenMark(BaseModel):
    """A bar or cell that was clicked in a figure of turn `turn`: the token of a feature, or the filters of its rows.

    `group` is the index of the group that it is of, where that is one of several side by side.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    turn: int = Field(ge=0)
    mark: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_MARK)]
    asks: Text
    group: int | None = Field(default=None, ge=0)


def mark_question(chosen: ChosenMark, turns: Sequence[Turn], schema: Schema) -> SuggestedQuestion:
    """The question about a bar or cell, among the rows that its figure is about, in words and as a parse.

    Raises ExecutionError if nothing is known by what is asked, or ParseError if the mark is none.
    """
    rows = rows_of_turn(turns, chosen.turn)
    about = () if rows is None or chosen.asks == "define" else rows.steps
    if chosen.asks in FEATURE_QUESTIONS:
        if chosen.mark not in schema.by_token:
            raise ExecutionError(f"There is no feature {chosen.mark!r} here.")
        words, operation = FEATURE_QUESTIONS[chosen.asks]
        steps = grammar_of(schema).read(operation.format(feature=chosen.mark)).steps
        label = schema.by_token[chosen.mark].label
        ending = f" for {rows.words}?" if rows is not None and about else "?"
        return SuggestedQuestion(words.format(feature=label) + ending, str(Parse((*about, *steps))))
    if chosen.asks not in QUESTIONS:
        raise ExecutionError(f"Nothing is known by {chosen.asks!r}; ask by {', '.join((*QUESTIONS, *FEATURE_QUESTIONS))}.")
    words, operation = QUESTIONS[chosen.asks]
    selection = _narrowed(_groups_of(chosen, rows), chosen.mark, schema)
    named = " compared with ".join(group_words(group, schema) for group in selection.groups)
    asked = grammar_of(schema).read(operation).steps
    return SuggestedQuestion(words.format(rows=named), str(Parse((*_threshold(chosen, turns), selection, *asked))))


def _groups_of(chosen: ChosenMark, rows: TurnRows | None) -> tuple[Expression, ...]:
    groups = rows.state.groups if rows is not None else ALL_ROWS
    if chosen.group is None:
        return groups
    if chosen.group >= len(groups):
        raise ExecutionError("The group of what was clicked is not in the conversation any more. Ask for the figure again.")
    return (groups[chosen.group],)


def _threshold(chosen: ChosenMark, turns: Sequence[Turn]) -> tuple[Step, ...]:
    """The threshold under which a figure counts predictions: without it, other rows would be chosen by them."""
    if "predictionfilter" not in chosen.mark:
        return ()
    parses = [turn.parse for turn in turns if turn.number == chosen.turn and turn.parse is not None]
    return tuple(step for parse in parses for step in parse.steps if isinstance(step, Threshold) and step.value is not None)


def _narrowed(groups: tuple[Expression, ...], mark: str, schema: Schema) -> Selection:
    """The rows of a mark among the rows of each group: every alternative of a group is narrowed by itself."""
    if mark == WHOLE:
        return Selection(groups)
    step = grammar_of(schema).read(html.unescape(mark)).steps[0]
    if not isinstance(step, Selection):
        raise ExecutionError("What was clicked stands for no rows.")
    own = step.groups[0][0]
    return Selection(tuple(tuple((*alternative, *own) for alternative in group) for group in groups))


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
