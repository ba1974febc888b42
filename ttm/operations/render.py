"""Results in words, tables and figures. One renderer for each type of result; `render` finds it."""

from dataclasses import replace

from ttm.operations.registry import RENDERERS
from ttm.operations.rendering.answer import Answer, AnswerTable, escape, notes_text
from ttm.operations.results import Empty, Group, Refused, Result, Versus
from ttm.operations.versus.render import side_by_side
from ttm.tabular.data.schema import Schema

__all__ = ["Answer", "AnswerTable", "render", "render_turn"]


def render(result: Result, schema: Schema) -> Answer:
    """The answer for one result."""
    match result:
        case Empty(reason=reason) | Refused(reason=reason):
            return Answer(escape(reason))
        case Versus(results=results, shared=shared):
            return side_by_side(results, shared, schema, render)
    return RENDERERS[type(result)](result, schema)


def render_turn(results: tuple[Result, ...], schema: Schema) -> list[Answer]:
    """The answers of a turn in order; what must be said about the group is said once, after the last.

    What cannot be answered for one and the same reason is said once.
    """
    answers: list[Answer] = []
    sentences: list[str] = []
    for result in results:
        answer = render(result, schema)
        if isinstance(result, Empty | Refused) and any(answer.text in text for text in sentences):
            continue
        sentences.append(answer.text)
        answers.append(answer)
    notes = dict.fromkeys(note for result in results for group in _groups(result) for note in group.notes)
    if answers and notes:
        closing = notes_text(Group("", 0, 0, notes=tuple(notes)))
        answers[-1] = replace(answers[-1], text=answers[-1].text + closing)
    return answers


def _groups(result: Result) -> list[Group]:
    return [part.group for part in result.results] if isinstance(result, Versus) else [result.group]
