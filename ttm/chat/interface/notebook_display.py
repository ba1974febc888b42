"""An answer in a notebook: text, tables, figure and how it was understood, in HTML that a static export keeps.

Other readings are buttons where widgets work, and a list where they do not. The page needs no script and no network.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from markupsafe import Markup

from backend.program.extras import is_installed
from backend.text.templates import Macros
from ttm.chat.export import table_html, text_html
from ttm.chat.interface.matplotlib_figures import svg
from ttm.operations.render import Answer

HTML = Macros(__file__)
READINGS_SHOWN = 3
LEAST_CONFIDENCE = 0.04
WIDGET = "application/vnd.jupyter.widget-view+json"


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


def answer_html(answer: DisplayedAnswer) -> str:
    """The answer as a piece of HTML with its own style."""
    parts = [
        HTML("part", Markup(text_html(part.text)), [table_html(table) for table in part.tables], _drawn(part.figure))
        for part in answer.parts
    ]
    asked_back = "" if answer.parts else answer.text
    return str(HTML("answer", answer, parts, asked_back, other_readings(answer)))


def _drawn(figure: Any) -> Markup | None:
    return None if figure is None else Markup(svg(figure))


def other_readings(answer: DisplayedAnswer) -> list[tuple[int, ChatReading]]:
    """The readings to offer beside the one that was answered, with their numbers."""
    least = LEAST_CONFIDENCE if answer.parse else 0.0
    others = [(number, one) for number, one in enumerate(answer.readings) if one.parse != answer.parse]
    return [(number, one) for number, one in others if one.confidence >= least][:READINGS_SHOWN]


def mime_bundle(answer: DisplayedAnswer) -> dict[str, Any]:
    """What a notebook may show: HTML and text, and where widgets work the same with readings as buttons."""
    bundle: dict[str, Any] = {"text/plain": str(answer), "text/html": answer_html(answer)}
    if other_readings(answer) and answer.number is not None and _widgets_work():
        bundle[WIDGET] = _with_buttons(answer)
    return bundle


def _widgets_work() -> bool:
    """Whether this is a notebook with widgets. A terminal has an interactive shell too, without a kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None and is_installed("ipywidgets")


def _with_buttons(answer: DisplayedAnswer) -> dict[str, Any]:
    widgets = import_module("ipywidgets")
    shown = widgets.HTML(answer_html(answer))
    buttons = widgets.VBox([_button(answer, number, one, shown) for number, one in other_readings(answer)])
    box = widgets.VBox([shown, buttons])
    view: dict[str, Any] = {"version_major": 2, "version_minor": 0, "model_id": box.model_id}
    return view


def _button(answer: DisplayedAnswer, number: int, reading: ChatReading, shown: Any) -> Any:
    widgets = import_module("ipywidgets")
    button = widgets.Button(description=reading.words, layout=widgets.Layout(width="auto"), tooltip=reading.parse)
    button.on_click(lambda _: setattr(shown, "value", answer_html(answer.choose(number))))
    return button
