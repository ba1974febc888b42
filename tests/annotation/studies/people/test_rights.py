"""A person may leave, see what is kept about them, and have it erased: no word of theirs is found afterwards, figures stay."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from annotation.__main__ import main
from annotation.studies.callers import Caller, Role
from annotation.studies.figures.progress import progress
from annotation.studies.figures.results import results
from annotation.studies.files.archive import read_archive, write_archive
from annotation.studies.people.rights import data_of_person, due_for_erasure, erase_person, leave
from annotation.studies.people.sessions import begin_session
from annotation.studies.people.workers import enrol, sign_in_by_link
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study, open_study
from annotation.studies.work.answers import comment, edit, flag, save_draft, submit
from annotation.studies.work.bonuses import earnings
from annotation.studies.work.grading import LeadVerdict, review, work_of
from annotation.studies.work.leases import next_item, skip
from annotation.studies.work.qualification import agree
from backend.storage.database import Database, metadata
from tests.annotation.studies.small_studies import HandClock, join, json_lines, write_study

SECRET = "Xyzzyword"  # in everything that the person writes, and that is written to them
TOML = """title = "W"
task = "utterance_rewriting"
items = ["items.jsonl"]
overlap = 2
[consent]
text = "consent.md"
version = "2026-01"
keep_days = 30
[payment]
per_task = 0.50
[settings]
rewrites = 1
"""


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    items = json_lines([{"id": f"q{number}", "utterance": f"How old is {number}?"} for number in range(6)])
    return open_study(database, write_study(tmp_path / "words", TOML, items__jsonl=items, consent__md="Yes?"), clock)


@pytest.fixture
def ann(study: Study, clock: HandClock) -> Caller:
    """Somebody who has done everything that leaves words behind."""
    made = enrol(study, f"Ann {SECRET}", account="ann-xyzzyword")
    worker = sign_in_by_link(study, made.link, "here")
    begin_session(study, worker)
    agree(study, worker)
    lead = join(study, "Lena", Role.LEAD)
    for number in range(3):
        key = next_item(study, worker).key
        clock.turn(1)
        submit(study, worker, key, {"rewrite_1": f"{SECRET} said {number}"}, f"{number}", insist=True)
    flag(study, worker, "q0", f"odd {SECRET}")
    comment(study, worker, "q0", f"hm {SECRET}")
    edit(study, worker, "q0", {"rewrite_1": f"{SECRET} again"}, "e", insist=True)
    work = work_of(study, lead, worker.worker)[0]
    final = {"rewrite_1": f"{SECRET} by Lena"}
    review(study, lead, work.assignment, work.number, LeadVerdict.EDITED, f"Dear {SECRET}", final)
    skip(study, worker, next_item(study, worker).key, f"no {SECRET}")
    save_draft(study, worker, next_item(study, worker).key, "rewrite_1", f"half {SECRET}", 1)
    return worker


def _everything(database: Database) -> str:
    with database.reading() as connection:
        return "".join(str(connection.execute(select(table)).all()) for table in metadata.sorted_tables).casefold()


@pytest.mark.every_database
def test_one_call_erases_a_person_and_figures_stay(study: Study, ann: Caller, clock: HandClock) -> None:
    lead = join(study, "Max", Role.LEAD)
    assert SECRET.casefold() in _everything(study.database)
    earned = [each.total for each in earnings(study, lead)]
    erase_person(study, lead, ann.worker)
    assert SECRET.casefold() not in _everything(study.database)
    assert [each.total for each in earnings(study, lead)] == earned == [150]
    assert results(study) == []
    assert [each.times for each in progress(study, lead).flagged] == [1]
    whole = write_archive(study, names=True)
    assert SECRET.casefold().encode() not in whole.lower()
    assert results(read_archive(study.database, write_archive(study), "copy", clock)) == []
    other = join(study, "Bo")
    agree(study, other)
    assert next_item(study, other).key == "q0"  # open to others
    with pytest.raises(CallRefusedError, match="erased already"):
        erase_person(study, lead, ann.worker)
    with pytest.raises(CallRefusedError) as refused:
        erase_person(study, other, ann.worker)
    assert refused.value.reason is Reason.ROLE


def test_a_person_sees_everything_that_is_kept(study: Study, ann: Caller) -> None:
    lead = join(study, "Max", Role.LEAD)
    kept = data_of_person(study, lead, ann.worker)
    text = json.dumps(kept)
    assert text.count(SECRET) >= 10
    agreed = next(event for event in kept["events"] if event["kind"] == "agreed")
    assert (agreed["content"]["version"], agreed["created"][:10]) == ("2026-01", "2026-01-01")
    assert kept["person"]["code"] == kept["person"]["link"] == "(kept as a hash)"
    assert [answer["item"] for answer in kept["answers"]][:3] == ["q0", "q1", "q2"]


def test_who_leaves_takes_their_answers_along(study: Study, ann: Caller) -> None:
    assert len(results(study)) == 3
    leave(study, ann, "No time.")
    assert results(study) == []
    with pytest.raises(CallRefusedError) as refused:
        next_item(study, ann)
    assert refused.value.reason is Reason.ELIMINATED


def test_data_are_due_after_the_time_that_the_consent_names(study: Study, ann: Caller, clock: HandClock) -> None:
    assert due_for_erasure(study) == []
    clock.turn(60 * 24 * 31)
    assert [number for number, _ in due_for_erasure(study)] == [ann.worker]
    erase_person(study, join(study, "Max", Role.LEAD), ann.worker)
    assert due_for_erasure(study) == []


def test_one_command_writes_and_erases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_study(tmp_path / "r", 'title = "R"\ntask = "similarity_rating"\n')
    place = ["--study", str(folder), "--data-dir", str(tmp_path)]
    main(["init", *place])
    main(["add-worker", *place, "Ann Lee"])
    main(["person", *place, "--worker", "Ann Lee", "--export", str(tmp_path / "ann.json")])
    assert json.loads((tmp_path / "ann.json").read_text())["person"]["name"] == "Ann Lee"
    main(["person", *place, "--worker", "Ann Lee", "--erase"])
    assert "Erased: 1." in capsys.readouterr().out
    with pytest.raises(CallRefusedError, match="No worker of this study"):
        main(["person", *place, "--worker", "Ann Lee", "--erase"])
