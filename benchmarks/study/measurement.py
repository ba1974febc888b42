"""One run: a server is started, worked at, perhaps killed now and then, and its database looked through."""

import os
import secrets
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from annotation.studies.study import Study
from annotation.studies.work.leases import SWEPT_AT_ONCE
from backend.storage.database import Database
from benchmarks.study.losses import Losses, count_leases, count_stuck, losses
from benchmarks.study.server import StudyServer
from benchmarks.study.study import Shape, make_study
from benchmarks.study.workers import DRAFT, NEXT, SUBMIT, Journal, Worker, WorkPace

BOUND_MS = 200.0  # for the 95th percentile of `next` and of `submit`
LATE = "late"  # comes when all others have gone and their leases have run out


@dataclass(frozen=True)
class Load:
    """`seconds`: how long there is a server to work at; `kills`: how often it is killed meanwhile, at equal distances."""

    workers: int
    shape: Shape
    pace: WorkPace
    seconds: float
    kills: int = 0


@dataclass(frozen=True)
class Latency:
    """Milliseconds from sending a call to having its reply, over all answered calls."""

    calls: int
    median: float
    p95: float
    slowest: float


@dataclass(frozen=True)
class StudyMeasurement:
    """`load_before`, `load_after`: how many processes wanted a core in the last minute, of `cores`."""

    database: str
    load: Load
    submitted: int
    drafts: int
    losses: Losses
    refusals: dict[str, int]
    cut_off: int
    latencies: dict[str, Latency]
    cores: int
    load_before: float
    load_after: float

    @property
    def within_bounds(self) -> bool:
        return all(self.latencies[name].p95 < BOUND_MS for name in (NEXT, SUBMIT))

    def as_json(self) -> dict[str, Any]:
        load = self.load
        asked = {"clients": load.workers, "items": load.shape.items, "overlap": load.shape.overlap, "seconds": load.seconds,
                 "think_seconds": [load.pace.least, load.pace.most], "drafts_a_task": load.pace.drafts, "kills": load.kills,
                 "lease_minutes": load.shape.lease_minutes}  # fmt: skip
        fields = {"submitted": self.submitted, "drafts": self.drafts, "lost": self.losses.lost, **asdict(self.losses)}
        fields |= {"refusals": self.refusals, "cut_off": self.cut_off, "within_bounds": self.within_bounds}
        for word, name in (("next", NEXT), ("draft", DRAFT), ("submit", SUBMIT)):
            each = self.latencies[name]
            fields |= {f"calls_{word}": each.calls, f"median_{word}_ms": each.median, f"p95_{word}_ms": each.p95,
                      f"slowest_{word}_ms": each.slowest}  # fmt: skip
        return asked | fields | {"cores": self.cores, "load_before": self.load_before, "load_after": self.load_after}


def measure(load: Load, address: str, folder: Path) -> StudyMeasurement:
    """Run `load` on the database at `address`, in a study of its own; `folder` is for its files.

    Raises AnnotationError if the server does not start, Unanswered if it stays away.
    """
    before, database = os.getloadavg()[0], Database(address)
    try:
        names = [f"worker-{number}" for number in range(load.workers)]
        own_database = folder / f"bench-{secrets.token_hex(4)}"
        study, links = make_study(database, own_database, load.shape, [*names, LATE])
        late = links.pop(LATE)
        with StudyServer(own_database, address) as server:
            journals = work(server, links, load)
            after = os.getloadavg()[0]
            stuck = 0
            if load.kills:
                journals.append(come_late(study, server.port, late))
                stuck = count_stuck(study)
        lost = replace(losses(study, journals), stuck_leases=stuck)
    finally:
        database.close()
    return _measurement(address.split("+")[0].split(":")[0], load, journals, lost, (before, after))


def work(server: StudyServer, links: dict[str, str], load: Load) -> list[Journal]:
    """Everybody signs in, then works for the time of the load; in the end the server runs, however often it was killed."""
    stop = threading.Event()
    workers = [Worker(server.port, name, link, load.pace, stop) for name, link in links.items()]
    with ThreadPoolExecutor(len(workers)) as pool:
        list(pool.map(Worker.sign_in, workers))
        working = [pool.submit(worker.run) for worker in workers]
        try:
            for number in range(load.kills + 1):
                if number:
                    server.kill()
                    server.start()
                time.sleep(load.seconds / (load.kills + 1))
        finally:
            stop.set()
        return [each.result() for each in working]


def come_late(study: Study, port: int, link: str) -> Journal:
    """Somebody new works on when all leases of the others have run out, long enough to free them all."""
    calls = count_leases(study) // SWEPT_AT_ONCE + 2
    time.sleep(study.plan.file.lease_minutes * 60)
    stop = threading.Event()
    worker = Worker(port, LATE, link, WorkPace(0, 0, 1), stop, to_the_end=True)
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(worker.run)
        while len(worker.journal.receipts) < calls and not working.done():
            time.sleep(0.01)
        stop.set()
        return working.result()


def _measurement(
    database: str, load: Load, journals: list[Journal], losses: Losses, averages: tuple[float, float]
) -> StudyMeasurement:
    names = (NEXT, DRAFT, SUBMIT)
    of_all = {name: [second for journal in journals for second in journal.seconds[name]] for name in names}
    refusals: dict[str, int] = {}
    for journal in journals:
        for reason, count in journal.refusals.items():
            refusals[reason] = refusals.get(reason, 0) + count
    return StudyMeasurement(
        database,
        load,
        sum(len(journal.receipts) for journal in journals),
        len(of_all[DRAFT]),
        losses,
        refusals,
        sum(journal.cut_off for journal in journals),
        {name: latency(seconds) for name, seconds in of_all.items()},
        os.cpu_count() or 1,
        round(averages[0], 1),
        round(averages[1], 1),
    )


def latency(seconds: Iterable[float]) -> Latency:
    """Of calls that took so many seconds; with none, it is not a number."""
    import numpy as np

    times = np.array(sorted(seconds)) * 1000
    if not len(times):
        return Latency(0, float("nan"), float("nan"), float("nan"))
    median, p95 = np.quantile(times, (0.5, 0.95))
    return Latency(len(times), round(float(median), 1), round(float(p95), 1), round(float(times[-1]), 1))
