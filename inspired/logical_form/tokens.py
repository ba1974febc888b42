"""SPARQL text as a row of tokens, each with its place, so that an error can say where."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from backend.errors import LogicalFormError
from inspired.logical_form.forms import FREEBASE, XSD, Variable
from inspired.logical_form.query_limits import check_length, check_tokens

PREFIXES = {
    "ns": FREEBASE,
    "xsd": XSD,
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
}
# Spacing around #MANUAL SPARQL varies; files that lost their line ends have the query on the same line.
_COMMENT = r"\#MANUAL\ SPARQL\b|\#(?!entity\d+\#)[^\n]*"
_SHARED = r"""
    (?P<space>\s+|{comment})
  | (?P<header><sparql-header-[12]>)
  | (?P<iri><[A-Za-z][\w+.-]*:[^<>"{{}}|^`\\\s]*>)
  | (?P<string>{string})
  | (?P<entity>\#entity\d+\#)
  | (?P<language>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
  | (?P<variable>[?$][A-Za-z_]\w*)
  | (?P<name>(?:[A-Za-z][\w-]*)?:\w(?:[\w.\-%]*\w)?)
  | (?P<number>[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<word>[A-Za-z_]\w*:?)
  | (?P<operator>\^\^|\|\||&&|!=|<=|>=|[=<>!*/+\-])
  | (?P<punctuation>[{{}}().;,\[\]|^])
"""
_STANDARD = r"\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*\"\"\"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_COMPACT = r"''\s*.*?\s*``|``\s*.*?\s*''|\"[^\"]*\""
_SCANNERS = {
    compact: re.compile(_SHARED.format(comment=_COMMENT, string=string), re.VERBOSE | re.DOTALL)
    for compact, string in ((False, _STANDARD), (True, _COMPACT))
}
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}


class SparqlToken(NamedTuple):
    kind: str
    text: str
    start: int


def _literal_text(token: str, compact: bool) -> str:
    if compact and token[:2] in ("''", "``"):
        return token[2:-2].strip()
    marks = 3 if token.startswith('"""') else 1
    inside = token[marks:-marks]
    return _ESCAPE.sub(_unescape, inside) if "\\" in inside else inside


def _unescape(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(match[3], match[3])


def name_of_iri(name: str) -> str:
    """The local name of an XSD type; anything else unchanged."""
    return name.removeprefix(XSD)


class Reader:
    """A place in the tokens of one text."""

    def __init__(self, source: str, compact: bool = False, spellings: Iterable[str] = ()) -> None:
        self.source = source
        self.spellings = {each.lower(): each for each in spellings}
        self.compact = compact
        self.prefixes = dict(PREFIXES)
        check_length(source)
        self._tokens = self._scan(_SCANNERS[compact])
        check_tokens([each.text for each in self._tokens])
        self._at = 0
        self._read()

    def _scan(self, scanner: re.Pattern[str]) -> list[SparqlToken]:
        tokens, position, source = [], 0, self.source
        match = scanner.match
        while position < len(source):
            piece = match(source, position)
            if piece is None:
                raise self._error_at(position, f"Cannot read {source[position : position + 12]!r}")
            kind = piece.lastgroup or ""
            if kind != "space":
                tokens.append(SparqlToken(kind, piece[0], position))
            position = piece.end()
        tokens.append(SparqlToken("end", "", len(source)))
        return tokens

    def _read(self) -> None:
        self.kind, self.text, self._start = self._tokens[self._at]

    def advance(self) -> str:
        text = self.text
        if self._at < len(self._tokens) - 1:
            self._at += 1
        self._read()
        return text

    def at(self, mark: str) -> bool:
        return self.text == mark and self.kind in ("punctuation", "operator")

    def is_next(self, mark: str) -> bool:
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)].text == mark

    def is_next_word(self, word: str) -> bool:
        following = self._tokens[min(self._at + 1, len(self._tokens) - 1)]
        return following.kind == "word" and following.text.lower() == word

    def take(self, mark: str) -> bool:
        if self.at(mark):
            self.advance()
            return True
        return False

    def expect(self, mark: str, reason: str = "") -> None:
        if not self.take(mark):
            raise self.error(f"{mark} is missing here" + (f": {reason}" if reason else ""))

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.text.lower() in words

    def word(self, word: str) -> bool:
        if self.is_word(word):
            self.advance()
            return True
        return False

    def expect_word(self, word: str, reason: str) -> None:
        if not self.word(word):
            raise self.error(f"{word.upper()} is missing: {reason}")

    def expect_end(self) -> None:
        if self.kind != "end":
            raise self.error(f"Nothing more was expected after the query, but {self.text!r} follows")

    def variable(self, role: str) -> Variable:
        if self.kind != "variable":
            raise self.error(f"{role[0].upper()}{role[1:]} is missing: it starts with a question mark, as in ?x")
        return Variable(self.advance()[1:])

    def whole_number(self, after: str) -> int:
        if self.kind != "number" or not self.text.isdigit():
            raise self.error(f"{after} is followed by a whole number")
        return int(self.advance())

    def prologue(self) -> None:
        while self.word("prefix"):
            if self.kind not in ("word", "name") or ":" not in self.text:
                raise self.error("PREFIX is followed by a name and a colon, as in PREFIX ns: <...>")
            prefix = self.advance().rstrip(":")
            if self.kind != "iri":
                raise self.error("PREFIX ns: is followed by an IRI in angle brackets")
            self.prefixes[prefix] = self.advance()[1:-1]

    def iri(self, peek: bool = False) -> str:
        """The name that the current token stands for: without the namespace if that is Freebase's, else a full IRI."""
        if self.kind == "iri":
            full = self.text[1:-1]
        elif self.kind == "name":
            prefix, _, local = self.text.partition(":")
            if prefix not in self.prefixes:
                known = ", ".join(f"{each}:" for each in self.prefixes)
                raise self.error(f"The prefix {prefix}: is not declared; known without declaration: {known}")
            full = self.prefixes[prefix] + local
        else:
            raise self.error("A name such as ns:m.0f8l9c or an IRI in angle brackets is missing here")
        if not peek:
            self.advance()
        name = full.removeprefix(FREEBASE)
        return self.spellings.get(name, name)

    def string(self) -> str:
        """What the string at this place says, without its quotes and escapes."""
        text = _literal_text(self.advance(), self.compact)
        return self.spellings.get(text, text)

    def error(self, message: str, back: int = 0) -> LogicalFormError:
        token = self._tokens[max(self._at - back, 0)]
        return self._error_at(token.start, message)

    def _error_at(self, position: int, message: str) -> LogicalFormError:
        before = self.source[:position]
        line = before.count("\n") + 1
        column = position - (before.rfind("\n") + 1) + 1
        if position >= len(self.source.rstrip()):
            return LogicalFormError(f"{message} (at the end of the text).")
        return LogicalFormError(f"{message} (line {line}, column {column}).")
