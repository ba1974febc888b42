"""Items taken out and put back, and people let in again: nothing that was done is lost, and each step is in the history."""

from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from annotation.studies.callers import Caller, Phase, Role
from annotation.studies.figures.progress import progress
from annotation.studies.figures.results import STANDING, results
from annotation.studies.files.archive import read_archive, write_archive
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study, open_study
from annotation.studies.tables import study_items
from annotation.studies.work.answers import history, save_draft, submit
from annotation.studies.work.grading import (
    LeadVerdict,
    decide_trial,
    eliminate,
    messages_to,
    review,
    review_queue,
    take_back,
    work_of,
)
from annotation.studies.work.leases import next_item
from annotation.studies.work.readmission import readmit
from annotation.studies.work.withdrawal import list_items, put_back, withdraw
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, json_lines, plausible, rating_study, ratings, write_study

pytestmark = pytest.mark.every_database


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    return rating_study(database, tmp_path / "ratings", clock, items=4, toml="overlap = 2")


@pytest.fixture
def lead(study: Study) -> Caller:
    return join(study, "Lena", Role.LEAD)


def _answer(study: Study, worker: Caller) -> str:
    given_ = next_item(study, worker)
    submit(study, worker, given_.key, plausible(given_), f"{worker.worker}/{given_.key}", insist=True)
    return given_.key


def _all(study: Study, worker: Caller) -> list[str]:
    """Whatever is left for this worker."""
    keys: list[str] = []
    for _ in range(100):
        try:
            keys.append(_answer(study, worker))
        except CallRefusedError:
            break
    with pytest.raises(CallRefusedError) as refused:
        next_item(study, worker)
    assert refused.value.reason is Reason.FINISHED
    return keys


def test_a_withdrawn_item_is_given_to_nobody_and_its_answers_stay(study: Study, lead: Caller) -> None:
    ann, bob = join(study, "Ann"), join(study, "Bob")
    assert _all(study, ann) == ["p0", "p1", "p2", "p3"]
    withdraw(study, lead, "p1", "No such patient.")
    assert _all(study, bob) == ["p0", "p2", "p3"]
    assert sum(result.key == "p1" for result in results(study, STANDING)) == 1
    found = progress(study, lead)
    assert (found.items, found.withdrawn, found.complete, found.begun, found.answers) == (3, 1, 3, 0, 7)
    put_back(study, lead, "p1")
    assert _all(study, bob) == ["p1"]
    assert progress(study, lead).complete == 4
    told = {each.kind: each.content.get("reason") for each in history(study, lead, "p1")}
    assert (told["withdrawn"], told["put back"]) == ("No such patient.", "")


def test_whoever_has_it_in_work_may_hand_it_in_but_not_get_it_again(study: Study, lead: Caller, clock: HandClock) -> None:
    ann, bob = join(study, "Ann"), join(study, "Bob")
    held, lost = next_item(study, ann), next_item(study, bob)
    assert held.key == lost.key == "p0"
    withdraw(study, lead, "p0", "wrong")
    save_draft(study, ann, "p0", "rating", 3, 1)
    clock.turn(29)
    assert next_item(study, ann).key == "p0"
    submit(study, ann, "p0", {"rating": 3}, "1")
    clock.turn(31)
    assert next_item(study, bob).key == "p1", "the lease has run out"


@pytest.mark.slow
def test_a_rejected_answer_does_not_open_a_withdrawn_item(study: Study, lead: Caller) -> None:
    ann, bob, cleo = join(study, "Ann"), join(study, "Bob"), join(study, "Cleo")
    _answer(study, ann)
    withdraw(study, lead, "p0", "wrong")
    work = work_of(study, lead, ann.worker)[0]
    review(study, lead, work.assignment, work.number, LeadVerdict.REJECTED, "no")
    assert next_item(study, bob).key == "p1"
    review(study, lead, work.assignment, work.number, LeadVerdict.ACCEPTED)
    assert next_item(study, cleo).key == "p1"


def test_an_edited_study_folder_does_not_bring_it_back(study: Study, lead: Caller, tmp_path: Path, clock: HandClock) -> None:
    withdraw(study, lead, "p0", "wrong")
    again = rating_study(study.database, tmp_path / "ratings", clock, items=4, toml="overlap = 3")
    assert _all(again, join(again, "Ann")) == ["p1", "p2", "p3"]


def test_what_cannot_be_withdrawn(database: Database, tmp_path: Path, clock: HandClock) -> None:
    head = 'title = "R"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n[trial]\nitems = "trial.jsonl"\ntasks = 1\n'
    folder = write_study(tmp_path / "s", head, items__jsonl=ratings(1), trial__jsonl=ratings(1, "t"))
    study = open_study(database, folder, clock)
    lead, ann = join(study, "Lena", Role.LEAD), join(study, "Ann")
    for call, reason in (
        (lambda: withdraw(study, lead, "t0", "x"), Reason.PHASE),
        (lambda: withdraw(study, lead, "none", "x"), Reason.UNKNOWN),
        (lambda: withdraw(study, lead, "p0", " "), Reason.ANSWER),
        (lambda: put_back(study, lead, "p0"), Reason.DECIDED),
        (lambda: withdraw(study, ann, "p0", "x"), Reason.ROLE),
        (lambda: put_back(study, ann, "p0"), Reason.ROLE),
        (lambda: list_items(study, ann), Reason.ROLE),
    ):
        with pytest.raises(CallRefusedError) as refused:
            call()
        assert refused.value.reason is reason


def test_attention_items_and_orders_of_their_own_pass_over_withdrawn_ones(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    toml = '[attention]\nitems = "known.jsonl"\nshare = 0.5'
    write_study(tmp_path / "a", "", known__jsonl=ratings(3, "k", known={"rating": 4}))
    study = rating_study(database, tmp_path / "a", clock, items=20, toml=toml)
    lead = join(study, "Lena", Role.LEAD)
    withdraw(study, lead, "k0", "everybody fails it")
    keys = _all(study, join(study, "Ann"))
    assert {"k1", "k2"} <= set(keys)
    assert "k0" not in keys
    interfaces = '[settings]\ncomparisons = []\n[[settings.interfaces]]\nname = "A"\n[[settings.interfaces]]\nname = "B"\n'
    items = [{"id": f"q{n}", "block": f"b{n % 2}", "question": "?", "options": ["a"], "correct": "a"} for n in range(6)]
    head = f'title = "U"\ntask = "user_study"\nitems = ["items.jsonl"]\n{interfaces}'
    compared = open_study(database, write_study(tmp_path / "u", head, items__jsonl=json_lines(items)), clock)
    withdraw(compared, join(compared, "Lena", Role.LEAD), "q3", "ambiguous")
    assert sorted(_all(compared, join(compared, "Ann"))) == ["comparison", "q0", "q1", "q2", "q4", "q5"]


def test_items_are_listed_for_a_lead(study: Study, lead: Caller) -> None:
    ann = join(study, "Ann")
    _answer(study, ann)
    next_item(study, ann)
    withdraw(study, lead, "p3", "x")
    found = [(each.key, each.answers, each.lent, each.withdrawn) for each in list_items(study, lead)]
    assert found == [("p0", 1, 0, False), ("p1", 0, 1, False), ("p2", 0, 0, False), ("p3", 0, 0, True)]
    assert [each.key for each in list_items(study, lead, withdrawn=True)] == ["p3"]
    assert [each.key for each in list_items(study, lead, page=1, size=3)] == ["p3"]
    assert [each.key for each in list_items(study, lead, "p2")] == ["p2"]
    assert list_items(study, lead, "%") == list_items(study, lead, "p_") == ()


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from(["withdraw", "put back", "answer", "skip a turn"]), st.integers(0, 3)), max_size=14))
def test_open_items_are_those_with_a_free_slot_that_are_not_withdrawn(
    study: Study, lead: Caller, acts: list[tuple[str, int]]
) -> None:
    """Whatever order things happen in; the study goes on from one example to the next."""
    people = [join(study, f"W{uuid4()}") for _ in range(2)]
    for act, number in acts:
        try:
            if act == "withdraw":
                withdraw(study, lead, f"p{number}", "x")
            elif act == "put back":
                put_back(study, lead, f"p{number}")
            elif act == "answer":
                _answer(study, people[number % 2])
        except CallRefusedError:
            pass
    with study.database.reading() as connection:
        for row in connection.execute(select(study_items)):
            assert row.open == (row.taken < row.wanted and not row.withdrawn)


def test_a_withdrawal_is_in_the_archive_and_older_archives_have_none(study: Study, lead: Caller, tmp_path: Path) -> None:
    withdraw(study, lead, "p2", "x")
    content = write_archive(study)
    other = Database(f"sqlite:///{tmp_path / 'other.sqlite'}")
    copy = read_archive(other, content)
    assert [each.key for each in list_items(copy, join(copy, "L", Role.LEAD), withdrawn=True)] == ["p2"]
    older = content.replace(b', "withdrawn": true', b"").replace(b', "withdrawn": false', b"")
    assert older != content
    old = read_archive(other, older, "old")
    assert list_items(old, join(old, "L", Role.LEAD), withdrawn=True) == ()
    other.close()


@pytest.fixture
def tried(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    write_study(tmp_path / "tried", "", trial__jsonl=ratings(1, "t"))
    return rating_study(database, tmp_path / "tried", clock, toml='[trial]\nitems = "trial.jsonl"\ntasks = 1')


def test_whoever_failed_the_trial_is_in_it_again_and_decided_on_anew(tried: Study) -> None:
    lead, ann = join(tried, "Lena", Role.LEAD), join(tried, "Ann")
    _answer(tried, ann)
    work = work_of(tried, lead, ann.worker)[0]
    review(tried, lead, work.assignment, work.number, LeadVerdict.REJECTED, "no")
    for decision in range(3):
        assert decide_trial(tried, lead, ann.worker, False, f"failed {decision}") is Phase.ELIMINATED
        assert readmit(tried, lead, ann.worker, f"our mistake {decision}") is Phase.TRIAL
    review(tried, lead, work.assignment, work.number, LeadVerdict.ACCEPTED, "good after all")
    assert decide_trial(tried, lead, ann.worker, True, "passed") is Phase.TASKS
    assert _answer(tried, ann) == "p0"
    told = [text for _, text in messages_to(tried, ann)]
    assert told == [f"{kind} {n}" for n in range(3) for kind in ("failed", "our mistake")] + ["passed"]


def test_whoever_worked_goes_on_with_what_they_had_typed(study: Study, lead: Caller) -> None:
    ann = join(study, "Ann")
    _answer(study, ann)
    key = next_item(study, ann).key
    save_draft(study, ann, key, "rating", 2, 1)
    eliminate(study, lead, ann.worker, "gone")
    with pytest.raises(CallRefusedError) as refused:
        next_item(study, ann)
    assert refused.value.reason is Reason.ELIMINATED
    assert readmit(study, lead, ann.worker, "welcome back") is Phase.TASKS
    again = next_item(study, ann)
    assert (again.key, again.drafts["rating"].value, again.number) == (key, 2, 2)
    for call, reason in (
        (lambda: readmit(study, lead, ann.worker, "x"), Reason.DECIDED),
        (lambda: readmit(study, lead, 999, "x"), Reason.UNKNOWN),
        (lambda: readmit(study, lead, ann.worker, " "), Reason.ANSWER),
        (lambda: readmit(study, ann, ann.worker, "x"), Reason.ROLE),
    ):
        with pytest.raises(CallRefusedError) as refused:
            call()
        assert refused.value.reason is reason


def test_nobody_skips_a_phase_by_being_let_in_again(tried: Study) -> None:
    lead, ann = join(tried, "Lena", Role.LEAD), join(tried, "Ann")
    eliminate(tried, lead, ann.worker, "early")
    assert readmit(tried, lead, ann.worker, "sorry") is Phase.TRIAL
    assert next_item(tried, ann).key == "t0"


def test_a_verdict_that_is_taken_back_leaves_the_answer_as_it_was(study: Study, lead: Caller) -> None:
    ann, bob, cleo = join(study, "Ann"), join(study, "Bob"), join(study, "Cleo")
    for worker in (ann, bob):
        assert _answer(study, worker) == "p0"
    work = work_of(study, lead, ann.worker)[0]
    review(study, lead, work.assignment, work.number, LeadVerdict.EDITED, "better", {"rating": 1})
    take_back(study, lead, work.assignment, work.number)
    again = work_of(study, lead, ann.worker)[0]
    assert (again.verdict, again.feedback, again.final, again.answer) == (LeadVerdict.NONE, "", None, work.answer)
    assert work.assignment in {each.assignment for each in review_queue(study, lead)}
    kinds = [each.kind for each in history(study, lead, "p0")]
    assert kinds[-2:] == ["reviewed", "verdict taken back"]
    for call, reason in (
        (lambda: take_back(study, lead, work.assignment, work.number), Reason.DECIDED),
        (lambda: take_back(study, lead, work.assignment, 0), Reason.DECIDED),
        (lambda: take_back(study, lead, 999, 1), Reason.UNKNOWN),
        (lambda: take_back(study, ann, work.assignment, work.number), Reason.ROLE),
    ):
        with pytest.raises(CallRefusedError) as refused:
            call()
        assert refused.value.reason is reason
    # A rejection that somebody else has made good cannot be undone: there would be one answer too many.
    review(study, lead, work.assignment, work.number, LeadVerdict.REJECTED, "no")
    assert _answer(study, cleo) == "p0"
    with pytest.raises(CallRefusedError) as refused:
        take_back(study, lead, work.assignment, work.number)
    assert refused.value.reason is Reason.OVERLAP
