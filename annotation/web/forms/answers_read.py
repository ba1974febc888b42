"""An answer to be read: every part of the item with what was answered to it, and what a lead put in its place."""

from collections.abc import Mapping
from typing import Any

from annotation.tasks.inspired_dialogue import AGENT, DIRECTOR, USER
from annotation.tasks.task_type import ItemPart
from annotation.web.forms.fields import marked_text, shown_text
from annotation.web.prose import typed
from annotation.words.catalogue import to_translate, translate
from backend.text.markup import escape_html

Values = Mapping[str, Any]
SPEAKERS = {USER: to_translate("user"), DIRECTOR: to_translate("director"), AGENT: to_translate("agent")}


def answer_html(parts: tuple[ItemPart, ...], answer: Values, final: Values | None = None) -> str:
    """`final` is shown where it differs, with what it replaced struck through."""
    stands = answer if final is None else final
    lines = [_line(part, answer, stands) for part in parts if _is_there(part, stands)]
    return f'<div class="study-answer">{"".join(lines)}</div>'


def _is_there(part: ItemPart, answer: Values) -> bool:
    return part.when is None or answer.get(part.when[0]) == part.when[1]


def _line(part: ItemPart, answer: Values, stands: Values) -> str:
    if part.kind in ("link", "frame", "table"):
        return ""  # a way to the interface, named in the text before it
    speaker = (
        f'<span class="study-who">{escape_html(translate(SPEAKERS.get(part.speaker, part.speaker)))}</span> '
        if part.speaker
        else ""
    )
    if not part.name:
        return f'<div class="study-line">{speaker}{shown_text(part)}</div>'
    label = "" if part.kind == "mark" else typed(part.text, css="study-quiet")
    before, after = answer.get(part.name), stands.get(part.name)
    value = value_html(part, after)
    if before != after:
        value = f"<del>{value_html(part, before)}</del><ins>{value}</ins>"
    return f'<div class="study-line answered">{label}{value}</div>'


def value_html(part: ItemPart, value: Any) -> str:
    """One value of an answer in words."""
    if part.kind == "mark":
        return marked_text(part, value)
    if value is None:
        return f'<p class="study-quiet">{translate("(nothing)")}</p>'
    if part.kind in ("several", "rank"):
        numbered = enumerate(value, 1) if part.kind == "rank" else ((None, each) for each in value)
        return typed(
            ", ".join(f"{number}. {each}" if number else str(each) for number, each in numbered) or translate("(nothing)")
        )
    low, high = part.scale
    if part.kind == "rate" and len(part.options) == high - low + 1:
        return typed(part.options[int(value) - low])
    return typed(part.label(value) if part.kind == "choose" else value)
