"""Corrections that a reviewer accepted are understood, in the same words and in close ones, at once and after a new start."""

from pathlib import Path

import pytest

from annotation.parses.pairs import list_items
from annotation.parses.parse_reader import ParseReader
from annotation.parses.review import accept, put_back
from backend.program.settings import Settings
from backend.storage.collected import Correction, add_correction
from backend.storage.database import Database
from ttm.chat.catalogue import SubjectCatalogue
from ttm.chat.session import ChatSession
from ttm.commands.chat import turn_text

# What a reviewer decided differently from what the default parser reads, and the same request in other words.
CORRECTED = {
    "What common errors does the model make on people with a bmi over 40?": (
        "filter bmi greater than 40 and score accuracy [e]",
        "Which common errors does the model make for people whose bmi is over 40?",
    ),
    "How precise are you for people older than 50?": (
        "filter age greater than 50 and mistake typical [e]",
        "How precise are your answers for people older than 50?",
    ),
    "What are the true labels of people with glucose of 80?": (
        "filter glucose equal to 80 and predict [e]",
        "What true labels do people with glucose of 80 have?",
    ),
}
OTHERS = (
    "How accurate is the model?",
    "How accurate are you for people older than 50?",
    "What is the average age of people with a bmi over 40?",
    "Show me patient 5",
    "What are the true labels of people with glucose of 90?",
    "Why do you predict that 5 is ill?",
)


@pytest.fixture
def session(tmp_path: Path, database: Database) -> ChatSession:
    return ChatSession(SubjectCatalogue(Settings(data_dir=tmp_path / "parley"), database))


def _parse(session: ChatSession, utterance: str) -> str:
    session.restart()
    turn = session.ask(utterance)
    return "" if turn.parse is None else str(turn.parse)


def _accept_all(database: Database, settings: Settings, session: ChatSession) -> None:
    for utterance, (corrected, _) in CORRECTED.items():
        add_correction(database, Correction(utterance, _parse(session, utterance), corrected, "diabetes"))
    for item in list_items(database):
        accept(database, ParseReader(settings), item.key, 0, "Lena", item.proposed)


@pytest.mark.slow
def test_accepted_corrections_are_understood_after_a_new_start(
    session: ChatSession, database: Database, settings: Settings, tmp_path: Path
) -> None:
    before = {utterance: _parse(session, utterance) for utterance in OTHERS}
    assert all(_parse(session, utterance) != corrected for utterance, (corrected, _) in CORRECTED.items())
    _accept_all(database, settings, session)
    again = ChatSession(SubjectCatalogue(Settings(data_dir=tmp_path / "later"), database))
    for asked in (session, again):  # at once, and after a new start
        assert {utterance: _parse(asked, utterance) for utterance in CORRECTED} == {
            utterance: corrected for utterance, (corrected, _) in CORRECTED.items()
        }
        assert [_parse(asked, other) for _, other in CORRECTED.values()] == [corrected for corrected, _ in CORRECTED.values()]
        assert {utterance: _parse(asked, utterance) for utterance in OTHERS} == before
    asked = next(iter(CORRECTED)).upper()  # neither case nor marks count
    again.restart()
    turn = again.ask(asked.rstrip("?"))
    assert turn.remembered == "as corrected by Lena"
    assert "as corrected by Lena" in turn_text(again, turn)


@pytest.mark.slow
def test_what_is_taken_back_is_forgotten(session: ChatSession, database: Database, settings: Settings) -> None:
    utterance, (corrected, _) = next(iter(CORRECTED.items()))
    before = _parse(session, utterance)
    _accept_all(database, settings, session)
    assert _parse(session, utterance) == corrected
    put_back(database, list_items(database)[0].key, 1, "Lena")
    assert _parse(session, utterance) == before
