"""Results in words, tables and figures. One renderer for each type of result; `render` finds it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ttm.render.answer import Answer, Table, escape, notes_text
from ttm.render.columns import RENDERERS as COLUMNS
from ttm.render.comparison import RENDERERS as COMPARISON
from ttm.render.correlation import RENDERERS as CORRELATION
from ttm.render.data import RENDERERS as DATA
from ttm.render.dialogue import RENDERERS as DIALOGUE
from ttm.render.explanations import RENDERERS as EXPLANATIONS
from ttm.render.exploration import RENDERERS as EXPLORATION
from ttm.render.neighbours import RENDERERS as NEIGHBOURS
from ttm.render.predictions import RENDERERS as PREDICTIONS
from ttm.render.scores import RENDERERS as SCORES
from ttm.render.versus import side_by_side
from ttm.results import Empty, Group, Refused, Result, Versus
from ttm.schema import Schema

RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = (
    DATA | COLUMNS | PREDICTIONS | SCORES | EXPLORATION | COMPARISON | CORRELATION | NEIGHBOURS | EXPLANATIONS | DIALOGUE
)

__all__ = ["Answer", "Table", "render", "render_turn"]


def render(result: Result, schema: Schema) -> Answer:
    """The answer for one result."""
    match result:
        case Empty(reason=reason) | Refused(reason=reason):
            return Answer(escape(reason))
        case Versus(results=results):
            return side_by_side(results, schema, render)
    return RENDERERS[type(result)](result, schema)


def render_turn(results: tuple[Result, ...], schema: Schema) -> list[Answer]:
    """The answers of a turn in order; what must be said about the group is said once, after the last.

    What cannot be answered for one and the same reason is said once.
    """
    answers: list[Answer] = []
    said: list[str] = []
    for result in results:
        answer = render(result, schema)
        if isinstance(result, Empty | Refused) and any(answer.text in text for text in said):
            continue
        said.append(answer.text)
        answers.append(answer)
    notes = dict.fromkeys(note for result in results for group in _groups(result) for note in group.notes)
    if answers and notes:
        closing = notes_text(Group("", 0, 0, notes=tuple(notes)))
        answers[-1] = replace(answers[-1], text=answers[-1].text + closing)
    return answers


def _groups(result: Result) -> list[Group]:
    return [part.group for part in result.results] if isinstance(result, Versus) else [result.group]
