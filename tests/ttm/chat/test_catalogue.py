"""What is done in the background before anybody asks."""

import time
from pathlib import Path

import pytest

from backend.jobs import Job, JobState
from backend.program.settings import Settings as AppSettings
from backend.storage.cache import Cache
from tests.ttm.explain.conftest import mixed
from ttm.chat import catalogue as subjects_module
from ttm.chat.catalogue import Loaded, SubjectCatalogue
from ttm.explain.explainer import Explainer
from ttm.explain.selection.fidelity import SelectionSettings
from ttm.language.parse import Method
from ttm.operations.execution_engine import ExecutionEngine
from ttm.parsers import default_parser

QUICK = SelectionSettings(samples=200, neighbours=2)


@pytest.fixture
def loaded(tmp_path: Path) -> Loaded:
    subject = mixed("ill")
    explainer = Explainer(subject, Cache(tmp_path / "cache"), settings=QUICK)
    return Loaded(subject, ExecutionEngine(subject, explainer), default_parser(subject.schema))


@pytest.fixture
def subjects(tmp_path: Path, rows_ahead: None) -> SubjectCatalogue:
    return SubjectCatalogue(AppSettings(data_dir=tmp_path))


def _begun(subjects: SubjectCatalogue, loaded: Loaded) -> Job[None]:
    subjects.warm_up(loaded)
    deadline = time.monotonic() + 60
    while (job := subjects.groups_job(loaded)) is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert job is not None
    return job


@pytest.mark.slow
def test_importance_over_groups_becomes_exact_in_the_background(subjects: SubjectCatalogue, loaded: Loaded) -> None:
    explainer, frame = loaded.engine.explainer, loaded.subject.dataset.frame
    half = frame.iloc[: len(frame) // 2]
    assert explainer.importance(frame).rows == len(frame), "trees are quick enough for all rows at once"
    assert explainer.importance(frame, Method.LIME).rows < len(frame)
    _begun(subjects, loaded).result(timeout=120)
    assert explainer.importance(frame, Method.LIME).rows == len(frame)
    assert explainer.importance(half, Method.LIME).rows == len(half)


@pytest.mark.slow
def test_work_in_the_background_begins_once_and_can_be_stopped(subjects: SubjectCatalogue, loaded: Loaded) -> None:
    job = _begun(subjects, loaded)
    job.cancel()
    subjects.warm_up(loaded)
    assert subjects.groups_job(loaded) is job
    list(job.watch())
    assert job.state is JobState.CANCELLED
    assert loaded.engine.explainer.importance(loaded.subject.dataset.frame).rows > 0


@pytest.mark.slow
def test_large_data_are_not_explained_before_anybody_asks(
    subjects: SubjectCatalogue, loaded: Loaded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subjects_module, "MOST_ROWS_AHEAD", 10)
    subjects._prepare(loaded)
    assert subjects.groups_job(loaded) is None
