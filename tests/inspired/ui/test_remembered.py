"""A correction of the ask tab: kept when its author says so, reviewed in the queue of all, understood after a new start."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.parses.pairs import find_item, list_items
from annotation.parses.parse_reader import ParseReader
from annotation.parses.review import accept
from backend.errors import InspiredError, ParleyError
from backend.jobs import Jobs
from backend.program.settings import Settings
from backend.storage.collected import list_corrections
from backend.storage.database import Database
from inspired.dialogue.dialogue import Dialogue, delete_step
from inspired.dialogue.session import Assistant, silent
from inspired.logical_form.sparql_writer import write_on_one_line
from inspired.ui import answer_panel
from inspired.ui.remembered import RememberedQuestions
from inspired.ui.visit import PendingWork, QuestionVisit
from tests.inspired.scripted import LANGUAGE, small_world


@pytest.fixture
def assistant(tmp_path: Path) -> Iterator[Assistant]:
    made = small_world(tmp_path)
    yield made
    made.parts(silent).kb.close()


def _corrected(assistant: Assistant) -> Dialogue:
    asked = assistant.ask(LANGUAGE, silent)
    return assistant.answered(delete_step(asked.dialogue, len(asked.dialogue.current.steps)), silent)


def test_nothing_is_kept_before_its_author_presses_the_button(assistant: Assistant, database: Database) -> None:
    remembered = RememberedQuestions(database, assistant.label)
    desk = PendingWork(assistant, Jobs(1), remembered)
    asked = desk.ask(LANGUAGE, silent)
    with pytest.raises(InspiredError, match="no correction to keep"):
        remembered.keep(asked.dialogue, "")
    visit = QuestionVisit(replace(asked, dialogue=_corrected(assistant)))
    assert list_corrections(database) == []
    for _ in range(2):  # pressed twice, kept once
        answer_panel.keep_correction(visit, desk)
    [kept] = list_corrections(database)
    assert (kept.utterance, kept.dataset) == (LANGUAGE, remembered.dataset)
    assert (kept.predicted, kept.corrected) == (
        write_on_one_line(asked.dialogue.form),
        write_on_one_line(_corrected(assistant).form),
    )


def test_what_a_reviewer_accepts_is_understood_in_the_same_words_after_a_new_start(
    assistant: Assistant, database: Database, settings: Settings
) -> None:
    before = RememberedQuestions(database, assistant.label)
    corrected = _corrected(assistant)
    before.keep(corrected, "somebody")
    assert before.ask(assistant, LANGUAGE, silent).corrected_by == ""  # not before it is accepted
    [item] = list_items(database)
    reader = ParseReader(settings)
    assert reader.check(item.proposed, item.dataset) == item.proposed
    assert reader.read(item.proposed, item.dataset).words
    with pytest.raises(ParleyError):
        reader.check("select ?x {", item.dataset)
    accept(database, reader, item.key, len(item.history), "Lena", item.proposed)
    for remembered in (before, RememberedQuestions(database, assistant.label)):
        asked = remembered.ask(assistant, f"  {LANGUAGE.lower()} ", silent)
        assert asked.corrected_by == "Lena"
        assert write_on_one_line(asked.dialogue.form) == item.proposed
        assert asked.dialogue.answers is not None
    assert RememberedQuestions(database, "another").ask(assistant, LANGUAGE, silent).corrected_by == ""
    assert find_item(database, item.key) is not None
