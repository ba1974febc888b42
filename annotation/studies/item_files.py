"""Items out of files: JSON Lines, CSV, Parquet, a gold suite (.txt), or one JSON array as ComplexWebQuestions has it; each also
gzipped.

An item may have an `id` (or `ID`); else it is called after its file and its number. One whose answer is known holds it under
`known`, a mapping from the names of fields to values.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from annotation.parses.gold_suite import read_suite
from annotation.studies.picture_files import Picture, read_picture
from annotation.studies.plan import StudyPlan, checked, read_text
from annotation.tasks.task_type import check_answer
from annotation.tasks.task_types import TASK_TYPES
from annotation.words.catalogue import translate
from backend.errors import AnnotationError, ParleyError
from backend.storage.row_files import RawRow, UnreadableRow, dataset_rows, file_rows, format_of
from backend.text.json_text import read_json
from backend.text.storable import storable

FORMATS = (".jsonl", ".json", ".csv", ".parquet", ".txt")
GOLD_SUITE = ".txt"
MORE = "_more"  # where further columns of an item are kept; they travel to the exports
LARGEST_FILE = 500_000_000  # bytes
LONGEST_KEY = 200
NAMED_AT_ONCE = 5


class ItemKind(StrEnum):
    WORK = "work"
    TRIAL = "trial"
    ATTENTION = "attention"


@dataclass(frozen=True)
class NewItem:
    """`content` and `known` as JSON values; `content` is one that the task type accepts, with further columns under `MORE`.

    `pictures`: what it shows, by digest.
    """

    key: str
    kind: ItemKind
    content: Mapping[str, Any]
    known: Mapping[str, Any] | None = None
    pictures: Mapping[str, Picture] = field(default_factory=dict)


def plan_items(plan: StudyPlan, folder: Path) -> list[NewItem]:
    """All items that the study names. Raises AnnotationError naming the bad ones."""
    file = plan.file
    work = [item for name in file.items for item in read_items(plan, folder / name)]
    items = prepared(plan, work) if work else []
    if file.trial:
        trial = read_items(plan, folder / file.trial.items, ItemKind.TRIAL)
        if len(trial) < file.trial.tasks:
            raise AnnotationError(
                translate(
                    "{items} holds {count} items, but trial.tasks asks for {tasks}.",
                    items=file.trial.items,
                    count=len(trial),
                    tasks=file.trial.tasks,
                )
            )
        items += trial[: file.trial.tasks]
    if file.attention:
        items += read_items(plan, folder / file.attention.items, ItemKind.ATTENTION)
    _different(items)
    return items


def read_items(plan: StudyPlan, path: Path, kind: ItemKind = ItemKind.WORK) -> list[NewItem]:
    """The items in a file, all or none. Raises AnnotationError naming file, line and field of the bad ones."""
    return _items(plan, path, file_items(path), kind)


def read_dataset_items(plan: StudyPlan, name: str, split: str, kind: ItemKind = ItemKind.WORK) -> list[NewItem]:
    """The items in a data set of the Hugging Face hub, or in a folder of that form or written by `save_to_disk`.

    Columns are fields; one that a row has no value in is as if it were not there. Raises AnnotationError if it cannot be
    loaded, or naming the row and field of the bad items.
    """
    rows = dataset_rows(name, split, AnnotationError)
    contents = ({column: _cell(value) for column, value in row.value.items() if value is not None} for row in rows)
    return _items(plan, Path(name), enumerate(contents, 1), kind)


def read_row_items(plan: StudyPlan, rows: Iterable[Mapping[str, Any]], kind: ItemKind = ItemKind.WORK) -> list[NewItem]:
    """The items in rows that are in memory, all or none. Raises AnnotationError naming row and field of the bad ones."""
    return _items(plan, Path("items"), enumerate(rows, 1), kind)


def _items(plan: StudyPlan, path: Path, rows: Iterable[tuple[int, Any]], kind: ItemKind) -> list[NewItem]:
    items: list[NewItem] = []
    wrong: list[str] = []
    for number, row in rows:
        try:
            usual = _unmarked(plan, row) if kind is ItemKind.ATTENTION else f"{_stem(path)}-{len(items) + len(wrong) + 1}"
            items.append(_item(plan, path, number, row, kind, usual))
        except ParleyError as error:
            wrong.append(error.message)
    if wrong:
        more = [f"And {len(wrong) - NAMED_AT_ONCE} more."] if len(wrong) > NAMED_AT_ONCE else []
        raise AnnotationError("\n".join(["Nothing was imported.", *wrong[:NAMED_AT_ONCE], *more]))
    if not items:
        raise AnnotationError(translate("{path} holds no item.", path=path))
    _different(items)
    return items


def _stem(path: Path) -> str:
    return path.name.split(".")[0]


def _unmarked(plan: StudyPlan, row: Any) -> str:
    """A name for an attention item that has none, which does not tell it from the items of the work."""
    digest = hashlib.sha256(json.dumps(row, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()
    return f"{_stem(Path(plan.file.items[0])) if plan.file.items else 'item'}-{10_000 + int(digest[:8], 16) % 90_000}"


def prepared(plan: StudyPlan, items: Sequence[NewItem]) -> list[NewItem]:
    """The items as the task type wants them kept: some of them, or with more behind them."""
    task, by_key = TASK_TYPES[plan.file.task], {item.key: item for item in items}
    more = {item.key: {MORE: item.content[MORE]} for item in items if MORE in item.content}
    contents = [(item.key, task.content.model_validate(own_columns(item.content))) for item in items]
    kept = task.prepare(contents, plan.task_settings, plan.file.seed)
    new = {key: NewItem(key, ItemKind.WORK, content.model_dump(mode="json") | more.get(key, {})) for key, content in kept}
    return [
        replace(item, known=by_key[key].known, pictures=by_key[key].pictures) if key in by_key else item
        for key, item in new.items()
    ]


def own_columns(stored: Mapping[str, Any]) -> dict[str, Any]:
    """What of a stored item the task type reads."""
    return {name: value for name, value in stored.items() if name != MORE}


def further_columns(stored: Mapping[str, Any]) -> dict[str, Any]:
    """What came beside it in its file."""
    return dict(stored.get(MORE, {}))


def _item(plan: StudyPlan, path: Path, number: int, row: Mapping[str, Any], kind: ItemKind, usual: str) -> NewItem:
    task = TASK_TYPES[plan.file.task]
    item_row = getattr(task, "item_row", None)
    values = dict(item_row(row) if item_row else row)
    key, known = str(values.pop("id", None) or values.pop("ID", None) or usual), values.pop("known", None)
    storable(json.dumps(row, ensure_ascii=False), f"item on line {number} of {path.name}")
    if len(key) > LONGEST_KEY:
        raise AnnotationError(
            translate(
                "{path}, line {line}: the id has {count} characters; at most {longest_key} are kept.",
                path=path,
                line=number,
                count=len(key),
                longest_key=LONGEST_KEY,
            )
        )
    more = _further(task.content, values)
    content = checked(task.content, {name: value for name, value in values.items() if name not in more}, path, line=number)
    pictures = _pictures(plan, content, path, number)
    if pictures:
        content = content.model_copy(update={"pictures": {column: each.digest for column, each in pictures.items()}})
    asked = {part.name for part in task.parts(content, plan.task_settings, {}) if part.name}
    if (like_answers := asked & more.keys()) and "worker" not in more:  # exports of ours have both
        checked(task.content, values | dict.fromkeys(like_answers), path, line=number)  # may be meant as `known`: refused
    if kind is ItemKind.ATTENTION:
        _check_known(plan, content, known, _at_line(path, number))
    kept = {MORE: {name: values[name] for name in more}} if more else {}
    return NewItem(key, kind, content.model_dump(mode="json") | kept, known, {each.digest: each for each in pictures.values()})


def _pictures(plan: StudyPlan, content: Any, path: Path, number: int) -> dict[str, Picture]:
    """The pictures of an item by column. They lie in the folder of its file or below."""
    named_pictures = getattr(plan.task_settings, "named_pictures", None)
    named: Mapping[str, Any] = named_pictures(content) if named_pictures else {}
    pictures = {}
    for column, name in named.items():
        try:
            pictures[column] = read_picture(name, path.parent)
        except AnnotationError as error:
            raise AnnotationError(f"{_at_line(path, number)}: {column}: {error.message}.") from error
    return pictures


def _further(model: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that the task type does not know."""
    try:
        model.model_validate(values)
    except ValidationError as error:
        names = [each["loc"][0] for each in error.errors() if each["type"] == "extra_forbidden" and len(each["loc"]) == 1]
        return {str(name): values[str(name)] for name in names if str(name) in values}
    return {}


def _check_known(plan: StudyPlan, content: Any, known: Any, where: str) -> None:
    parts = TASK_TYPES[plan.file.task].parts(content, plan.task_settings, {})
    if not isinstance(known, dict) or not known:
        names = ", ".join(part.name for part in parts if part.name)
        raise AnnotationError(
            translate(
                '{where}: an attention item needs "known", its known answer to one or more of {names}.',
                where=where,
                names=names,
            )
        )
    asked = [part for part in parts if part.name in known]
    if absent := sorted(known.keys() - {part.name for part in asked}):
        raise AnnotationError(translate("{where}: known.{absent} is not asked for.", where=where, absent=absent[0]))
    try:
        check_answer([part for part in asked if part.when is None], {part.name: known[part.name] for part in asked
                                                                      if part.when is None})  # fmt: skip
    except AnnotationError as error:
        raise AnnotationError(f"{where}: known: {error.message}") from error


def _at_line(path: Path, line: int) -> str:
    return translate("{path}, line {line}", path=path, line=line)


def _different(items: Sequence[NewItem]) -> None:
    seen: set[str] = set()
    for item in items:
        if item.key in seen:
            raise AnnotationError(
                translate("Two items have the id {key}; give each item an id of its own.", key=repr(item.key))
            )
        seen.add(item.key)


def file_items(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a file with their lines, whatever they hold. Raises AnnotationError naming what cannot be read."""
    if format_of(path) == GOLD_SUITE:
        yield from _gold_pairs(path)
        return
    for row in file_rows(path, AnnotationError, FORMATS, LARGEST_FILE):
        if isinstance(row.value, UnreadableRow):
            raise AnnotationError(f"{_at_line(path, row.line)}: {row.value.reason}")
        if not isinstance(row.value, dict):
            raise AnnotationError(
                translate(
                    "{path}, line {line}: an item is a JSON object, not {name}.",
                    path=path,
                    line=row.line,
                    name=type(row.value).__name__,
                )
            )
        yield row.line, _cells(path, row) if format_of(path) == ".csv" else row.value


def _gold_pairs(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """An utterance and its parse, as gold suites have them."""
    for each in read_suite(read_text(path).encode(), lambda parse: None):
        yield each.line, {"utterance": each.utterance, "parse": each.parse}


def _cells(path: Path, row: RawRow) -> Mapping[str, Any]:
    if None in row.value or None in row.value.values():
        raise AnnotationError(
            translate("{path}, line {line}: the row has not as many fields as the first line.", path=path, line=row.line)
        )
    return {name: _cell(value) for name, value in row.value.items() if value != ""}


def _cell(value: Any) -> Any:
    """A list or an object may stand in a cell as JSON; any other text is text."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return read_json(value)
        except json.JSONDecodeError:
            return value
    return value
