"""Answers that begin with a sample become exact in the background, can be watched and stopped, and never mix."""

import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression

from backend.jobs import Jobs, JobState
from backend.program.settings import Settings as AppSettings
from backend.storage.database import Database
from tests.ttm.explain.conftest import numeric_table, subject_of
from ttm.chat.catalogue import Loaded, SubjectCatalogue
from ttm.chat.exact_answers import carried_out_exactly, sampled_rows
from ttm.explain.explainer import Explainer
from ttm.explain.known_explanations import KnownExplanations
from ttm.explain.selection.fidelity import SelectionSettings
from ttm.operations.execution_engine import ExecutionEngine
from ttm.parsers import default_parser
from ttm.ui import exact_panel
from ttm.ui.chat_panel import asked
from ttm.ui.visit import ChatVisit, JobPace

SIDE_BY_SIDE = "filter x0 greater than 0 versus filter x0 less than 0 and important all"
QUICK = SelectionSettings(samples=200, neighbours=2)
WHAT_IF = "filter x0 greater than 0 and change x1 increase 0.5 and important all"


@pytest.fixture
def visit(tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch) -> ChatVisit:
    """A chat about a small data set of which nothing has been explained."""
    subjects = SubjectCatalogue(AppSettings(data_dir=tmp_path))
    subject = subject_of(numeric_table(3, rows=60), "y", LogisticRegression(), ("y", "z"))
    loaded = Loaded(subject, ExecutionEngine(subject, Explainer(subject, settings=QUICK)), default_parser(subject.schema))
    monkeypatch.setattr(subjects, "load", lambda name="", progress=None: loaded)
    return ChatVisit(subjects, database, Jobs())


def _watched(visit: ChatVisit, until: Any) -> Any:
    """Look as the timer does, until something is so."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        looked = exact_panel.look(visit)
        if until(looked):
            return looked
        time.sleep(0.02)
    pytest.fail("nothing happened")


@pytest.mark.slow
@pytest.mark.parametrize("parse", ["important all", WHAT_IF, "explain compare", SIDE_BY_SIDE])
def test_the_exact_answer_is_that_of_all_rows(visit: ChatVisit, parse: str) -> None:
    session = visit.session
    turn = session.ask_parse(parse)
    rows = sampled_rows(turn)
    assert rows > 12
    told: list[float] = []
    assert turn.parse is not None
    exact = carried_out_exactly(
        session.loaded.engine, turn.parse, session.memory_before(turn), lambda share, words: told.append(share)
    )
    session.renew(turn, exact)
    (better,) = session.turns
    assert sampled_rows(better) == 0
    assert better.results[-1].group == turn.results[-1].group
    assert told
    assert all(0 <= share < 1 for share in told)


def test_answers_that_look_at_all_rows_are_left_alone(visit: ChatVisit) -> None:
    assert sampled_rows(visit.session.ask_parse("filter id 5 and explain features")) == 0
    assert sampled_rows(visit.session.ask_parse("countdata")) == 0
    exact_panel.look(visit)
    assert visit.exact is None


def test_the_line_comes_with_a_sample_and_goes_with_the_exact_answer(visit: ChatVisit) -> None:
    turn = visit.session.ask_parse(WHAT_IF)
    rows = sampled_rows(turn)
    row, line, timer, chatbot = exact_panel.look(visit)
    assert (row["visible"], timer["active"]) == (True, True)
    assert f"Explaining all {rows:,} rows for an exact answer" in line["value"]
    assert "value" not in chatbot
    row, _, timer, chatbot = _watched(visit, lambda looked: "value" in looked[3])
    assert (row["visible"], timer["active"]) == (False, False)
    assert sampled_rows(visit.session.turns[0]) == 0
    assert "Based on" not in str(chatbot["value"])


def test_cancel_stops_the_work_and_it_does_not_begin_again(visit: ChatVisit, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, begun = threading.Event(), threading.Event()
    compute = KnownExplanations._computed_shap

    def slow(explainer: KnownExplanations, rows: Any, progress: Any) -> Any:
        if progress is not None:
            begun.set()
            go_on.wait(60)
        return compute(explainer, rows, progress)

    monkeypatch.setattr(KnownExplanations, "_computed_shap", slow)
    turn = visit.session.ask_parse(WHAT_IF)
    exact_panel.look(visit)
    assert visit.exact is not None
    job = visit.exact.job
    assert begun.wait(60)
    assert "Stopping" in exact_panel.stop(visit)["value"]
    go_on.set()
    list(job.watch())
    assert job.state is JobState.CANCELLED
    row, *_ = exact_panel.look(visit)
    assert row["visible"] is False
    assert visit.exact is None
    assert visit.session.turns == [turn]


def test_work_for_an_answer_that_was_taken_back_is_stopped(visit: ChatVisit) -> None:
    visit.session.ask_parse(WHAT_IF)
    exact_panel.look(visit)
    assert visit.exact is not None
    job = visit.exact.job
    visit.session.undo()
    exact_panel.look(visit)
    assert visit.exact is None
    list(job.watch())
    assert visit.session.turns == []


@pytest.mark.slow
def test_a_pinned_answer_becomes_exact_too(visit: ChatVisit) -> None:
    turn = visit.session.ask_parse("important all")
    visit.session.toggle_pin(turn.number)
    _watched(visit, lambda looked: "value" in looked[3])
    (pin,) = visit.session.pins
    assert visit.session.is_pinned(visit.session.turns[0])
    assert "Based on" not in pin.answers[0].text


def test_nothing_is_touched_while_a_question_is_answered(visit: ChatVisit) -> None:
    visit.session.ask_parse(WHAT_IF)
    visit.questions.add(asked("how many are there?"))
    assert not any("value" in update or "visible" in update for update in exact_panel.look(visit))
    assert visit.exact is None


def test_the_time_left_follows_from_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    job: Any = Jobs().start(lambda report: None)
    job.result(60)
    job._state, job._progress = JobState.RUNNING, replace(job.progress, fraction=0.5)
    monkeypatch.setattr(exact_panel.time, "monotonic", lambda: 130.0)
    assert "Explaining all 768 rows: 50%, about 12 s left<" in exact_panel.pace_text(JobPace(job, 120.0, 0.1), 768, False)
    assert "left" not in exact_panel.pace_text(JobPace(job, 120.0, 0.49), 768, False)
