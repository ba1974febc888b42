"""What workers see of their own answers, and leads of all that happened."""

from pathlib import Path

import pytest

from annotation.studies.callers import Role
from annotation.studies.figures.event_log import latest_events
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.work.answers import edit, save_draft, submit
from annotation.studies.work.grading import LeadVerdict, review, work_of
from annotation.studies.work.leases import next_item
from annotation.studies.work.own_work import own_answers
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, rating_study


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    return rating_study(database, tmp_path / "ratings", clock, toml="overlap = 2")


def test_an_answer_is_there_to_be_edited_until_it_is_rejected(study: Study, clock: HandClock) -> None:
    worker, other, lead = join(study, "Wim"), join(study, "Ann"), join(study, "Lea", Role.LEAD)
    keys = []
    for number in range(2):
        given = next_item(study, worker)
        clock.turn(1)
        submit(study, worker, given.key, {"rating": 2}, str(number))
        keys.append(given.key)
    submit(study, other, next_item(study, other).key, {"rating": 1}, "0")
    assert [own.key for own in own_answers(study, worker)] == keys[::-1]
    save_draft(study, worker, keys[0], "rating", 3, 1)
    [own] = own_answers(study, worker, keys[0])
    assert own.editable
    assert own.answer == {"rating": 2}
    assert own.drafts["rating"].value == 3
    edit(study, worker, keys[0], {"rating": 3}, "again")
    [own] = own_answers(study, worker, keys[0])
    assert own.answer == {"rating": 3}
    assert own.drafts == {}
    [work] = [each for each in work_of(study, lead, worker.worker) if each.key == keys[0]]
    review(study, lead, work.assignment, work.number, LeadVerdict.REJECTED, "No.")
    [own] = own_answers(study, worker, keys[0])
    assert (own.editable, own.verdict, own.feedback) == (False, LeadVerdict.REJECTED, "No.")
    with pytest.raises(CallRefusedError) as refused:
        edit(study, worker, keys[0], {"rating": 1}, "once more")
    assert refused.value.reason is Reason.DECIDED


def test_a_lead_turns_the_pages_of_what_happened(study: Study) -> None:
    worker, lead = join(study, "Wim"), join(study, "Lea", Role.LEAD)
    submit(study, worker, next_item(study, worker).key, {"rating": 2}, "0")
    found = latest_events(study, lead)
    assert [each.kind for each in found[::-1]] == ["enrolled", "signed in", "enrolled", "signed in", "given", "submitted"]
    assert latest_events(study, lead, before=found[1].number) == found[2:]
    assert {each.worker for each in latest_events(study, lead, worker.worker)} == {"Wim"}
    with pytest.raises(CallRefusedError) as refused:
        latest_events(study, worker)
    assert refused.value.reason is Reason.ROLE
