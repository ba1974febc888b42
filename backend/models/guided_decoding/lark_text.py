"""The text of a Lark grammar, taken apart so that it can be written in another dialect.

What is read is the part of Lark that grammars of whole languages of ours need: rules and terminals made of names, strings,
regular expressions, groups, `|`, `?`, `*` and `+`, with `?rule` and `-> alias`, which shape trees only. No imports, ignored
terminals, priorities, ranges or templates.
"""

import json
import re
from dataclasses import dataclass
from enum import StrEnum

from backend.errors import LanguageModelError

_PIECE = re.compile(
    r"""(?P<define>^[?!]?(?P<defined>[A-Za-z_]\w*)[ ]*:)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<regex>/(?:[^/\\\n]|\\.)+/)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<mark>[|()?*+])
    |(?P<skipped>->[ ]*\w+|\s+|//[^\n]*)""",
    re.VERBOSE | re.MULTILINE,
)


class PieceKind(StrEnum):
    STRING = "string"
    REGEX = "regex"
    NAME = "name"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class GrammarPiece:
    """A unit of a definition; `text` of a string is what it spells, of a regular expression what stands between the slashes."""

    kind: PieceKind
    text: str


Definitions = dict[str, tuple[GrammarPiece, ...]]


def definitions(grammar: str) -> Definitions:
    """What each rule and terminal of a Lark grammar is made of, in order.

    Raises LanguageModelError for what is not read here, naming the place.
    """
    result: dict[str, list[GrammarPiece]] = {}
    position, name = 0, ""
    while position < len(grammar):
        match = _PIECE.match(grammar, position)
        if match is None or (not name and match["define"] is None and match["skipped"] is None):
            line = grammar.count("\n", 0, position) + 1
            raise LanguageModelError(
                f"Line {line} of the Lark grammar cannot guide decoding near {grammar[position : position + 20]!r}: "
                "valid are names, strings, regular expressions, groups, |, ?, * and +."
            )
        position = match.end()
        if match["define"] is not None:
            name = match["defined"]
            result[name] = []
        elif match["skipped"] is None:
            result[name].append(_piece(match))
    return {name: tuple(pieces) for name, pieces in result.items()}


def _piece(match: re.Match[str]) -> GrammarPiece:
    kind, text = PieceKind(match.lastgroup or ""), match[0]
    if kind is PieceKind.STRING:
        return GrammarPiece(kind, str(json.loads(text)))
    return GrammarPiece(kind, text[1:-1].replace("\\/", "/") if kind is PieceKind.REGEX else text)
