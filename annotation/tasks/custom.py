"""A task of one's own, written down in `study.toml` as parts: what is shown, what is asked, and under which condition.

Every text may be in any language, and may hold columns of the item in braces: `text = "Wie findest du {answer}?"`.
"""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from annotation.tasks.task_type import ItemPart, Items, Level, PartKind, Stop, TaskResult, Values, Write, known_passed
from annotation.words.catalogue import translate
from backend.errors import AnnotationError

CustomKind = Literal["show", "link", "table", "write", "choose", "several", "rate", "slider", "mark", "rank", "pair"]
ASKED = frozenset({"write", "choose", "several", "rate", "slider", "mark", "rank", "pair"})
WITH_OPTIONS = frozenset({"choose", "several", "rank", "pair"})
LEFT, RIGHT = "left", "right"  # which side of a pair a text stands on
TIE = "tie"
MOST_STEPS = 1001
_COLUMN = re.compile(r"\{([^{}]+)\}")
_WORD = re.compile(r"\S+")


class CustomItem(BaseModel):
    """An item of any columns."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fields: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _columns(cls, row: Any) -> Any:
        whole = isinstance(row, dict) and not (set(row) == {"fields"} and isinstance(row["fields"], dict))
        return {"fields": row} if whole else row


class CustomCondition(BaseModel):
    """That an earlier part has this answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: str
    answer: str


class CustomPart(BaseModel):
    """`column`: of a table's rows (a list of objects), a link's address, or the text whose words are marked; `columns`: the two
    texts of a pair, whose sides are drawn for each worker. `options`: what is chosen among; of a pair the labels for the left
    side, the right side, and perhaps for neither. `ends` name the ends of a scale. `source`: a column that a written text is to
    say in other words. `pattern`: what a written text has to match, said in `hint`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: CustomKind
    text: str = ""
    name: str = Field("", pattern=r"^\w*$", max_length=100)
    column: str = ""
    columns: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    scale: tuple[int, int] = (1, 5)
    ends: tuple[str, ...] = ()
    required: bool = True
    when: CustomCondition | None = None
    source: str = ""
    pattern: str = ""
    hint: str = ""
    shortest: int = Field(0, ge=0)
    longest: int | None = Field(None, ge=1)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.kind in ASKED) != bool(self.name):
            raise ValueError(f"a part of kind {self.kind} {'needs a' if self.kind in ASKED else 'has no'} name")
        if self.kind in WITH_OPTIONS and (len(self.options) < 2 or len(set(self.options)) < len(self.options)):
            raise ValueError(f"a part of kind {self.kind} needs two options or more, all different")
        if self.kind == "pair" and (len(self.columns) != 2 or len(self.options) > 3):
            raise ValueError("a pair needs columns with two names, and two or three options: left, right, perhaps neither")
        if self.kind in ("table", "link", "mark") and not self.column:
            raise ValueError(f"a part of kind {self.kind} needs the column that it is about")
        if not 0 < self.scale[1] - self.scale[0] < MOST_STEPS or len(self.ends) not in (0, 2):
            raise ValueError("a scale goes from a number to a larger one, and has two ends or none")
        try:
            re.compile(self.pattern)
        except re.error as error:
            raise ValueError(f"pattern {self.pattern!r} is no regular expression: {error}") from error
        return self


class CustomSettings(BaseModel):
    """`part`: the parts, top to bottom."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: tuple[CustomPart, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        seen: dict[str, CustomPart] = {}
        for part in self.part:
            if part.when is not None and part.when.part not in seen:
                raise ValueError(f"when.part is {part.when.part!r}, but no earlier part is called so")
            if part.name in seen:
                raise ValueError(f"two parts are called {part.name!r}")
            if part.name:
                seen[part.name] = part
        if not seen:
            raise ValueError("no part asks for anything")
        return self


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
        return tuple(each for part in settings.part for each in _parts(part, content.fields, shown))

    def check(self, content: CustomItem, settings: CustomSettings, answer: Values) -> None:
        for part in settings.part:
            if part.kind == "write" and part.name in answer:
                _check_text(part, str(answer[part.name]))

    def attention_passed(self, answer: Values, known: Values) -> bool:
        return known_passed(answer, known)

    def units(self, result: TaskResult) -> Mapping[str, Any]:
        """Choices and numbers, as names: distances on a scale count in the agreement of each field.

        Of a pair the text counts that was preferred, named by the side on which it stands where none are exchanged.
        """
        choices = set(result.shown.get("choices", ()))
        return {
            name: str(_unswapped(name, value, result.shown))
            for name, value in result.answer.items()
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
    "show": "show", "link": "link", "table": "table", "write": "write", "choose": "choose", "several": "several",
    "rate": "rate", "slider": "slider", "mark": "mark", "rank": "rank", "pair": "choose",
}  # fmt: skip


def _parts(part: CustomPart, fields: Mapping[str, Any], shown: Values) -> Iterator[ItemPart]:
    text = _filled(part.text, fields)
    when = (part.when.part, part.when.answer) if part.when else None
    if part.kind == "pair":
        columns = part.columns[::-1] if part.name in shown.get("swapped", ()) else part.columns
        for side, column in zip((LEFT, RIGHT), columns, strict=True):
            yield ItemPart("show", _text(fields.get(column)), speaker=side)
    source, tokens = _text(fields.get(part.source)) if part.source else "", ()
    if part.kind in ("table", "link"):
        source = json.dumps(fields.get(part.column), ensure_ascii=False) if part.kind == "table" else _text(fields[part.column])
    if part.kind == "mark":
        if text:
            yield ItemPart("show", text)
        text = _text(fields.get(part.column))
        tokens = tuple(_WORD.findall(text))
    yield ItemPart(
        KINDS[part.kind], text, part.name, options=_options(part), scale=part.scale, tokens=tokens, required=part.required,
        when=when, source=source,
    )  # fmt: skip


def _options(part: CustomPart) -> tuple[str, ...]:
    """The names of the steps of a scale where its ends have some; else the options."""
    if part.kind not in ("rate", "slider") or not part.ends:
        return part.options
    low, high = part.scale
    if part.kind == "slider":
        return part.ends
    return (f"{low}: {part.ends[0]}", *(str(step) for step in range(low + 1, high)), f"{high}: {part.ends[1]}")


def _filled(text: str, fields: Mapping[str, Any]) -> str:
    return _COLUMN.sub(lambda match: _text(fields.get(match[1], match[0])), text)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _check_columns(part: CustomPart, fields: Mapping[str, Any], key: str) -> None:
    needed = [*_COLUMN.findall(part.text), *part.columns, *filter(None, (part.column, part.source))]
    if absent := [name for name in needed if name not in fields]:
        there = ", ".join(fields) or "none"
        raise AnnotationError(f"The item {key!r} has no column {absent[0]!r}, which the task shows; it has {there}.")


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
