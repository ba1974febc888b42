"""The server is killed in the middle of everything: what it had acknowledged is there, exactly once, and work goes on.

The full form, with fifty workers: `python -m annotation bench --kills 20 --think 0 0.2`.
"""

import threading
import time
from pathlib import Path

import pytest

from annotation.studies.figures.progress import figures
from annotation.studies.study import Study
from backend.storage.database import Database
from benchmarks.study.losses import Losses, count_leases, count_stuck, losses
from benchmarks.study.measurement import LATE, Load, work
from benchmarks.study.server import StudyServer
from benchmarks.study.study import Shape, make_study
from benchmarks.study.workers import Worker, WorkPace

LEASE_MINUTES = 0.1
LOAD = Load(8, Shape(items=100, overlap=1, lease_minutes=LEASE_MINUTES), WorkPace(0, 0.3, 2), seconds=4, kills=1)


def _until_all_are_stuck(study: Study, lent: int) -> None:
    """Until every lease has run out; nobody is there to take what they held."""
    end = time.monotonic() + 120
    while (stuck := count_stuck(study)) < lent and time.monotonic() < end:
        time.sleep(0.1)
    assert stuck == lent


@pytest.mark.slow
@pytest.mark.every_database
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(database: Database, tmp_path: Path) -> None:
    names = [f"worker-{number}" for number in range(LOAD.workers)]
    study, links = make_study(database, tmp_path / "killed", LOAD.shape, [*names, LATE])
    late = links.pop(LATE)
    with StudyServer(tmp_path / "killed", str(database)) as server:
        journals = work(server, links, LOAD)
        assert sum(journal.cut_off for journal in journals) > 0
        left, lent = sum(len(journal.receipts) for journal in journals), count_leases(study)
        assert 0 < left < LOAD.shape.items
        assert lent > 0
        assert losses(study, journals) == Losses(0, 0, 0, 0, 0)
        _until_all_are_stuck(study, lent)
        journals.append(Worker(server.port, LATE, late, WorkPace(0, 0, 1), threading.Event(), to_the_end=True).run())
    # What the others had begun went to the one who came later, and every item has its one answer.
    assert count_leases(study) == 0
    assert losses(study, journals) == Losses(0, 0, 0, 0, 0)
    with database.reading() as connection:
        found = figures(study, connection)
    assert (found.complete, found.answers) == (LOAD.shape.items, LOAD.shape.items)
