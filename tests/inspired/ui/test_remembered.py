"""A correction of the ask tab: kept when its author says so, reviewed in the queue of all, understood after a new start."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
from inspired.dialogue.asked_after import ask_after
from inspired.dialogue.dialogue import Dialogue, delete_step
from inspired.dialogue.interface.program_calls import KnowledgeCalls
from inspired.dialogue.remembered_questions import RememberedQuestions
from inspired.dialogue.session import Assistant, silent
from inspired.logical_form.sparql_reader import read_sparql
from inspired.logical_form.sparql_writer import write_on_one_line
from inspired.parsers.reading import QuestionReading
from inspired.ui import answer_panel
from inspired.ui.visit import PendingWork, QuestionVisit
from tests.inspired.scripted import CURRENCY_FORM, LANGUAGE, LANGUAGE_FORM, small_world


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
        after = ask_after(assistant, remembered, asked, LANGUAGE.lower(), silent)
        assert (after.corrected_by, after.follows) == ("Lena", ""), "accepted words go on from nothing"
        assert after.earlier is not None
    assert RememberedQuestions(database, "another").ask(assistant, LANGUAGE, silent).corrected_by == ""
    assert find_item(database, item.key) is not None


CLOSE = "Which language is official in the country that has Vienna as its capital?"
FARTHER = "In the country governed from Vienna, which language do officials use?"
OTHER = "Which river flows through Vienna?"


@dataclass
class _Reads:
    """Reads every question alike, as sure as it is set to."""

    forms: dict[str, str]
    confidence: float = 0.95

    def parse(self, question: str, n: int = 10) -> tuple[QuestionReading, ...]:
        form = next((form for words, form in self.forms.items() if words in question), LANGUAGE_FORM)
        return (QuestionReading(read_sparql(form), {"m.wien": "Vienna"}, self.confidence),)


def _accepted(assistant: Assistant, database: Database, settings: Settings) -> str:
    RememberedQuestions(database, assistant.label).keep(_corrected(assistant), "somebody")
    [item] = list_items(database)
    accept(database, ParseReader(settings), item.key, len(item.history), "Lena", item.proposed)
    return item.proposed


def _reading(assistant: Assistant, reads: _Reads) -> Assistant:
    return replace(assistant, _parts=replace(assistant.parts(silent), questions=reads))


def test_close_words_that_are_misread_alike_are_understood_as_was_accepted(
    assistant: Assistant, database: Database, settings: Settings
) -> None:
    accepted = _accepted(assistant, database, settings)
    remembered = RememberedQuestions(database, assistant.label)
    asked = remembered.ask(_reading(assistant, _Reads({})), CLOSE, silent)
    assert (write_on_one_line(asked.dialogue.form), asked.corrected_by) == (accepted, "Lena")
    # However alike the reading is, other words ask something else.
    assert remembered.ask(_reading(assistant, _Reads({})), OTHER, silent).corrected_by == ""
    record = KnowledgeCalls(_reading(assistant, _Reads({})), remembered).inspired_ask(CLOSE)
    assert len(record.gold_sub_qs) == len(asked.dialogue.current.steps)


def test_close_words_that_are_read_otherwise_are_offered_in_doubt_and_left_where_the_parser_is_sure(
    assistant: Assistant, database: Database, settings: Settings
) -> None:
    _accepted(assistant, database, settings)
    remembered = RememberedQuestions(database, assistant.label)
    currency = _Reads({LANGUAGE: LANGUAGE_FORM, "Vienna": CURRENCY_FORM})
    for question in (CLOSE, FARTHER):
        sure = remembered.ask(_reading(assistant, currency), question, silent)
        assert (sure.corrected_by, sure.offered_by, len(sure.readings)) == ("", "", 1)
    in_doubt = _reading(assistant, replace(currency, confidence=0.5))
    assert remembered.ask(in_doubt, CLOSE, silent).corrected_by == "Lena"
    offered = remembered.ask(in_doubt, FARTHER, silent)
    assert (offered.corrected_by, offered.offered_by) == ("", "Lena")
    elsewhere = _Reads({LANGUAGE: LANGUAGE_FORM, "Vienna": CURRENCY_FORM.replace("m.wien", "m.bud")}, 0.5)
    for question in (CLOSE, FARTHER):
        other = remembered.ask(_reading(assistant, elsewhere), question, silent)
        assert (other.corrected_by, other.offered_by) == ("", "")
