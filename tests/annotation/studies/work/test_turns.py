"""A dialogue turn by turn: what comes later leaves the server only when the words for the step before are handed in."""

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from annotation.studies.callers import Caller
from annotation.studies.figures.results import results
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import EXAMPLE, Study, open_study
from annotation.studies.tables import study_events, study_items
from annotation.studies.work.answer_warnings import Warned
from annotation.studies.work.answers import hand_in_turn, save_draft, submit
from annotation.studies.work.leases import next_item
from annotation.web import pages
from annotation.web.worker.worker_calls import next_task
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, plausible, write_study

TOML = 'title = "D"\ntask = "inspired_dialogue"\nitems = ["items.jsonl"]\noverlap = 2\n'
KEY = "currency-of-lisbon"


def _study(database: Database, folder: Path, clock: HandClock, toml: str = TOML) -> Study:
    rows = [line for line in (EXAMPLE / "items.jsonl").read_text("utf-8").splitlines() if json.loads(line)["id"] == KEY]
    return open_study(database, write_study(folder, toml, items__jsonl=rows[0]), clock)


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    return _study(database, tmp_path / "d", clock)


def _whole(study: Study) -> list[str]:
    """What all turns ask and show."""
    with study.database.reading() as connection:
        stored = connection.execute(select(study_items.c.content)).scalars().one()
    return [part.text for part in study.parts(stored, {})]


def _step(study: Study, worker: Caller, mark: str = "") -> int:
    given = next_item(study, worker)
    return hand_in_turn(study, worker, given.key, given.turns.at, plausible(given, mark)).at


@pytest.mark.every_database
def test_each_turn_is_sent_when_the_one_before_is_handed_in(study: Study) -> None:
    worker = join(study, "Ann")
    seen, asked = [], []
    while True:
        given = next_item(study, worker)
        now = [part for part in given.parts if part.turn == given.turns.at]
        asked.append([part.name for part in now if part.name])
        seen += [part.text for part in now]
        unseen = [text for text in _whole(study) if text not in seen]
        for sent in (json.dumps(next_task(study, worker, {})), pages.page(study, worker, {"page": "work"})["html"]):
            assert not [text for text in unseen if text in sent]
        if not given.turns.more:
            break
        assert _step(study, worker, "<mine>") == given.turns.at + 1
    assert asked == [["sensible", "rephrased_question"], ["predicted_1"], ["predicted_2"], ["gold_2"], ["feedback"]]
    submit(study, worker, KEY, plausible(given), "once")
    [result] = results(study)
    assert list(result.answer) == ["sensible", "rephrased_question", "predicted_1", "predicted_2", "gold_2", "feedback"]


def test_a_question_that_made_no_sense_is_asked_for_in_the_last_turn_only_then(study: Study) -> None:
    worker = join(study, "Ann")
    assert next_item(study, worker).turns.at == 1
    hand_in_turn(study, worker, KEY, 1, {"sensible": "no"})
    while next_item(study, worker).turns.more:
        _step(study, worker)
    last = next_item(study, worker)
    assert {part.name: part.when for part in last.parts if part.turn == last.turns.at and part.name} == {
        "rephrased_at_the_end": None,
        "feedback": None,
    }
    submit(study, worker, KEY, {"rephrased_at_the_end": "Which coins does the land of Lisbon use?"}, "once")
    assert results(study)[0].answer["rephrased_at_the_end"].startswith("Which coins")


@pytest.mark.slow
def test_nothing_can_be_jumped_over_or_said_again(study: Study) -> None:
    worker = join(study, "Ann")
    given = next_item(study, worker)
    answer = plausible(given)
    for refused in (
        lambda: submit(study, worker, KEY, answer, "all at once"),
        lambda: hand_in_turn(study, worker, KEY, 2, {"predicted_1": "x"}),
        lambda: hand_in_turn(study, worker, KEY, 1, {**answer, "gold_2": "x"}),
        lambda: hand_in_turn(study, worker, KEY, 1, {"sensible": "yes"}),
        lambda: save_draft(study, worker, KEY, "predicted_2", "x", 1),
    ):
        with pytest.raises(CallRefusedError) as error:
            refused()
        assert error.value.reason is Reason.ANSWER
        assert "predicted_2" not in error.value.shown.replace("'predicted_2'", "")
    assert hand_in_turn(study, worker, KEY, 1, answer).at == 2
    assert hand_in_turn(study, worker, KEY, 1, {**answer, "rephrased_question": "Something else"}).at == 2
    assert next_item(study, worker).turns.handed_in == answer
    while next_item(study, worker).turns.more:
        _step(study, worker)
    submit(study, worker, KEY, {"rephrased_question": "Something else"}, "once")
    assert results(study)[0].answer["rephrased_question"] == answer["rephrased_question"]


def test_a_warning_is_insisted_against_once_in_its_turn(study: Study) -> None:
    worker = join(study, "Ann")
    source = next(part.source for part in next_item(study, worker).parts if part.source)
    copied = {"sensible": "yes", "rephrased_question": source}
    with pytest.raises(Warned):
        hand_in_turn(study, worker, KEY, 1, copied)
    assert hand_in_turn(study, worker, KEY, 1, copied, insist=True).at == 2
    while next_item(study, worker).turns.more:
        _step(study, worker)
    receipt = submit(study, worker, KEY, {}, "once")  # not asked again, but kept with the answer
    assert {each.name for each in receipt.warnings} == {"rephrased_question"}


@pytest.mark.every_database
def test_what_was_handed_in_outlives_the_lease_and_belongs_to_one_worker(study: Study, clock: HandClock) -> None:
    ann, ben = join(study, "Ann"), join(study, "Ben")
    assert _step(study, ann) == 2
    save_draft(study, ann, KEY, "predicted_1", "half a sent", 1)
    clock.turn(45)
    assert next_item(study, ben).turns.at == 1
    again = next_item(study, ann)
    assert (again.turns.at, again.drafts["predicted_1"].value) == (2, "half a sent")
    with study.database.reading() as connection:
        kinds = connection.execute(select(study_events.c.kind).where(study_events.c.kind == "turn")).all()
    assert len(kinds) == 1


def test_all_on_one_form_where_the_study_says_so(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = _study(database, tmp_path / "one", clock, TOML + "[settings]\nturn_by_turn = false\n")
    worker = join(study, "Ann")
    given = next_item(study, worker)
    assert [part.text for part in given.parts] == _whole(study)
    submit(study, worker, KEY, plausible(given), "once")
    assert len(results(study)) == 1
