"""A study made in the browser: from a template or not at all, and nothing of the computer but what was dropped."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.studies.beginning.moved_items import to_attention, to_trial
from annotation.studies.beginning.sandbox import MOST, Sandbox
from annotation.studies.beginning.study_drafts import TEMPLATES, make, preview, template
from annotation.studies.item_files import ItemKind
from annotation.studies.shelf import OpenStudies
from annotation.studies.study import count_items, open_study, study_names
from annotation.studies.work.grading import review_queue
from annotation.studies.work.leases import next_item
from annotation.studies.work.qualification import agree, draw_quiz, see_slide, submit_quiz
from annotation.ui import endpoints
from backend.errors import AnnotationError
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, right_answers

EXTRA = '\n[consent]\ntext = "/etc/passwd"\n'


@pytest.mark.parametrize("name", TEMPLATES)
def test_each_template_is_a_study_as_it_stands(name: str, database: Database, tmp_path: Path, clock: HandClock) -> None:
    draft = template(name)
    shown = preview(draft)
    assert shown.counts[ItemKind.WORK] >= 2
    assert any(part.name for part in shown.parts)
    study = make(database, tmp_path / "home", "mine", draft, clock)
    assert study.plan.file.title == shown.plan.file.title
    assert next_item(study, join(study, "Ann")).key
    assert open_study(database, tmp_path / "home" / "mine", clock).id == study.id  # the folder is one as any other
    with pytest.raises(AnnotationError, match="'mine' already"):
        make(database, tmp_path / "home", "mine", draft, clock)


def test_trial_and_attention_items_are_made_from_the_items_in_sight(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    rows = "".join(f'{{"question": "Q{n}", "system_a": "A{n}", "system_b": "B{n}"}}\n' for n in range(5))
    draft = replace(template("side_by_side"), items=rows)
    draft = to_trial(to_trial(draft))
    with pytest.raises(AnnotationError, match=r"attention.jsonl, line 1: known: “better” cannot be 'both'"):
        preview(to_attention(draft, {"better": "both"}))
    draft = to_attention(draft, {"better": "the left one", "why": ""})
    assert preview(draft).counts == {ItemKind.WORK: 2, ItemKind.TRIAL: 2, ItemKind.ATTENTION: 1}
    with pytest.raises(AnnotationError, match="the only item left"):
        to_trial(to_trial(draft))
    study = make(database, tmp_path, "mine", draft, clock)
    assert (study.plan.file.trial and study.plan.file.trial.tasks, study.plan.file.attention is not None) == (2, True)
    assert count_items(study) == {ItemKind.WORK: 2, ItemKind.TRIAL: 2, ItemKind.ATTENTION: 1}
    task = next_item(study, join(study, "Ann"))
    assert (task.key, task.of) == ("item-1", 2)


def test_items_of_a_file_of_another_kind_are_those_of_the_study(database: Database, tmp_path: Path, clock: HandClock) -> None:
    draft = replace(template("own_scale"), items="id,erklaerung,quelle\nx,Text,hier\n", ending=".csv")
    study = make(database, tmp_path, "csv", draft, clock)
    assert sum(count_items(study).values()) == 1
    assert (tmp_path / "csv" / "items.csv").is_file()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"items": '{"id": "a"'}, r"items.jsonl, line 1"),
        ({"items": ""}, "holds no item"),
        ({"items": '{"question": "Only this"}'}, "no column 'system_a'"),
        ({"toml": 'title = "T"\ntask = "nothing"\nitems = ["items.jsonl"]\n'}, "study.toml: task is 'nothing'"),
        ({"toml": "title = "}, "study.toml: this is not TOML"),
        ({"toml": template("side_by_side").toml + EXTRA}, r'text of \[consent\] is "consent.md"'),
        ({"toml": template("side_by_side").toml + EXTRA.replace("consent", "trial")}, r'items of \[trial\] is "trial.jsonl"'),
        ({"toml": template("side_by_side").toml + '\n[quiz]\nquestions = "quiz.toml"\n'}, "quiz.toml"),
        ({"quiz": "* right\n"}, "Quiz, line 1: a question comes before the right option"),
        ({"quiz": "Q?\n- a\n- b\n\nWhich?\n* a"}, r"Quiz, line 1: “Q\?” needs two options or more"),
        ({"quiz": "Q?\na\n"}, "Quiz, line 2: after the question"),
        ({"toml": template("side_by_side").toml.replace('"instructions.md"', '"/etc/passwd"')}, "instructions.md"),
        ({"toml": 'items = []\nitems = ["/etc/passwd"]\n'}, "not TOML"),
        ({"ending": ".exe"}, "not '.exe'"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_made(
    change: dict[str, Any], message: str, database: Database, tmp_path: Path, clock: HandClock
) -> None:
    with pytest.raises(AnnotationError, match=message) as error:
        make(database, tmp_path / "home", "mine", replace(template("side_by_side"), **change), clock)
    assert "/tmp" not in error.value.message
    assert study_names(database) == []
    assert not (tmp_path / "home" / "mine").exists()


SLIDES = "# One\n\ntext\n\n---\n\n# Two\n"
QUIZ_TEXT = """How much do you mark?
- the whole "sentence"
* only the words that are needed \\ ü
> As few as possible.

Which do you take?
* the first
- the second
"""


def test_consent_tutorial_and_quiz_are_typed_too(database: Database, tmp_path: Path, clock: HandClock) -> None:
    draft = replace(template("own_scale"), consent="Wir behalten nichts.", slides=SLIDES, quiz=QUIZ_TEXT)
    plan = preview(draft).plan
    assert (plan.consent, [slide[:5] for slide in plan.slides]) == ("Wir behalten nichts.", ["# One", "# Two"])
    first, second = plan.questions
    assert (first.options[0], first.correct) == ('the whole "sentence"', "only the words that are needed \\ ü")
    assert (first.explanation, second.explanation) == ("As few as possible.", "Right is: the first")
    study = make(database, tmp_path, "mine", draft, clock)
    worker = join(study, "Ann")
    agree(study, worker)
    for number in (1, 2):
        see_slide(study, worker, number)
    sheet = draw_quiz(study, worker)
    assert (len(sheet.questions), sheet.pass_mark) == (2, 2)
    assert submit_quiz(study, worker, sheet.attempt, right_answers(study, sheet.questions)).passed
    assert next_item(study, worker).key
    assert open_study(database, tmp_path / "mine", clock).id == study.id
    with_days = draft.toml + '\n[consent]\ntext = "consent.md"\nkeep_days = 30\n'
    consent = preview(replace(draft, toml=with_days)).plan.file.consent
    assert consent is not None
    assert consent.keep_days == 30


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "ä", "x" * 61])
def test_a_study_is_called_as_a_folder_may_be(name: str, database: Database, tmp_path: Path, clock: HandClock) -> None:
    with pytest.raises(AnnotationError, match="letters, digits"):
        make(database, tmp_path, name, template("side_by_side"), clock)


@pytest.fixture
def sandbox(clock: HandClock) -> Iterator[Sandbox]:
    made = Sandbox(clock)
    yield made
    made.close()


def test_where_strangers_come_the_example_is_tried_and_no_study_is_made(
    database: Database, clock: HandClock, sandbox: Sandbox
) -> None:
    shelf = OpenStudies(database, clock, sandbox=sandbox)
    assert endpoints._door(shelf)()["html"].count("data-making") == 0
    for name in ("study_making", "study_preview", "study_move_item", "study_make"):
        reply = endpoints._before(shelf, endpoints.BEFORE_A_STUDY[name])({"name": "x"})
        assert (reply["ok"], reply["reason"]) == (False, "role")
    tried = [endpoints._before(shelf, endpoints.BEFORE_A_STUDY["study_try"])({}) for _ in range(2)]
    (first, worker), (other, lead) = shelf.signed_in(tried[0]["worker"]), shelf.signed_in(tried[1]["lead"])
    assert first.name != other.name  # each has an example of their own
    assert next_item(first, worker).turns.at == 1
    assert shelf.signed_in(tried[0]["lead"])[0].name == first.name
    assert (worker.role.value, lead.role.value) == ("worker", "lead")
    (waiting,) = review_queue(other, lead)
    assert (waiting.name, waiting.answer["predicted_3"]) == ("Kim (invented)", "And what is its capital?")
    assert study_names(database) == []


def test_old_examples_are_forgotten_when_there_are_many(sandbox: Sandbox) -> None:
    first = sandbox.begin()
    sandbox._tried = MOST
    again = sandbox.begin()
    assert sandbox.signed_in(again.worker)[0].name == "example-1"
    with pytest.raises(AnnotationError, match="Sign in again"):
        sandbox.signed_in(first.worker)
