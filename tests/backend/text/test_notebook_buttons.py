"""Other readings are buttons where widgets work, and nothing is asked of widgets where they do not."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

import inspired
import ttm
from backend.errors import ExecutionError
from backend.text import notebook_buttons
from backend.text.notebook_buttons import WIDGET, NotebookButton, show_with_buttons


class Widget:
    """What stands for those of ipywidgets: it keeps what it was made of, and can be clicked."""

    made: ClassVar[list["Widget"]] = []

    def __init__(self, children: Any = (), **options: Any) -> None:
        self.children, self.options, self.model_id = children, options, f"model-{len(Widget.made)}"
        self.layout, self.display = options.get("layout"), options.get("display")
        Widget.made.append(self)

    def on_click(self, handler: Any) -> None:
        self.click = lambda: handler(self)


class Notebook:
    """What a cell shows: each output, and what it was updated to."""

    def __init__(self) -> None:
        self.outputs: list[dict[str, Any]] = []

    def display(self, bundle: dict[str, Any], raw: bool, display_id: bool = False) -> Any:
        assert raw
        index = len(self.outputs)
        self.outputs.append(bundle)
        return SimpleNamespace(update=lambda now, raw: self.outputs.__setitem__(index, now)) if display_id else None

    @property
    def html(self) -> str:
        return str(self.outputs[0]["text/html"])

    @property
    def buttons(self) -> dict[str, Widget]:
        """Those that can be seen, by what they say."""
        made = [each for each in Widget.made if "description" in each.options]
        return {each.options["description"]: each for each in made if each.layout.display != "none"}


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    """A notebook with a kernel and ipywidgets."""
    library, interactive, notebook = ModuleType("ipywidgets"), ModuleType("IPython"), Notebook()
    for name in ("VBox", "Button", "Layout"):
        setattr(library, name, Widget)
    interactive.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", interactive)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=notebook.display))
    monkeypatch.setitem(sys.modules, "ipywidgets", library)
    monkeypatch.setattr(notebook_buttons, "is_installed", lambda name: name == "ipywidgets")
    Widget.made = []
    return notebook


class Words:
    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<details open>{self.text}</details>"


def failing() -> Words:
    raise ExecutionError("There is no <row> 5.")


def test_a_button_puts_its_answer_in_place_of_the_first_and_offers_that_again(notebook: Notebook) -> None:
    first, other = Words("first"), Words("other")
    offered = [
        NotebookButton("this", "a parse", lambda: first, shown_first=True),
        NotebookButton("another", "its parse", lambda: other),
        NotebookButton("wrong", "cannot be answered", failing),
    ]
    show_with_buttons(first, offered)
    kept, widget = notebook.outputs
    assert kept == {"text/plain": "first", "text/html": "<details>first</details>"}, "a static export keeps it"
    assert set(widget) == {WIDGET}
    assert widget[WIDGET]["model_id"] in {each.model_id for each in Widget.made}
    assert set(notebook.buttons) == {"another", "wrong"}
    notebook.buttons["another"].click()
    assert notebook.html == "<details>other</details>"
    assert set(notebook.buttons) == {"this", "wrong"}
    notebook.buttons["wrong"].click()
    assert notebook.html == "<p>There is no &lt;row&gt; 5.</p>"
    notebook.buttons["this"].click()
    assert notebook.html == "<details>first</details>"


@pytest.mark.slow
def test_other_readings_of_a_question_are_buttons_in_words(notebook: Notebook) -> None:
    answer = inspired.ask("Which rivers flow through countries that border Austria?")
    answer._ipython_display_()
    assert set(notebook.buttons) <= {each.words for each in answer.readings if each.parse != answer.parse}
    words = next(iter(notebook.buttons))
    notebook.buttons[words].click()
    assert notebook.html != answer._repr_html_()
    assert words not in notebook.buttons
    before = next(each.words for each in answer.readings if each.parse == answer.parse)
    notebook.buttons[before].click()
    assert notebook.html == answer._repr_html_()


def test_readings_of_a_question_that_is_asked_back_are_buttons_and_answer_it(notebook: Notebook) -> None:
    chat = ttm.talk("german", parser="linker")
    answer = chat.ask("age and income?")
    assert (answer.parse, "<details open" in answer._repr_html_()) == (None, True)
    answer._ipython_display_()
    offered = [each.words for each in answer.readings[:3]]
    assert list(notebook.buttons) == offered
    notebook.buttons[offered[0]].click()
    assert "years on average" in notebook.html
    assert chat.answers[-1].parse == answer.readings[0].parse
    assert list(notebook.buttons) == offered[1:]


def test_without_widgets_or_without_readings_ipython_asks_for_html(notebook: Notebook, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Words("first")
    for buttons in ([], [NotebookButton("this", "a parse", lambda: first, shown_first=True)]):
        with pytest.raises(NotImplementedError):
            show_with_buttons(first, buttons)
    monkeypatch.setattr(notebook_buttons, "widgets_work", lambda: False)
    with pytest.raises(NotImplementedError):
        show_with_buttons(first, [NotebookButton("a", "b", lambda: first)])
    assert notebook.outputs == []
