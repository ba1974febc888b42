"""The server is killed in the middle of everything: what it had acknowledged is there, exactly once, and work goes on.

The full form, with fifty workers: `python -m annotation bench --kills 20 --think 0 0.2`.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from annotation.studies.figures.progress import figures
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments
from backend.storage.database import Database
from benchmarks.study.losses import Losses, count_leases, count_stuck, losses
from benchmarks.study.measurement import LATE
from benchmarks.study.server import StudyServer
from benchmarks.study.study import Shape, make_study
from benchmarks.study.workers import Journal, Worker, WorkPace

WORKERS = 8
ITEMS = 60
PACE = WorkPace(0, 0.05, 2)
NONE = Losses(0, 0, 0, 0, 0)


def _work_through_a_kill(server: StudyServer, links: dict[str, str]) -> list[Journal]:
    """Everybody works; the server is killed when each has handed in once on average, and serves as much again after that."""
    stop = threading.Event()
    workers = [Worker(server.port, name, link, PACE, stop) for name, link in links.items()]
    with ThreadPoolExecutor(len(workers)) as pool:
        list(pool.map(Worker.sign_in, workers))
        working = [pool.submit(worker.run) for worker in workers]
        try:
            _until(lambda: _handed_in(workers) >= WORKERS)
            server.kill()
            before = _handed_in(workers)
            server.start()
            _until(lambda: _handed_in(workers) >= before + WORKERS)
        finally:
            stop.set()
        return [each.result() for each in working]


def _handed_in(workers: Sequence[Worker]) -> int:
    return sum(len(worker.journal.receipts) for worker in workers)


def _until(reached: Callable[[], bool]) -> None:
    end = time.monotonic() + 300
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.01)


def _let_all_leases_run_out(study: Study, lent: int) -> None:
    """Nobody is there to take what they held."""
    table = study_assignments
    with study.database.writing() as connection:
        connection.execute(update(table).where(table.c.study == study.id).values(expires=study.clock() - timedelta(minutes=1)))
    assert count_stuck(study) == lent


@pytest.mark.slow
@pytest.mark.every_database
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(database: Database, tmp_path: Path) -> None:
    names = [f"worker-{number}" for number in range(WORKERS)]
    study, links = make_study(database, tmp_path / "killed", Shape(items=ITEMS, overlap=1), [*names, LATE])
    late = links.pop(LATE)
    with StudyServer(tmp_path / "killed", str(database)) as server:
        journals = _work_through_a_kill(server, links)
        assert sum(journal.cut_off for journal in journals) > 0
        left, lent = sum(len(journal.receipts) for journal in journals), count_leases(study)
        assert 2 * WORKERS <= left < ITEMS
        assert lent > 0
        assert losses(study, journals) == NONE
        _let_all_leases_run_out(study, lent)
        journals.append(Worker(server.port, LATE, late, WorkPace(0, 0, 1), threading.Event(), to_the_end=True).run())
    # What the others had begun went to the one who came later, and every item has its one answer.
    assert count_leases(study) == 0
    assert losses(study, journals) == NONE
    with database.reading() as connection:
        found = figures(study, connection)
    assert (found.complete, found.answers) == (ITEMS, ITEMS)
