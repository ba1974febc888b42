"""A task written down in a study file alone: parts, conditions, sides that are exchanged, values that are refused."""

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from annotation.studies.callers import Caller
from annotation.studies.figures.answered_fields import answered_fields
from annotation.studies.figures.field_agreement import field_agreements
from annotation.studies.files.export import write_export
from annotation.studies.refusals import CallRefusedError
from annotation.studies.study import Study, open_study
from annotation.studies.tables import study_assignments
from annotation.studies.work.answers import save_draft, submit
from annotation.studies.work.leases import next_item
from annotation.tasks.custom import Custom
from annotation.tasks.custom_settings import CustomItem, CustomSettings
from annotation.web.forms import FORMS
from annotation.web.forms.answers_read import answer_html
from annotation.web.forms.fields import ItemForm
from backend.errors import AnnotationError
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, json_lines, write_study

TOML = """title = "Zwei Antworten im Vergleich"
task = "custom"
items = ["items.jsonl"]
overlap = 2
[[settings.part]]
kind = "show"
text = "Frage: {frage}"
[[settings.part]]
kind = "pair"
name = "besser"
text = "Welche Antwort ist besser?"
columns = ["system_a", "system_b"]
options = ["die linke", "die rechte", "keine"]
[[settings.part]]
kind = "rate"
name = "klarheit"
text = "Wie klar ist „{frage}“ gestellt?"
scale = [1, 7]
ends = ["gar nicht", "völlig"]
[[settings.part]]
kind = "several"
name = "themen"
text = "Worum geht es?"
options = ["Essen", "Reisen", "Geld"]
required = false
[[settings.part]]
kind = "choose"
name = "warum"
text = "Ist etwas falsch?"
options = ["ja", "nein"]
[[settings.part]]
kind = "write"
name = "was"
text = "Was ist falsch?"
when = {part = "warum", answer = "ja"}
shortest = 5
[[settings.part]]
kind = "slider"
name = "sicher"
text = "Wie sicher bist du?"
scale = [0, 100]
[[settings.part]]
kind = "rank"
name = "folge"
text = "Ordne die Quellen."
options = ["Buch", "Netz", "Mensch"]
[[settings.part]]
kind = "mark"
name = "stelle"
text = "Markiere die Antwort."
column = "system_a"
required = false
[[settings.part]]
kind = "table"
text = "Preise"
column = "preise"
"""
ITEMS: list[dict[str, Any]] = [
    {"id": f"q{number}", "frage": f"Was kostet <b>{number}</b>?", "system_a": f"A sagt {number} Euro",
     "system_b": f"B sagt {number}", "preise": [{"was": "Brot", "wert": number}], "quelle": "Forum"}
    for number in range(12)
]  # fmt: skip
FINE = {"besser": "die linke", "klarheit": 6, "themen": ["Geld"], "warum": "nein", "sicher": 80,
        "folge": ["Netz", "Buch", "Mensch"], "stelle": [[0, 2]]}  # fmt: skip


@pytest.fixture
def study(database: Database, tmp_path: Path, clock: HandClock) -> Study:
    return open_study(database, write_study(tmp_path / "eigene", TOML, items__jsonl=json_lines(ITEMS)), clock)


@pytest.fixture
def worker(study: Study) -> Caller:
    return join(study, "Anna")


@pytest.mark.every_database
def test_a_study_of_ones_own_is_made_without_a_line_of_python(study: Study, worker: Caller) -> None:
    left = {}
    for number in range(len(ITEMS)):
        task = next_item(study, worker)
        sides = {part.speaker: part.text for part in task.parts if part.speaker}
        left[task.key] = "system_a" if sides["left"].startswith("A") else "system_b"
        submit(study, worker, task.key, FINE, f"{number}")
    assert set(left.values()) == {"system_a", "system_b"}  # sides are drawn
    rows = [json.loads(line) for line in write_export(study, "jsonl").splitlines()]
    assert {row["id"]: row["besser"] for row in rows} == left  # what was better, whichever side it stood on
    assert all(row["quelle"] == "Forum" and row["themen"] == ["Geld"] for row in rows)
    assert len(list(csv.DictReader(io.StringIO(write_export(study, "table.csv").decode())))) == len(ITEMS)
    other = join(study, "Bernd")
    for number in range(len(ITEMS)):
        submit(study, other, next_item(study, other).key, FINE, f"{number}")
    levels = {each.field: each.of_workers.level for each in field_agreements(answered_fields(study))}
    assert (levels["klarheit"], levels["sicher"], levels["besser"]) == ("ordinal", "interval", "nominal")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"klarheit": 8}, "whole number from 1 to 7"),
        ({"themen": ["Wetter"]}, "choose some of Essen, Reisen, Geld"),
        ({"themen": ["Geld", "Geld"]}, "choose some of"),
        ({"folge": ["Netz", "Buch"]}, "put all of these in an order"),
        ({"folge": ["Netz", "Netz", "Buch"]}, "put all of these in an order"),
        ({"sicher": 101}, "from 0 to 100"),
        ({"warum": "ja"}, "“was” is empty"),
        ({"warum": "ja", "was": "so"}, "at least 5"),
        ({"besser": "beide"}, "choose one of die linke, die rechte, keine"),
    ],
)
@pytest.mark.slow
def test_a_value_of_the_wrong_form_is_refused_in_words(study: Study, worker: Caller, change: dict[str, Any], says: str) -> None:
    key = next_item(study, worker).key
    with pytest.raises(CallRefusedError, match=says):
        submit(study, worker, key, FINE | change, "1")
    for name, value in change.items():
        assert save_draft(study, worker, key, name, value, 1).value == value  # what is half done is kept


def test_the_screen_shows_every_part_and_escapes_what_items_hold(study: Study, worker: Caller) -> None:
    task = next_item(study, worker)
    html = FORMS["custom"](ItemForm(task.parts, FINE))
    assert "<b>" not in html
    for text in ("Frage: Was kostet", "Welche Antwort ist besser?", "1: gar nicht", "7: völlig", "Brot", 'type="range"'):
        assert text in html
    assert html.count('data-field="') == len([part for part in task.parts if part.name])
    read = answer_html(task.parts, FINE)
    assert "1. Netz, 2. Buch, 3. Mensch" in read


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ('kind = "pair"\nname = "p"\noptions = ["l", "r"]', "a pair needs columns with two names"),
        ('kind = "choose"\noptions = ["a", "b"]', "needs a name"),
        ('kind = "choose"\nname = "c"\noptions = ["a"]', "two options or more"),
        ('kind = "write"\nname = "w"\nwhen = {part = "x", answer = "y"}', "no earlier part is called so"),
        ('kind = "write"\nname = "w"\npattern = "("', "is no regular expression"),
        ('kind = "show"\ntext = "x"', "no part asks for anything"),
        ('kind = "dance"\nname = "w"', "kind"),
    ],
)
def test_mistakes_in_a_task_are_named(database: Database, tmp_path: Path, part: str, says: str) -> None:
    toml = f'title = "T"\ntask = "custom"\n[[settings.part]]\n{part}\n'
    with pytest.raises(AnnotationError, match=says):
        open_study(database, write_study(tmp_path / "t", toml))


def test_an_item_that_lacks_a_column_is_named(database: Database, tmp_path: Path) -> None:
    toml = (
        'title = "T"\ntask = "custom"\nitems = ["i.jsonl"]\n[[settings.part]]\nkind = "write"\nname = "w"\ntext = "{frage}?"\n'
    )
    with pytest.raises(AnnotationError, match="item 'i-1' has no column 'frage'"):
        open_study(database, write_study(tmp_path / "t", toml, i__jsonl='{"text": "x"}'))


@pytest.mark.slow
def test_sides_that_are_exchanged_make_no_careful_worker_fail_an_attention_item(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    toml = (
        'title = "T"\ntask = "custom"\nitems = ["i.jsonl"]\n[batches]\n[attention]\nitems = "a.jsonl"\nshare = 0.5\n'
        '[[settings.part]]\nkind = "pair"\nname = "better"\ncolumns = ["one", "other"]\noptions = ["l", "r", "none"]\n'
    )
    rows = [{"id": f"i{n}", "one": "right", "other": "wrong"} for n in range(20)]
    checks = [{"id": f"a{n}", "one": "right", "other": "wrong", "known": {"better": "l"}} for n in range(20)]
    study = open_study(
        database, write_study(tmp_path / "t", toml, i__jsonl=json_lines(rows), a__jsonl=json_lines(checks)), clock
    )
    careful, careless = join(study, "Ann"), join(study, "Ben")
    for number in range(20):
        for worker in (careful, careless):
            task = next_item(study, worker)
            left = next(part.text for part in task.parts if part.speaker == "left")
            side = "l" if (left == "right") is (worker == careful) else "r"
            submit(study, worker, task.key, {"better": side}, f"{number}")
    table = study_assignments
    with database.reading() as connection:
        passed = {
            worker: set(connection.execute(select(table.c.passed).where(table.c.worker == worker.worker)).scalars()) - {None}
            for worker in (careful, careless)
        }
    assert passed == {careful: {True}, careless: {False}}


def test_both_sides_come_equally_often() -> None:
    settings = CustomSettings.model_validate(
        {"part": [{"kind": "pair", "name": "p", "columns": ["a", "b"], "options": ["l", "r"]}]}
    )
    item = CustomItem.model_validate({"a": "1", "b": "2"})
    swapped = sum(bool(Custom().deal(item, settings, random.Random(f"{n}"))["swapped"]) for n in range(1000))
    assert 430 < swapped < 570
