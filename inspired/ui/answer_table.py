"""The answers as a table that is sorted by a click on a heading (see `answer_table.js`), and on a map where they are places."""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from backend.text.templates import Macros
from inspired.dialogue.answer_rows.rows import AnswerRow, Cell
from inspired.dialogue.dialogue import ShownAnswer
from inspired.ui.drawing.point_map import MapPlace, draw_map

HTML = Macros(__file__)
SCRIPT = Path(__file__).with_name("answer_table.js")


def answer_table_html(answer: ShownAnswer | None) -> Markup:
    """A fold with the table, and one with the map; empty where a table would say no more than the list of answers."""
    rows = answer.table() if answer else ()
    if not is_worth_a_table(rows):
        return Markup()
    assert answer is not None
    with_value, with_place = any(each.value.text for each in rows), any(each.position for each in rows)
    asked = [heading.capitalize() for heading, _ in rows[0].columns]
    headings = ("Answer", *asked, *(["Value"] if with_value else []), *(["Latitude", "Longitude"] if with_place else []))
    body = [_cells(each, with_value, with_place) for each in rows]
    return HTML("table", headings, body, with_value, answer.more) + _map(rows)


def is_worth_a_table(rows: Sequence[AnswerRow]) -> bool:
    """Whether there is more than one answer, or more known of it than its name."""
    return len(rows) > 1 or any(each.value.text or each.position or each.columns for each in rows)


def _cells(row: AnswerRow, with_value: bool, with_place: bool) -> list[Cell]:
    degrees = [Cell(f"{each:g}", size=each) for each in row.position] if row.position else [Cell(), Cell()]
    asked = [cell for _, cell in row.columns]
    return [row.name, *asked, *([row.value] if with_value else []), *(degrees if with_place else [])]


def _map(rows: Sequence[AnswerRow]) -> Markup:
    places = [MapPlace(each.name.text, each.position) for each in rows if each.position]
    return HTML("on_map", draw_map(places), len(places), len(rows)) if places else Markup()
