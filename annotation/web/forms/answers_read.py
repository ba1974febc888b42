"""An answer to be read: every part of the item with what was answered to it, and what a lead put in its place."""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from annotation.tasks.inspired_dialogue import AGENT, DIRECTOR, USER
from annotation.tasks.task_type import ItemPart
from annotation.web.forms.fields import marked_text, shown_text
from annotation.web.prose import joined, page_macros, quiet, typed
from annotation.words.catalogue import to_translate, translate

HTML = page_macros(__file__)
Values = Mapping[str, Any]
SPEAKERS = {USER: to_translate("user"), DIRECTOR: to_translate("director"), AGENT: to_translate("agent")}


def answer_html(parts: tuple[ItemPart, ...], answer: Values, final: Values | None = None) -> Markup:
    """`final` is shown where it differs, with what it replaced struck through."""
    stands = answer if final is None else final
    return HTML("answer", joined(_line(part, answer, stands) for part in parts if _is_there(part, stands)))


def _is_there(part: ItemPart, answer: Values) -> bool:
    return part.when is None or answer.get(part.when[0]) == part.when[1]


def _line(part: ItemPart, answer: Values, stands: Values) -> str:
    if part.kind in ("link", "frame", "table"):
        return ""  # a way to the interface, named in the text before it
    if not part.name:
        speaker = translate(SPEAKERS.get(part.speaker, part.speaker)) if part.speaker else ""
        return HTML("line", "study-line", speaker, "", shown_text(part))
    label = "" if part.kind == "mark" else typed(part.text, css="study-quiet")
    before, after = answer.get(part.name), stands.get(part.name)
    value = value_html(part, after)
    if before != after:
        value = HTML("changed", value_html(part, before), value)
    return HTML("line", "study-line answered", "", label, value)


def value_html(part: ItemPart, value: Any) -> Markup:
    """One value of an answer in words."""
    if part.kind == "mark":
        return marked_text(part, value)
    if value is None:
        return quiet(translate("(nothing)"))
    if part.kind in ("several", "rank"):
        numbered = enumerate(value, 1) if part.kind == "rank" else ((None, each) for each in value)
        return typed(
            ", ".join(f"{number}. {each}" if number else str(each) for number, each in numbered) or translate("(nothing)")
        )
    low, high = part.scale
    if part.kind == "rate" and len(part.options) == high - low + 1:
        return typed(part.options[int(value) - low])
    return typed(part.label(value) if part.kind == "choose" else value)
