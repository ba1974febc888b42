"""Other readings are buttons where widgets work, and nothing is asked of widgets where they do not."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

import inspired
from backend.text import notebook_buttons
from backend.text.notebook_buttons import WIDGET, NotebookButton, mime_bundle


class Widget:
    """What stands for those of ipywidgets: it keeps what it was made of, and can be clicked."""

    made: ClassVar[list["Widget"]] = []

    def __init__(self, value: Any = None, **options: Any) -> None:
        self.value, self.options, self.model_id = value, options, f"model-{len(Widget.made)}"
        Widget.made.append(self)

    def on_click(self, handler: Any) -> None:
        self.click = handler


@pytest.fixture
def widgets(monkeypatch: pytest.MonkeyPatch) -> list[Widget]:
    """A notebook with a kernel and ipywidgets."""
    library = ModuleType("ipywidgets")
    for name in ("HTML", "VBox", "Button", "Layout"):
        setattr(library, name, Widget)
    shell = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "ipywidgets", library)
    monkeypatch.setattr(notebook_buttons, "is_installed", lambda name: name == "ipywidgets")
    Widget.made = []
    return Widget.made


def test_a_button_puts_its_answer_in_place_of_the_first(widgets: list[Widget]) -> None:
    bundle = mime_bundle("plain", "<p>first</p>", [NotebookButton("another", "its parse", lambda: "<p>other</p>")])
    shown = next(each for each in widgets if each.value == "<p>first</p>")
    (button,) = [each for each in widgets if each.options.get("description") == "another"]
    button.click(button)
    assert shown.value == "<p>other</p>"
    assert bundle[WIDGET]["model_id"] in {each.model_id for each in widgets}
    assert bundle["text/html"] == "<p>first</p>", "a static export keeps it"


def test_other_readings_of_a_question_are_buttons_in_words(widgets: list[Widget]) -> None:
    answer = inspired.ask("Which rivers flow through countries that border Austria?")
    others = [each for each in answer.readings if each.parse != answer.parse]
    assert others
    assert WIDGET in answer._repr_mimebundle_()
    buttons = [each for each in widgets if "description" in each.options]
    assert {each.options["description"] for each in buttons} <= {each.words for each in others}
    buttons[0].click(buttons[0])
    assert [each.value for each in widgets if str(each.value).startswith("<div")] != [answer._repr_html_()]


def test_without_widgets_or_without_readings_there_is_html_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(mime_bundle("plain", "<p>", [NotebookButton("a", "b", lambda: "c")])) == {"text/plain", "text/html"}
    monkeypatch.setattr(notebook_buttons, "widgets_work", lambda: True)
    assert set(mime_bundle("plain", "<p>", [])) == {"text/plain", "text/html"}
