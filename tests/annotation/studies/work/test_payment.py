"""What is owed and what was paid: every task and bonus once, whatever is pressed twice."""

import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest

from annotation.studies.callers import Caller, Role
from annotation.studies.figures.results import AnswerFilter
from annotation.studies.files.export import export, write_export
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.answers import submit
from annotation.studies.work.bonuses import earnings, give_bonus, mark_paid, pay_tasks
from annotation.studies.work.grading import LeadVerdict, decide_trial, release_batch, review, work_of
from annotation.studies.work.leases import next_item
from annotation.web.lead.lead_people import payment
from annotation.web.worker.own_work import earned
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, plausible, rating_study, ratings, write_study

pytestmark = pytest.mark.every_database
TOML = '[trial]\nitems = "trial.jsonl"\ntasks = 1\n[payment]\ncurrency = "EUR"\nper_task = 0.35\ntutorial_and_quiz = 2'


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    write_study(tmp_path / "paid", "", trial__jsonl=ratings(1, "t"))
    return rating_study(database, tmp_path / "paid", clock, toml=TOML)


def _work(study: Study, worker: Caller, count: int) -> None:
    for _ in range(count):
        given = next_item(study, worker)
        submit(study, worker, given.key, plausible(given), given.key, insist=True)


def _through_trial(study: Study, lead: Caller, worker: Caller) -> None:
    _work(study, worker, 1)
    answer = work_of(study, lead, worker.worker)[0]
    review(study, lead, answer.assignment, answer.number, LeadVerdict.ACCEPTED)
    decide_trial(study, lead, worker.worker, True, "good")


def _lines(study: Study, names: bool = False) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(write_export(study, "payment", AnswerFilter(names=names)).decode())))


def test_what_is_due_is_what_was_earned_and_not_paid(study: Study) -> None:
    lead, ann = join(study, "Lena", Role.LEAD), join(study, "Ann")
    _through_trial(study, lead, ann)
    _work(study, ann, 2)
    give_bonus(study, lead, ann.worker, "thorough", 150)
    assert earnings(study, ann)[0].due == 3 * 35 + 200 + 150
    assert pay_tasks(study, lead, ann.worker, 3) == 105
    for tasks, reason in ((3, Reason.DECIDED), (2, Reason.DECIDED), (4, Reason.ANSWER)):
        with pytest.raises(CallRefusedError) as refused:
            pay_tasks(study, lead, ann.worker, tasks)
        assert refused.value.reason is reason
    with pytest.raises(CallRefusedError) as refused:
        pay_tasks(study, ann, ann.worker, 3)
    assert refused.value.reason is Reason.ROLE
    mark_paid(study, lead, earnings(study, lead)[0].bonuses[0].number)
    assert earnings(study, lead)[0].due == 150
    _work(study, ann, 1)
    assert (earnings(study, ann)[0].due, earnings(study, ann)[0].tasks_paid) == (185, 3)
    assert pay_tasks(study, lead, ann.worker, 4) == 35
    assert "1.50 EUR are not paid yet" in payment(study, lead, {})
    assert "1.50 EUR are not paid yet" in earned(study, ann, {})


def test_the_file_adds_up_to_what_is_due_phase_by_phase(study: Study) -> None:
    lead, ann, bob = join(study, "Lena", Role.LEAD), join(study, "Ann"), join(study, "Bob")
    for worker, count in ((ann, 2), (bob, 1)):
        _through_trial(study, lead, worker)
        _work(study, worker, count)
    pay_tasks(study, lead, ann.worker, 2)
    found = _lines(study, names=True)
    assert [(line["worker"], line["for"], line["tasks"], line["amount"]) for line in found if line["worker"] == "Ann"] == [
        ("Ann", "trial", "1", "0.35"), ("Ann", "tasks", "2", "0.70"), ("Ann", "paid for tasks", "2", "-0.70"),
        ("Ann", "bonus: tutorial and quiz", "", "2.00"),
    ]  # fmt: skip
    for each in earnings(study, lead):
        mine = [line for line in found if line["worker"] == each.name]
        assert sum(Decimal(line["amount"]) for line in mine) * 100 == each.due
    assert {line["worker"] for line in _lines(study)} == {each.pseudonym for each in earnings(study, lead)}
    with pytest.raises(CallRefusedError):
        export(study, ann, "payment")


def test_the_second_batch_is_as_large_as_the_first_and_a_bonus_is_for_each_so_many_tasks(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    batches = "[batches]\nstart = 2\nspot_check = 0\ngrowth = 2\ngrow_from = 3\n[payment]\nbatch = 1.5\nbonus_tasks = 3"
    study = rating_study(database, tmp_path / "hundreds", clock, 20, batches)
    lead, ann = join(study, "Lena", Role.LEAD), join(study, "Ann")
    sizes, bonuses = [2], []
    for _ in range(3):
        _work(study, ann, sizes[-1])
        sizes.append(release_batch(study, lead, ann.worker).size)
        bonuses.append([each.reason for each in earnings(study, ann)[0].bonuses])
    assert sizes == [2, 2, 4, 8]
    assert bonuses == [[], ["3 tasks"], ["3 tasks", "6 tasks"]]
    assert earnings(study, ann)[0].total == 300
