"""What a task type of a study is: which parts an item has, which of them are answered, and what becomes of the answers.

A part is either shown or asked for. The parts of an item are both its screen, top to bottom, and the schema of its answer,
which is a mapping from the names of asked parts to values.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from annotation.words.catalogue import translate
from backend.errors import AnnotationError
from backend.text.storable import storable

LONGEST_TEXT = 100_000

PartKind = Literal["show", "link", "frame", "table", "picture", "write", "choose", "several", "rate", "slider", "mark", "rank"]
Level = Literal["nominal", "ordinal", "interval"]
Values = Mapping[str, Any]


@dataclass(frozen=True)
class ItemPart:
    """One piece of an item. `name` is empty for what is only shown.

    kind: "show" (text only), "link" and "frame" (what `source` is the address of, in a tab of its own or inside the page),
    "table" (rows in `source`, as JSON), "picture" (`source` is the digest of one that the study keeps, `alt` says what it
    shows), "write" (free text), "choose" (one of `options`), "several" (any of them), "rank" (all
    of them in an order), "slider" (a whole number on `scale`), "rate" (a whole number on `scale`, whose ends and steps
    `options` may name), "mark" (spans of `tokens`). `speaker` says who speaks in a dialogue. `when` is the
    name of an earlier part and the value it must have for this part to be there. `source` is the wording that a written
    text should not repeat, `entities` the names that it should keep. `turn`: where an item is done turn by turn, the one in
    which the part comes, from 1. `labels` are the options as they are shown, where they differ from what is kept.
    """

    kind: PartKind
    text: str
    name: str = ""
    speaker: str = ""
    options: tuple[str, ...] = ()
    scale: tuple[int, int] = (1, 4)
    tokens: tuple[str, ...] = ()
    required: bool = True
    when: tuple[str, str] | None = None
    source: str = ""
    entities: tuple[str, ...] = ()
    turn: int = 0
    labels: tuple[str, ...] = ()
    alt: str = ""

    def label(self, option: Any) -> str:
        """An option as it is shown."""
        named = dict(zip(self.options, self.labels, strict=False))
        return named.get(option, str(option))


@dataclass(frozen=True)
class TaskResult:
    """An answer that stands, to be exported. `shown` is what the item was given with (as `Stop.shown`).

    `about`: how it came about, as further columns of an export: phase, batch, active time, warnings, attention.
    """

    key: str
    content: Any
    answer: Values
    worker: str
    verdict: str
    seconds: float
    submitted: datetime
    shown: Values = field(default_factory=dict)
    about: Values = field(default_factory=dict)


@dataclass(frozen=True)
class Stop:
    """One item on the way of a worker who answers all of them in an order of their own."""

    key: str
    shown: Values


# The context in which the content of an item is read that was checked when it came in: what takes long is not checked again.
STORED = {"stored": True}
Items = Sequence[tuple[str, Any]]
Write = Callable[[Sequence[TaskResult], Any], str]


class TaskType(Protocol):
    """`content` and `settings` are pydantic models: of an item in a file, and of the table `[settings]` of a study.

    `level`: how the values of `units` are measured, for agreement. `files`: what can be written beside the rows.
    A task type whose parts take long to make may have `rated_parts`, with the arguments of `parts`: only those with a scale or
    options.
    """

    @property
    def title(self) -> str: ...
    @property
    def content(self) -> type[Any]: ...
    @property
    def settings(self) -> type[Any]: ...
    @property
    def level(self) -> Level: ...
    @property
    def files(self) -> Mapping[str, Write]: ...

    def prepare(self, items: Items, settings: Any, seed: int) -> Items:
        """The items as they are kept: chosen among, or with more behind them."""

    def order(self, items: Items, settings: Any, index: int, seed: int) -> tuple[Stop, ...] | None:
        """The way of the worker who began as number `place` (from 0); None where items are dealt from a queue."""

    def parts(self, content: Any, settings: Any, shown: Values) -> tuple[ItemPart, ...]:
        """What is shown and asked."""

    def check(self, content: Any, settings: Any, answer: Values) -> None:
        """Raises AnnotationError for what `check_answer` cannot know of the answer."""

    def attention_passed(self, answer: Values, known: Values) -> bool:
        """Whether the answer to an item whose answer is known shows attention."""

    def units(self, result: TaskResult) -> Mapping[str, Any]:
        """The values in an answer that should not depend on the worker, by name; for agreement."""

    def rows(self, results: Sequence[TaskResult], settings: Any) -> list[dict[str, Any]]:
        """What is exported, one row or record each."""


def is_web_address(address: str) -> bool:
    """Whether a browser may be sent there: http or https with a host, or a path of the same server.

    No other scheme, such as javascript:, and nothing that a browser would read as another host.
    """
    if not address.isprintable() or any(letter in address for letter in " \\\"'<>`"):
        return False
    if address.startswith("/"):
        return not address.startswith("//")
    parts = urlsplit(address)
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def check_answer(parts: Iterable[ItemPart], answer: Values) -> dict[str, Any]:
    """The answer without what was not asked for after all (`ItemPart.when`), in the order of the parts.

    Raises AnnotationError naming the part that is missing, unknown or of the wrong form, and what would be valid.
    """
    asked = {part.name: part for part in parts if part.name}
    if unknown := [name for name in answer if name not in asked]:
        raise AnnotationError(
            translate(
                "Nothing is called {field} here; an answer has {names}.", field=f"{unknown[0]!r:.100}", names=", ".join(asked)
            )
        )
    kept: dict[str, Any] = {}
    for name, part in asked.items():
        if part.when is not None and kept.get(part.when[0]) != part.when[1]:
            continue
        value = answer.get(name)
        if _missing(value):
            if part.required:
                raise _empty(part)
            continue
        _FORMS[part.kind](part, value)
        kept[name] = value
    return kept


def known_passed(answer: Values, known: Values) -> bool:
    """Whether every known field is as it should be; texts are compared without regard to case and blanks."""
    return all(_plain(answer.get(name)) == _plain(value) for name, value in known.items())


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _refused(part: ItemPart, value: Any) -> AnnotationError:
    wanted = _WANTED[part.kind](part)
    return AnnotationError(
        translate("“{name}” cannot be {value}; {wanted}.", name=part.name, value=f"{value!r:.100}", wanted=wanted)
    )


def _empty(part: ItemPart) -> AnnotationError:
    return AnnotationError(translate("“{name}” is empty; {wanted}.", name=part.name, wanted=_WANTED[part.kind](part)))


def _plain(value: Any) -> Any:
    return " ".join(value.split()).casefold() if isinstance(value, str) else value


def _write(part: ItemPart, value: Any) -> None:
    if not isinstance(value, str):
        raise AnnotationError(translate("“{name}” should be a text.", name=part.name))
    if len(value) > LONGEST_TEXT:
        raise AnnotationError(
            translate(
                "“{name}” has {count:,} characters; at most {longest_text:,} can be kept.",
                name=part.name,
                count=len(value),
                longest_text=LONGEST_TEXT,
            )
        )
    storable(value, part.name)


def _choose(part: ItemPart, value: Any) -> None:
    if value not in part.options:
        raise _refused(part, value)


def _several(part: ItemPart, value: Any) -> None:
    if not isinstance(value, list) or any(each not in part.options for each in value) or len(set(value)) < len(value):
        raise _refused(part, value)
    if part.required and not value:
        raise _empty(part)


def _rank(part: ItemPart, value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value) or sorted(value) != sorted(part.options):
        raise _refused(part, value)


def _rate(part: ItemPart, value: Any) -> None:
    low, high = part.scale
    if type(value) is not int or not low <= value <= high:
        raise _refused(part, value)


def _mark(part: ItemPart, value: Any) -> None:
    """Spans [first, behind the last] of tokens, in order and apart."""
    end = 0
    spans: list[Any] = value if isinstance(value, list) else [None]
    for span in spans:
        whole = isinstance(span, list) and len(span) == 2 and all(type(each) is int for each in span)
        if not whole or not end <= span[0] < span[1] <= len(part.tokens):
            raise AnnotationError(
                translate(
                    "“{name}” cannot hold {value}; {wanted}.",
                    name=part.name,
                    value=f"{span!r:.100}",
                    wanted=_WANTED["mark"](part),
                )
            )
        end = span[1]
    if part.required and not value:
        raise _empty(part)


_FORMS: dict[PartKind, Callable[[ItemPart, Any], None]] = {
    "write": _write, "choose": _choose, "several": _several, "rank": _rank, "rate": _rate, "slider": _rate, "mark": _mark,
}  # fmt: skip
_WANTED: dict[PartKind, Callable[[ItemPart], str]] = {
    "write": lambda part: translate("write a text"),
    "choose": lambda part: translate("choose one of {options}", options=", ".join(part.options)),
    "several": lambda part: translate("choose some of {options}", options=", ".join(part.options)),
    "rank": lambda part: translate("put all of these in an order: {options}", options=", ".join(part.options)),
    "slider": lambda part: translate("give a whole number from {low} to {high}", low=part.scale[0], high=part.scale[1]),
    "rate": lambda part: translate("give a whole number from {low} to {high}", low=part.scale[0], high=part.scale[1]),
    "mark": lambda part: translate(
        "mark spans [first, behind the last] of the {count} words, in order and apart", count=len(part.tokens)
    ),
}
