"""Consent, tutorial and quiz: in this order, each as often as the plan says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.studies.callers import Caller, Phase, Role
from annotation.studies.figures.progress import progress, standing
from annotation.studies.plan import StudyFile
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import EXAMPLE, Study, open_study
from annotation.studies.work.grading import eliminate
from annotation.studies.work.leases import next_item
from annotation.studies.work.qualification import agree, draw_quiz, see_slide, submit_quiz, tutorial
from annotation.web import pages
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, rating_study, right_answers

pytestmark = pytest.mark.every_database


@pytest.fixture
def study(database: Database, clock: HandClock) -> Study:
    return open_study(database, EXAMPLE, clock)


def _reason(call: Callable[[], object]) -> Reason:
    with pytest.raises(CallRefusedError) as refused:
        call()
    return refused.value.reason


def test_nothing_comes_before_its_time(study: Study) -> None:
    worker = join(study, "Ann")
    for too_soon in (
        lambda: tutorial(study, worker),
        lambda: see_slide(study, worker, 1),
        lambda: draw_quiz(study, worker),
        lambda: submit_quiz(study, worker, 1, {}),
        lambda: next_item(study, worker),
    ):
        assert _reason(too_soon) is Reason.PHASE
    agree(study, worker)
    assert agree(study, worker) is Phase.TUTORIAL
    assert _reason(lambda: draw_quiz(study, worker)) is Reason.PHASE
    for wrong in (0, 99, -1, "1", True):
        assert _reason(lambda wrong=wrong: see_slide(study, worker, wrong)) is Reason.UNKNOWN
    slides = len(study.plan.slides)
    for number in range(slides, 1, -1):  # in any order, and some twice
        assert see_slide(study, worker, number) is Phase.TUTORIAL
        see_slide(study, worker, number)
    assert tutorial(study, worker).seen == set(range(2, slides + 1))
    assert see_slide(study, worker, 1) is Phase.QUIZ
    assert _reason(lambda: next_item(study, worker)) is Reason.PHASE


def _to_quiz(study: Study, name: str = "Ann") -> Caller:
    worker = join(study, name)
    agree(study, worker)
    for number in range(1, len(study.plan.slides) + 1):
        see_slide(study, worker, number)
    return worker


@pytest.mark.parametrize(("right", "passed"), [(8, True), (7, True), (6, False), (0, False)])
def test_seven_of_eight_pass(study: Study, clock: HandClock, right: int, passed: bool) -> None:
    worker = _to_quiz(study)
    sheet = draw_quiz(study, worker)
    answers = dict(right_answers(study, sheet.questions))
    for number in range(right + 1, 9):
        answers[number] = next(each for each in sheet.questions[number - 1].options if each != answers[number])
    result = submit_quiz(study, worker, sheet.attempt, answers)
    assert (result.score, result.of, result.passed) == (right, 8, passed)
    assert len(result.explanations) == 8 - right
    assert standing(study, worker).phase is (Phase.TRIAL if passed else Phase.QUIZ)


def test_ten_minutes_pass_between_attempts(study: Study, clock: HandClock) -> None:
    worker = _to_quiz(study)
    first = draw_quiz(study, worker)
    assert draw_quiz(study, worker) == first
    wrong = {number: each.options[0] for number, each in enumerate(first.questions, 1)}
    wrong |= {1: next(o for o in first.questions[0].options if o != right_answers(study, first.questions)[1])}
    wrong |= {2: next(o for o in first.questions[1].options if o != right_answers(study, first.questions)[2])}
    assert _reason(lambda: submit_quiz(study, worker, 1, dict(list(wrong.items())[:7]))) is Reason.ANSWER
    result = submit_quiz(study, worker, 1, wrong)
    assert result.again is not None
    assert _reason(lambda: submit_quiz(study, worker, 1, wrong)) is Reason.UNKNOWN
    clock.turn(9.9)
    with pytest.raises(CallRefusedError) as refused:
        draw_quiz(study, worker)
    assert (refused.value.reason, refused.value.until) == (Reason.WAIT, result.again)
    assert standing(study, worker).quiz_opens == result.again
    clock.turn(0.1)
    second = draw_quiz(study, worker)
    assert second.attempt == 2
    assert submit_quiz(study, worker, 2, right_answers(study, second.questions)).passed
    lead = join(study, "Lea", Role.LEAD)
    (figures,) = progress(study, lead).workers
    assert figures.quiz == ((result.score, 8), (8, 8))
    html = pages.page(study, lead, {"page": "worker", "worker": figures.worker})["html"]
    assert f"right in the quiz: {result.score} of 8, 8 of 8" in html


@pytest.mark.parametrize(("platform", "most"), [("prolific", 2), ("sona", None)])
def test_on_prolific_the_quiz_is_tried_twice_unless_the_study_says_otherwise(platform: str, most: int | None) -> None:
    tables = {"title": "T", "task": "custom", "recruiting": {"platform": platform, "places": 3}}
    assert StudyFile.model_validate({**tables, "quiz": {"questions": "q.toml"}}).most_quiz_attempts == most
    assert StudyFile.model_validate({**tables, "quiz": {"questions": "q.toml", "most_attempts": 5}}).most_quiz_attempts == 5
    assert StudyFile.model_validate(tables).most_quiz_attempts is None


def test_the_tutorial_stays_open_to_those_who_are_out(study: Study) -> None:
    worker, lead = _to_quiz(study), join(study, "Lena", Role.LEAD)
    eliminate(study, lead, worker.worker, "no time left")
    assert tutorial(study, worker).slides
    assert _reason(lambda: draw_quiz(study, worker)) is Reason.ELIMINATED


def test_a_study_without_phases_begins_with_the_tasks(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock)
    worker = join(study, "Ann")
    assert standing(study, worker).phase is Phase.TASKS
    assert agree(study, worker) is Phase.TASKS
    assert next_item(study, worker).key == "p0"
