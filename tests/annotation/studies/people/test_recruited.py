"""People whom a platform sends: one place for each id, nobody else's place, and the code at the end."""

from pathlib import Path

import pytest

from annotation.studies.callers import Caller, Role
from annotation.studies.files.archive import write_archive
from annotation.studies.files.export import export_kinds, write_export
from annotation.studies.people.recruited import completion, sign_in_recruited
from annotation.studies.people.rights import leave
from annotation.studies.people.workers import enrol
from annotation.studies.refusals import CallRefusedError
from annotation.studies.shelf import OpenStudies
from annotation.studies.study import Study
from annotation.studies.work.answers import submit
from annotation.studies.work.grading import eliminate
from annotation.studies.work.leases import next_item
from annotation.ui.endpoints import let_in
from annotation.web.pages import page
from backend.errors import AnnotationError
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, plausible, rating_study

PID = "5f3c9e1a2b4d6e8f0a1b2c3d"
PROLIFIC = 'overlap = 9\n[recruiting]\nplatform = "prolific"\nplaces = 2\ncompleted = "C1 &<"\nended = "CEND"'
SONA = 'overlap = 9\n[recruiting]\nplatform = "sona"\nplaces = 2\ncompleted = "x"\nreturn_to = "https://u.example/c?s={id}"'


@pytest.fixture
def study(database: Database, tmp_path: Path) -> Study:
    return rating_study(database, tmp_path / "paid", HandClock(), 2, PROLIFIC)


def _work(study: Study, worker: Caller) -> None:
    for _ in range(2):
        assignment = next_item(study, worker)
        submit(study, worker, assignment.key, plausible(assignment), assignment.key)


def _screen(study: Study, worker: Caller) -> str:
    return str(page(study, worker, {})["html"])


def test_an_id_has_one_place_and_there_are_no_more_than_the_study_has(study: Study) -> None:
    first = sign_in_recruited(study, "PROLIFIC_PID", PID)
    assert sign_in_recruited(study, "PROLIFIC_PID", PID) == first
    assert sign_in_recruited(study, "PROLIFIC_PID", "another").worker != first.worker
    with pytest.raises(CallRefusedError, match="as many people as it takes"):
        sign_in_recruited(study, "PROLIFIC_PID", "third")
    assert sign_in_recruited(study, "PROLIFIC_PID", PID) == first


@pytest.mark.parametrize(("name", "identity"), [("PROLIFIC_PID", ""), ("PROLIFIC_PID", "<b>"), ("workerId", PID), ("", PID)])
def test_nobody_comes_in_by_another_name_or_form(study: Study, name: str, identity: str) -> None:
    with pytest.raises(CallRefusedError):
        sign_in_recruited(study, name, identity)


def test_an_id_lets_nobody_in_as_a_person_whom_a_lead_has_added(study: Study) -> None:
    added = [enrol(study, "Wim").worker, enrol(study, "Lea", Role.LEAD).worker]
    assert sign_in_recruited(study, "PROLIFIC_PID", "Wim").worker not in added
    enrol(study, "prolific:x1")
    with pytest.raises(AnnotationError, match="somebody called"):
        sign_in_recruited(study, "PROLIFIC_PID", "x1")


def test_the_code_is_shown_when_all_is_done_and_not_before(study: Study) -> None:
    worker, by_hand = sign_in_recruited(study, "PROLIFIC_PID", PID), join(study, "Wim")
    assert completion(study, worker) is None
    assert "completion code" not in _screen(study, worker)
    _work(study, worker)
    _work(study, by_hand)
    shown = _screen(study, worker)
    assert "C1 &amp;&lt;" in shown
    assert 'href="https://app.prolific.com/submissions/complete?cc=C1%20%26%3C"' in shown
    assert "completion code" not in _screen(study, by_hand)


def test_whose_part_is_ended_has_another_code_and_who_leaves_has_none(study: Study) -> None:
    ended, left = (sign_in_recruited(study, "PROLIFIC_PID", identity) for identity in (PID, "another"))
    eliminate(study, join(study, "Lea", Role.LEAD), ended.worker, "Too fast.")
    leave(study, left)
    assert "cc=CEND" in _screen(study, ended)
    assert completion(study, left) is None


def test_no_file_without_names_holds_the_id(study: Study) -> None:
    worker = sign_in_recruited(study, "PROLIFIC_PID", PID)
    _work(study, worker)
    files = [write_export(study, kind) for kind in export_kinds(study) if not kind.endswith("parquet")] + [write_archive(study)]
    assert all(PID.encode() not in content for content in files)
    assert PID.encode() in write_archive(study, names=True)


def test_the_address_of_a_platform_of_ones_own_holds_the_id(database: Database, tmp_path: Path) -> None:
    study = rating_study(database, tmp_path / "course", HandClock(), 2, SONA)
    reply = let_in(OpenStudies(study.database, study.clock), {"id_name": "survey_code", "id": "77"}, "here")
    assert (reply["role"], reply["study"]) == ("worker", "course")
    worker = sign_in_recruited(study, "survey_code", "77")
    _work(study, worker)
    assert 'href="https://u.example/c?s=77"' in _screen(study, worker)


def test_a_study_without_the_table_lets_nobody_in(database: Database, tmp_path: Path) -> None:
    with pytest.raises(CallRefusedError, match="takes nobody from there"):
        sign_in_recruited(rating_study(database, tmp_path / "own", HandClock()), "PROLIFIC_PID", PID)


def test_a_way_back_that_is_no_address_is_refused(database: Database, tmp_path: Path) -> None:
    with pytest.raises(AnnotationError, match="return_to"):
        rating_study(database, tmp_path / "bad", HandClock(), 2, SONA.replace("https:", "javascript:"))
