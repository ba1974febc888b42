"""Pairs to review and what reads their parses; a clock that is turned by hand, and hashes that are quick."""

import pytest

from annotation.parses.pairs import ReviewItem, list_items
from annotation.parses.parse_reader import ParseReader
from annotation.studies import access_codes
from backend.program.settings import Settings
from backend.storage.collected import Correction, add_correction
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock


@pytest.fixture
def reader(settings: Settings) -> ParseReader:
    return ParseReader(settings)


@pytest.fixture
def corrected(database: Database) -> list[ReviewItem]:
    """Three corrections: two of the diabetes data, one of data that cannot be loaded."""
    for correction in (
        Correction("How likely is 5?", "filter id 5 and predict [e]", "filter id 5 and likelihood [e]", "diabetes"),
        Correction("Why?", "", "previousfilter and explain features [e]", "diabetes"),
        Correction("Show the big ones", "show [e]", "filter size greater than 3 and show [e]", "boxes"),
    ):
        add_correction(database, correction)
    return list_items(database)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_codes, "_COST", 2**4)
