"""What workers have earned: a rate for each task, and bonuses, each given once; what was paid of it is ticked off.

Amounts are in hundredths of the currency of the study.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, func, select, update

from annotation.studies.callers import Caller, Phase, Role, anyone_calling, lead_calling, worker_named, write_event
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_bonuses, study_events, study_workers
from annotation.words.catalogue import translate
from backend.text.storable import storable

LONGEST_BONUS_REASON = 100
LARGEST_BONUS = 10_000_000
TASKS_PAID = "tasks paid"  # the kind of event


@dataclass(frozen=True)
class Bonus:
    number: int
    reason: str
    hundredths: int
    created: datetime
    paid: datetime | None


@dataclass(frozen=True)
class Earnings:
    """`tasks`: how many tasks were handed in, of which `in_trial` in the trial; `for_tasks`: what they earn.

    `tasks_paid`, `paid_for_tasks`: how many of them were paid, and with what.
    """

    worker: int
    name: str
    pseudonym: str
    tasks: int
    in_trial: int
    for_tasks: int
    tasks_paid: int
    paid_for_tasks: int
    bonuses: tuple[Bonus, ...]
    currency: str

    @property
    def total(self) -> int:
        return self.for_tasks + sum(bonus.hundredths for bonus in self.bonuses)

    @property
    def due(self) -> int:
        """What is earned and not paid."""
        paid = self.paid_for_tasks + sum(bonus.hundredths for bonus in self.bonuses if bonus.paid is not None)
        return max(0, self.total - paid)


def award(connection: Connection, study: Study, worker: int, reason: str, amount: Decimal) -> None:
    """Note a bonus; nothing happens for an amount of 0, or if the worker has one for this reason."""
    if (hundredths := int(amount * 100)) == 0:
        return
    table = study_bonuses
    there = select(table.c.id).where(table.c.worker == worker, table.c.reason == reason)
    if connection.execute(there).first() is None:
        values = {"study": study.id, "worker": worker, "reason": reason, "hundredths": hundredths, "created": study.clock()}
        connection.execute(table.insert().values(**values))


def award_batch(connection: Connection, study: Study, row: Any) -> None:
    """The bonus for the batch that a worker (`row`) has passed, or for each so many tasks that passed batches hold now."""
    pay = study.plan.file.payment
    if pay.bonus_tasks is None:
        award(connection, study, row.id, f"batch {row.batch}", pay.batch)
        return
    before, now = ((tasks // pay.bonus_tasks) for tasks in (row.released - row.size, row.released))
    for number in range(before + 1, now + 1):
        award(connection, study, row.id, f"{number * pay.bonus_tasks} tasks", pay.batch)


def give_bonus(study: Study, lead: Caller, worker: int, reason: str, hundredths: int) -> None:
    """A bonus beside those of the plan. Raises Refused (DECIDED) if the worker has one for this reason."""
    reason = storable(reason.strip(), "reason")
    if not 0 < len(reason) <= LONGEST_BONUS_REASON or not 0 < hundredths <= LARGEST_BONUS:
        message = translate(
            "A bonus needs a reason of 1 to {longest_bonus_reason} characters and an amount of 1 to {largest_bonus:,}.",
            longest_bonus_reason=LONGEST_BONUS_REASON,
            largest_bonus=LARGEST_BONUS,
        )
        raise CallRefusedError(Reason.ANSWER, message)
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        row = worker_named(connection, study, worker)
        table = study_bonuses
        if connection.execute(select(table.c.id).where(table.c.worker == worker, table.c.reason == reason)).first():
            raise CallRefusedError(
                Reason.DECIDED, translate("{name} has the bonus {reason} already.", name=row.name, reason=repr(reason))
            )
        award(connection, study, worker, reason, Decimal(hundredths) / 100)
        write_event(connection, study, actor.id, worker, "bonus", {"reason": reason, "hundredths": hundredths})


def mark_paid(study: Study, lead: Caller, bonus: int) -> None:
    """Raises Refused: UNKNOWN for no bonus of this study, DECIDED for one that is paid."""
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        table = study_bonuses
        mine = (table.c.id == bonus, table.c.study == study.id)
        row = connection.execute(select(table).where(*mine).with_for_update()).first()
        if row is None:
            raise CallRefusedError(Reason.UNKNOWN, translate("There is no bonus number {bonus} in this study.", bonus=bonus))
        if row.paid is not None:
            raise CallRefusedError(Reason.DECIDED, translate("This bonus was paid on {paid:%Y-%m-%d}.", paid=row.paid))
        connection.execute(update(table).where(*mine).values(paid=study.clock()))
        write_event(connection, study, actor.id, row.worker, "paid", {"reason": row.reason, "hundredths": row.hundredths})


def pay_tasks(study: Study, lead: Caller, worker: int, tasks: int) -> int:
    """Tick off a worker's first `tasks` tasks as paid, and return for how much, in hundredths.

    Raises Refused: DECIDED if so many are paid already, ANSWER if the worker has not handed in so many.
    """
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        row = worker_named(connection, study, worker)
        paid, amount = _tasks_paid(connection, study, worker).get(worker, (0, 0))
        done = sum(_tasks_done(connection, study, worker).get(worker, (0, 0)))
        if tasks <= paid:
            raise CallRefusedError(
                Reason.DECIDED, translate("{paid} tasks of {name} are paid already.", paid=paid, name=row.name)
            )
        if tasks > done:
            raise CallRefusedError(
                Reason.ANSWER,
                translate("{name} has handed in {done} tasks, not {tasks}.", name=row.name, done=done, tasks=tasks),
            )
        due = max(0, _rate(study) * tasks - amount)
        write_event(connection, study, actor.id, worker, TASKS_PAID, {"tasks": tasks - paid, "hundredths": due})
        return due


def earnings(study: Study, caller: Caller) -> tuple[Earnings, ...]:
    """Of all workers to a lead, of themselves to a worker."""
    with study.database.reading() as connection:
        row = anyone_calling(connection, study, caller)
        return _earnings(connection, study, None if row.role == Role.LEAD else row.id)


def all_earnings(study: Study) -> tuple[Earnings, ...]:
    """Of all workers, for callers with direct access to the database."""
    with study.database.reading() as connection:
        return _earnings(connection, study, None)


def _earnings(connection: Connection, study: Study, only: int | None) -> tuple[Earnings, ...]:
    people = select(study_workers).where(study_workers.c.study == study.id, study_workers.c.role == Role.WORKER.value)
    if only is not None:
        people = people.where(study_workers.c.id == only)
    workers = connection.execute(people.order_by(study_workers.c.id)).all()
    bonuses: dict[int, list[Bonus]] = {worker.id: [] for worker in workers}
    of_study = select(study_bonuses).where(study_bonuses.c.study == study.id).order_by(study_bonuses.c.id)
    for each in connection.execute(of_study):
        if each.worker in bonuses:
            bonuses[each.worker].append(Bonus(each.id, each.reason, each.hundredths, each.created, each.paid))
    done, paid = _tasks_done(connection, study, only), _tasks_paid(connection, study, only)
    result = []
    for worker in workers:
        in_trial, later = done.get(worker.id, (0, 0))
        tasks, (tasks_paid, amount) = in_trial + later, paid.get(worker.id, (0, 0))
        result.append(Earnings(
            worker.id, worker.name, worker.pseudonym, tasks, in_trial, _rate(study) * tasks, tasks_paid, amount,
            tuple(bonuses[worker.id]), study.plan.file.payment.currency,
        ))  # fmt: skip
    return tuple(result)


def _rate(study: Study) -> int:
    return int(study.plan.file.payment.per_task * 100)


def _tasks_done(connection: Connection, study: Study, only: int | None) -> dict[int, tuple[int, int]]:
    """How many tasks were handed in, in the trial and after it, by worker."""
    table = study_assignments
    trial = table.c.phase == Phase.TRIAL.value
    query = select(table.c.worker, func.count().filter(trial), func.count().filter(~trial))
    # What was taken back, or erased with a person, is not used, but was worked at.
    query = query.where(table.c.study == study.id, table.c.state.in_(("submitted", "retracted", "erased"))).group_by(
        table.c.worker
    )
    if only is not None:
        query = query.where(table.c.worker == only)
    return {worker: (int(early), int(later)) for worker, early, later in connection.execute(query)}


def _tasks_paid(connection: Connection, study: Study, only: int | None) -> dict[int, tuple[int, int]]:
    """How many tasks were paid, and with how much, by worker."""
    query = select(study_events.c.worker, study_events.c.content)
    query = query.where(study_events.c.study == study.id, study_events.c.kind == TASKS_PAID)
    if only is not None:
        query = query.where(study_events.c.worker == only)
    result: dict[int, tuple[int, int]] = {}
    for worker, content in connection.execute(query):
        tasks, amount = result.get(worker, (0, 0))
        result[worker] = (tasks + content["tasks"], amount + content["hundredths"])
    return result
