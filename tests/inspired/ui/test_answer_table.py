"""The table of answers and the map beside it, as HTML."""

from inspired.dialogue.answer_rows.rows import AnswerRow, Cell
from inspired.dialogue.dialogue import ShownAnswer
from inspired.ui.answer_table import answer_table_html
from tests.inspired.scripted import HOSTILE


def test_a_single_answer_of_which_nothing_is_known_needs_no_table() -> None:
    assert answer_table_html(None) == ""
    assert answer_table_html(ShownAnswer(problem="Too late.")) == ""
    assert answer_table_html(ShownAnswer(("Vienna",))) == ""


def test_the_table_has_only_the_columns_that_something_stands_in() -> None:
    html = answer_table_html(ShownAnswer(("Vienna", "Graz"), more=True))  # as from a file: only names
    assert "There are more answers than these." in html
    assert "Value" not in html
    assert "kb-map" not in html
    known = answer_table_html(ShownAnswer(("Brazil",), rows=(AnswerRow(Cell("Brazil"), Cell("221,359,387", "", 221359387)),)))
    assert '<td data-size="221359387">221,359,387</td>' in known
    assert "Latitude" not in known


def test_places_are_drawn_and_text_stays_text() -> None:
    rows = (AnswerRow(Cell(HOSTILE), Cell(HOSTILE), (48.2, 16.4)), AnswerRow(Cell("Nowhere")))
    html = answer_table_html(ShownAnswer((HOSTILE, "Nowhere"), rows=rows))
    assert '<svg class="kb-map"' in html
    assert "1 of 2 answers have a place." in html
    assert '<td data-size="48.2">48.2</td>' in html
    assert "<script" not in html
    assert "<img" not in html
