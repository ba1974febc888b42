"""A Lark grammar as GBNF, which llama.cpp, and vLLM through xgrammar, take with a request.

GBNF works on characters without a lexer, so the words of a grammar need no care here.
"""

import re

from backend.errors import LanguageModelError
from backend.models.guided_decoding.lark_text import GrammarPiece, PieceKind, definitions

_REGEX = re.compile(r"(?P<set>\[\^?(?:[^\]\\]|\\.)+\])|(?P<times>\{\d+(?:,\d*)?\}|[?*+|()])|(?P<escaped>\\.)|(?P<plain>[^\\])")
# Regular expressions know more kinds of white space; no text that is worth guiding to holds them.
_CLASSES = {"\\s": " \\t\\r\\n", "\\d": "0-9", "\\w": "a-zA-Z0-9_"}
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def gbnf(grammar: str, start: str = "start") -> str:
    """The rules of a Lark grammar as GBNF text, whose `root` is the rule `start`.

    Raises LanguageModelError for what `definitions` does not read, and for a regular expression beyond sets, groups,
    alternatives and repetition.
    """
    read = definitions(grammar)
    rules = [f"root ::= {_name(start)}"]
    rules += [f"{_name(name)} ::= {' '.join(_written(piece) for piece in pieces)}" for name, pieces in read.items()]
    return "\n".join(rules) + "\n"


def _name(name: str) -> str:
    """Names may hold letters, digits and dashes; `root` is taken."""
    return f"x-{name.replace('_', '-')}"


def _written(piece: GrammarPiece) -> str:
    if piece.kind is PieceKind.NAME:
        return _name(piece.text)
    if piece.kind is PieceKind.STRING:
        return _quoted(piece.text)
    return f"({_regex(piece.text)})" if piece.kind is PieceKind.REGEX else piece.text


def _quoted(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'


def _regex(pattern: str) -> str:
    parts = []
    for match in _REGEX.finditer(pattern):
        kind, text = match.lastgroup, match[0]
        if kind == "set":
            parts.append(_set(text))
        elif kind == "escaped" and text in _CLASSES:
            parts.append(f"[{_CLASSES[text]}]")
        elif (kind == "escaped" and text[1].isalnum()) or (kind == "plain" and text in ".^$"):
            raise LanguageModelError(f"The regular expression /{pattern}/ cannot be written as GBNF: {text} has no like there.")
        elif kind == "times":
            parts.append(text)
        else:
            parts.append(_quoted(text[-1]))
    return re.sub(r" (\{|[?*+])", r"\1", " ".join(parts))


def _set(text: str) -> str:
    """A set of characters; classes in it are spelt out."""
    return re.sub(r"\\[sdw]", lambda match: _CLASSES[match[0]], text)
