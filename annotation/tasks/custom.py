"""A task of one's own, written down in `study.toml` as parts: what is shown, what is asked, and under which condition.

Every text may be in any language, and may hold columns of the item in braces: `text = "Wie findest du {answer}?"`.
"""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.tasks.custom_settings import CustomItem, CustomKind, CustomPart, CustomSettings
from annotation.tasks.task_type import ItemPart, Items, Level, PartKind, Stop, TaskResult, Values, Write, known_passed
from annotation.words.catalogue import translate
from backend.errors import AnnotationError

LEFT, RIGHT = "left", "right"  # which side of a pair a text stands on
TIE = "tie"
_COLUMN = re.compile(r"\{([^{}]+)\}")
_WORD = re.compile(r"\S+")


class Custom:
    title = "Task of one's own"
    content = CustomItem
    settings = CustomSettings
    level: Level = "nominal"
    files: Mapping[str, Write] = {}

    def prepare(self, items: Items, settings: CustomSettings, seed: int) -> Items:
        """Raises AnnotationError naming the first item that lacks a column."""
        for key, content in items:
            for part in settings.part:
                _check_columns(part, content.fields, key)
        return items

    def order(self, items: Items, settings: CustomSettings, index: int, seed: int) -> tuple[Stop, ...] | None:
        return None

    def deal(self, content: CustomItem, settings: CustomSettings, draw: random.Random) -> Values:
        """With which sides exchanged an item is shown, what its sides are called, and which fields hold a choice."""
        pairs = [part for part in settings.part if part.kind == "pair"]
        swapped = [part.name for part in pairs if draw.random() < 0.5]
        choices = [part.name for part in settings.part if part.kind in ("choose", "pair")]
        return {"swapped": swapped, "choices": choices, "sides": {part.name: list(part.options[:2]) for part in pairs}}

    def parts(self, content: CustomItem, settings: CustomSettings, shown: Values) -> tuple[ItemPart, ...]:
        return tuple(each for part in settings.part for each in _parts(part, content, shown))

    def check(self, content: CustomItem, settings: CustomSettings, answer: Values) -> None:
        for part in settings.part:
            if part.kind == "write" and part.name in answer:
                _check_text(part, str(answer[part.name]))

    def attention_passed(self, answer: Values, known: Values) -> bool:
        return known_passed(answer, known)

    def undealt(self, answer: Values, shown: Values) -> Values:
        """The answer that would have been given if no sides had been exchanged."""
        return {name: _unswapped(name, value, shown) for name, value in answer.items()}

    def units(self, result: TaskResult) -> Mapping[str, Any]:
        """Choices and numbers, as names: distances on a scale count in the agreement of each field.

        Of a pair the text counts that was preferred, named by the side on which it stands where none are exchanged.
        """
        choices = set(result.shown.get("choices", ()))
        return {
            name: str(value)
            for name, value in self.undealt(result.answer, result.shown).items()
            if name in choices or type(value) is int
        }

    def rows(self, results: Sequence[TaskResult], settings: CustomSettings) -> list[dict[str, Any]]:
        """One row an answer. Of a pair stands the column that was preferred, whichever side it was shown on."""
        pairs = {part.name: part for part in settings.part if part.kind == "pair"}
        return [
            {
                "id": result.key,
                **result.content.fields,
                **{name: _preferred(pairs.get(name), name, value, result.shown) for name, value in result.answer.items()},
                "worker": result.worker,
            }
            for result in results
        ]


def _preferred(pair: CustomPart | None, name: str, value: Any, shown: Values) -> Any:
    if pair is None:
        return value
    side = pair.options.index(value)
    columns = pair.columns[::-1] if name in shown.get("swapped", ()) else pair.columns
    return columns[side] if side < len(columns) else TIE


def _unswapped(name: str, value: Any, shown: Values) -> Any:
    """What would have been answered if the sides of a pair had not been exchanged."""
    if name not in shown.get("swapped", ()):
        return value
    sides = shown.get("sides", {}).get(name, ())  # answers from before they were kept have none
    return sides[1 - sides.index(value)] if value in sides else value


KINDS: Mapping[CustomKind, PartKind] = {
    "show": "show", "link": "link", "table": "table", "picture": "picture", "write": "write", "choose": "choose",
    "several": "several", "rate": "rate", "slider": "slider", "mark": "mark", "rank": "rank", "pair": "choose",
}  # fmt: skip


def _parts(part: CustomPart, content: CustomItem, shown: Values) -> Iterator[ItemPart]:
    fields = content.fields
    text = _filled(part.text, fields)
    when = (part.when.part, part.when.answer) if part.when else None
    if part.kind == "pair":
        columns = part.columns[::-1] if part.name in shown.get("swapped", ()) else part.columns
        for side, column in zip((LEFT, RIGHT), columns, strict=True):
            yield _side(part, column, content, side)
    if part.kind == "picture":
        if part.column in content.pictures or part.required:
            yield _picture(part, part.column, content, text)
        return
    source, tokens = cell_text(fields.get(part.source)) if part.source else "", ()
    if part.kind in ("table", "link"):
        value = fields.get(part.column)
        source = json.dumps(value, ensure_ascii=False) if part.kind == "table" else cell_text(value)
    if part.kind == "mark":
        if text:
            yield ItemPart("show", text)
        text = cell_text(fields.get(part.column))
        tokens = tuple(_WORD.findall(text))
    yield ItemPart(
        KINDS[part.kind], text, part.name, options=_options(part), scale=part.scale, tokens=tokens, required=part.required,
        when=when, source=source,
    )  # fmt: skip


def _side(pair: CustomPart, column: str, content: CustomItem, side: str) -> ItemPart:
    if pair.alt:
        return _picture(pair, column, content, "", side)
    return ItemPart("show", cell_text(content.fields.get(column)), speaker=side)


def _picture(part: CustomPart, column: str, content: CustomItem, text: str, side: str = "") -> ItemPart:
    alt = _filled(part.alt, content.fields)
    return ItemPart("picture", text, speaker=side, source=content.pictures.get(column, ""), alt=alt)


def _options(part: CustomPart) -> tuple[str, ...]:
    """The names of the steps of a scale where its ends have some; else the options."""
    if part.kind not in ("rate", "slider") or not part.ends:
        return part.options
    low, high = part.scale
    if part.kind == "slider":
        return part.ends
    return (f"{low}: {part.ends[0]}", *(str(step) for step in range(low + 1, high)), f"{high}: {part.ends[1]}")


def _filled(text: str, fields: Mapping[str, Any]) -> str:
    return _COLUMN.sub(lambda match: cell_text(fields.get(match[1], match[0])), text)


def cell_text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _check_columns(part: CustomPart, fields: Mapping[str, Any], key: str) -> None:
    needed = [*_COLUMN.findall(part.text), *_COLUMN.findall(part.alt), *part.columns, *filter(None, (part.column, part.source))]
    if absent := [name for name in needed if name not in fields]:
        there = ", ".join(fields) or "none"
        raise AnnotationError(
            translate(
                "The item {key} has no column {absent}, which the task shows; it has {there}.",
                key=repr(key),
                absent=repr(absent[0]),
                there=there,
            )
        )


def _check_text(part: CustomPart, text: str) -> None:
    if part.pattern and not re.fullmatch(part.pattern, text.strip()):
        raise AnnotationError(
            translate(
                "“{name}” is not of the form asked for{hint}.", name=part.name, hint=f": {part.hint}" if part.hint else ""
            )
        )
    if len(text.strip()) < part.shortest:
        raise AnnotationError(
            translate(
                "“{name}” has {count} characters; at least {shortest} are asked for.",
                name=part.name,
                count=len(text.strip()),
                shortest=part.shortest,
            )
        )
    if part.longest is not None and len(text) > part.longest:
        raise AnnotationError(
            translate(
                "“{name}” has {count:,} characters; at most {longest:,} are asked for.",
                name=part.name,
                count=len(text),
                longest=part.longest,
            )
        )
