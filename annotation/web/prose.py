"""Pieces of HTML that all screens of studies use, by `prose.html.jinja`; what is no Markup is escaped."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from annotation.words.catalogue import translate
from backend.text.html_pieces import paragraph
from backend.text.markup import escape_html
from backend.text.templates import Macros

HTML = Macros(__file__)


@lru_cache(maxsize=256)
def prose(markdown: str) -> Markup:
    """Markdown of a study's owner as HTML; HTML in it is shown as text."""
    from markdown_it import MarkdownIt

    return HTML("prose", Markup(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)))


def joined(pieces: Iterable[str]) -> Markup:
    """The pieces one after the other; those that are no Markup are escaped."""
    return Markup("").join(pieces)


def typed(text: object, tag: str = "p", css: str = "") -> Markup:
    """What somebody wrote, exactly, in whatever direction its script runs."""
    return HTML("typed", text, tag, css)


def quiet(text: str) -> Markup:
    """A paragraph in the background: what explains."""
    return paragraph(text, "study-quiet")


def name_html(name: str, css: str = "") -> Markup:
    """A name or id, in whatever direction its script runs."""
    return HTML("name", name, css)


def bold(text: str) -> Markup:
    return HTML("bold", text)


def data(name: str, value: Any) -> Markup:
    """An attribute `data-name` that holds JSON."""
    return Markup(f'data-{name}="{escape_html(json.dumps(value, ensure_ascii=False))}"')


def link(label: str, page: str, css: str = "study-link", **more: Any) -> Markup:
    """A button that opens a page."""
    return HTML("link", label, css, data("page", {"page": page, **more}))


def button(label: str, kind: str = "secondary", **attributes: object) -> Markup:
    return HTML("button", label, kind, {name.replace("_", "-"): value for name, value in attributes.items()})


def buttons(*inside: str) -> Markup:
    return HTML("buttons", joined(inside))


def call_form(call: str, asked: Mapping[str, Any], inside: str, then: Mapping[str, Any] | None = None, css: str = "") -> Markup:
    """A form that calls an endpoint with `asked` and its fields; `then` is the page that is opened if that went well."""
    return HTML("call_form", call, data("asked", asked), inside, data("then", then) if then is not None else "", css)


def page_form(page: str, inside: str) -> Markup:
    """A form that opens a page with what is in its fields."""
    return HTML("page_form", data("find", {"page": page}), inside)


def text_field(name: str, label: str, rows: int = 2, required: bool = False, value: str = "") -> Markup:
    return HTML("text_field", name, label, rows, required, value)


def line_field(
    name: str, label: str, required: bool = True, kind: str = "text", value: str = "", **attributes: object
) -> Markup:  # fmt: skip
    return HTML("line_field", name, label, kind, value, required, attributes)


def choice(name: str, label: str, options: Mapping[str, str], chosen: str = "") -> Markup:
    """A list to choose from, `options` by their values."""
    return HTML("choice", name, label, options, chosen)


def card(*inside: str) -> Markup:
    return HTML("card", joined(inside))


def section(title: str, *inside: str) -> Markup:
    """A card with a heading."""
    return HTML("section", title, joined(inside))


def keys_line(text: str) -> Markup:
    """A line about keys, which stand in brackets in the text."""
    return HTML("keys", re.split(r"\[([^\]]+)\]", text))  # every second piece is a key


def fold(summary: str, inside: str, opened: bool = False, attributes: str = "") -> Markup:
    return HTML("fold", summary, inside, opened, attributes)


def history_fold(summary: str, key: str) -> Markup:
    """The history of an item, which is fetched when it is opened."""
    return fold(summary, "", attributes=data("fragment", {"page": "history", "key": key}))


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], empty: str = "Nothing is here yet.") -> Markup:
    return HTML("table", heads, rows, empty)


def numbers(cells: Iterable[tuple[str, str, bool]]) -> Markup:
    """Figures side by side: the name of each, its value, and whether it looks careless."""
    return HTML("numbers", cells)


def switch(name: str, label: str) -> Markup:
    return HTML("switch", name, label)


def links(*links: str) -> str:
    """The ways on, in a line; those that are empty are left out."""
    ways = list(filter(None, links))
    return HTML("links", ways) if ways else ""


def verdict_html(css: str, shown: str) -> Markup:
    return HTML("verdict", css or "none", shown)


def remark(noticed: Iterable[str]) -> str:
    """What looks careless, if anything does."""
    text = "; ".join(noticed)
    return paragraph(text, "study-remark") if text else ""


def moment(when: datetime | None) -> str:
    """A time in UTC; the browser shows it in its own time zone."""
    return HTML("moment", when.isoformat(), f"{when:%Y-%m-%d %H:%M}") if when else "–"


def money(hundredths: int, currency: str) -> str:
    return f"{hundredths / 100:,.2f} {currency}"


def duration(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"


def page_macros(module: str) -> Macros:
    """The macros of the template beside `module`, which may use the pieces of this file and translate."""
    pieces = (button, buttons, call_form, card, data, fold, link, moment, prose, quiet, section, table, text_field, typed)
    return Macros(module, translate=translate, **{piece.__name__: piece for piece in pieces})
