"""What was given to each field of all answers, gone through once."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.studies.figures.results import EVERYTHING, AnswerFilter, each_result
from annotation.studies.study import Study
from annotation.tasks.task_type import ItemPart, Level, TaskResult

LEVELS: dict[str, Level] = {"choose": "nominal", "rate": "ordinal", "slider": "interval", "mark": "nominal"}


class AnswerUnits(NamedTuple):
    """The values in one worker's answer to one item, by name. Of thousands of answers nothing else is kept."""

    key: str
    worker: str
    units: Mapping[str, Any]


@dataclass(frozen=True)
class AnsweredFields:
    """`rated`: what was chosen, rated or marked, by field; a marked passage has a value for each of its words."""

    rated: Mapping[tuple[str, Level], list[AnswerUnits]]


def answered_fields(study: Study, choice: AnswerFilter = EVERYTHING) -> AnsweredFields:
    rated: dict[tuple[str, Level], list[AnswerUnits]] = defaultdict(list)
    parts_of = getattr(study.task, "rated_parts", study.task.parts)  # all the others may take long to make
    for result in each_result(study, choice):
        for part in parts_of(result.content, study.plan.task_settings, result.shown):
            if part.name in result.answer and part.kind in LEVELS:
                units = dict(_units(part, unswapped(part, result)))
                rated[part.name, LEVELS[part.kind]].append(AnswerUnits(result.key, result.worker, units))
    return AnsweredFields(dict(rated))


def unswapped(part: ItemPart, result: TaskResult) -> Any:
    """What was answered; of two texts whose sides were exchanged for this worker, as if they had not been."""
    value = result.answer[part.name]
    if part.name not in result.shown.get("swapped", ()) or value not in part.options[:2]:
        return value
    return part.options[1 - part.options.index(value)]


def _units(part: ItemPart, value: Any) -> Iterator[tuple[str, Any]]:
    if part.kind != "mark":
        yield part.name, value
        return
    marked = {number for first, behind in value for number in range(first, behind)}
    yield from ((f"{part.name}/{number}", int(number in marked)) for number in range(len(part.tokens)))
