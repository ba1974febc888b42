"""Pieces of HTML that all screens use; what is no Markup is escaped, but in style sheets and scripts, which are ours."""

from pathlib import Path

from markupsafe import Markup

from backend.text.templates import Macros

HTML = Macros(__file__)


def paragraph(text: str, css: str = "", role: str = "") -> Markup:
    """A paragraph with its class and its role for screen readers."""
    return HTML("paragraph", text, css, role)


def progress_line(fraction: float, text: str, css: str = "", role: str = "") -> Markup:
    """How far work is: a bar for a fraction of 1, and a text beside it."""
    return HTML("progress_line", fraction, text, css, role)


def label_html(text: str) -> Markup:
    """A few words beside what they name."""
    return HTML("label", text)


def heading_html(title: str, about: str, level: int) -> Markup:
    return HTML("heading", title, about, level)


def style_sheet(*files: Path) -> Markup:
    """The style sheets in these files, one after the other."""
    return HTML("style_sheet", Markup("").join(Markup(file.read_text("utf-8")) for file in files))


def script(*files: Path) -> Markup:
    """The scripts in these files, one after the other."""
    return HTML("script", Markup("").join(Markup(file.read_text("utf-8")) for file in files))
