"""What a worker reads of their own answers."""

from pathlib import Path

from annotation.studies.callers import Caller
from annotation.studies.study import Study, open_study
from annotation.studies.work.answers import submit
from annotation.studies.work.leases import next_item
from annotation.ui.endpoints import CALLS
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, json_lines, write_study

CHECK = """title = "Checks"
task = "custom"
items = ["items.jsonl"]
[[settings.part]]
kind = "show"
text = "Read this first."
[[settings.part]]
kind = "show"
text = "{text}"
[[settings.part]]
kind = "choose"
name = "good"
text = "Is it good?"
options = ["yes", "no"]
"""
TEXTS = ["Short <b>one</b>", "x" * 150, "日本語の文" * 30]


def _shown(study: Study, worker: Caller) -> str:
    return str(CALLS["study_page"](study, worker, {"page": "mine"})["html"])


def test_each_answer_is_listed_with_how_the_text_of_its_item_begins(
    database: Database, tmp_path: Path, clock: HandClock
) -> None:
    items = json_lines([{"id": f"i{n}", "text": text} for n, text in enumerate(TEXTS)])
    study = open_study(database, write_study(tmp_path / "checks", CHECK, items__jsonl=items), clock)
    worker = join(study, "Ann")
    for _ in TEXTS:
        key = next_item(study, worker).key
        submit(study, worker, key, {"good": "yes"}, key)
    closed = [card.partition("<details")[0] for card in _shown(study, worker).split("<section")]
    shown = {key: next(card for card in closed if f">{key} " in card) for key in ("i0", "i1", "i2")}
    assert "Short &lt;b&gt;one&lt;/b&gt;<" in shown["i0"]
    assert f">{'x' * 99}…<" in shown["i1"]
    assert f">{TEXTS[2][:99]}…<" in shown["i2"]
    assert not any("Read this first." in card for card in shown.values())  # the same in all of them


def test_a_single_answer_is_listed_with_its_first_text(database: Database, tmp_path: Path, clock: HandClock) -> None:
    items = json_lines([{"id": "i0", "text": "A text"}])
    study = open_study(database, write_study(tmp_path / "checks", CHECK, items__jsonl=items), clock)
    worker = join(study, "Ann")
    submit(study, worker, next_item(study, worker).key, {"good": "yes"}, "once")
    assert "Read this first.<" in _shown(study, worker).partition("<details")[0]
