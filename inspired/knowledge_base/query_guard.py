"""What kind of request a SPARQL text is, so that nothing but reading goes through."""

import re

from backend.errors import KnowledgeBaseError

# Words may also stand in strings, IRIs, comments, variables, language tags and behind the colon of a name; there they
# are no keywords.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""|' + r"'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n\r]|\\.)*"' + r"|'(?:[^'\\\n\r]|\\.)*'"
    r"|<[^<>\"{}|^`\s]*>|\#[^\n\r]*|[?$]\w+|@[A-Za-z][\w-]*|:(?:[\w.:%-]|\\.)*|(?P<word>[A-Za-z][\w.-]*)(?P<prefix>(?=:))?|.",
    re.DOTALL,
)
_CHANGES = {"INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH"}
_ELSEWHERE = {"SERVICE": "asks another server", "FROM": "names other data to ask"}


def words_of(sparql: str, prefixes: bool = False) -> list[str]:
    """The keywords of a query in capitals, in order; with the prefixes of names too if so asked."""
    match = _TOKEN.finditer(sparql)
    return [each["word"].upper() for each in match if each["word"] and (prefixes or each["prefix"] is None)]


def refuse_all_but_reading(sparql: str, elsewhere: bool = False) -> None:
    """Raises KnowledgeBaseError for all but SELECT and ASK, and unless `elsewhere` for what reaches other data."""
    try:
        sparql.encode("utf-8")
    except UnicodeEncodeError:
        raise KnowledgeBaseError("The query holds half of a character, which no knowledge base can read.") from None
    kind = next((each for each in words_of(sparql) if each not in ("PREFIX", "BASE")), None)
    if kind in _CHANGES:
        raise KnowledgeBaseError(f"{kind} would change the knowledge base; only SELECT and ASK queries are run.")
    if kind not in ("SELECT", "ASK"):
        raise KnowledgeBaseError(f"Only SELECT and ASK queries are run; this one starts with {kind or 'nothing'}.")
    # Oxigraph wants no space around keywords: it reads `trueSERVICE:a` as three things.
    glued = " ".join(words_of(sparql, prefixes=True))
    for word, does in _ELSEWHERE.items():
        if not elsewhere and word in glued:
            raise KnowledgeBaseError(f"{word} {does}; a query to this knowledge base can only ask what is in it.")
