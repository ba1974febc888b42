"""Answers searched and decided on together: what a filter leaves, one step, one undo, and what is left as it was."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from annotation.studies.callers import Caller, Role
from annotation.studies.data_manager.answer_list import AnswerSearch, list_answers, numbers_of
from annotation.studies.data_manager.bulk_review import past_bulk_reviews, review_many, review_matching, undo_review
from annotation.studies.figures.results import results
from annotation.studies.files.archive import read_archive, write_archive
from annotation.studies.labels.adjudication import decide_labels
from annotation.studies.labels.item_labels import disagreements
from annotation.studies.people.workers import lead_at_terminal
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import Study
from annotation.studies.tables import study_assignments, study_items
from annotation.studies.work.answers import submit
from annotation.studies.work.grading import LeadVerdict, review
from annotation.studies.work.leases import next_item
from annotation.web.lead.lead import progress_page
from annotation.web.lead.lead_answers import answers_page, decide_many, undo_many
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, rating_study

SMALL = "overlap = 2\n[batches]\nspot_check = 0.5\n"


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    """Two workers have answered four items each; Ann gives 4, Ben 1."""
    study = rating_study(database, tmp_path / "small", clock, 4, SMALL)
    for name, rating in (("Ann", 4), ("Ben", 1)):
        worker = join(study, name)
        for number in range(4):
            clock.turn(1)
            lent = next_item(study, worker)
            submit(study, worker, lent.key, {lent.parts[-1].name: rating}, f"s{number}")
    return study


@pytest.fixture
def lead(study: Study) -> Caller:
    return join(study, "Lena", Role.LEAD)


def _table(study: Study) -> list[tuple[Any, ...]]:
    """All that a decision may change, of answers and items."""
    table = study_assignments
    with study.database.reading() as connection:
        answers = select(table.c.verdict, table.c.feedback, table.c.final, table.c.sampled, table.c.slot).order_by(table.c.id)
        items = select(study_items.c.taken, study_items.c.open).order_by(study_items.c.id)
        return [tuple(row) for query in (answers, items) for row in connection.execute(query)]


def test_a_filter_leaves_what_it_names(study: Study, lead: Caller) -> None:
    everything = list_answers(study, lead, AnswerSearch())
    assert (everything.count, len(everything.listed)) == (8, 8)
    assert everything.item_columns[:2] == ("original", "rewrite")
    ann = next(each.worker for each in everything.listed if each.name == "Ann")
    assert {each.name for each in list_answers(study, lead, AnswerSearch(worker=ann)).listed} == {"Ann"}
    assert [each.result.key for each in list_answers(study, lead, AnswerSearch(text="AGE HAS 2")).listed] == ["p2", "p2"]
    assert {each.name for each in list_answers(study, lead, AnswerSearch(text="ben")).listed} == {"Ben"}
    drawn = numbers_of(study, lead, AnswerSearch(state="drawn"))
    assert 0 < len(drawn) < 8
    latest = list_answers(study, lead, AnswerSearch(order="latest"), limit=3).listed
    assert [each.name for each in latest] == ["Ben"] * 3
    with pytest.raises(CallRefusedError, match="“state” is one of waiting, drawn"):
        AnswerSearch(state="nice")


def test_many_are_decided_on_in_one_step_and_undone_in_one(study: Study, lead: Caller) -> None:
    first = list_answers(study, lead, AnswerSearch()).listed
    review(study, lead, first[0].assignment, first[0].number, LeadVerdict.REJECTED, "not so")
    review(study, lead, first[1].assignment, first[1].number, LeadVerdict.EDITED, "", dict.fromkeys(first[1].result.answer, 3))
    before = _table(study)
    done = review_matching(study, lead, AnswerSearch(), 8, LeadVerdict.REJECTED, "all of it again")
    assert (done.decided, sorted(done.left)) == (6, sorted([
        (first[0].result.key, "It is rejected already."),
        (first[1].result.key, "A lead has edited it; decide on it by itself."),
    ]))  # fmt: skip
    assert [each.worker for each in results(study)] != []  # the edited one
    assert len(results(study)) == 1
    past = past_bulk_reviews(study, lead)
    assert [(each.answers, each.verdict, each.lead, each.undone) for each in past] == [(6, "rejected", "Lena", False)]
    assert undo_review(study, lead, past[0].number).decided == 6
    assert _table(study) == before
    assert past_bulk_reviews(study, lead)[0].undone
    with pytest.raises(CallRefusedError, match="undone already"):
        undo_review(study, lead, past[0].number)


def test_undoing_brings_back_the_feedback_of_an_earlier_decision(study: Study, lead: Caller) -> None:
    first = list_answers(study, lead, AnswerSearch()).listed[0]
    review(study, lead, first.assignment, first.number, LeadVerdict.REJECTED, "the reason of then")
    before = _table(study)
    assert review_many(study, lead, {first.assignment: first.number}, LeadVerdict.ACCEPTED).decided == 1
    assert undo_review(study, lead, past_bulk_reviews(study, lead)[0].number).decided == 1
    assert _table(study) == before


def test_what_was_decided_on_again_is_not_undone(study: Study, lead: Caller) -> None:
    seen = numbers_of(study, lead, AnswerSearch())
    review_many(study, lead, seen, LeadVerdict.ACCEPTED)
    one, number = next(iter(seen.items()))
    review(study, lead, one, number, LeadVerdict.REJECTED, "after all")
    done = undo_review(study, lead, past_bulk_reviews(study, lead)[0].number)
    assert (done.decided, [reason for _, reason in done.left]) == (7, ["It was decided on again since."])
    assert [each.feedback for each in list_answers(study, lead, AnswerSearch(state="rejected")).listed] == ["after all"]


def test_an_answer_that_was_changed_since_is_left(study: Study, lead: Caller) -> None:
    seen = {assignment: number - 1 for assignment, number in numbers_of(study, lead, AnswerSearch()).items()}
    before = _table(study)
    done = review_many(study, lead, seen, LeadVerdict.ACCEPTED)
    assert (done.decided, len(done.left)) == (0, 8)
    assert _table(study) == before
    with pytest.raises(CallRefusedError, match="There were 7 answers and now there are 8"):
        review_matching(study, lead, AnswerSearch(), 7, LeadVerdict.ACCEPTED)
    with pytest.raises(CallRefusedError, match="A rejection needs feedback"):
        review_matching(study, lead, AnswerSearch(), 8, LeadVerdict.REJECTED)
    with pytest.raises(CallRefusedError, match="1 to 1,000"):
        review_many(study, lead, {}, LeadVerdict.ACCEPTED)


def test_a_worker_lists_and_decides_nothing(study: Study) -> None:
    worker = join(study, "Wim")
    for call in (lambda: list_answers(study, worker, AnswerSearch()), lambda: past_bulk_reviews(study, worker),
                 lambda: review_many(study, worker, {1: 1}, LeadVerdict.ACCEPTED)):  # fmt: skip
        with pytest.raises(CallRefusedError) as refused:
            call()
        assert refused.value.reason is Reason.ROLE


def test_a_decision_is_undone_after_a_study_went_through_an_archive(study: Study, lead: Caller) -> None:
    before = _table(study)
    review_matching(study, lead, AnswerSearch(), 8, LeadVerdict.ACCEPTED)
    copy = read_archive(study.database, write_archive(study, names=True).replace(b'"link": "', b'"link": "x'), "copy")
    other = lead_at_terminal(copy, "Lena")
    assert undo_review(copy, other, past_bulk_reviews(copy, other)[0].number).decided == 8
    table = study_assignments
    with copy.database.reading() as connection:
        verdicts = connection.execute(select(table.c.verdict).where(table.c.study == copy.id)).scalars().all()
    assert verdicts == [""] * 8
    assert len(_table(study)) == 2 * len(before)


@pytest.mark.slow
def test_the_page_of_a_lead_has_what_is_asked_for(study: Study, lead: Caller) -> None:
    html = answers_page(study, lead, {"find": "age has 1", "chosen": "yes", "column-item.rewrite": "on"})
    assert "2 answers match." in html
    assert html.count("What age has 1?") == 4  # in the cell and its title, twice
    assert '<th scope="col">Worker</th>' not in html
    listed = list_answers(study, lead, AnswerSearch(text="age has 1")).listed
    ticked = {f"answer-{each.assignment}": str(each.number) for each in listed}
    assert decide_many(study, lead, {**ticked, "verdict": "accepted", "feedback": ""})["decided"] == 2
    asked = {"all": "on", "count": 8, "find": "", "verdict": "rejected", "feedback": "no"}
    assert "8 answers are rejected." in decide_many(study, lead, asked)["message"]
    for past in past_bulk_reviews(study, lead):
        undo_many(study, lead, {"number": past.number})
    assert list_answers(study, lead, AnswerSearch(state="waiting")).count == 8


def test_the_first_page_names_what_is_left_and_ends_in_ready_to_export(study: Study, lead: Caller) -> None:
    html = progress_page(study, lead, {})
    assert "answers wait for a verdict" in html
    assert "4 items wait for a decision" in html
    assert "Ready to export" not in html
    review_matching(study, lead, AnswerSearch(), 8, LeadVerdict.ACCEPTED)
    for each in disagreements(study):
        decide_labels(study, lead, each.key, {"rating": 2}, "")
    html = progress_page(study, lead, {})
    assert "Ready to export" in html
    assert "Still to do" not in html
