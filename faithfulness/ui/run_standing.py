"""How far the run of a visitor is: from its folder, and from the job that works on it, if one does."""

import json
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from backend.errors import ParleyError, defect_sentence
from backend.jobs import Job, JobState
from faithfulness.runs.folder import RunFolder


class Stage(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"
    ENDED = "ended"
    COMPLETE = "complete"


ACTIVE = frozenset({Stage.WAITING, Stage.RUNNING, Stage.STOPPING})


@dataclass(frozen=True)
class About:
    """`samples` is the number of rows that are used, `bad` that of rows left out; `created` is UTC in ISO form."""

    file: str
    samples: int
    bad: int
    created: str


@dataclass(frozen=True)
class VisitorRun:
    id: str
    path: Path
    about: About

    @property
    def folder(self) -> RunFolder:
        return RunFolder(self.path)


@dataclass(frozen=True)
class RunStanding:
    """How far a run is. Counts are over all its models; `calls` and `failed_calls` since it was first started.

    `seconds_left` is an estimate from the samples finished since it was started or resumed, None before the first.
    `reason` says why it ended early, or the error of the last failed sample.
    """

    stage: Stage
    samples: int
    finished: int
    failed: int
    calls: int
    failed_calls: int
    seconds_left: float | None = None
    reason: str = ""

    @property
    def active(self) -> bool:
        return self.stage in ACTIVE


@dataclass(frozen=True)
class RunJob:
    """The job that works on a run: when it `began`, how many rows each model has `finished`, which it keeps up to date, and how
    many those were `before`."""

    run_id: str
    job: Job[None]
    began: float
    finished: dict[str, int]
    before: int


def read_run(path: Path) -> VisitorRun | None:
    """The run in a folder, None if there is none."""
    try:
        return VisitorRun(path.name, path, About(**json.loads((path / "about.json").read_text(encoding="utf-8"))))
    except (OSError, ValueError, TypeError):
        return None


def standing_of(run: VisitorRun, work: RunJob | None) -> RunStanding:
    """How far a run is, that is worked on by `work` or was by it last."""
    folder, models = run.folder, run.folder.settings()["models"]
    samples = run.about.samples * len(models)
    finished = sum((work.finished if work else finished_rows(folder)).values())
    stage = _stage(work.job if work else None, samples - finished)
    failed = [] if stage in ACTIVE else [each for name in models for each in folder.failed(name)]
    calls, failed_calls = _calls(folder, list(models))
    if stage is Stage.STOPPED and failed and len(failed) == samples - finished:
        stage = Stage.ENDED
    reason = _reason(work) or (failed[-1]["reason"] if failed else "")
    left = _seconds_left(work, finished, samples) if stage is Stage.RUNNING and work else None
    return RunStanding(stage, samples, finished, len(failed), calls, failed_calls, left, reason)


def finished_rows(folder: RunFolder) -> dict[str, int]:
    """How many rows each model has finished."""
    return {name: len(folder.finished(name)) for name in folder.settings()["models"]}


# Of a job that goes on; once it has ended, what lies in the folder says more.
GOING_ON = {JobState.WAITING: Stage.WAITING, JobState.RUNNING: Stage.RUNNING}


def _stage(job: Job[None] | None, left: int) -> Stage:
    if job is not None and job.state in GOING_ON:
        return Stage.STOPPING if job.stopping else GOING_ON[job.state]
    if left <= 0:
        return Stage.COMPLETE
    return Stage.FAILED if job is not None and job.state is JobState.FAILED else Stage.STOPPED


def _calls(folder: RunFolder, models: list[str]) -> tuple[int, int]:
    store = folder.calls()
    try:
        return len(store), sum(sum(store.failures(name).values()) for name in models)
    finally:
        store.close()


def _reason(work: RunJob | None) -> str:
    error = work.job.error if work else None
    if work is None or error is None:
        return ""
    if isinstance(error, ParleyError):
        return error.shown
    return defect_sentence(f"run {work.run_id}")


def _seconds_left(work: RunJob, finished: int, samples: int) -> float | None:
    done = finished - work.before
    return (time.monotonic() - work.began) / done * (samples - finished) if done > 0 else None


def describe(run: VisitorRun, standing: RunStanding) -> dict[str, Any]:
    """What a list says of a run."""
    return {
        "file": run.about.file,
        "models": ", ".join(run.folder.settings()["models"]),
        "when": run.about.created[:16].replace("T", " "),
        "finished": f"{standing.finished} of {standing.samples}",
        "stage": standing.stage.value,
    }
