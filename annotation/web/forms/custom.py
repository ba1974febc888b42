"""A task of one's own: its parts top to bottom, two texts to compare side by side."""

import json
from itertools import groupby

from markupsafe import Markup

from annotation.tasks.custom import LEFT, RIGHT
from annotation.tasks.task_type import ItemPart, is_web_address
from annotation.web.forms.fields import HTML, ItemForm, draw_field, shown_text
from backend.text.markup import escape_html


def draw(form: ItemForm) -> str:
    pieces = []
    for beside, parts in groupby(form.parts, key=lambda part: part.speaker in (LEFT, RIGHT)):
        inside = "".join(_part(form, part) for part in parts)
        pieces.append(f'<div class="study-pair">{inside}</div>' if beside else inside)
    return "".join(pieces)


def _part(form: ItemForm, part: ItemPart) -> str:
    if part.name:
        return draw_field(form, part)
    if part.kind == "table":
        return HTML("table", part.text, *_rows(part))
    if part.kind == "link":
        return _link(part)
    return f'<figure class="study-given">{shown_text(part)}</figure>'


def _rows(part: ItemPart) -> tuple[list[str], list[list[str]]]:
    """The heads and cells of a list of objects; anything else is one cell."""
    value = json.loads(part.source)
    rows = value if isinstance(value, list) else [value]
    heads = list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))
    if not heads:
        return [], [[_cell(row)] for row in rows]
    return heads, [[_cell(row.get(head)) if isinstance(row, dict) else _cell(row) for head in heads] for row in rows]


def _cell(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _link(part: ItemPart) -> str:
    if not is_web_address(part.source):
        return f'<p class="study-quiet">{escape_html(part.source)}</p>'
    opens = f'target="_blank" rel="noopener noreferrer" href="{escape_html(part.source)}"'
    label = escape_html(part.text or part.source)
    return Markup(f'<p><a class="study-link" dir="auto" {opens}>{label}</a></p>')
