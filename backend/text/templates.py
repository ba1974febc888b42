"""HTML from Jinja templates that lie beside the code that fills them.

A template file holds macros. Every value is escaped unless it is Markup, which is what macros give. Line breaks and the
indentation after them are there for the people who read the template: they are no part of what it writes.
"""

import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from backend.text.markup import escape_html

ENDING = ".html.jinja"
PAGE_STYLE = Path(__file__).with_name("page.css")


def _escaped(value: object) -> object:
    # With the entities that `escape_html` writes, so that text looks alike wherever it was escaped.
    return value if hasattr(value, "__html__") else Markup(escape_html(value))


def page_style(own: Path) -> Markup:
    """The style of a page that is written to a file: what all of them share, and after it the sheet `own`."""
    return Markup(PAGE_STYLE.read_text("utf-8") + own.read_text("utf-8"))


class Macros:
    """The macros of the template beside `module`, the `__file__` of who asks; it is read when the first is used."""

    def __init__(self, module: str, **functions: Any) -> None:
        """`functions`: what a template may call, by name."""
        self._path = Path(module).with_suffix(ENDING)
        self._functions = functions
        self._template: Template | None = None

    def __call__(self, name: str, /, *values: Any, **named: Any) -> Markup:
        """What the macro `name` writes for these values."""
        if self._template is None:
            environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=_escaped)
            self._template = environment.from_string(
                re.sub(r"\n\s*", "", self._path.read_text("utf-8")), globals=self._functions
            )
        return Markup(getattr(self._template.module, name)(*values, **named))
