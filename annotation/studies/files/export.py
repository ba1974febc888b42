"""What a study has collected, as files: results of the task type, everything that happened, and tables.

Workers are pseudonyms unless names are asked for.
"""

import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select

from annotation.studies.callers import Caller, lead_calling
from annotation.studies.figures.results import STANDING, AnswerFilter, answer_values, each_result, item_values, results
from annotation.studies.labels.item_labels import label_rows
from annotation.studies.study import Study
from annotation.studies.tables import study_events, study_items, study_workers
from annotation.studies.work.bonuses import all_earnings
from annotation.words.catalogue import translate
from backend.errors import AnnotationError
from backend.text.csv_cells import csv_of, csv_text


def export(study: Study, lead: Caller, kind: str, choice: AnswerFilter = STANDING) -> bytes:
    """A file for a lead; `kind` as in `write_export`. Raises Refused (ROLE) for a worker."""
    with study.database.reading() as connection:
        lead_calling(connection, study, lead)
    return write_export(study, kind, choice)


def write_export(study: Study, kind: str, choice: AnswerFilter = STANDING) -> bytes:
    """For callers with direct access to the database. `kind`: one of EXPORTS, or a file of the task type (`export_kinds`).

    Raises AnnotationError if there is no such kind, naming those there are, or if what it needs is not installed.
    """
    if kind in (files := EXPORTS | TABLES):
        return files[kind](study, choice)
    if kind in study.task.files:
        return study.task.files[kind](results(study, choice), study.plan.task_settings).encode("utf-8", "replace")
    raise AnnotationError(
        translate(
            "There is no export {kind} of {task}; choose {names}.",
            kind=repr(kind),
            task=study.plan.file.task,
            names=", ".join(export_kinds(study)),
        )
    )


def export_kinds(study: Study) -> list[str]:
    return [*EXPORTS, *study.task.files, *TABLES]


def task_rows(study: Study, choice: AnswerFilter) -> list[dict[str, Any]]:
    """The rows that the task type makes of the answers that stand."""
    return study.task.rows(results(study, choice), study.plan.task_settings)


def _json_lines(study: Study, choice: AnswerFilter) -> bytes:
    return json_lines(task_rows(study, choice))


def _csv(study: Study, choice: AnswerFilter) -> bytes:
    return csv_of(flat_rows(study, choice)).encode("utf-8", "replace")


def flat_rows(study: Study, choice: AnswerFilter) -> list[dict[str, Any]]:
    """The rows of the task type, with lists and objects as JSON."""
    return [_flat(row) for row in task_rows(study, choice)]


def _answers(study: Study, choice: AnswerFilter) -> bytes:
    """Every answer as it was given, whatever the task type makes of it."""
    return json_lines(
        {
            "id": result.key, "worker": result.worker, "content": result.content.model_dump(mode="json"), "shown": result.shown,
            "answer": result.answer, "verdict": result.verdict, "seconds": result.seconds,
            "submitted": result.submitted.isoformat(), **result.about,
        }
        for result in each_result(study, choice)
    )  # fmt: skip


def answer_rows(study: Study, choice: AnswerFilter) -> list[dict[str, Any]]:
    """One row an answer, whatever the task type: the item, each field of the answer, and all that is known of the work."""
    return [
        {
            "id": result.key, "worker": result.worker, "verdict": result.verdict,
            **{f"item.{name}": value for name, value in item_values(result).items()},
            **{f"shown.{name}": value for name, value in result.shown.items()},
            **{f"answer.{name}": value for name, value in answer_values(study, result).items()},
            "seconds": result.seconds, "submitted": result.submitted.isoformat(),
            **{name: value for name, value in result.about.items() if name != "more"},
        }
        for result in results(study, choice)
    ]  # fmt: skip


def _table_csv(study: Study, choice: AnswerFilter) -> bytes:
    return csv_of([_flat(row) for row in answer_rows(study, choice)]).encode("utf-8", "replace")


def _table_parquet(study: Study, choice: AnswerFilter) -> bytes:
    return parquet(answer_rows(study, choice))


def _labels_csv(study: Study, choice: AnswerFilter) -> bytes:
    return csv_of([_flat(row) for row in label_rows(study, choice)]).encode("utf-8", "replace")


def _labels(study: Study, choice: AnswerFilter) -> bytes:
    return json_lines(label_rows(study, choice))


def _log(study: Study, choice: AnswerFilter) -> bytes:
    """Everything that happened, oldest first."""
    events, actor = study_events, study_workers.alias("actor")
    name = "name" if choice.names else "pseudonym"
    query = select(events, study_items.c.key, actor.c[name].label("by"), study_workers.c[name].label("of"))
    query = query.join(actor, actor.c.id == events.c.actor).join(study_workers, study_workers.c.id == events.c.worker)
    query = query.outerjoin(study_items, study_items.c.id == events.c.item).where(events.c.study == study.id)
    with study.database.reading() as connection:
        rows = connection.execute(query.order_by(events.c.id)).all()
    return json_lines([
        {
            "number": row.id, "created": row.created.isoformat(), "kind": row.kind, "actor": row.by, "worker": row.of,
            "item": row.key, "content": row.content,
        }
        for row in rows
    ])  # fmt: skip


def _payment(study: Study, choice: AnswerFilter) -> bytes:
    """A line for each thing that a worker is paid for: the tasks of a phase, or a bonus."""
    rows: list[tuple[Any, ...]] = [("worker", "for", "tasks", "amount", "currency", "noted", "paid")]
    for each in all_earnings(study):
        who, rate = each.name if choice.names else each.pseudonym, each.for_tasks // each.tasks if each.tasks else 0
        for phase, count in (("trial", each.in_trial), ("tasks", each.tasks - each.in_trial)):
            if count:
                rows.append((who, phase, count, _amount(rate * count), each.currency, "", ""))
        if each.tasks_paid:
            paid = _amount(-each.paid_for_tasks)
            rows.append((who, "paid for tasks", each.tasks_paid, paid, each.currency, "", "yes"))
        for bonus in each.bonuses:
            moments = (bonus.created.isoformat(), bonus.paid.isoformat() if bonus.paid else "")
            rows.append((who, f"bonus: {bonus.reason}", "", _amount(bonus.hundredths), each.currency, *moments))
    return csv_text(rows).encode("utf-8", "replace")


def _amount(hundredths: int) -> str:
    return f"{hundredths / 100:.2f}"


def parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """With lists and objects as what they are. Raises AnnotationError if pyarrow is not installed.

    An object with other names in each row, such as names by id, has no one type in such a file; it is JSON text there.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet as files
    except ImportError as error:
        raise AnnotationError(
            translate("A Parquet file needs pyarrow, which is not installed; export jsonl or csv instead.")
        ) from error
    columns = list(dict.fromkeys(name for row in rows for name in row))
    file = io.BytesIO()
    files.write_table(pa.table({name: _column(pa, [row.get(name) for row in rows]) for name in columns}), file)
    return file.getvalue()


def _column(pyarrow: Any, values: list[Any]) -> Any:
    if any(isinstance(value, dict) for value in values) and len({tuple(value or ()) for value in values}) > 1:
        values = [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]
    try:
        return pyarrow.array(values)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):  # values of different kinds in one column
        return pyarrow.array([None if value is None else json.dumps(value, ensure_ascii=False) for value in values])


def _parquet(study: Study, choice: AnswerFilter) -> bytes:
    return parquet(task_rows(study, choice))


EXPORTS: dict[str, Callable[[Study, AnswerFilter], bytes]] = {
    "jsonl": _json_lines,
    "csv": _csv,
    "parquet": _parquet,
    "answers": _answers,
    "log": _log,
    "payment": _payment,
}


# A row an answer, or a row for each field of an item, whatever the task type makes of answers.
TABLES: dict[str, Callable[[Study, AnswerFilter], bytes]] = {
    "table.csv": _table_csv,
    "table.parquet": _table_parquet,
    "labels.csv": _labels_csv,
    "labels.jsonl": _labels,
}


def json_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    file = io.BytesIO()
    for row in rows:
        file.write((json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
    return file.getvalue()


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Lists and objects as JSON, which `item_files` reads back."""
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict | tuple) else value
        for name, value in row.items()
    }
