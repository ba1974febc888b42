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
from annotation.studies.work.answers import hand_in_turn, submit
from annotation.studies.work.leases import Assignment, next_item
from annotation.studies.work.phases import begin_tasks
from backend.storage.database import Database, now

# Written for the example: what somebody has handed in before one comes, so that a lead has something to decide on.
COLLEAGUE = "Kim (invented)"
ANSWERED = {
    "sensible": "yes",
    "rephrased_question": "Which city is the capital of the only country next to Portugal?",
    "predicted_1": "Which country shares a border with Portugal?",
    "predicted_2": "Which of them pays in euros?",
    "predicted_3": "And what is its capital?",
    "feedback": "Nobody wanted to know about the euro, so step 2 was one too many.",
}
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
        """A study of one's own: the example, its worker past the quiz and at the first task, an answer before its lead."""
        with self._lock:
            database = self._fresh()
            self._tried += 1
            study = open_study(database, EXAMPLE, self.clock, f"example-{self._tried}")
        people = {role: sign_in_by_link(study, enrol(study, name, role).link, "here")
                  for role, name in ((Role.WORKER, "You"), (Role.LEAD, "You as lead"))}  # fmt: skip
        _at_the_tasks(study, people[Role.WORKER])
        _answered_before(study)
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


def _answered_before(study: Study) -> None:
    """Let an invented colleague hand in the first dialogue of the trial, turn by turn."""
    colleague = sign_in_by_link(study, enrol(study, COLLEAGUE).link, "here")
    with study.database.writing() as connection:
        of_colleague = study_workers.c.id == colleague.worker
        connection.execute(update(study_workers).where(of_colleague).values(phase=Phase.TRIAL.value))
    task = next_item(study, colleague)
    while task.turns.more:
        hand_in_turn(study, colleague, task.key, task.turns.at, _open_fields(task))
        task = next_item(study, colleague)
    submit(study, colleague, task.key, _open_fields(task), "invented")


def _open_fields(task: Assignment) -> dict[str, str]:
    return {part.name: ANSWERED[part.name] for part in task.parts if part.name and part.name not in task.turns.handed_in}
