"""Buttons under an answer in a notebook, where widgets work. Elsewhere, and in a static export, there is the answer's HTML.

The answer and its buttons are two outputs of the cell: what is stored of a widget shows nothing without its kernel, so a page
that is made of the notebook later has the HTML alone, of the answer that was chosen last.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from backend.errors import ParleyError
from backend.program.extras import is_installed
from backend.text.html_pieces import paragraph

WIDGET = "application/vnd.jupyter.widget-view+json"


class NotebookAnswer(Protocol):
    """An answer as text, by `str`, and as HTML."""

    def _repr_html_(self) -> str: ...


@dataclass(frozen=True)
class NotebookButton:
    """What a button says, what it says when the pointer rests on it, and the answer that it puts in place of the one shown.

    That of the reading which is shown at first is hidden until another is chosen.
    """

    label: str
    about: str
    press: Callable[[], NotebookAnswer]
    shown_first: bool = False


def show_with_buttons(answer: NotebookAnswer, buttons: Sequence[NotebookButton]) -> None:
    """Show an answer and its buttons. Raises NotImplementedError where there are none: IPython then asks for text and HTML."""
    if all(each.shown_first for each in buttons) or not widgets_work():
        raise NotImplementedError
    widgets, display = import_module("ipywidgets"), import_module("IPython.display").display
    shown = display(_folded(answer), raw=True, display_id=True)
    made = [_button(widgets, each) for each in buttons]
    for widget, button in zip(made, buttons, strict=True):
        widget.on_click(lambda pressed, button=button: _press(pressed, button, shown, made))
    box = widgets.VBox(made, layout=widgets.Layout(align_items="flex-start"))
    display({WIDGET: {"version_major": 2, "version_minor": 0, "model_id": box.model_id}}, raw=True)


def widgets_work() -> bool:
    """Whether this is a notebook with widgets. A terminal has an interactive shell too, without a kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None and is_installed("ipywidgets")


def text_and_html(answer: NotebookAnswer) -> dict[str, str]:
    """What any notebook may show of an answer."""
    return {"text/plain": str(answer), "text/html": answer._repr_html_()}


def _folded(answer: NotebookAnswer) -> dict[str, str]:
    """Text and HTML, with lists of readings folded: here the buttons say the same."""
    bundle = text_and_html(answer)
    return bundle | {"text/html": bundle["text/html"].replace("<details open", "<details")}


def _button(widgets: Any, button: NotebookButton) -> Any:
    layout = widgets.Layout(width="auto", display="none" if button.shown_first else None)
    return widgets.Button(description=button.label, layout=layout, tooltip=button.about)


def _press(pressed: Any, button: NotebookButton, shown: Any, made: Sequence[Any]) -> None:
    """Show the answer of a button, and offer all other readings; a mistake is said in place of the answer."""
    try:
        bundle = _folded(button.press())
    except ParleyError as error:
        bundle = {"text/plain": error.shown, "text/html": paragraph(error.shown)}
    shown.update(bundle, raw=True)
    for widget in made:
        widget.layout.display = "none" if widget is pressed else None
