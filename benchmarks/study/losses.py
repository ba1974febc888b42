"""Compare what the server acknowledged with what the database holds."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_drafts, study_events, study_items, study_workers
from annotation.studies.work.leases import LEASED, SUBMITTED
from benchmarks.study.workers import Journal


@dataclass(frozen=True)
class Losses:
    """All zero if the server keeps its word.

    double_assignments: slots and answers of an item beyond its overlap, second leases of a worker, second answers of a worker
    to an item. lost_submissions, lost_drafts: acknowledged, but not there exactly once as sent. strays: answers that nobody
    sent. miscounts: items whose counts of slots are not those of their assignments. stuck_leases: leases that ran out and
    hold a slot, though somebody has asked for work since; counted only where that was tried.
    """

    double_assignments: int
    lost_submissions: int
    lost_drafts: int
    strays: int
    miscounts: int
    stuck_leases: int = 0

    @property
    def lost(self) -> int:
        return self.lost_submissions + self.lost_drafts

    def __bool__(self) -> bool:
        return any(vars(self).values())


def losses(study: Study, journals: Iterable[Journal]) -> Losses:
    """Look through a study on which only the writers of `journals` have worked."""
    journals = list(journals)
    with study.database.reading() as connection:
        there = _StoredStudy(study, connection)
    lost = [_lost_submissions(there, journal) for journal in journals]
    drafts = [_lost_drafts(there, journal) for journal in journals]
    sent = {(there.workers[journal.name], submission) for journal in journals for submission in journal.sent}
    strays = sum((event.worker, _submission(event)) not in sent for event in there.events)
    return Losses(_doubles(there, journals), sum(lost), sum(drafts), strays, _miscounts(there))


def count_stuck(study: Study) -> int:
    table = study_assignments
    over = (table.c.study == study.id, table.c.state == LEASED, table.c.expires <= study.clock())
    with study.database.reading() as connection:
        return int(connection.execute(select(func.count()).select_from(table).where(*over)).scalar_one())


def count_leases(study: Study) -> int:
    table = study_assignments
    with study.database.reading() as connection:
        query = select(func.count()).select_from(table).where(table.c.study == study.id, table.c.state == LEASED)
        return int(connection.execute(query).scalar_one())


class _StoredStudy:
    """Everything of one study that the comparison needs, read at one moment."""

    def __init__(self, study: Study, connection: Connection) -> None:
        items, events = study_items, study_events
        workers = connection.execute(select(study_workers.c.name, study_workers.c.id).where(study_workers.c.study == study.id))
        self.workers: dict[str, int] = {row.name: row.id for row in workers}
        self.items = connection.execute(select(items.c.id, items.c.key, items.c.wanted, items.c.taken, items.c.open)
                                        .where(items.c.study == study.id)).all()  # fmt: skip
        self.keys: dict[int, str] = {item.id: item.key for item in self.items}
        assignments = select(study_assignments).where(study_assignments.c.study == study.id)
        self.assignments = connection.execute(assignments).all()
        submitted = select(events).where(events.c.study == study.id, events.c.kind == SUBMITTED)
        self.events = connection.execute(submitted).all()
        drafts = select(study_drafts).where(study_drafts.c.worker.in_(self.workers.values()))
        self.drafts: Mapping[tuple[int, str, str], Any] = {
            (row.worker, self.keys[row.item], row.field): row for row in connection.execute(drafts)
        }


def _doubles(there: _StoredStudy, journals: list[Journal]) -> int:
    slots = Counter(row.item for row in there.assignments if row.slot is not None)
    answers = Counter(row.item for row in there.assignments if row.state == SUBMITTED)
    acknowledged = Counter(journal.sent[submission][0] for journal in journals for submission in journal.receipts)
    beyond: int = sum(
        max(0, count - item.wanted)
        for item in there.items
        for count in (slots[item.id], answers[item.id], acknowledged[item.key])
    )
    leases = Counter(row.worker for row in there.assignments if row.state == LEASED)
    twice = Counter((event.worker, event.item) for event in there.events)
    return beyond + sum(count - 1 for counts in (leases, twice) for count in counts.values())


def _lost_submissions(there: _StoredStudy, journal: Journal) -> int:
    worker = there.workers[journal.name]
    events = defaultdict(list)
    for event in there.events:
        if event.worker == worker:
            events[_submission(event)].append(event)
    stands = {there.keys[row.item]: row for row in there.assignments if row.worker == worker and row.state == SUBMITTED}
    lost = 0
    for submission, number in journal.receipts.items():
        key, answer = journal.sent[submission]
        kept = [(event.id, event.content["key"], event.content["answer"]) for event in events[submission]]
        row = stands.get(key)
        lost += kept != [(number, key, answer)] or row is None or (row.number, row.answer) != (number, answer)
    return lost


def _lost_drafts(there: _StoredStudy, journal: Journal) -> int:
    """A draft is dropped only when its item is handed in, be it that the receipt was lost on the way."""
    worker = there.workers[journal.name]
    handed_in = {there.keys[event.item] for event in there.events if event.worker == worker}
    lost = set(journal.forgotten)
    for (key, field), (version, value) in journal.drafts.items():
        row = there.drafts.get((worker, key, field))
        same = row is not None and (row.version > version or (row.version, row.value) == (version, value))
        if key not in handed_in and not same:
            lost.add((key, field))
    return len(lost)


def _miscounts(there: _StoredStudy) -> int:
    slots = Counter(row.item for row in there.assignments if row.slot is not None)
    return sum((item.taken, item.open) != (slots[item.id], slots[item.id] < item.wanted) for item in there.items)


def _submission(event: Any) -> str:
    return str(event.once).removeprefix("submission:")
