"""A study that is open: its plan, its database, its clock. Every function of the protocol takes one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, bindparam, delete, exists, func, select, update

from annotation.studies.item_files import ItemKind, NewItem, own_columns, plan_items, prepared, read_dataset_items, read_items
from annotation.studies.picture_files import keep_pictures
from annotation.studies.plan import StudyPlan, read_plan
from annotation.studies.tables import studies, study_assignments, study_items
from annotation.tasks.task_type import STORED, ItemPart, TaskType
from annotation.tasks.task_types import TASK_TYPES
from annotation.words.catalogue import speaking, translate
from backend.errors import AnnotationError
from backend.storage.database import Database, now

Clock = Callable[[], datetime]
EXAMPLE = Path(__file__).with_name("example")


@dataclass(frozen=True)
class Study:
    """Safe to share between threads. `clock` tells the moment in UTC; tests turn it by hand."""

    database: Database
    id: int
    name: str
    plan: StudyPlan
    clock: Clock = now

    @property
    def task(self) -> TaskType:
        return TASK_TYPES[self.plan.file.task]

    @property
    def dealt(self) -> bool:
        """Whether items are dealt from a queue, and not answered by everybody in an order of their own."""
        return self.task.order((), self.plan.task_settings, 0, 0) is None

    def content(self, stored: Mapping[str, Any]) -> Any:
        """An item's content as the task type has it."""
        return self.task.content.model_validate(own_columns(stored), context=STORED)

    def parts(self, stored: Mapping[str, Any], shown: Mapping[str, Any]) -> tuple[ItemPart, ...]:
        with speaking(self.plan.file.language):
            return self.task.parts(self.content(stored), self.plan.task_settings, shown)


def open_study(database: Database, folder: Path, clock: Clock = now, name: str = "") -> Study:
    """The study in a folder, kept in the database under `name`, or the folder's: made if it is new, brought up to date if not.

    Raises AnnotationError, and changes nothing, if the folder holds mistakes, or if the task type or the content of an item
    that somebody has worked on is another than before.
    """
    folder = folder.resolve()
    plan = read_plan(folder)
    items = plan_items(plan, folder)
    with database.writing() as connection:
        number = _keep_plan(connection, name or folder.name, plan, clock())
        _keep_items(connection, number, plan.file.overlap, items)
    return Study(database, number, name or folder.name, plan, clock)


def load_study(database: Database, name: str, clock: Clock = now) -> Study:
    """A study as the database has it. Raises AnnotationError if there is none of this name, naming those there are."""
    with database.reading() as connection:
        row = connection.execute(select(studies).where(studies.c.name == name)).first()
        known = connection.execute(select(studies.c.name).order_by(studies.c.name)).scalars().all()
    if row is None:
        there = f"there are {', '.join(known)}" if known else "there is none yet"
        raise AnnotationError(
            translate(
                "There is no study {name} in the database {database}; {there}.", name=repr(name), database=database, there=there
            )
        )
    return Study(database, row.id, row.name, StudyPlan.model_validate(row.plan), clock)


def study_names(database: Database) -> list[str]:
    with database.reading() as connection:
        return list(connection.execute(select(studies.c.name).order_by(studies.c.name)).scalars())


def import_items(study: Study, path: Path, kind: ItemKind = ItemKind.WORK) -> int:
    """Add the items of a file, all or none, and return how many of them are new.

    Raises AnnotationError naming the bad ones, or one that is there already with another content.
    """
    items = read_items(study.plan, path, kind)
    return add_items(study, prepared(study.plan, items) if kind is ItemKind.WORK else items)


def import_dataset(study: Study, name: str, split: str, kind: ItemKind = ItemKind.WORK) -> int:
    """As `import_items`, from a data set of the Hugging Face hub, or a folder of that form."""
    items = read_dataset_items(study.plan, name, split, kind)
    return add_items(study, prepared(study.plan, items) if kind is ItemKind.WORK else items)


def add_items(study: Study, items: Sequence[NewItem]) -> int:
    with study.database.writing() as connection:
        connection.execute(select(studies.c.id).where(studies.c.id == study.id).with_for_update())
        return _keep_items(connection, study.id, study.plan.file.overlap, items)


def _keep_plan(connection: Connection, name: str, plan: StudyPlan, made: datetime) -> int:
    stored = plan.model_dump(mode="json")
    row = connection.execute(select(studies).where(studies.c.name == name).with_for_update()).first()
    if row is None:
        added = connection.execute(studies.insert().values(name=name, plan=stored, created=made))
        assert added.inserted_primary_key is not None
        return int(added.inserted_primary_key[0])
    before = StudyPlan.model_validate(row.plan).file.task
    if before != plan.file.task:
        raise AnnotationError(
            translate(
                "The study {name} has the task {before}, not {task}; name the folder otherwise.",
                name=repr(name),
                before=before,
                task=plan.file.task,
            )
        )
    connection.execute(update(studies).where(studies.c.id == row.id).values(plan=stored))
    return int(row.id)


def _keep_items(connection: Connection, study: int, overlap: int, items: Iterable[NewItem]) -> int:
    table = study_items
    there = {row.key: row for row in connection.execute(select(table).where(table.c.study == study))}
    new = [item for item in items if item.key not in there]
    changed = [item for item in items if item.key in there and _differs(item, there[item.key])]
    _change_items(connection, changed, there)
    keep_pictures(connection, study, {digest: each for item in new + changed for digest, each in item.pictures.items()})
    last: dict[str, int] = dict.fromkeys(ItemKind, 0)
    for row in there.values():
        last[row.kind] = max(last[row.kind], row.number)
    rows = []
    for item in new:
        last[item.kind] += 1
        rows.append({
            "study": study, "key": item.key, "number": last[item.kind], "kind": item.kind.value, "content": item.content,
            "known": item.known, "wanted": overlap, "taken": 0, "open": True,
        })  # fmt: skip
    if rows:
        connection.execute(table.insert(), rows)
    mine = (table.c.study == study, table.c.kind == ItemKind.WORK.value, table.c.wanted != overlap)
    connection.execute(update(table).where(*mine).values(wanted=overlap, open=(table.c.taken < overlap) & ~table.c.withdrawn))
    return len(new)


def _change_items(connection: Connection, changed: list[NewItem], there: Mapping[str, Any]) -> None:
    if not changed:
        return
    ids = [there[item.key].id for item in changed]
    used = set()
    for start in range(0, len(ids), 500):
        some = study_assignments.c.item.in_(ids[start : start + 500])
        used |= set(connection.execute(select(study_assignments.c.item).where(some)).scalars())
    for item in changed:
        if there[item.key].id in used or there[item.key].kind != item.kind:
            raise AnnotationError(
                translate(
                    "The item {key} is another than the one that is there, and has been worked on; give it a new id.",
                    key=repr(item.key),
                )
            )
    statement = update(study_items).where(study_items.c.id == bindparam("of"))
    values = [{"of": there[item.key].id, "content": item.content, "known": item.known} for item in changed]
    connection.execute(statement.values(content=bindparam("content"), known=bindparam("known")), values)


def _differs(item: NewItem, row: Any) -> bool:
    return bool(dict(item.content) != row.content or item.known != row.known or item.kind != row.kind)


@dataclass(frozen=True)
class LeftOver:
    """Items that are kept, but stand in no file of the folder any more; `unworked`: those that were never given out."""

    worked: tuple[str, ...]
    unworked: tuple[str, ...]


def left_over(study: Study, folder: Path) -> LeftOver:
    """Raises AnnotationError as `open_study` does."""
    keys = {item.key for item in plan_items(study.plan, folder.resolve())}
    taken = exists().where(study_assignments.c.item == study_items.c.id)
    query = select(study_items.c.key, taken.label("worked")).where(study_items.c.study == study.id)
    with study.database.reading() as connection:
        rows = [row for row in connection.execute(query.order_by(study_items.c.number)) if row.key not in keys]
    return LeftOver(tuple(row.key for row in rows if row.worked), tuple(row.key for row in rows if not row.worked))


def drop_unworked(study: Study, keys: Sequence[str]) -> int:
    """Delete items that were never given out; returns how many. Those that somebody has taken meanwhile stay."""
    used = exists().where(study_assignments.c.item == study_items.c.id)
    with study.database.writing() as connection:
        gone = delete(study_items).where(study_items.c.study == study.id, study_items.c.key.in_(keys), ~used)
        return int(connection.execute(gone).rowcount)


def count_items(study: Study) -> dict[ItemKind, int]:
    query = select(study_items.c.kind, func.count()).where(study_items.c.study == study.id).group_by(study_items.c.kind)
    with study.database.reading() as connection:
        counts = {ItemKind(kind): int(count) for kind, count in connection.execute(query)}
    return {kind: counts.get(kind, 0) for kind in ItemKind}
