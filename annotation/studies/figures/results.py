"""The answers that stand, read in one go: what exports and figures are made of."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, select

from annotation.studies.callers import Phase
from annotation.studies.item_files import ItemKind, further_columns
from annotation.studies.quality.worker_signals import WorkerSignals, usual_pace, worker_signals
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_items, study_workers
from annotation.studies.work.leases import RETRACTED, SUBMITTED
from annotation.tasks.task_type import TaskResult

AT_ONCE = 200  # answers that are held in memory


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


STANDING, EVERYTHING = AnswerFilter(), AnswerFilter(trial=True)


def results(study: Study, choice: AnswerFilter = STANDING) -> list[TaskResult]:
    """In the order of the items; with the edits of leads. Workers are pseudonyms unless `choice.names`."""
    return list(each_result(study, choice))


def each_result(study: Study, choice: AnswerFilter = STANDING, repeated: bool = False) -> Iterator[TaskResult]:
    """As `results`, one at a time, as the study was when the first was asked for: a large one does not fit into memory at once.

    `repeated`: only of items with two such answers and more.
    """
    table = study_assignments
    query = answers_query().where(*_standing(study, choice)).execution_options(yield_per=AT_ONCE)
    if repeated:
        several = select(table.c.item).join(study_items, study_items.c.id == table.c.item).where(*_standing(study, choice))
        query = query.where(table.c.item.in_(several.group_by(table.c.item).having(func.count() > 1)))
    with study.database.reading() as connection:
        quality = signals_of_workers(connection, study)
        key, content = None, None
        for row in connection.execute(query.order_by(study_items.c.kind, study_items.c.number, table.c.number)):
            if _chosen(row, choice, quality):
                key, content = row.key, content if row.key == key else study.content(row.content)
                yield task_result(row, content, choice, quality[row.worker])


def answer_seconds(study: Study) -> list[float]:
    """The active time of each answer that stands, with those of the trial; of old answers the whole time."""
    table = study_assignments
    query = select(func.coalesce(table.c.active, table.c.seconds)).join(study_items, study_items.c.id == table.c.item)
    query = query.where(*_standing(study, EVERYTHING))
    with study.database.reading() as connection:
        return list(connection.execute(query).scalars())


def count_of_answers(study: Study, choice: AnswerFilter = STANDING) -> int:
    """How many answers stand, by what their columns alone tell."""
    both = study_assignments.join(study_items, study_items.c.id == study_assignments.c.item)
    query = select(func.count()).select_from(both).where(*_standing(study, choice))
    with study.database.reading() as connection:
        return int(connection.execute(query).scalar_one())


def _standing(study: Study, choice: AnswerFilter) -> tuple[ColumnElement[bool], ...]:
    """What the columns of an answer and its item alone tell of whether it counts."""
    table = study_assignments
    kinds = (ItemKind.WORK, ItemKind.TRIAL) if choice.trial else (ItemKind.WORK,)
    wanted = table.c.verdict.in_(("accepted", "edited")) if choice.accepted_only else table.c.verdict != "rejected"
    return (table.c.study == study.id, table.c.state == SUBMITTED, study_items.c.kind.in_(kinds), wanted)


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
    done = (table.c.study == study.id, table.c.state.in_((SUBMITTED, RETRACTED)))
    times: Iterable[Any] = connection.execute(select(table.c.worker, table.c.active).where(*done))
    pace = usual_pace(times)
    columns = (table.c.worker, table.c.active, table.c.signals, table.c.passed, table.c.verdict)
    query = select(*columns).where(*done).order_by(table.c.worker, table.c.id).execution_options(yield_per=AT_ONCE)
    by_worker = groupby(connection.execute(query), key=lambda row: int(row.worker))
    return {worker: worker_signals(list(rows), pace) for worker, rows in by_worker}


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
