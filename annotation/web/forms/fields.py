"""Fields for what an item asks, one for each kind of part, by `fields.html.jinja`; `answers.js` and `drafts.js` use them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from annotation.tasks.task_type import ItemPart
from annotation.web.prose import data, joined, typed
from annotation.words.catalogue import translate
from backend.text.templates import Macros

HTML = Macros(__file__, translate=translate)


@dataclass(frozen=True)
class ItemForm:
    """An item to be answered. `values` stand in its fields, `versions` are those of their drafts; `prefix` makes ids unique.

    `handed_in`: what stands of earlier turns, to be read.
    """

    parts: tuple[ItemPart, ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, int] = field(default_factory=dict)
    prefix: str = "answer"
    handed_in: Mapping[str, Any] = field(default_factory=dict)

    @property
    def asked(self) -> list[ItemPart]:
        return [part for part in self.parts if part.name]

    @property
    def shown(self) -> list[ItemPart]:
        return [part for part in self.parts if not part.name]


def draw_field(form: ItemForm, part: ItemPart, question: bool = True) -> Markup:
    """The field of a part, below its question, there only while the condition of the part holds (`ItemPart.when`)."""
    when = data("when", part.when) if part.when else ""
    asks = HTML("question", part, field_id(form, part)) if question else ""
    control = CONTROLS[part.kind](form, part)
    return HTML("part", when, asks, control)


def field_id(form: ItemForm, part: ItemPart) -> str:
    return f"{form.prefix}-{part.name}"


def _version(form: ItemForm, part: ItemPart) -> int:
    return form.versions.get(part.name, 0)


def _write(form: ItemForm, part: ItemPart) -> Markup:
    about = Markup(" ").join([data("source", part.source), data("entities", part.entities)])
    return HTML("write", part, field_id(form, part), _version(form, part), about, form.values.get(part.name, ""))


def _options(form: ItemForm, part: ItemPart, options: list[tuple[Any, str]], css: str) -> Markup:
    return HTML("options", part, field_id(form, part), _version(form, part), options, form.values.get(part.name), css)


def _choose(form: ItemForm, part: ItemPart) -> Markup:
    return _options(form, part, [(option, part.label(option)) for option in part.options], "study-options")


def _rate(form: ItemForm, part: ItemPart) -> Markup:
    low, high = part.scale
    steps = list(range(low, high + 1))
    named = part.options if len(part.options) == len(steps) else tuple(str(step) for step in steps)
    return _options(form, part, list(zip(steps, named, strict=True)), "study-scale")


def _mark(form: ItemForm, part: ItemPart) -> Markup:
    """Each word can be clicked, or reached with the arrow keys and marked with Space; the text between words stays."""
    marked = {n for first, behind in form.values.get(part.name) or () for n in range(first, behind)}
    tokens, end = [], 0
    for number, (start, behind) in enumerate(_places(part)):
        tokens.append((part.text[end:start], part.text[start:behind], number in marked))
        end = behind
    return HTML("mark", part, _version(form, part), tokens, part.text[end:])


def _several(form: ItemForm, part: ItemPart) -> Markup:
    return HTML("several", part, field_id(form, part), _version(form, part), form.values.get(part.name) or ())


def _slider(form: ItemForm, part: ItemPart) -> Markup:
    return HTML("slider", part, field_id(form, part), _version(form, part), form.values.get(part.name))


def _rank(form: ItemForm, part: ItemPart) -> Markup:
    return HTML("rank", part, field_id(form, part), _version(form, part), list(form.values.get(part.name) or ()))


CONTROLS: dict[str, Callable[[ItemForm, ItemPart], Markup]] = {
    "write": _write, "choose": _choose, "rate": _rate, "mark": _mark, "several": _several, "slider": _slider, "rank": _rank,
}  # fmt: skip


def _places(part: ItemPart) -> list[tuple[int, int]]:
    """Where each word of a passage begins and ends in its text."""
    places, end = [], 0
    for token in part.tokens:
        start = part.text.index(token, end)
        end = start + len(token)
        places.append((start, end))
    return places


def marked_text(part: ItemPart, spans: Any) -> Markup:
    """A passage with what was marked in it, to be read."""
    places, pieces, end = _places(part), [], 0
    for first, behind in spans or ():
        start, last = places[first][0], places[behind - 1][1]
        pieces.append((part.text[end:start], part.text[start:last]))
        end = last
    return HTML("marked", pieces, part.text[end:])


def shown_text(part: ItemPart, css: str = "") -> Markup:
    """A text, or the place for a picture, which `pictures.js` asks the study for."""
    if part.kind == "picture":
        return HTML("picture", part)
    return typed(part.text, css=css)


def figure(part: ItemPart, caption: str = "") -> Markup:
    """What an item shows, in a frame, below a caption in the language of the study."""
    return HTML("figure", shown_text(part), translate(caption))


def figures(parts: Sequence[ItemPart], captions: Sequence[str]) -> Markup:
    """Each below its caption; the last of either may be missing."""
    return joined(figure(part, caption) for part, caption in zip(parts, captions, strict=False))


def draw_fields(form: ItemForm) -> Markup:
    """Everything that an item asks, one below the other."""
    return joined(draw_field(form, part) for part in form.asked)
