"""Answers as rows: each with its name, the value that it was compared or sorted by, and its place on earth."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inspired.dialogue.intermediate_answers import AnswerColumn, IntermediateAnswer, StepAnswer
from inspired.knowledge_base.engine import Node
from inspired.logical_form.forms import Entity, Literal
from inspired.sub_questions.value_words import is_date

Position = tuple[float, float]  # latitude and longitude, in degrees
_DATE = re.compile(r"(-?\d{1,9})(?:-(\d\d)(?:-(\d\d))?)?")
_MONTHS, _DAYS = 12, 31


@dataclass(frozen=True)
class Cell:
    """`text` as people read it, `plain` as programs do; `size` is what numbers and dates are sorted by, None for words."""

    text: str = ""
    plain: str = ""
    size: float | None = None


@dataclass(frozen=True)
class AnswerRow:
    """One answer; `value` is empty where none decided about it. `columns` are what else was asked of it, by their headings."""

    name: Cell
    value: Cell = Cell()
    position: Position | None = None
    columns: tuple[tuple[str, Cell], ...] = ()


def rows_of(
    answer: StepAnswer, before: Sequence[StepAnswer] = (), places: Mapping[str, Position] | None = None
) -> tuple[AnswerRow, ...]:
    """The answers as rows, with the values that the steps `before` found for them, and the `places` of things by their id."""
    values = values_of(before)
    rows = [_row(each, values, places or {}) for each in answer.answers]
    cells = [tuple(zip(answer.headings, map(_column, each.columns), strict=False)) for each in answer.answers]
    return tuple(replace(row, columns=own) for row, own in zip(rows, cells, strict=True))


def values_of(steps: Sequence[StepAnswer]) -> dict[Node, Cell]:
    """What the last step that compares or sorts things found for each of them."""
    for step in reversed(steps):
        values = {each.node: _value(each) for each in step.answers if each.value is not None}
        if values:
            return values
    return {}


def _row(answer: IntermediateAnswer, values: Mapping[Node, Cell], places: Mapping[str, Position]) -> AnswerRow:
    node = answer.node
    value = _value(answer) if answer.value is not None else values.get(node, Cell())
    return AnswerRow(_cell(node, answer.name), value, places.get(node.id) if isinstance(node, Entity) else None)


def _column(column: AnswerColumn) -> Cell:
    """All that stands beside an answer in one column; sorted by its size where it is one number or date."""
    if len(column.nodes) == 1:
        return _cell(column.nodes[0], column.names[0])
    together = ", ".join(column.names)
    return Cell(together, together)


def _value(answer: IntermediateAnswer) -> Cell:
    assert answer.value is not None
    return _cell(answer.value, answer.value_name or answer.value.text)


def _cell(node: Node, text: str) -> Cell:
    return Cell(text, node.text if isinstance(node, Literal) else text, size_of(node))


def size_of(node: Node) -> float | None:
    """A number as it is, a date as a year with its fraction; None for all else."""
    if not isinstance(node, Literal):
        return None
    if is_date(node):
        match = _DATE.match(node.text)
        return None if match is None else _year(*(int(each or 1) for each in match.groups()))
    try:
        size = float(node.text)
    except ValueError:
        return None
    return size if math.isfinite(size) and node.datatype not in (None, "string") else None


def _year(year: int, month: int, day: int) -> float:
    return year + (month - 1 + (day - 1) / _DAYS) / _MONTHS
