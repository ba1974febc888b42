"""SPARQL as HTML, with its parts marked for colour; every text in it is escaped."""

import re

from backend.text.markup import escape_html

_TOKEN = re.compile(
    r"(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<name>\[[^\[\]\n]+\])|(?P<variable>\?\w+)|(?P<word>\b(?:FILTER|UNION|NOT|EXISTS|ORDER|BY|DESC|LIMIT|OFFSET)\b)"
)


def coloured(code: str) -> str:
    """Code with its parts marked for colour, and each predicate allowed to break at its dots."""
    pieces, last = [], 0
    for match in _TOKEN.finditer(code):
        pieces += [_breakable(code[last : match.start()]), f'<span class="kb-{match.lastgroup}">{escape_html(match[0])}</span>']
        last = match.end()
    return "".join([*pieces, _breakable(code[last:])])


def _breakable(text: str) -> str:
    return re.sub(r"([._])(?=\w)", r"\1<wbr>", escape_html(text))
