"""What was given to each field of all answers, gone through once: the parts of an item can take long to make."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from annotation.studies.figures.results import AnswerFilter, results
from annotation.studies.item_files import ItemKind
from annotation.studies.study import Study
from annotation.studies.tables import study_items
from annotation.tasks.task_type import ItemPart, Level, TaskResult

LEVELS: dict[str, Level] = {"choose": "nominal", "rate": "ordinal", "slider": "interval", "mark": "nominal"}
EVERYTHING = AnswerFilter(trial=True)
FieldAnswers = list[tuple[TaskResult, Mapping[str, Any]]]


@dataclass(frozen=True)
class AnsweredFields:
    """`rated`: what was chosen, rated or marked, by field; a marked passage has a value for each of its words.

    `written`: what was written in place of a template for items that are no trial: (template, wording).
    """

    rated: Mapping[tuple[str, Level], FieldAnswers]
    written: tuple[tuple[str, str], ...]


def answered_fields(study: Study, choice: AnswerFilter = EVERYTHING) -> AnsweredFields:
    rated: dict[tuple[str, Level], FieldAnswers] = defaultdict(list)
    written, work = [], _work_keys(study)
    for result in results(study, choice):
        for part in study.task.parts(result.content, study.plan.task_settings, result.shown):
            if part.name not in result.answer:
                continue
            if part.kind in LEVELS:
                rated[part.name, LEVELS[part.kind]].append((result, dict(_units(part, unswapped(part, result)))))
            elif part.kind == "write" and part.source and result.key in work:
                written.append((part.source, str(result.answer[part.name])))
    return AnsweredFields(dict(rated), tuple(written))


def unswapped(part: ItemPart, result: TaskResult) -> Any:
    """What was answered; of two texts whose sides were exchanged for this worker, as if they had not been."""
    value = result.answer[part.name]
    if part.name not in result.shown.get("swapped", ()) or value not in part.options[:2]:
        return value
    return part.options[1 - part.options.index(value)]


def _work_keys(study: Study) -> set[str]:
    query = select(study_items.c.key).where(study_items.c.study == study.id, study_items.c.kind == ItemKind.WORK.value)
    with study.database.reading() as connection:
        return set(connection.execute(query).scalars())


def _units(part: ItemPart, value: Any) -> Iterator[tuple[str, Any]]:
    if part.kind != "mark":
        yield part.name, value
        return
    marked = {number for first, behind in value for number in range(first, behind)}
    yield from ((f"{part.name}/{number}", int(number in marked)) for number in range(len(part.tokens)))
