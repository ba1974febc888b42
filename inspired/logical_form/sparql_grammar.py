"""SPARQL text as a syntax tree, by `sparql.lark`; what cannot be read is named with its line and column."""

import re
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken
from lark.tree import Meta

from backend.errors import LogicalFormError

_STANDARD = (
    r'/"""(?:[^"\\]|\\.|"(?!""))*"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*\'\'\''
    r'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'/s'
)
_COMPACT = r"/''\s*.*?\s*``|``\s*.*?\s*''|\"[^\"]*\"/s"

# Words that begin what no reading as steps is made of.
_OUTSIDE = {
    "base": "BASE is not covered: write names in full, or with a PREFIX",
    "construct": "CONSTRUCT is not covered: a question starts with SELECT or ASK",
    "describe": "DESCRIBE is not covered: a question starts with SELECT or ASK",
    "insert": "INSERT is not covered: a question starts with SELECT or ASK",
    "delete": "DELETE is not covered: a question starts with SELECT or ASK",
}
# The mistakes that people make, each with texts that end where it is noticed.
_MISTAKES = {
    "SELECT is missing: a query starts with SELECT or ASK": ["", "?x", "{", "and", "PREFIX a: <b:c> WHERE"],
    "PREFIX is followed by a name and a colon, and an IRI in angle brackets, as in PREFIX ns: <http://...>": [
        "PREFIX x",
        "PREFIX ns: ns:a",
    ],
    "The answer's variable is missing: it starts with a question mark, as in ?x": [
        "SELECT {",
        "SELECT DISTINCT WHERE",
        "SELECT ns:a",
    ],
    "{ is missing here": ["SELECT ?x WHERE ?x", "ASK ?x", "SELECT ?x WHERE { OPTIONAL ?x", "SELECT ?x WHERE FILTER", "ASK"],
    "A predicate such as ns:location.country.capital is missing": [
        "SELECT ?x WHERE { ?x }",
        "SELECT ?x WHERE { ?x . ",
        "SELECT ?x WHERE { ?x 5",
        'SELECT ?x WHERE { ?x "a"',
        "SELECT ?x WHERE { ?x FILTER",
        "SELECT ?x WHERE { ?x",
        "SELECT ?x WHERE { ns:a }",
        "SELECT ?x WHERE { ns:a . ",
    ],
    "An object is missing: a ?variable, an entity such as ns:m.0f8l9c or a value": [
        "SELECT ?x WHERE { ?x ns:a }",
        "SELECT ?x WHERE { ?x ns:a .",
        "SELECT ?x WHERE { ?x ns:a ; ",
        "SELECT ?x WHERE { ?x ns:a ns:b, .",
        "SELECT ?x WHERE { ?x ns:a",
        "SELECT ?x WHERE { ?x ?p }",
        "SELECT ?x WHERE { ?x ?p .",
    ],
    "} is missing here": [
        "SELECT ?x WHERE { ?x ns:a ?y",
        "SELECT ?x WHERE { ?x ns:a ?y .",
        "SELECT ?x WHERE {",
        "SELECT ?x WHERE { ?x ns:a ?y LIMIT",
        "SELECT ?x WHERE { ?x ns:a ?y ORDER",
        "SELECT ?x WHERE { ?x ns:a ?y GROUP",
    ],
    "A comparison is missing here: one of = != < > <= >=, IN or a function": [
        "SELECT ?x WHERE { FILTER (?x ?y",
        "SELECT ?x WHERE { FILTER ?x",
    ],
    "A ?variable, a value or a function is missing here": [
        "SELECT ?x WHERE { FILTER (?x = )",
        "SELECT ?x WHERE { FILTER ( )",
        "SELECT ?x WHERE { FILTER (?x = ?y && )",
        "SELECT ?x WHERE { FILTER (?x + )",
        "SELECT ?x { BIND (",
    ],
    ") is missing here": [
        "SELECT ?x WHERE { FILTER (?x = ?y }",
        "SELECT (COUNT(?x) AS ?n WHERE",
        "SELECT ?x { BIND (5 AS ?x }",
    ],
    "AS and a ?variable are missing here": ["SELECT ?x WHERE { BIND (5 )", "SELECT ?x WHERE { BIND (5 AS )"],
    "LIMIT and OFFSET are followed by a whole number": [
        "SELECT ?x { } LIMIT ?x",
        "SELECT ?x { } LIMIT many",
        "SELECT ?x { } OFFSET ?x",
        "SELECT ?x { } LIMIT",
    ],
    "BY is missing here": ["SELECT ?x { } ORDER ?x", "SELECT ?x { } GROUP ?x"],
}


def parse(text: str, start: str, compact: bool = False, located: bool = False) -> Tree[Token]:
    """The syntax tree of a `query`, a `compact` form or a `fragment`; each node of a `located` one knows its place in the text.

    Raises LogicalFormError naming what is wrong, and where.
    """
    try:
        return _parser(compact=compact, located=located).parse(text, start=start)
    except UnexpectedInput as error:
        raise LogicalFormError(f"{_message(error)} {_where(text, error)}.") from error


@cache
def _parser(compact: bool, located: bool) -> Lark:
    grammar = Path(__file__).with_name("sparql.lark").read_text(encoding="utf-8")
    return Lark(
        grammar.replace("STRING_PATTERN", _COMPACT if compact else _STANDARD),
        parser="lalr",
        lexer="contextual",
        start=["query", "compact", "fragment"],
        propagate_positions=located,
        maybe_placeholders=False,
    )


def refusal(message: str, meta: Meta | Token) -> LogicalFormError:
    """The error for a construct that is read but not covered, with its place in a `located` tree."""
    if isinstance(meta, Meta) and meta.empty:
        return LogicalFormError(f"{message}.")
    return LogicalFormError(f"{message} (line {meta.line}, column {meta.column}).")


def _message(error: UnexpectedInput) -> str:
    if isinstance(error, UnexpectedCharacters):
        return f"Cannot read {error.char!r}"
    token = error.token if isinstance(error, UnexpectedToken) else None
    if token is not None and (outside := _OUTSIDE.get(token.lower())):
        return outside
    expected = error.accepts if isinstance(error, UnexpectedToken) else set()
    if token is not None and token.type != "$END" and not error.pos_in_stream:
        return f"SELECT is missing before {token.value!r}: a query starts with SELECT or ASK"
    if token is not None and token.type != "$END" and "$END" in (expected or ()):
        return f"Nothing more was expected after the query, but {token.value!r} follows"
    known = _mistakes()
    position = getattr(getattr(error, "state", None), "position", None)
    message = known.get((position, token.type if token else "")) or known.get((position, ""))
    if message is not None:
        return message
    return f"{token.value!r} was not expected here" if token is not None and token.value else "Something is missing here"


@cache
def _mistakes() -> dict[tuple[int | None, str], str]:
    """What each example of a mistake shows: by the parser's state and the token that it cannot take, and by the state alone.

    Each parser numbers its states in its own way: these are of the one that has the last word about a text.
    """
    result: dict[tuple[int | None, str], str] = {}
    for message, examples in _MISTAKES.items():
        for text in examples:
            try:
                _parser(compact=False, located=True).parse(text, start="query")
            except UnexpectedToken as error:
                result.setdefault((error.state.position, error.token.type), message)
                result.setdefault((error.state.position, ""), message)
    return result


def _where(text: str, error: UnexpectedInput) -> str:
    ended = isinstance(error, UnexpectedEOF) or (isinstance(error, UnexpectedToken) and error.token.type == "$END")
    if ended or not text[error.pos_in_stream or 0 :].strip():
        return "(at the end of the text)"
    return f"(line {error.line}, column {error.column})"


_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}


def string_text(token: str) -> str:
    """What a string says, without its quotes and escapes; those of the compact form are doubled."""
    if token[:2] in ("''", "``") and not token.startswith("'''") and len(token) > 3:
        return token[2:-2].strip()
    marks = 3 if token[:3] in ('"""', "'''") and len(token) >= 6 else 1
    inside = token[marks:-marks]
    return _ESCAPE.sub(_unescape, inside) if "\\" in inside else inside


def _unescape(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(match[3], match[3])
