"""The example to try, as a worker and as a lead: a study for each who tries, in a database that goes with the server.

Nothing of it reaches the real database, so that anybody may try, and nobody sees what another has typed.
"""

import atexit
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from sqlalchemy import update

from annotation.studies.callers import Caller, Phase, Role
from annotation.studies.people.sessions import begin_session, session
from annotation.studies.people.workers import enrol, sign_in_by_link
from annotation.studies.study import EXAMPLE, Clock, Study, load_study, open_study
from annotation.studies.tables import study_workers
from annotation.studies.work.phases import begin_tasks
from backend.storage.database import Database, now

MOST = 200  # tries; then the oldest are forgotten together
PREFIX = "try-"


@dataclass(frozen=True)
class TriedStudy:
    """Tokens of the two people that one who tries may be."""

    worker: str
    lead: str


@dataclass
class Sandbox:
    """Safe to share between threads."""

    clock: Clock = now
    _lock: Lock = field(default_factory=Lock)
    _database: Database | None = None
    _folder: str | None = None
    _tried: int = 0

    def begin(self) -> TriedStudy:
        """A study of one's own: the example, its worker past the quiz and at the first task."""
        with self._lock:
            database = self._fresh()
            self._tried += 1
            study = open_study(database, EXAMPLE, self.clock, f"example-{self._tried}")
        people = {role: sign_in_by_link(study, enrol(study, name, role).link, "here")
                  for role, name in ((Role.WORKER, "You"), (Role.LEAD, "You as lead"))}  # fmt: skip
        _at_the_tasks(study, people[Role.WORKER])
        tokens = {role: PREFIX + begin_session(study, caller) for role, caller in people.items()}
        return TriedStudy(tokens[Role.WORKER], tokens[Role.LEAD])

    def signed_in(self, token: str) -> tuple[Study, Caller]:
        """Raises Refused (SIGN_IN) if the token lets nobody in, or the server was started again since."""
        with self._lock:
            database = self._fresh()
        name, caller = session(database, token.removeprefix(PREFIX), self.clock)
        return load_study(database, name, self.clock), caller

    def close(self) -> None:
        """Forget all examples; the next one is made again."""
        if self._database is not None:
            self._database.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._database = self._folder = None
        self._tried = 0

    def _fresh(self) -> Database:
        if self._tried >= MOST:
            self.close()
        if self._database is None:
            self._folder = tempfile.mkdtemp(prefix="parley-example-")
            self._database = Database(f"sqlite:///{Path(self._folder) / 'example.sqlite'}")
            atexit.register(self.close)
        return self._database


def _at_the_tasks(study: Study, worker: Caller) -> None:
    """Past tutorial, quiz and trial, which can still be read."""
    with study.database.writing() as connection:
        values = {"phase": Phase.TASKS.value, **begin_tasks(connection, study)}
        connection.execute(update(study_workers).where(study_workers.c.id == worker.worker).values(**values))
