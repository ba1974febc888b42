"""Who is approved on a platform: each decision, the bonus, and the files in the form that Prolific and Mechanical Turk take."""

import csv
import io
from pathlib import Path

import pytest

from annotation.studies.callers import Caller, Role
from annotation.studies.files.approvals import approvals, approvals_for, fill_batch, write_approvals
from annotation.studies.people.recruited import completion, sign_in_recruited
from annotation.studies.people.rights import erase_person, leave
from annotation.studies.refusals import CallRefusedError
from annotation.studies.study import Study
from annotation.studies.work.answers import submit
from annotation.studies.work.bonuses import give_bonus
from annotation.studies.work.grading import eliminate
from annotation.studies.work.leases import next_item
from annotation.studies.work.taking_back import end_and_take_back
from annotation.web.lead.lead_people import approvals_file, filled_batch, payment
from backend.errors import AnnotationError
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, plausible, rating_study

MTURK = """overlap = 9
[recruiting]
platform = "mturk"
places = 9
completed = "C1AB"
ended = "CEND"
time_out = 30
reward = "0.50"
[payment]
currency = "USD"
per_task = 0.40
"""
BATCH = """"HITId","AssignmentId","WorkerId","AssignmentStatus","Input.note","Answer.surveycode"
"H1","A1","good","Submitted","-5"," c1ab "
"H1","A2","typo","Submitted","","C2XX"
"H1","A3","bad","Submitted","","CEND"
"H1","A4","gone","Submitted","",""
"H1","A5","stranger","Submitted","","C1AB"
"H1","A6","paid","Approved","","C1AB"
"H1","A7","out","Submitted","","CEND"
"""


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    return rating_study(database, tmp_path / "paid", clock, 2, MTURK)


@pytest.fixture
def lead(study: Study) -> Caller:
    return join(study, "Lea", Role.LEAD)


def _come(study: Study, identity: str, tasks: int = 2) -> Caller:
    worker = sign_in_recruited(study, "workerId", identity)
    for _ in range(tasks):
        given = next_item(study, worker)
        submit(study, worker, given.key, plausible(given), given.key)
    return worker


def _everybody(study: Study, lead: Caller) -> dict[str, Caller]:
    people = {name: _come(study, name, 2) for name in ("good", "typo", "bad")}
    people |= {"gone": _come(study, "gone", 1), "out": _come(study, "out", 1), "paid": _come(study, "paid"),
               "idle": _come(study, "idle", 1)}  # fmt: skip
    end_and_take_back(study, lead, [people["bad"].worker], "=All the same")
    leave(study, people["gone"])
    eliminate(study, lead, people["out"].worker, "Enough people of your age.")
    give_bonus(study, lead, people["good"].worker, "careful", 75)
    for each in people.values():
        completion(study, each) if each is not people["idle"] else None
    return people


def test_each_person_has_the_decision_that_their_part_came_to(study: Study, lead: Caller) -> None:
    _everybody(study, lead)
    known = {each.identity: each for each in approvals(study)}
    assert {name: (each.decision, each.code) for name, each in known.items()} == {
        "good": ("approve", "completed"), "typo": ("approve", "completed"), "paid": ("approve", "completed"),
        "bad": ("reject", "ended"), "gone": ("returned", ""), "out": ("screened out", "ended"), "idle": ("unfinished", ""),
    }  # fmt: skip
    # Two tasks of 0.40 and a bonus of 0.75, of which the platform pays 0.50 by itself.
    assert (known["good"].bonus, known["typo"].bonus, known["good"].currency) == (105, 30, "USD")
    assert known["bad"].reason == "=All the same"
    table = list(csv.DictReader(io.StringIO(write_approvals(study, "approvals.csv").decode())))
    assert [row["id"] for row in table] == list(known)
    assert next(row["reason"] for row in table if row["id"] == "bad") == "'=All the same"
    assert write_approvals(study, "approve.txt") == b"good\ntypo\npaid\n"
    assert write_approvals(study, "bonuses.csv") == b"good,1.05\ntypo,0.30\npaid,0.30\n"


def test_the_results_of_a_batch_are_filled_in_and_all_else_stays(study: Study, lead: Caller) -> None:
    _everybody(study, lead)
    filled = fill_batch(study, BATCH.encode())
    rows = {row["WorkerId"]: row for row in csv.DictReader(io.StringIO(filled.content.decode()))}
    assert {name: (row["Approve"], row["Reject"]) for name, row in rows.items()} == {
        "good": ("x", ""), "typo": ("", ""), "bad": ("", "'=All the same"), "gone": ("", ""), "stranger": ("", ""),
        "paid": ("", ""), "out": ("", ""),
    }  # fmt: skip
    assert (filled.approved, filled.rejected) == (1, 1)
    assert dict(filled.left) == {
        "typo": "typed the code 'C2XX'", "gone": "returned", "stranger": "nobody came to the study with this id",
        "out": "screened out",
    }  # fmt: skip
    before = list(csv.DictReader(io.StringIO(BATCH)))
    assert [{name: row[name] for name in before[0]} for row in rows.values()] == before
    for wrong in (b"a,b\n1,2\n", b"", b"\xff\xfe"):
        with pytest.raises(AnnotationError, match="file of results"):
            fill_batch(study, wrong)


def test_a_lead_has_the_files_and_a_worker_has_not(study: Study, lead: Caller) -> None:
    worker = _come(study, "good")
    assert "Mechanical Turk" in payment(study, lead, {})
    assert approvals_file(study, lead, {"kind": "approve.txt"})["file"]["name"] == "paid-approve.txt"
    assert "0 to approve" in filled_batch(study, lead, {"batch": BATCH})["message"]
    for call in (lambda: approvals_for(study, worker, "approvals.csv"), lambda: filled_batch(study, worker, {"batch": BATCH})):
        with pytest.raises(CallRefusedError):
            call()
    with pytest.raises(AnnotationError, match="choose approvals"):
        write_approvals(study, "all.csv")


def test_of_a_person_who_was_erased_nothing_stands_there(study: Study, lead: Caller) -> None:
    people = _everybody(study, lead)
    erase_person(study, lead, people["good"].worker)
    assert b"good" not in write_approvals(study, "approvals.csv")


def test_a_study_without_a_platform_has_no_such_files(database: Database, tmp_path: Path) -> None:
    with pytest.raises(AnnotationError, match=r"has no \[recruiting\]"):
        approvals(rating_study(database, tmp_path / "own", HandClock()))


def test_the_place_of_who_did_nothing_is_free_again_after_the_time_out(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    study = rating_study(database, tmp_path / "full", clock, 2, MTURK.replace("places = 9", "places = 2"))
    _come(study, "worked", 1)
    _come(study, "silent", 0)
    clock.turn(29)
    with pytest.raises(CallRefusedError, match="as many people as it takes"):
        _come(study, "third", 0)
    clock.turn(2)
    _come(study, "third", 1)
    _come(study, "silent", 1)  # who comes back goes on
    with pytest.raises(CallRefusedError, match="as many people as it takes"):
        _come(study, "fourth", 0)
