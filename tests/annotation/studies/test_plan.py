"""A study folder is checked as a whole: each mistake is named with file, line and field, and nothing half is kept."""

from pathlib import Path

import pytest

from annotation.studies.plan import Batches, Quiz, StudyFile, Trial, read_plan
from annotation.studies.study import EXAMPLE, load_study, open_study, study_names
from annotation.studies.work.leases import next_item
from backend.errors import AnnotationError
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, rating_study, ratings, write_study

HEAD = 'title = "R"\ntask = "similarity_rating"\nitems = ["items.jsonl"]\n'
QUESTION = '[[question]]\nquestion = "1 + 1?"\noptions = ["2", "3"]\ncorrect = "2"\n'


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ('title = "R"\n', "task is missing"),
        (HEAD + "titel = 1\n", r"line 4: there is no titel\. Known here: title, task"),
        (HEAD.replace("similarity_rating", "rating"), "task is 'rating'; there are accuracy_check"),
        (HEAD + "overlap = 0\n", r"line 4: overlap cannot be 0"),
        (HEAD + "lease_minutes = 'long'\n", r"line 4: lease_minutes cannot be 'long'"),
        (HEAD + "[quiz]\nquestions = 'quiz.toml'\npass_mark = 9\n", r"line 4: quiz: pass_mark is 9, but only 8"),
        (HEAD + "[quiz]\nquestions = 'quiz.toml'\n", "holds 1 questions, but quiz.draw asks for 8"),
        (HEAD + "[quiz]\nquestion = 'quiz.toml'\n", "questions is missing|no quiz.question"),
        (HEAD + "[batches]\nstart = 10\n\nspot_check = 2\n", r"line 7: batches.spot_check cannot be 2"),
        (HEAD + "[settings]\nkept = 3\n", r"line 5: there is no settings\.kept\. Known here: keep, ratings"),
        (HEAD + "[settings]\nkeep = 5\n", r"line 5: settings\.keep cannot be 5"),
        (HEAD + "[payment]\nper_task = 0.123\n", r"line 5: payment\.per_task"),
        (HEAD + "[tutorial]\nslides = 'none'\n", "holds no slide"),
        (HEAD + "[consent]\ntext = 'none.md'\n", "Cannot read .*none.md"),
        (HEAD + "[trial]\nitems = 'items.jsonl'\n", "holds 3 items, but trial.tasks asks for 10"),
        (HEAD + "[attention]\nitems = 'items.jsonl'\n", r'line 1: an attention item needs "known"'),
        (HEAD + "[trial]\nitems = 'items.jsonl'\ntasks = 1\n", "Two items have the id 'p0'"),
        (HEAD + "x = = 1\n", "not TOML: .*line 4"),
        (HEAD.replace("items.jsonl", "absent.jsonl"), "Cannot read .*absent.jsonl"),
        (HEAD.replace("items.jsonl", "study.toml"), "ends in none of .jsonl, .json, .csv"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_kept(database: Database, tmp_path: Path, toml: str, says: str) -> None:
    folder = write_study(tmp_path / "study", toml, items__jsonl=ratings(3), quiz__toml=QUESTION)
    with pytest.raises(AnnotationError, match=says):
        open_study(database, folder)
    assert study_names(database) == []


@pytest.mark.parametrize(
    ("items", "says"),
    [
        ("", "holds no item"),
        ("{", "line 1: this is not JSON"),
        ("[1]", "line 1: an item is a JSON object"),
        ('{"original": "a"}', "line 1: rewrite is missing"),
        ('\n{"original": "a", "rewrite": "b", "rating": 3}', "line 2: there is no rating. Known here: original, rewrite"),
        ('{"original": "a", "rewrite": "b \\ud800"}', "half a surrogate"),
        ('{"id": "%s", "original": "a", "rewrite": "b"}' % ("x" * 201), "the id has 201 characters"),
        ('{"id": 1, "original": "a", "rewrite": "b"}\n' * 2, "Two items have the id '1'"),
        ('{"original": "a"}\n' * 7, "And 2 more"),
    ],
)
def test_a_bad_item_is_named_with_its_line(database: Database, tmp_path: Path, items: str, says: str) -> None:
    with pytest.raises(AnnotationError, match=says):
        open_study(database, write_study(tmp_path / "study", HEAD, items__jsonl=items))
    assert study_names(database) == []


def test_a_file_that_is_no_utf8_is_named_with_the_line(database: Database, tmp_path: Path) -> None:
    folder = write_study(tmp_path / "study", HEAD)
    (folder / "items.jsonl").write_bytes(b'{"original": "a", "rewrite": "b"}\n{"original": "\xff"}')
    with pytest.raises(AnnotationError, match=r"items.jsonl, line 2: this is not UTF-8"):
        open_study(database, folder)


def test_numbers_that_are_not_given_are_those_of_the_paper() -> None:
    example = read_plan(EXAMPLE).file
    assert all((example.consent, example.tutorial, example.quiz, example.trial, example.batches, example.attention))
    quiz, file = Quiz(questions="q"), StudyFile(title="t", task="similarity_rating")
    assert (quiz.draw, quiz.pass_mark, quiz.wait_minutes) == (8, 7, 10)
    assert (Trial(items="t").tasks, Batches().start, file.cap) == (10, 100, 1800)


@pytest.mark.every_database
def test_texts_may_change_but_neither_task_nor_items_in_work(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "r", clock, 2)
    folder = tmp_path / "r"
    (folder / "items.jsonl").write_text(ratings(3).replace("How old", "What age"))
    assert open_study(database, folder).id == study.id  # nobody has seen them yet
    shown = next_item(study, join(study, "Ann"))
    assert shown.parts[0].text == "What age is 0?"
    (folder / "items.jsonl").write_text(ratings(3))
    with pytest.raises(AnnotationError, match="'p0' is another than the one"):
        open_study(database, folder)
    (folder / "study.toml").write_text('title = "R"\ntask = "utterance_rewriting"\n')
    with pytest.raises(AnnotationError, match="has the task similarity_rating"):
        open_study(database, folder)
    assert load_study(database, "r").plan.file.task == "similarity_rating"
    with pytest.raises(AnnotationError, match=r"no study 'other' .* there are r"):
        load_study(database, "other")
