"""Bringing in a suite: all or nothing, checked against its data set where that is at hand."""

import pytest

from annotation.parses.intake import import_suite
from annotation.parses.pairs import list_items
from annotation.parses.parse_reader import ParseReader
from backend.errors import AnnotationError
from backend.storage.database import Database

GOOD = b"How many are over 40?\nfilter age greater than 40 and countdata [E]\n\n"


def test_a_bad_parse_keeps_the_whole_file_out(database: Database, reader: ParseReader) -> None:
    with pytest.raises(AnnotationError, match=r'Nothing was imported.\nLine 5: "wage" does not fit after "filter". Here could'):
        import_suite(database, reader, "diabetes", "suite.txt", GOOD + b"And rich?\nfilter wage greater than 4 [E]\n")
    assert list_items(database) == []


def test_pairs_wait_under_their_data_set_with_the_place_they_came_from(database: Database, reader: ParseReader) -> None:
    intake = import_suite(database, reader, " diabetes ", "suite.txt", GOOD)
    assert intake.words() == "1 new pair waits for review under diabetes."
    item = list_items(database, "diabetes")[0]
    assert (item.utterance, item.proposed) == ("How many are over 40?", "filter age greater than 40 and countdata [E]")
    again = import_suite(database, reader, "diabetes", "suite.txt", GOOD)
    assert "1 of the 1 in the file were here already" in again.words()


def test_where_the_data_set_is_not_at_hand_that_is_said(database: Database, reader: ParseReader) -> None:
    intake = import_suite(database, reader, "cars", "suite.txt", b"Fast?\nfilter speed greater than 4 [E]\n")
    assert "only the form" in intake.words()


@pytest.mark.parametrize("name", ["", " ", "x" * 201])
def test_a_data_set_has_a_name(database: Database, reader: ParseReader, name: str) -> None:
    with pytest.raises(AnnotationError, match="Name the data set"):
        import_suite(database, reader, name, "suite.txt", GOOD)
