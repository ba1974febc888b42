"""The runs of the visitors of a screen: a folder each, worked on beside the page, found again after a reload or a restart.

    ROOT/OWNER/RUN/about.json    what a person sees in the list: file, number of rows, when; never a key
    ROOT/OWNER/RUN/rows.SUFFIX   the file that was brought
    ROOT/OWNER/RUN/...           as in faithfulness.runs.folder

OWNER is a digest of an unguessable token that the visitor's browser keeps: who does not bring the token finds no run.
"""

import hashlib
import json
import logging
import re
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from backend.errors import FaithfulnessError, JobCancelled, ParleyError
from backend.jobs import ENDED, Jobs, ReportProgress, stop_asked
from backend.models.language_models import LanguageModel
from backend.program.settings import LARGEST_UNPACKED
from backend.storage.trial_reading import try_reading
from backend.storage.unpacked_size import check_unpacked
from faithfulness.method.correctness import Metric
from faithfulness.method.explain import Plan
from faithfulness.runs.folder import RunFolder
from faithfulness.runs.profiles import Profile
from faithfulness.runs.rows import SUFFIXES, BadRow, chosen_rows, read_through
from faithfulness.runs.run import RunSpecification, run_study
from faithfulness.ui.run_standing import About, RunJob, RunStanding, VisitorRun, finished_rows, read_run, standing_of

log = logging.getLogger(__name__)

MOST_ACTIVE = 3
OpenModel = Callable[[Profile, str], LanguageModel]


class VisitorRuns:
    """Every method takes the visitor's token, and raises FaithfulnessError if the run is not one of theirs.

    Runs that ask models elsewhere are among the `remote` jobs, so that servers which never answer keep no run waiting that
    computes here. A file may have so many `megabytes` once it is unpacked.
    """

    def __init__(
        self, root: Path, jobs: Jobs, open_model: OpenModel, metric: Callable[[bool], Metric], remote: Jobs | None = None,
        megabytes: int = LARGEST_UNPACKED,
    ) -> None:  # fmt: skip
        self._root, self._jobs, self._open_model, self._metric = root.absolute(), jobs, open_model, metric
        self._remote = remote or jobs
        self.megabytes = megabytes
        self._lock = threading.Lock()
        self._work: dict[Path, RunJob] = {}

    def runs(self, token: str) -> list[VisitorRun]:
        """The visitor's runs, the newest first."""
        home = self._home(token)
        read = [read_run(path) for path in home.iterdir()] if home.is_dir() else []
        return sorted((run for run in read if run is not None), key=lambda run: run.about.created, reverse=True)

    def run(self, token: str, run_id: str) -> VisitorRun:
        match = read_run(self._home(token) / run_id) if re.fullmatch(r"[0-9a-f]{16}", run_id or "") else None
        if match is None:
            raise FaithfulnessError("This run is not there, or was not started from this browser.")
        return match

    def start(
        self, token: str, file: Path, profiles: Sequence[Profile], plan: Plan, key: str,
        limit: int | None = None, skip_bad: bool = False, paper: bool = False,
    ) -> VisitorRun:  # fmt: skip
        """Copy the file and begin. Raises FaithfulnessError if the file cannot be used or too many runs are going on."""
        self._may_begin(token)
        path = self._home(token) / secrets.token_hex(8)
        path.mkdir(parents=True)
        try:
            rows = path / f"rows{''.join(_suffixes(file))}"
            shutil.copyfile(file, rows)
            numbers, bad = usable_rows(rows, limit, plan.seed, skip_bad, self.megabytes)
            about = About(file.name, len(numbers), len(bad), datetime.now(UTC).isoformat(timespec="microseconds"))
            study = RunSpecification(str(rows), tuple(profiles), plan, limit, True, paper)
            run = VisitorRun(path.name, path, about)
            run.folder.begin(study.settings())
            (path / "about.json").write_text(json.dumps(asdict(about), ensure_ascii=False), encoding="utf-8")
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
        self._begin(run, study, key)
        return run

    def go_on(self, token: str, run_id: str, key: str) -> None:
        """Take up a run that was stopped, cut off by a restart, or ended with samples that failed."""
        run = self.run(token, run_id)
        if self.standing(token, run_id).active:
            raise FaithfulnessError("This run is going on already.")
        self._may_begin(token)
        self._begin(run, study_of(run.folder), key)

    def stop(self, token: str, run_id: str) -> None:
        """Begin nothing new; replies that are on their way are still kept. Does nothing to a run that has ended."""
        run = self.run(token, run_id)
        with self._lock:
            work = self._work.get(run.path)
        if work is not None:
            work.job.cancel()

    def delete(self, token: str, run_id: str) -> None:
        run = self.run(token, run_id)
        if self.standing(token, run_id).active:
            raise FaithfulnessError("Stop this run before you delete it.")
        shutil.rmtree(run.path)

    def standing(self, token: str, run_id: str) -> RunStanding:
        run = self.run(token, run_id)
        with self._lock:
            work = self._work.get(run.path)
        return standing_of(run, work)

    def _home(self, token: str) -> Path:
        if not is_token(token):
            raise FaithfulnessError("This browser has no name here yet; load the page again.")
        return self._root / hashlib.sha256(token.encode()).hexdigest()[:32]

    def _may_begin(self, token: str) -> None:
        active = sum(self.standing(token, run.id).active for run in self.runs(token))
        if active >= MOST_ACTIVE:
            raise FaithfulnessError(f"{active} of your runs are going on; stop one, or wait until it has ended.")

    def _begin(self, run: VisitorRun, study: RunSpecification, key: str) -> None:
        finished = finished_rows(run.folder)
        with self._lock:
            there = self._work.get(run.path)
            if there is not None and there.job.state not in ENDED:
                raise FaithfulnessError("This run is going on already.")
            jobs = self._jobs if all(profile.here for profile in study.profiles) else self._remote
            job = jobs.start(lambda report: self._do(study, run, key, finished, report))
            self._work[run.path] = RunJob(run.id, job, time.monotonic(), finished, sum(finished.values()))

    def _do(self, study: RunSpecification, run: VisitorRun, key: str, finished: dict[str, int], report: ReportProgress) -> None:
        stopped = stop_asked(report, "Asking")
        metric = self._metric(study.paper_metric)
        try:
            for progress in run_study(study, run.folder, stopped, lambda profile: self._open_model(profile, key), metric):
                finished[progress.model] = progress.finished
        except ParleyError:
            raise
        except Exception:
            log.exception("Defect in run %s", run.id)
            raise
        if stopped():
            raise JobCancelled("Stopped.")


def is_token(token: object) -> bool:
    """Whether this can be a token of `new_token`; whatever else a browser brings is none."""
    return isinstance(token, str) and re.fullmatch(r"[\w-]{32,64}", token, re.ASCII) is not None


def new_token() -> str:
    return secrets.token_urlsafe(32)


def usable_rows(
    file: Path, limit: int | None, seed: int, skip_bad: bool, megabytes: int = LARGEST_UNPACKED
) -> tuple[list[int], list[BadRow]]:
    """The numbers of the rows of a file that will be used, and the bad ones.

    Raises FaithfulnessError if it is too large, not to be read, or holds a bad row that may not be left out.
    """
    check_unpacked(file, FaithfulnessError, megabytes)
    try_reading(read_through, file, FaithfulnessError)
    numbers, bad = chosen_rows(str(file), limit, seed, skip_bad=True)
    if bad and not skip_bad:
        raise FaithfulnessError(f"{bad[0].reason} Correct the file, or have rows that cannot be used left out.")
    return numbers, bad


def study_of(folder: RunFolder) -> RunSpecification:
    """The study that a run of the shelf began with."""
    settings = folder.settings()
    profiles = tuple(Profile.model_validate({**facts, "name": name}) for name, facts in settings["models"].items())
    paper = settings["correctness"] == "paper"
    return RunSpecification(settings["data"], profiles, folder.plan(), settings["limit"], True, paper)


def _suffixes(file: Path) -> list[str]:
    suffixes = [suffix.lower() for suffix in file.suffixes[-2:]]
    packed = suffixes[-1:] == [".gz"]
    kept = suffixes[-2:] if packed else suffixes[-1:]
    if not kept or kept[0] not in SUFFIXES:
        raise FaithfulnessError(f"{file.name} is none of {', '.join(SUFFIXES)}, or one of these with .gz.")
    return kept
