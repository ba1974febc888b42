"""The answers that stand, read in one go: what exports and figures are made of."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, select

from annotation.studies.callers import Phase
from annotation.studies.item_files import ItemKind, further_columns
from annotation.studies.quality.worker_signals import WorkerSignals, usual_pace, worker_signals
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_items, study_workers
from annotation.studies.work.leases import RETRACTED, SUBMITTED
from annotation.tasks.task_type import TaskResult


@dataclass(frozen=True)
class AnswerFilter:
    """Which answers: `accepted_only` leaves out those that nobody has decided on; rejected ones, and those that were taken
    back, are never among them.

    `passed_batches`: only of batches that a lead has passed; `attention`: only of workers who passed at least this share of
    their attention items; `without_ended`: none of workers whose part ended; `without_remarks`: none of workers of whom a
    figure looks careless (`WorkerSignals.remarks`).
    """

    accepted_only: bool = False
    trial: bool = False
    names: bool = False
    passed_batches: bool = False
    attention: float | None = None
    without_ended: bool = False
    without_remarks: bool = False


STANDING = AnswerFilter()


def results(study: Study, choice: AnswerFilter = STANDING) -> list[TaskResult]:
    """In the order of the items; with the edits of leads. Workers are pseudonyms unless `choice.names`."""
    table = study_assignments
    kinds = (ItemKind.WORK, ItemKind.TRIAL) if choice.trial else (ItemKind.WORK,)
    query = answers_query().where(table.c.study == study.id, table.c.state == SUBMITTED, study_items.c.kind.in_(kinds))
    wanted = table.c.verdict.in_(("accepted", "edited")) if choice.accepted_only else table.c.verdict != "rejected"
    order = (study_items.c.kind, study_items.c.number, table.c.number)
    with study.database.reading() as connection:
        rows = connection.execute(query.where(wanted).order_by(*order)).all()
        quality = signals_of_workers(connection, study)
    contents: dict[str, Any] = {}
    for row in rows:
        if row.key not in contents:
            contents[row.key] = study.content(row.content)
    chosen = [row for row in rows if _chosen(row, choice, quality)]
    return [task_result(row, contents[row.key], choice, quality[row.worker]) for row in chosen]


def answers_query() -> Select[Any]:
    """Answers with their items and workers: the rows that `task_result` takes."""
    table = study_assignments
    people = (study_workers.c.pseudonym, study_workers.c.name, study_workers.c.phase.label("now"),
              study_workers.c.batch.label("released_batch"))  # fmt: skip
    query = select(table, study_items.c.key, study_items.c.kind, study_items.c.content, *people)
    query = query.join(study_items, study_items.c.id == table.c.item)
    return query.join(study_workers, study_workers.c.id == table.c.worker)


def item_values(result: TaskResult) -> dict[str, Any]:
    """The columns of the item, by name; those of a task of one's own are all in one field of its content."""
    values = result.content.model_dump(mode="json")
    own = values.pop("fields", None)
    return {**values, **(own if isinstance(own, dict) else {}), **result.about.get("more", {})}


def answer_values(study: Study, result: TaskResult) -> dict[str, Any]:
    """What was answered; of two texts side by side the column that was preferred, whichever side it stood on."""
    if not result.shown.get("sides"):
        return dict(result.answer)
    (row,) = study.task.rows([result], study.plan.task_settings)
    return {name: row.get(name, value) for name, value in result.answer.items()}


def signals_of_workers(connection: Connection, study: Study) -> dict[int, WorkerSignals]:
    """By worker, without agreement, which needs the answers themselves; also of answers that were taken back."""
    table = study_assignments
    columns = (table.c.worker, table.c.active, table.c.signals, table.c.passed, table.c.verdict)
    query = select(*columns).where(table.c.study == study.id, table.c.state.in_((SUBMITTED, RETRACTED)))
    by_worker: dict[int, list[Any]] = defaultdict(list)
    for row in connection.execute(query):
        by_worker[row.worker].append(row)
    pace = usual_pace(row for rows in by_worker.values() for row in rows)
    return {worker: worker_signals(rows, pace) for worker, rows in by_worker.items()}


def _chosen(row: Any, choice: AnswerFilter, quality: Mapping[int, WorkerSignals]) -> bool:
    signals = quality[row.worker]
    return not (
        (choice.passed_batches and not _batch_passed(row))
        or (choice.attention is not None and signals.attention is not None and signals.attention < choice.attention)
        or (choice.without_ended and row.now == Phase.ELIMINATED)
        or (choice.without_remarks and signals.remarks())
    )


def _batch_passed(row: Any) -> bool:
    return bool(row.phase != Phase.TASKS or (row.batch is not None and row.batch < row.released_batch))


def task_result(row: Any, content: Any, choice: AnswerFilter, quality: WorkerSignals) -> TaskResult:
    """An answer with the edit of a lead, and how it came about; `quality`: the figures of its worker."""
    worker = row.name if choice.names else row.pseudonym
    about = _about(row, quality)
    return TaskResult(
        row.key, content, row.final or row.answer, worker, row.verdict, row.seconds, row.submitted, row.shown, about
    )


def _about(row: Any, quality: WorkerSignals) -> dict[str, Any]:
    signals = row.signals or {"warned": [], "texts": []}
    texts = signals["texts"]
    return {
        "more": further_columns(row.content),
        "phase": row.phase,
        "batch": row.batch,
        "batch_passed": _batch_passed(row),
        "reviewed": bool(row.verdict),
        "active_seconds": row.active,
        "warnings": signals["warned"],
        "template_kept": sum(text["kept"] for text in texts) / len(texts) if texts else None,
        "new_words": sum(text["new"] for text in texts) / len(texts) if texts else None,
        "worker_attention": quality.attention,
        "worker_remarks": list(quality.remarks()),
        "worker_ended": row.now == Phase.ELIMINATED,
    }
