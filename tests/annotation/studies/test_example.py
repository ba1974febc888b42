"""The study that ships can be walked from consent to the export of INSPIRED records."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.studies.callers import Phase, Role
from annotation.studies.figures.answered_fields import answered_fields
from annotation.studies.figures.diversity import diversity
from annotation.studies.figures.field_agreement import field_agreements
from annotation.studies.figures.progress import progress, standing
from annotation.studies.files.export import EXPORTS, export, export_kinds
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.study import EXAMPLE, Study, open_study
from annotation.studies.work.answers import edit, flag, save_draft
from annotation.studies.work.bonuses import earnings, mark_paid
from annotation.studies.work.grading import LeadVerdict, decide_trial, feedback_to, release_batch, review, review_queue
from annotation.studies.work.leases import next_item
from annotation.studies.work.own_work import own_answers
from annotation.studies.work.qualification import agree, draw_quiz, see_slide, submit_quiz, tutorial
from backend.storage.database import Database
from inspired.dialogue.dialogue import Dialogue
from inspired.dialogue.records import read_record
from tests.annotation.studies.small_studies import HandClock, hand_in, join, plausible, right_answers

# FORMATS of the INSPIRED data: the fields of a record.
FIELDS = (
    "id cwq_question rephrased_question rephrased_question_label question final_answer gold_parse preprocessed_gold_parse "
    "predicted_parse gold_sub_lfs pred_sub_lfs gold_sub_qs pred_sub_qs feedback"
).split()


@pytest.fixture
def study(database: Database, clock: HandClock) -> Study:
    return open_study(database, EXAMPLE, clock)


@pytest.mark.every_database
@pytest.mark.slow
def test_the_whole_path(study: Study, clock: HandClock) -> None:
    lead, worker = join(study, "Lena", Role.LEAD), join(study, "Ann")
    assert agree(study, worker) is Phase.TUTORIAL
    phases = [see_slide(study, worker, number) for number in range(1, len(study.plan.slides) + 1)]
    assert phases == [Phase.TUTORIAL] * (len(phases) - 1) + [Phase.QUIZ]
    sheet = draw_quiz(study, worker)
    assert (len(sheet.questions), sheet.pass_mark) == (8, 7)
    assert submit_quiz(study, worker, sheet.attempt, right_answers(study, sheet.questions)).passed
    submitted = 0
    while True:
        try:
            given = next_item(study, worker)
        except CallRefusedError as end:
            if end.reason is not Reason.GRADING:
                break
            for work in review_queue(study, lead):
                review(study, lead, work.assignment, work.number, LeadVerdict.ACCEPTED, "Well said.")
            if standing(study, worker).phase is Phase.TRIAL:
                assert decide_trial(study, lead, worker.worker, True, "Good.") is Phase.TASKS
            else:
                release_batch(study, lead, worker.worker)
            continue
        clock.turn(2)
        assert hand_in(study, worker, given, submitted, f"s{submitted}").done == given.number
        submitted += 1
    assert submitted == 3 + 10 + progress(study, lead).workers[0].attention[1]
    assert len(feedback_to(study, worker)) >= 3
    assert tutorial(study, worker).slides == study.plan.slides
    found = progress(study, lead)
    assert (found.items, found.complete, found.median_seconds) == (10, 10, 120.0)
    records = [json.loads(line) for line in export(study, lead, "jsonl").splitlines()]
    assert len(records) == 10
    for record in records:
        assert set(FIELDS) <= set(record)
        dialogue = read_record(json.dumps(record))
        assert isinstance(dialogue, Dialogue)
        assert len(record["gold_sub_qs"]) == len(record["gold_sub_lfs"]) == len(dialogue.current.steps)
        assert len(record["pred_sub_qs"]) == len(record["pred_sub_lfs"])
        assert all(each["sub_question"].startswith("Said anew") for each in record["gold_sub_qs"])
        assert all(each["answer"] for each in record["gold_sub_qs"])
    assert export(study, lead, "inspired.jsonl") == export(study, lead, "jsonl")
    varied = diversity(study)
    assert varied.templates.texts == varied.wordings.texts > 20
    assert (varied.answers, varied.of_all) == (10, 10)
    some = diversity(study, most=4)  # each third of them
    assert (some.answers, some.of_all) == (4, 10)
    assert 0 < some.wordings.texts < varied.wordings.texts
    assert field_agreements(answered_fields(study)) == []  # one worker cannot disagree
    money = earnings(study, worker)[0]
    assert money.for_tasks == 80 * submitted
    assert [bonus.reason for bonus in money.bonuses] == ["tutorial and quiz", "batch 1", "batch 2"]
    assert money.total == 80 * submitted + 600 + 2 * 500
    mark_paid(study, lead, money.bonuses[0].number)
    assert earnings(study, lead)[0].bonuses[0].paid == clock()
    assert all(export(study, lead, kind) for kind in export_kinds(study))
    assert set(EXPORTS) < set(export_kinds(study))


def test_questions_of_the_quiz_are_answered_by_the_tutorial(study: Study) -> None:
    for question in study.plan.questions:
        assert "See slide" in question.explanation
        number = int(question.explanation.rsplit(" ", 1)[1].rstrip("."))
        assert 1 <= number <= len(study.plan.slides)


def test_the_example_is_the_same_when_it_is_opened_again(study: Study, database: Database) -> None:
    again = open_study(database, EXAMPLE)
    assert (again.id, again.plan) == (study.id, study.plan)


@pytest.mark.every_database
def test_a_dialogue_keeps_drafts_flags_and_edits(study: Study, tmp_path: Path, clock: HandClock) -> None:
    worker, lead = join(study, "Ann"), join(study, "Lena", Role.LEAD)
    agree(study, worker)
    for number in range(1, len(study.plan.slides) + 1):
        see_slide(study, worker, number)
    sheet = draw_quiz(study, worker)
    submit_quiz(study, worker, sheet.attempt, right_answers(study, sheet.questions))
    given = next_item(study, worker)
    save_draft(study, worker, given.key, "rephrased_question", "half a sent", 1)
    assert next_item(study, worker).drafts["rephrased_question"].value == "half a sent"
    flag(study, worker, given.key, "Spain is no neighbour")
    hand_in(study, worker, given, "", "one")
    whole = replace(given, parts=own_answers(study, worker)[0].parts)
    edit(study, worker, given.key, plausible(whole, "better"), "two")
    assert progress(study, lead).flagged[0].reasons == ("Spain is no neighbour",)
    assert "better" in review_queue(study, lead)[0].answer["predicted_1"]
    assert next_item(study, worker).key != given.key
