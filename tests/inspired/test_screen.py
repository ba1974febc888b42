"""The tab's handlers as plain functions, and its HTML."""

import json
import subprocess
import sys
from pathlib import Path

import gradio as gr
import pytest

from backend.database import Database
from backend.settings import Settings
from inspired import ui
from inspired.examples import examples
from inspired.render import history_html, problems_html, step_html, type_html
from inspired.ui import Visit

CAPITAL = "SELECT ?x { ?c ns:location.country.capital ns:m.1 . ?c ns:location.country.official_language ?x }"


@pytest.fixture
def visit() -> Visit:
    return ui.begin(CAPITAL, "m.1 = Paris", "Which language is <b>spoken</b>?")


def questions(now: Visit) -> tuple[str, ...]:
    assert now.dialogue is not None
    return now.dialogue.in_words().questions


def test_the_tab_can_be_placed(settings: Settings, database: Database) -> None:
    with gr.Blocks() as blocks, gr.Tab("Ask"):
        ui.build(settings, database)
    assert blocks.fns


def test_each_example_fills_the_form_and_shows_its_steps() -> None:
    for label in examples():
        query, question, names = ui.choose_example(label)
        assert len(questions(ui.begin(query, names, question))) >= 2


def test_steps_are_corrected(visit: Visit) -> None:
    edited = ui.save_step(ui.write(2, "Edit", visit), "?c ns:location.country.currency_used ?x .")
    assert questions(edited) == ("Which country has the capital Paris?", "Which currency is used in that country?")
    assert edited.step is None
    before = ui.save_step(ui.write(1, "Insert before", edited), "?c ns:location.location.adjoin_s ns:m.2 .")
    assert len(questions(before)) == 3
    after = ui.save_step(ui.write(3, "Insert after", before), "[that currency] ns:finance.currency.countries_used ns:m.2 .")
    assert questions(after)[3].startswith("Which of these is used in")
    assert len(questions(ui.delete(1, after))) == 3
    assert questions(ui.undo_correction(ui.undo_correction(ui.undo_correction(after)))) == questions(visit)


def test_wrong_input_is_told_and_nothing_changes(visit: Visit) -> None:
    with pytest.raises(gr.Error, match="OPTIONAL"):
        ui.show_steps("SELECT ?x { OPTIONAL { ?x ns:a.b.c ?y } }", "", "", visit)
    with pytest.raises(gr.Error, match="Line 1 of the names"):
        ui.show_steps(CAPITAL, "Paris", "", visit)
    with pytest.raises(gr.Error, match="&lt;img"):
        ui.save_step(ui.write(1, "Edit", visit), "?x ns:a.b.c [<img src=x>] .")
    assert ui.stop_writing(ui.write(1, "Edit", visit)).dialogue is visit.dialogue


def test_names_can_be_given_later(visit: Visit) -> None:
    renamed = ui.show_steps(CAPITAL, "m.1 = Lima", "", ui.delete(2, visit))
    assert questions(renamed) == ("Which country has the capital Lima?",)
    assert questions(ui.undo_correction(renamed))[0] == "Which country has the capital Lima?"
    other = ui.show_steps(CAPITAL.replace("official_language", "currency_used"), "m.1 = Lima", "", renamed)
    assert len(questions(other)) == 2


def test_what_is_exported_can_be_opened(visit: Visit) -> None:
    corrected = ui.delete(1, visit)
    text = ui.export_dialogue(corrected)
    opened, query, question, names = ui.open_dialogue(text.encode())
    assert questions(opened) == questions(corrected)
    assert "official_language" in query
    assert question == "Which language is <b>spoken</b>?"
    assert names == "m.1 = Paris"
    with pytest.raises(gr.Error, match="not JSON"):
        ui.open_dialogue(b"\xff")


def test_programs_get_a_record() -> None:
    record = ui.decompose_query(CAPITAL, {"m.1": "Paris"})
    assert [each["sub_question"] for each in record["gold_sub_qs"]] == [
        "Which country has the capital Paris?",
        "What is the official language of that country?",
    ]
    json.dumps(record)


def test_text_of_people_is_escaped(visit: Visit) -> None:
    assert visit.dialogue is not None
    assert "<b>" not in type_html(visit.dialogue)
    assert "<script>" not in step_html(1, "<script>?", '?x ns:a.b.c [<script>] , "<script>" .')
    broken = ui.delete(2, visit)
    assert broken.dialogue is not None
    assert "No step finds ?x" in problems_html(broken.dialogue)
    assert "Deleted step 2" in history_html(broken.dialogue)
    assert problems_html(visit.dialogue) == history_html(visit.dialogue) == ""


def test_the_tab_loads_fast_and_loads_nothing_heavy() -> None:
    code = (
        "import gradio, backend.ui, backend.database, time, sys; started = time.process_time(); import inspired.ui; "
        "print(time.process_time() - started, sorted({'torch', 'transformers', 'pyoxigraph'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    seconds, heavy = done.stdout.split()
    assert heavy == "[]"
    assert float(seconds) < 0.3
