"""A task of one's own: its parts top to bottom, two texts to compare side by side."""

import json
from collections.abc import Sequence
from itertools import groupby

from markupsafe import Markup

from annotation.tasks.custom import LEFT, RIGHT, cell_text
from annotation.tasks.task_type import ItemPart, is_web_address
from annotation.web.forms.fields import HTML, ItemForm, draw_field, figure, shown_text
from annotation.web.prose import joined, quiet


def draw(form: ItemForm) -> Markup:
    pieces = []
    for beside, group in groupby(enumerate(form.parts), key=lambda one: one[1].speaker in (LEFT, RIGHT)):
        parts = list(group)
        if beside:
            # What is asked about the two follows them; its first options name the sides.
            pieces.append(_pair([part for _, part in parts], form.parts[parts[-1][0] + 1].options))
        else:
            pieces += [_part(form, part) for _, part in parts]
    return joined(pieces)


def _pair(parts: Sequence[ItemPart], sides: Sequence[str]) -> Markup:
    """Two texts side by side; on a narrow screen, where one stands below the other, each says which side it is."""
    return HTML("pair", joined(HTML("side", shown_text(part), side) for part, side in zip(parts, sides, strict=False)))


def _part(form: ItemForm, part: ItemPart) -> Markup:
    if part.name:
        return draw_field(form, part)
    if part.kind == "table":
        return HTML("table", part.text, *_rows(part))
    if part.kind == "link":
        linked = is_web_address(part.source)
        return HTML("outer_link", part.text or part.source, part.source) if linked else quiet(part.source)
    return figure(part)


def _rows(part: ItemPart) -> tuple[list[str], list[list[str]]]:
    """The heads and cells of a list of objects; anything else is one cell."""
    value = json.loads(part.source)
    rows = value if isinstance(value, list) else [value]
    heads = list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))
    if not heads:
        return [], [[cell_text(row)] for row in rows]
    return heads, [[cell_text(row.get(head)) if isinstance(row, dict) else cell_text(row) for head in heads] for row in rows]
