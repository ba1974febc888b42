"""The answers of a study that a lead looks for: by what is written in them, by state, worker and what was noticed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import select

from annotation.studies.callers import Caller, lead_calling
from annotation.studies.figures.results import (
    AnswerFilter,
    answer_values,
    answers_query,
    item_values,
    signals_of_workers,
    task_result,
)
from annotation.studies.item_files import ItemKind
from annotation.studies.quality.worker_signals import WorkerSignals, is_fast, usual_pace
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_items
from annotation.studies.work.leases import RETRACTED, SUBMITTED
from annotation.tasks.task_type import TaskResult
from annotation.words.catalogue import translate

StateName = Literal["waiting", "drawn", "accepted", "edited", "rejected", "taken back"]
NoticeName = Literal["warned", "template", "fast", "attention", "remarks", "ended"]
OrderName = Literal["item", "latest", "earliest", "fastest", "slowest", "worker"]
STATES, NOTICES, ORDERS = get_args(StateName), get_args(NoticeName), get_args(OrderName)
SAMPLE, LEAP = 1000, 50  # of the first so many answers each so many-th one tells which columns there are to choose


@dataclass(frozen=True)
class AnswerSearch:
    """Which answers, and in which order; what is empty leaves nothing out.

    `text` stands in the item, the answer, the feedback or the worker's name, in any case. `state`: "waiting" is every answer
    without a verdict, "drawn" those of them that a batch waits for. `notice`: handed in against a warning, with a text that
    holds its template, faster than reading allows, a failed attention item, by a worker of whom a figure looks careless or
    whose part has ended.
    """

    text: str = ""
    state: str = ""
    kind: str = ""
    worker: int | None = None
    notice: str = ""
    order: str = "item"

    def __post_init__(self) -> None:
        choices: dict[str, Sequence[str]] = {"state": STATES, "kind": tuple(ItemKind), "notice": NOTICES, "order": ORDERS}
        for name, allowed in choices.items():
            if getattr(self, name) not in ("", *allowed):
                message = translate(
                    "“{name}” is one of {names}, or empty, not {value}.",
                    name=name,
                    names=", ".join(allowed),
                    value=f"{getattr(self, name)!r:.50}",
                )
                raise CallRefusedError(Reason.ANSWER, message)


@dataclass(frozen=True)
class ListedAnswer:
    """`number`: of the submission or edit that stands, which a decision names; `state` as the verdict, or "taken back".

    `item`: the columns of the item; `answer`: what was given to each field.
    """

    assignment: int
    number: int
    worker: int
    name: str
    kind: ItemKind
    state: str
    feedback: str
    passed: bool | None
    result: TaskResult
    item: Mapping[str, Any]
    answer: Mapping[str, Any]


@dataclass(frozen=True)
class AnswerPage:
    """`count`: how many answers there are in all; `columns`: what their items and fields are called."""

    count: int
    listed: tuple[ListedAnswer, ...]
    item_columns: tuple[str, ...]
    fields: tuple[str, ...]


def list_answers(study: Study, lead: Caller, search: AnswerSearch, start: int = 0, limit: int = 50) -> AnswerPage:
    """A page of the answers that match. Raises Refused (ROLE) for a worker."""
    rows, quality = _matching(study, lead, search)
    listed = tuple(_listed(study, row, quality) for row in rows[start : start + limit])
    sample = [*listed, *(_listed(study, row, quality) for row in rows[:SAMPLE:LEAP])]
    columns = dict.fromkeys(name for each in sample for name in each.item)
    fields = dict.fromkeys(name for each in sample for name in each.answer)
    return AnswerPage(len(rows), listed, tuple(columns), tuple(fields))


def numbers_of(study: Study, lead: Caller, search: AnswerSearch) -> dict[int, int]:
    """The submission that stands of every answer that matches, by the number of its assignment."""
    return {row.id: row.number for row in _matching(study, lead, search)[0]}


def _matching(study: Study, lead: Caller, search: AnswerSearch) -> tuple[list[Any], Mapping[int, WorkerSignals]]:
    table = study_assignments
    query = answers_query().where(table.c.study == study.id, table.c.state.in_((SUBMITTED, RETRACTED)))
    if search.worker is not None:
        query = query.where(table.c.worker == search.worker)
    if search.kind:
        query = query.where(study_items.c.kind == search.kind)
    with study.database.reading() as connection:
        lead_calling(connection, study, lead)
        rows = connection.execute(query.order_by(study_items.c.kind.desc(), study_items.c.number, table.c.number)).all()
        quality = signals_of_workers(connection, study)
        times = select(table.c.worker, table.c.active, table.c.signals, table.c.passed, table.c.verdict)
        timed: list[Any] = list(connection.execute(times.where(table.c.study == study.id, table.c.active.is_not(None))))
    needle, pace = search.text.strip().casefold(), usual_pace(timed)
    matches = [row for row in rows
               if (not search.state or _in_state(row, search.state))
               and (not search.notice or _noticed(row, search.notice, quality, pace))
               and (not needle or any(needle in text.casefold() for text in _texts_of(row)))]  # fmt: skip
    return sorted(matches, key=_ORDERS[search.order]), quality


def _in_state(row: Any, state: str) -> bool:
    if row.state == RETRACTED or state == "taken back":
        return row.state == RETRACTED and state == "taken back"
    if state in ("waiting", "drawn"):
        return not row.verdict and (state == "waiting" or bool(row.sampled))
    return bool(row.verdict == state)


def _noticed(row: Any, notice: str, quality: Mapping[int, WorkerSignals], pace: float | None) -> bool:
    signals = row.signals or {"warned": [], "texts": []}
    checks: dict[str, Callable[[], bool]] = {
        "warned": lambda: bool(signals["warned"]),
        "template": lambda: any(text["kept"] for text in signals["texts"]),
        "fast": lambda: bool(is_fast(row, pace)),
        "attention": lambda: row.passed is False,
        "remarks": lambda: bool(quality[row.worker].remarks()),
        "ended": lambda: row.now == "eliminated",
    }
    return checks[notice]()


def _texts_of(row: Any) -> Iterator[str]:
    yield from (row.key, row.name, row.pseudonym, row.feedback)
    for value in (row.content, row.answer, row.final):
        yield from _leaves(value)


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    elif value is not None:
        yield str(value)


def _listed(study: Study, row: Any, quality: Mapping[int, WorkerSignals]) -> ListedAnswer:
    state = "taken back" if row.state == RETRACTED else row.verdict
    result = task_result(row, study.content(row.content), AnswerFilter(), quality[row.worker])
    return ListedAnswer(
        row.id, row.number, row.worker, row.name, ItemKind(row.kind), state, row.feedback, row.passed, result,
        item_values(result), answer_values(study, result),
    )  # fmt: skip


# Sorting keeps the order of the items among equals.
_ORDERS: Mapping[str, Callable[[Any], Any]] = {
    "": lambda row: 0,
    "item": lambda row: 0,
    "latest": lambda row: -row.submitted.timestamp(),
    "earliest": lambda row: row.submitted.timestamp(),
    "fastest": lambda row: row.active if row.active is not None else row.seconds,
    "slowest": lambda row: -(row.active if row.active is not None else row.seconds),
    "worker": lambda row: row.name.casefold(),
}
