"""SPARQL as HTML, with its parts marked for colour; every text in it is escaped."""

import re

from markupsafe import Markup

from backend.text.markup import escape_html
from backend.text.templates import Macros

_TOKEN = re.compile(
    r"(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<name>\[[^\[\]\n]+\])|(?P<variable>\?\w+)|(?P<word>\b(?:FILTER|UNION|NOT|EXISTS|ORDER|BY|DESC|LIMIT|OFFSET)\b)"
)
HTML = Macros(__file__)


def coloured(code: str) -> Markup:
    """Code with its parts marked for colour, and each predicate allowed to break at its dots."""
    pieces: list[tuple[str, str | None]] = []
    last = 0
    for match in _TOKEN.finditer(code):
        pieces += [(_breakable(code[last : match.start()]), None), (match[0], match.lastgroup)]
        last = match.end()
    return HTML("coloured", [*pieces, (_breakable(code[last:]), None)])


def _breakable(text: str) -> Markup:
    return Markup(re.sub(r"([._])(?=\w)", r"\1<wbr>", escape_html(text)))
