"""Pieces of HTML that all screens of studies use; every text of a person goes through `escape_html` or `prose`."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from backend.text.markup import escape_html


@lru_cache(maxsize=256)
def prose(markdown: str) -> str:
    """Markdown of a study's owner as HTML; HTML in it is shown as text."""
    from markdown_it import MarkdownIt

    rendered = MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown)
    return f'<div class="study-prose" dir="auto">{rendered}</div>'


def typed(text: object, tag: str = "p", css: str = "") -> str:
    """What somebody wrote, exactly, in whatever direction its script runs."""
    return f'<{tag} class="study-typed {css}" dir="auto">{escape_html(text)}</{tag}>'


def data(name: str, value: Any) -> str:
    """An attribute `data-name` that holds JSON."""
    return f'data-{name}="{escape_html(json.dumps(value, ensure_ascii=False))}"'


def link(label: str, page: str, css: str = "study-link", **more: Any) -> str:
    """A button that opens a page."""
    return f'<button type="button" class="{css}" {data("page", {"page": page, **more})}>{escape_html(label)}</button>'


def button(label: str, kind: str = "secondary", **attributes: object) -> str:
    pairs = " ".join(f'{name.replace("_", "-")}="{escape_html(value)}"' for name, value in attributes.items())
    return f'<button class="study-button {kind}" {pairs}>{escape_html(label)}</button>'


def call_form(call: str, asked: Mapping[str, Any], inside: str, then: Mapping[str, Any] | None = None, css: str = "") -> str:
    """A form that calls an endpoint with `asked` and its fields; `then` is the page that is opened if that went well."""
    after = data("then", then) if then is not None else ""
    status = '<p class="study-said" role="status"></p>'
    return f'<form class="study-form {css}" data-call="{call}" {data("asked", asked)} {after}>{inside}{status}</form>'


def page_form(page: str, inside: str) -> str:
    """A form that opens a page with what is in its fields."""
    return f'<form class="study-form study-inline" {data("find", {"page": page})}>{inside}</form>'


def text_field(name: str, label: str, rows: int = 2, required: bool = False, value: str = "") -> str:
    must = "required" if required else ""
    # A line break right after the tag is not part of the text, so one that is must come second.
    return (
        f'<label class="study-label">{escape_html(label)}'
        f'<textarea name="{name}" rows="{rows}" dir="auto" {must}>\n{escape_html(value)}</textarea></label>'
    )


def line_field(name: str, label: str, required: bool = True, kind: str = "text", more: str = "", value: str = "") -> str:
    must = "required" if required else ""
    control = f'<input name="{name}" type="{kind}" value="{escape_html(value)}" dir="auto" {must} {more}>'
    return f'<label class="study-label">{escape_html(label)}{control}</label>'


def section(title: str, inside: str) -> str:
    """A card with a heading."""
    return f'<section class="study-card"><h4>{escape_html(title)}</h4>{inside}</section>'


def keys_html(text: str) -> str:
    """Text in which keys stand in brackets."""
    return re.sub(r"\[([^\]]+)\]", r"<kbd>\1</kbd>", escape_html(text))


def fold(summary: str, inside: str, opened: bool = False, attributes: str = "") -> str:
    state = "open" if opened else ""
    return f'<details class="study-fold" {state} {attributes}><summary>{escape_html(summary)}</summary>{inside}</details>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], empty: str = "Nothing is here yet.") -> str:
    """`rows` hold HTML, heads plain text."""
    labels = [escape_html(head) for head in heads]
    lines = ["".join(f'<td data-label="{name}">{cell}</td>' for name, cell in zip(labels, row, strict=True)) for row in rows]
    if not lines:
        return f'<p class="study-quiet">{escape_html(empty)}</p>'
    head = "".join(f'<th scope="col">{escape_html(each)}</th>' for each in heads)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    inside = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="study-scroll"><table class="study-table">{inside}</table></div>'


def moment(when: datetime | None) -> str:
    """A time in UTC; the browser shows it in its own time zone."""
    return f'<time datetime="{when.isoformat()}">{when:%Y-%m-%d %H:%M} UTC</time>' if when else "–"


def money(hundredths: int, currency: str) -> str:
    return escape_html(f"{hundredths / 100:,.2f} {currency}")


def duration(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
