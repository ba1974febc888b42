"""Buttons under an answer in a notebook, where widgets work. Elsewhere, and in a static export, there is the answer's HTML."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from backend.program.extras import is_installed

WIDGET = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True)
class NotebookButton:
    """What a button says, what it says when the pointer rests on it, and the HTML that it puts in place of the answer's."""

    label: str
    about: str
    press: Callable[[], str]


def mime_bundle(text: str, html: str, buttons: Sequence[NotebookButton]) -> dict[str, Any]:
    """What a notebook may show: text and HTML, and where widgets work the HTML with its buttons."""
    bundle: dict[str, Any] = {"text/plain": text, "text/html": html}
    if buttons and widgets_work():
        bundle[WIDGET] = _view(html, buttons)
    return bundle


def widgets_work() -> bool:
    """Whether this is a notebook with widgets. A terminal has an interactive shell too, without a kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None and is_installed("ipywidgets")


def _view(html: str, buttons: Sequence[NotebookButton]) -> dict[str, Any]:
    widgets = import_module("ipywidgets")
    shown = widgets.HTML(html)
    box = widgets.VBox([shown, widgets.VBox([_button(widgets, each, shown) for each in buttons])])
    return {"version_major": 2, "version_minor": 0, "model_id": box.model_id}


def _button(widgets: Any, button: NotebookButton, shown: Any) -> Any:
    made = widgets.Button(description=button.label, layout=widgets.Layout(width="auto"), tooltip=button.about)
    made.on_click(lambda _: setattr(shown, "value", button.press()))
    return made
