"""What workers have earned: a rate for each task, and bonuses, each given once and ticked off when it is paid.

Amounts are in hundredths of the currency of the study.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import Connection, func, select, update

from annotation.pairs import storable
from annotation.studies.callers import Caller, Role, anyone_calling, lead_calling, worker_named, write_event
from annotation.studies.refusals import Reason, Refused
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_bonuses, study_workers

LONGEST_BONUS_REASON = 100
LARGEST_BONUS = 10_000_000


@dataclass(frozen=True)
class Bonus:
    number: int
    reason: str
    hundredths: int
    created: datetime
    paid: datetime | None


@dataclass(frozen=True)
class Earnings:
    """`tasks`: how many tasks of trial and batches were handed in, `for_tasks` what they earn."""

    worker: int
    name: str
    pseudonym: str
    tasks: int
    for_tasks: int
    bonuses: tuple[Bonus, ...]
    currency: str

    @property
    def total(self) -> int:
        return self.for_tasks + sum(bonus.hundredths for bonus in self.bonuses)


def award(connection: Connection, study: Study, worker: int, reason: str, amount: Decimal) -> None:
    """Note a bonus; nothing happens for an amount of 0, or if the worker has one for this reason."""
    if (hundredths := int(amount * 100)) == 0:
        return
    table = study_bonuses
    there = select(table.c.id).where(table.c.worker == worker, table.c.reason == reason)
    if connection.execute(there).first() is None:
        values = {"study": study.id, "worker": worker, "reason": reason, "hundredths": hundredths, "created": study.clock()}
        connection.execute(table.insert().values(**values))


def give_bonus(study: Study, lead: Caller, worker: int, reason: str, hundredths: int) -> None:
    """A bonus beside those of the plan. Raises Refused (DECIDED) if the worker has one for this reason."""
    reason = storable(reason.strip(), "reason")
    if not 0 < len(reason) <= LONGEST_BONUS_REASON or not 0 < hundredths <= LARGEST_BONUS:
        told = f"A bonus needs a reason of 1 to {LONGEST_BONUS_REASON} characters and an amount of 1 to {LARGEST_BONUS:,}."
        raise Refused(Reason.ANSWER, told)
    with study.database.writing() as connection:
        actor = lead_calling(connection, study, lead)
        row = worker_named(connection, study, worker)
        table = study_bonuses
        if connection.execute(select(table.c.id).where(table.c.worker == worker, table.c.reason == reason)).first():
            raise Refused(Reason.DECIDED, f"{row.name} has the bonus {reason!r} already.")
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
            raise Refused(Reason.UNKNOWN, f"There is no bonus number {bonus} in this study.")
        if row.paid is not None:
            raise Refused(Reason.DECIDED, f"This bonus was paid on {row.paid:%Y-%m-%d}.")
        connection.execute(update(table).where(*mine).values(paid=study.clock()))
        write_event(connection, study, actor.id, row.worker, "paid", {"reason": row.reason, "hundredths": row.hundredths})


def earnings(study: Study, caller: Caller) -> tuple[Earnings, ...]:
    """Of all workers to a lead, of themselves to a worker."""
    with study.database.reading() as connection:
        row = anyone_calling(connection, study, caller)
        people = select(study_workers).where(study_workers.c.study == study.id, study_workers.c.role == Role.WORKER.value)
        if row.role != Role.LEAD:
            people = people.where(study_workers.c.id == row.id)
        workers = connection.execute(people.order_by(study_workers.c.id)).all()
        given: dict[int, list[Bonus]] = {worker.id: [] for worker in workers}
        of_study = select(study_bonuses).where(study_bonuses.c.study == study.id).order_by(study_bonuses.c.id)
        for each in connection.execute(of_study):
            if each.worker in given:
                given[each.worker].append(Bonus(each.id, each.reason, each.hundredths, each.created, each.paid))
        table = study_assignments
        counts = select(table.c.worker, func.count()).where(table.c.study == study.id, table.c.state == "submitted")
        tasks = {number: int(count) for number, count in connection.execute(counts.group_by(table.c.worker))}
    payment = study.plan.file.payment
    return tuple(
        Earnings(
            worker.id, worker.name, worker.pseudonym, tasks.get(worker.id, 0),
            int(payment.per_task * 100) * tasks.get(worker.id, 0), tuple(given[worker.id]), payment.currency,
        )
        for worker in workers
    )  # fmt: skip
