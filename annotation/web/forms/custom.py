"""A task of one's own: its parts top to bottom, two texts to compare side by side."""

import json
from collections.abc import Sequence
from itertools import groupby

from markupsafe import Markup

from annotation.tasks.custom import LEFT, RIGHT
from annotation.tasks.task_type import ItemPart, is_web_address
from annotation.web.forms.fields import HTML, ItemForm, draw_field, shown_text
from backend.text.markup import escape_html


def draw(form: ItemForm) -> str:
    pieces = []
    for beside, group in groupby(enumerate(form.parts), key=lambda one: one[1].speaker in (LEFT, RIGHT)):
        parts = list(group)
        if beside:
            # What is asked about the two follows them; its first options name the sides.
            pieces.append(_pair([part for _, part in parts], form.parts[parts[-1][0] + 1].options))
        else:
            pieces.append("".join(_part(form, part) for _, part in parts))
    return "".join(pieces)


def _pair(parts: Sequence[ItemPart], sides: Sequence[str]) -> str:
    """Two texts side by side; on a narrow screen, where one stands below the other, each says which side it is."""
    texts = "".join(
        f'<figure class="study-given"><figcaption class="study-side-name" dir="auto">{escape_html(side)}</figcaption>'
        f"{shown_text(part)}</figure>"
        for part, side in zip(parts, sides, strict=False)
    )
    return f'<div class="study-pair">{texts}</div>'


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
