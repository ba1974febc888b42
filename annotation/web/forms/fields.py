"""Fields for what an item asks: one for each kind of part. answers.js reads them, drafts.js saves them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.tasks.task_type import ItemPart
from annotation.web.prose import data, typed
from backend.text.markup import escape_html


@dataclass(frozen=True)
class ItemForm:
    """An item to be answered. `values` stand in its fields, `versions` are those of their drafts; `prefix` makes ids unique."""

    parts: tuple[ItemPart, ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, int] = field(default_factory=dict)
    prefix: str = "answer"

    @property
    def asked(self) -> list[ItemPart]:
        return [part for part in self.parts if part.name]

    @property
    def shown(self) -> list[ItemPart]:
        return [part for part in self.parts if not part.name]


def draw_field(form: ItemForm, part: ItemPart, question: bool = True) -> str:
    """The field of a part, below its question, there only while the condition of the part holds (`ItemPart.when`)."""
    when = data("when", part.when) if part.when else ""
    asks = _question(form, part) if question else ""
    control = {"write": _write, "choose": _choose, "rate": _rate, "mark": _mark}[part.kind](form, part)
    return f'<div class="study-part" {when}>{asks}{control}</div>'


def field_id(form: ItemForm, part: ItemPart) -> str:
    return f"{form.prefix}-{part.name}"


def _question(form: ItemForm, part: ItemPart) -> str:
    if part.kind == "mark":
        return ""
    optional = "" if part.required else ' <span class="study-quiet">(may stay empty)</span>'
    label = f'<span dir="auto" class="study-typed">{escape_html(part.text)}</span>{optional}'
    if part.kind == "write":
        return f'<label class="study-ask" for="{escape_html(field_id(form, part))}">{label}</label>'
    return f'<div class="study-ask" id="{escape_html(field_id(form, part))}-asks">{label}</div>'


def _attributes(form: ItemForm, part: ItemPart) -> str:
    version = form.versions.get(part.name, 0)
    must = "data-required" if part.required else ""
    return f'data-field="{escape_html(part.name)}" data-kind="{part.kind}" data-version="{version}" {must}'


def _under() -> str:
    return (
        '<div class="study-under"><span data-count></span><span data-saved role="status"></span></div>'
        '<ul class="study-warnings" data-warnings></ul>'
    )


def _write(form: ItemForm, part: ItemPart) -> str:
    value = form.values.get(part.name, "")
    rows = 2 if part.required else 3
    about = f"{data('source', part.source)} {data('entities', part.entities)}"
    return (
        f'<textarea id="{escape_html(field_id(form, part))}" rows="{rows}" dir="auto" spellcheck="true" '
        # A line break right after the tag is not part of the text, so one that is must come second.
        f"{_attributes(form, part)} {about}>\n{escape_html(value)}</textarea>{_under()}"
    )


def _options(form: ItemForm, part: ItemPart, options: list[tuple[Any, str]], css: str) -> str:
    chosen = form.values.get(part.name)
    name = escape_html(field_id(form, part))
    boxes = [
        f'<label class="study-option"><input type="radio" name="{name}" value="{escape_html(value)}" '
        f'{"checked" if value == chosen else ""}><span dir="auto" class="study-typed">{escape_html(caption)}</span></label>'
        for value, caption in options
    ]
    group = f'<div class="{css}" role="radiogroup" aria-labelledby="{name}-asks" {_attributes(form, part)}>'
    return f"{group}{''.join(boxes)}</div>{_under()}"


def _choose(form: ItemForm, part: ItemPart) -> str:
    return _options(form, part, [(option, option) for option in part.options], "study-options")


def _rate(form: ItemForm, part: ItemPart) -> str:
    low, high = part.scale
    steps = list(range(low, high + 1))
    named = part.options if len(part.options) == len(steps) else tuple(str(step) for step in steps)
    return _options(form, part, list(zip(steps, named, strict=True)), "study-scale")


def _mark(form: ItemForm, part: ItemPart) -> str:
    """Each word can be clicked, or reached with the arrow keys and marked with Space; the text between words stays."""
    marked = {n for first, behind in form.values.get(part.name) or () for n in range(first, behind)}
    pieces, end = [], 0
    for number, token in enumerate(part.tokens):
        start = part.text.index(token, end)
        pieces.append(escape_html(part.text[end:start]))
        on, stop = "true" if number in marked else "false", 0 if number == 0 else -1
        pieces.append(
            f'<span class="study-word" role="checkbox" aria-checked="{on}" tabindex="{stop}" data-word="{number}">'
            f"{escape_html(token)}</span>"
        )
        end = start + len(token)
    pieces.append(escape_html(part.text[end:]))
    how = "Click words, or drag over several. Keys: arrows move, Space marks, Shift with an arrow marks on."
    words = f'<div class="study-passage study-typed" dir="auto" role="group" aria-label="Passage" {_attributes(form, part)}>'
    return f'<p class="study-quiet">{how}</p>{words}{"".join(pieces)}</div>{_under()}'


def marked_text(part: ItemPart, spans: Any) -> str:
    """A passage with what was marked in it, to be read."""
    pieces, end, starts = [], 0, []
    for token in part.tokens:
        starts.append(part.text.index(token, end))
        end = starts[-1] + len(token)
    end = 0
    for first, behind in spans or ():
        start, last = starts[first], starts[behind - 1] + len(part.tokens[behind - 1])
        pieces += [escape_html(part.text[end:start]), f"<mark>{escape_html(part.text[start:last])}</mark>"]
        end = last
    return f'<p class="study-typed" dir="auto">{"".join(pieces)}{escape_html(part.text[end:])}</p>'


def shown_text(part: ItemPart, css: str = "") -> str:
    return typed(part.text, css=css)
