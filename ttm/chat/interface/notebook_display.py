"""An answer in a notebook: text, tables, figure and how it was understood, in HTML that a static export keeps.

Other readings are buttons where widgets work, and a list where they do not. The page needs no script and no network.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from markupsafe import Markup

from backend.text.notebook_buttons import NotebookButton
from backend.text.templates import Macros
from ttm.chat.export import table_html, text_html
from ttm.chat.interface.plots.matplotlib_figures import svg
from ttm.operations.render import Answer

HTML = Macros(__file__)
READINGS_SHOWN = 3
LEAST_CONFIDENCE = 0.04


@dataclass(frozen=True)
class ChatReading:
    """One way in which a question could be meant: its parse, in words, and the probability (0 to 1) that it is the one."""

    parse: str
    words: str
    confidence: float


class DisplayedAnswer(Protocol):
    """What is shown of an answer."""

    @property
    def text(self) -> str: ...

    @property
    def parse(self) -> str | None: ...

    @property
    def readings(self) -> tuple[ChatReading, ...]: ...

    @property
    def parts(self) -> tuple[Answer, ...]: ...

    @property
    def number(self) -> int | None: ...

    @property
    def choose(self) -> "Callable[[int], DisplayedAnswer]": ...

    def _repr_html_(self) -> str: ...


def answer_html(answer: DisplayedAnswer, *, in_python: bool = True) -> str:
    """The answer as a piece of HTML with its own style; `in_python`, with the call that answers another reading."""
    parts = [
        HTML("part", Markup(text_html(part.text)), [table_html(table) for table in part.tables], _drawn(part.figure))
        for part in answer.parts
    ]
    asked_back = "" if answer.parts else answer.text
    return str(HTML("answer", answer, parts, asked_back, other_readings(answer), in_python))


def _drawn(figure: Any) -> Markup | None:
    return None if figure is None else Markup(svg(figure))


def other_readings(answer: DisplayedAnswer) -> list[tuple[int, ChatReading]]:
    """The readings to offer beside the one that was answered, with their numbers."""
    least = LEAST_CONFIDENCE if answer.parse else 0.0
    others = [(number, one) for number, one in enumerate(answer.readings) if one.parse != answer.parse]
    return [(number, one) for number, one in others if one.confidence >= least][:READINGS_SHOWN]


def buttons(answer: DisplayedAnswer) -> list[NotebookButton]:
    """A button for each reading to offer, and for the one that was answered, of a question that belongs to a conversation."""
    if answer.number is None:
        return []
    taken = [(number, one) for number, one in enumerate(answer.readings) if one.parse == answer.parse]
    return [
        NotebookButton(one.words, one.parse, partial(answer.choose, number), one.parse == answer.parse)
        for number, one in [*taken, *other_readings(answer)]
    ]
