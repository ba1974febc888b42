"""The answers that stand, read in one go: what exports and figures are made of."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from annotation.studies.item_files import ItemKind
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_items, study_workers
from annotation.studies.work.leases import SUBMITTED
from annotation.tasks.task_type import TaskResult


@dataclass(frozen=True)
class AnswerFilter:
    """Which answers: `accepted_only` leaves out those that nobody has decided on; rejected ones are never among them."""

    accepted_only: bool = False
    trial: bool = False
    names: bool = False


STANDING = AnswerFilter()


def results(study: Study, choice: AnswerFilter = STANDING) -> list[TaskResult]:
    """In the order of the items; with the edits of leads. Workers are pseudonyms unless `choice.names`."""
    table = study_assignments
    query = select(table, study_items.c.key, study_items.c.content, study_workers.c.pseudonym, study_workers.c.name)
    query = query.join(study_items, study_items.c.id == table.c.item).join(study_workers, study_workers.c.id == table.c.worker)
    kinds = (ItemKind.WORK, ItemKind.TRIAL) if choice.trial else (ItemKind.WORK,)
    query = query.where(table.c.study == study.id, table.c.state == SUBMITTED, study_items.c.kind.in_(kinds))
    wanted = table.c.verdict.in_(("accepted", "edited")) if choice.accepted_only else table.c.verdict != "rejected"
    order = (study_items.c.kind, study_items.c.number, table.c.number)
    with study.database.reading() as connection:
        rows = connection.execute(query.where(wanted).order_by(*order)).all()
    contents: dict[str, Any] = {}
    for row in rows:
        if row.key not in contents:
            contents[row.key] = study.content(row.content)
    return [_result(row, contents[row.key], choice) for row in rows]


def _result(row: Any, content: Any, choice: AnswerFilter) -> TaskResult:
    worker = row.name if choice.names else row.pseudonym
    return TaskResult(row.key, content, row.final or row.answer, worker, row.verdict, row.seconds, row.submitted, row.shown)
