"""Submissions count once, drafts come back as typed, odd answers are questioned, and nothing overwrites anything."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.studies.callers import Caller, Role
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study, open_study
from annotation.studies.work.answer_warnings import Warned
from annotation.studies.work.answers import comment, edit, flag, history, save_draft, submit
from annotation.studies.work.grading import LeadVerdict, decide_trial, feedback_to, messages_to, review, review_queue, work_of
from annotation.studies.work.leases import next_item, skip
from backend.errors import AnnotationError
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, json_lines, rating_study, ratings, write_study

pytestmark = pytest.mark.every_database

REWRITING = 'title = "R"\ntask = "utterance_rewriting"\nitems = ["items.jsonl"]\n[settings]\nrewrites = 2\n'
ITEMS = [
    {"id": "u0", "utterance": "How likely is it that patient 5 is ill?", "parse": "filter id 5 and likelihood [e]",
     "entities": ["5"]},
    {"id": "u1", "utterance": "Show me the people over 40.", "parse": "filter age greater than 40 and show [e]"},
]  # fmt: skip
FINE = {"rewrite_1": "What chance of illness has number 5?", "rewrite_2": "Say for 5 the probability of disease"}


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    return open_study(database, write_study(tmp_path / "rewriting", REWRITING, items__jsonl=json_lines(ITEMS)), clock)


@pytest.fixture
def worker(study: Study) -> Caller:
    caller = join(study, "Ann")
    assert next_item(study, caller).key == "u0"
    return caller


def _reason(call: Callable[[], object]) -> Reason:
    with pytest.raises(CallRefusedError) as refused:
        call()
    return refused.value.reason


def test_a_submission_sent_twice_counts_once(study: Study, worker: Caller) -> None:
    first = submit(study, worker, "u0", FINE, "same id")
    again = submit(study, worker, "u0", FINE | {"rewrite_1": "something else"}, "same id")
    assert again == first
    assert [each.kind for each in history(study, worker, "u0")] == ["given", "submitted"]
    assert _reason(lambda: submit(study, worker, "u0", FINE, "another id")) is Reason.LEASE
    other = join(study, "Bo")
    given = next_item(study, other)
    assert submit(study, other, given.key, {"rewrite_1": "List all above 40", "rewrite_2": "Who is past 40?"},
                  "same id").event != first.event  # fmt: skip


@pytest.mark.parametrize("submission", ["", "x" * 101, None, 5])
def test_a_submission_has_an_id(study: Study, worker: Caller, submission: str) -> None:
    assert _reason(lambda: submit(study, worker, "u0", FINE, submission)) is Reason.ANSWER


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({}, "rewrite_1"),
        ({"rewrite_1": "a", "rewrite_2": "  "}, "rewrite_2"),
        (FINE | {"rewrite_3": "c"}, "rewrite_3"),
        ({"rewrite_1": 5, "rewrite_2": "b"}, "text"),
        ({"rewrite_1": "x" * 100_001, "rewrite_2": "b"}, "100,000"),
        ({"rewrite_1": "nul \0", "rewrite_2": "b"}, "NUL"),
        ({"rewrite_1": "Same words", "rewrite_2": "same  WORDS"}, "words of its own"),
    ],
)
def test_an_answer_of_the_wrong_form_is_refused_in_words(
    study: Study, worker: Caller, answer: dict[str, str], says: str
) -> None:
    with pytest.raises(CallRefusedError, match=says) as refused:
        submit(study, worker, "u0", answer, "1")
    assert refused.value.reason is Reason.ANSWER
    assert [each.kind for each in history(study, worker, "u0")] == ["given"]


def test_an_odd_answer_is_taken_if_its_writer_insists(study: Study, worker: Caller) -> None:
    odd = {"rewrite_1": "how likely is it that patient 5 is ill", "rewrite_2": "?!"}
    with pytest.raises(Warned) as warned:
        submit(study, worker, "u0", odd, "1")
    rules = {(each.rule, each.name) for each in warned.value.warnings}
    assert rules == {("near_copy", "rewrite_1"), ("empty", "rewrite_2"), ("missing_entity", "rewrite_2")}
    receipt = submit(study, worker, "u0", odd, "1", insist=True)
    assert {(each.rule, each.name) for each in receipt.warnings} == rules
    assert submit(study, worker, "u0", odd, "1").warnings == receipt.warnings


def test_long_texts_and_words_used_before_are_questioned(study: Study, worker: Caller) -> None:
    submit(study, worker, "u0", FINE, "1")
    assert next_item(study, worker).key == "u1"
    with pytest.raises(Warned) as warned:
        submit(study, worker, "u1", {"rewrite_1": FINE["rewrite_1"].upper(), "rewrite_2": "long " * 101}, "2")
    assert {each.rule for each in warned.value.warnings} == {"duplicate", "max_length"}


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)


@settings(max_examples=30)
@given(text=TEXTS, version=st.integers(1, 1000))
@pytest.mark.slow
def test_a_draft_comes_back_as_it_was_typed(study: Study, worker: Caller, text: str, version: int) -> None:
    before = next_item(study, worker).drafts.get("rewrite_1")
    newer = version + (before.version if before else 0)
    save_draft(study, worker, "u0", "rewrite_1", text, newer)
    save_draft(study, worker, "u0", "rewrite_1", "an older message that comes late", newer - 1)
    save_draft(study, worker, "u0", "rewrite_1", "the same version again", newer)
    kept = next_item(study, worker).drafts["rewrite_1"]
    assert (kept.value, kept.version) == (text, newer)


SCRIPTS = ("<script>alert('5')</script> & <b>5</b>", "متى ٥ 5 مريض؟", "患者5は病気か", "5 " + "ß𝕏🙂\n\t" * 20_000)


@pytest.mark.parametrize("text", SCRIPTS)
@pytest.mark.slow
def test_any_script_any_length_and_html_stay_as_they_are(study: Study, worker: Caller, text: str) -> None:
    text = text[:100_000]
    save_draft(study, worker, "u0", "rewrite_1", text, 1)
    assert next_item(study, worker).drafts["rewrite_1"].value == text
    submit(study, worker, "u0", FINE | {"rewrite_1": text}, "1", insist=True)
    assert history(study, worker, "u0")[-1].content["answer"]["rewrite_1"] == text
    lead = join(study, "Lena", Role.LEAD)
    assert work_of(study, lead, worker.worker)[0].answer["rewrite_1"] == text


def test_drafts_of_odd_kinds_are_refused(study: Study, worker: Caller) -> None:
    for field, value, version in (
        ("nothing", "a", 1), ("rewrite_1", "x" * 100_001, 1), ("rewrite_1", {"a": 1}, 1), ("rewrite_1", 1.5, 1),
        ("rewrite_1", "half \ud800", 1), ("rewrite_1", "a", -1), ("rewrite_1", "a", "1"), ("rewrite_1", [["a"]], 1),
        ("rewrite_1", None, 1),
    ):  # fmt: skip
        with pytest.raises(CallRefusedError) as refused:
            save_draft(study, worker, "u0", field, value, version)  # type: ignore[arg-type]
        assert refused.value.reason is Reason.ANSWER
    assert _reason(lambda: save_draft(study, worker, "u1", "rewrite_1", "not mine", 1)) is Reason.LEASE
    assert _reason(lambda: save_draft(study, worker, "none such", "rewrite_1", "a", 1)) is Reason.UNKNOWN


def test_drafts_are_gone_once_the_answer_is_in(study: Study, worker: Caller) -> None:
    save_draft(study, worker, "u0", "rewrite_1", "half", 1)
    submit(study, worker, "u0", FINE, "1")
    save_draft(study, worker, "u0", "rewrite_1", "a change of mind", 1)
    edit(study, worker, "u0", FINE | {"rewrite_1": "Is 5 likely to be sick?"}, "2")
    answers = [each.content["answer"]["rewrite_1"] for each in history(study, worker, "u0") if "answer" in each.content]
    assert answers == [FINE["rewrite_1"], "Is 5 likely to be sick?"]


def test_an_accepted_answer_that_is_edited_is_looked_at_again(study: Study, worker: Caller) -> None:
    lead = join(study, "Lena", Role.LEAD)
    submit(study, worker, "u0", FINE, "1")
    work = work_of(study, lead, worker.worker)[0]
    review(study, lead, work.assignment, work.number, LeadVerdict.ACCEPTED)
    assert review_queue(study, lead) == ()
    edit(study, worker, "u0", FINE | {"rewrite_2": "How sick is 5, perhaps?"}, "2")
    assert [each.key for each in review_queue(study, lead)] == ["u0"]
    assert _reason(lambda: review(study, lead, work.assignment, work.number, LeadVerdict.ACCEPTED)) is Reason.DECIDED


def test_feedback_reaches_the_worker_and_a_rejected_slot_is_free(study: Study, worker: Caller) -> None:
    lead, other = join(study, "Lena", Role.LEAD), join(study, "Bo")
    submit(study, worker, "u0", FINE, "1")
    work = work_of(study, lead, worker.worker)[0]
    assert _reason(lambda: review(study, lead, work.assignment, work.number, LeadVerdict.REJECTED)) is Reason.ANSWER
    assert _reason(lambda: review(study, lead, work.assignment, work.number, LeadVerdict.EDITED)) is Reason.ANSWER
    assert (
        _reason(lambda: review(study, lead, work.assignment, work.number, LeadVerdict.EDITED, final={"a": 1})) is Reason.ANSWER
    )
    assert _reason(lambda: review(study, lead, 999, 1, LeadVerdict.ACCEPTED)) is Reason.UNKNOWN
    better = FINE | {"rewrite_2": "How probable is illness for 5?"}
    review(study, lead, work.assignment, work.number, LeadVerdict.EDITED, "shorter", better)
    told = feedback_to(study, worker)[0]
    assert (told.verdict, told.text, told.answer, told.final) == (LeadVerdict.EDITED, "shorter", FINE, better)
    review(study, lead, work.assignment, work.number, LeadVerdict.REJECTED, "on second thought, no")
    assert _reason(lambda: edit(study, worker, "u0", better, "2")) is Reason.DECIDED
    assert next_item(study, other).key == "u0"
    assert _reason(lambda: review(study, lead, work.assignment, work.number, LeadVerdict.ACCEPTED)) is Reason.OVERLAP
    skip(study, other, "u0", "not for me")
    review(study, lead, work.assignment, work.number, LeadVerdict.ACCEPTED)
    assert _reason(lambda: next_item(study, join(study, "Cy")) and next_item(study, other)) is Reason.FINISHED


def test_remarks_are_kept_and_seen_by_those_concerned(study: Study, worker: Caller) -> None:
    lead, other = join(study, "Lena", Role.LEAD), join(study, "Bo")
    flag(study, worker, "u0", "<i>which</i> 5?")
    comment(study, worker, "u0", "5 of what")
    comment(study, lead, "u0", "a row")
    assert _reason(lambda: flag(study, other, "u0", "not mine")) is Reason.LEASE
    assert _reason(lambda: comment(study, worker, "u0", " ")) is Reason.ANSWER
    assert [each.kind for each in history(study, worker, "u0")] == ["given", "flagged", "commented"]
    assert [each.content["text"] for each in history(study, lead, "u0")[1:]] == ["<i>which</i> 5?", "5 of what", "a row"]
    assert history(study, other, "u0") == ()


def test_a_trial_is_graded_by_hand_task_by_task(database: Database, tmp_path: Path, clock: HandClock) -> None:
    toml = 'title = "R"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n[trial]\nitems = "trial.jsonl"\ntasks = 2\n'
    folder = write_study(tmp_path / "r", toml, items__jsonl=ratings(3), trial__jsonl=ratings(2, "t"))
    study = open_study(database, folder, clock)
    people, lead = [join(study, name) for name in ("Ann", "Bo")], join(study, "Lena", Role.LEAD)
    for worker in people:
        assert _reason(lambda worker=worker: decide_trial(study, lead, worker.worker, True, "early")) is Reason.GRADING
        for key in ("t0", "t1"):  # the same for everybody
            assert next_item(study, worker).key == key
            assert _reason(lambda worker=worker, key=key: skip(study, worker, key, "no")) is Reason.PHASE
            submit(study, worker, key, {"rating": 4}, key)
        assert _reason(lambda worker=worker: next_item(study, worker)) is Reason.GRADING
        first, second = review_queue(study, lead, worker.worker)
        review(study, lead, first.assignment, first.number, LeadVerdict.ACCEPTED, "fine")
        assert _reason(lambda worker=worker: decide_trial(study, lead, worker.worker, True, "early")) is Reason.GRADING
        review(study, lead, second.assignment, second.number, LeadVerdict.REJECTED, "that was no 4")
        assert _reason(lambda worker=worker: decide_trial(study, lead, worker.worker, True, " ")) is Reason.ANSWER
    good, bad = people
    decide_trial(study, lead, good.worker, True, "go on")
    decide_trial(study, lead, bad.worker, False, "not this time")
    assert _reason(lambda: decide_trial(study, lead, good.worker, False, "no")) is Reason.PHASE
    assert next_item(study, good).key == "p0"
    assert _reason(lambda: next_item(study, bad)) is Reason.ELIMINATED
    assert [text for _, text in messages_to(study, bad)] == ["not this time"]
    assert {each.text for each in feedback_to(study, bad)} == {"fine", "that was no 4"}
    assert _reason(lambda: edit(study, good, "t0", {"rating": 1}, "again")) is Reason.DECIDED


def test_an_edit_needs_an_answer(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "ratings", clock)
    worker = join(study, "Ann")
    next_item(study, worker)
    assert _reason(lambda: edit(study, worker, "p0", {"rating": 4}, "1")) is Reason.UNKNOWN
    with pytest.raises(AnnotationError, match="no item 'nowhere'"):
        submit(study, worker, "nowhere", {"rating": 4}, "1")
