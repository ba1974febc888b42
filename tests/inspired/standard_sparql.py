"""Queries as they are found, made into standard SPARQL 1.1 by editing their text: an oracle that shares no code with ours."""

import random
import re
from datetime import date, timedelta

import pyoxigraph

FREEBASE = "http://rdf.freebase.com/ns/"
XSD = "http://www.w3.org/2001/XMLSchema#"
_TOKEN = re.compile(
    r"""(?P<kept><[^<>\s]*>|"(?:[^"\\]|\\.)*"|'[^'\n]*')|(?P<comment>\#[^\n]*)|\b(?P<prefix>ns|ex|item):(?P<name>[\w.]*\w)""",
    re.VERBOSE,
)
_NAMESPACES = {"ns": FREEBASE, "ex": "http://example.org/prop/", "item": "http://example.org/item/"}


def cleaned(sparql: str) -> str:
    """Comments out; OR, AND and xsd:datetime as the standard has them; names of `ns:` in full."""
    sparql = re.sub(r"#MANUAL SPARQL\b", " ", sparql)

    def token(match: re.Match[str]) -> str:
        if match["kept"]:
            return match["kept"]
        return " " if match["comment"] else f"<{_NAMESPACES[match['prefix']]}{match['name']}>"

    text = _TOKEN.sub(token, sparql)
    text = re.sub(r"\bOR\b", "||", text)
    text = re.sub(r"\bAND\b", "&&", text).replace("xsd:datetime", "xsd:dateTime")
    return f"PREFIX xsd: <{XSD}>\n{text}"


def with_full_dates(sparql: str) -> str:
    """Dates that a filter compares with, as the standard wants them."""
    text = re.sub(r'(\s[<>]=?\s*"\d{4})("\^\^xsd:dateTime)', r"\1-01-01\2", sparql)
    return re.sub(r'(\s[<>]=?\s*"\d{4}-\d\d-\d\d)("\^\^xsd:dateTime)', r"\1T00:00:00\2", text)


def answers(store: pyoxigraph.Store, sparql: str) -> list[str]:
    """The answers in order."""
    found = store.query(sparql)
    assert isinstance(found, pyoxigraph.QuerySolutions)
    return [str(row[0]) for row in found]


def graph_for(sparql: str, seed: int) -> pyoxigraph.Store:
    """A small graph in which the query has answers, near misses and, where it compares, values on both sides.

    The triples of the query are put in again and again, with fresh things for its variables; from some copies triples
    are left out, and some share things with others.
    """
    draw = random.Random(seed)
    store = pyoxigraph.Store()
    triples = _triples(cleaned(sparql))
    compared = set(re.findall(r"\?(num|sk\d|yr|a|b|d|e)\b", sparql))
    limits = re.findall(r'\s[<>=]=?\s*"?(-?[\d.]+(?:-\d\d-\d\d)?|[A-Z]\w+)"?', cleaned(sparql))
    for copy in range(14):
        shared = {name: draw.choice([copy, copy, copy % 3]) for name in "xyckz"}
        things = {name: pyoxigraph.NamedNode(f"http://example.org/{name}{number}") for name, number in shared.items()}
        values = {name: _value(draw, limits) for name in compared}
        left_out = draw.choice([None, None, None, *range(len(triples))])
        for place, (subject, predicate, object_) in enumerate(triples):
            if place == left_out:
                continue
            node = _term(subject, things, {})
            if isinstance(node, pyoxigraph.NamedNode):
                store.add(pyoxigraph.Quad(node, pyoxigraph.NamedNode(predicate), _term(object_, things, values)))
    return store


def _triples(text: str) -> list[tuple[str, str, str]]:
    term = r"(?:\?\w+|<[^<>\s]+>|\[\])"
    value = r"(?:\?\w+|<[^<>\s]+>|\[\]|\"(?:[^\"\\]|\\.)*\"(?:@[\w-]+|\^\^xsd:\w+)?)"
    text = re.sub(rf"({term})(\s+<[^<>\s]+>\s+{value}\s*);\s*", r"\1\2 . \1 ", text)
    return [(s, p[1:-1], o) for s, p, o in re.findall(rf"({term})\s+(<[^<>\s]+>)\s+({value})", text)]


def _term(
    text: str, things: dict[str, pyoxigraph.NamedNode], values: dict[str, pyoxigraph.Literal]
) -> pyoxigraph.NamedNode | pyoxigraph.Literal:
    if text.startswith("<"):
        return pyoxigraph.NamedNode(text[1:-1])
    if text.startswith('"'):
        inside, _, mark = text[1:].rpartition('"')
        inside = inside.replace('\\"', '"').replace("\\\\", "\\")
        if mark.startswith("@"):
            return pyoxigraph.Literal(inside, language=mark[1:])
        return pyoxigraph.Literal(inside, datatype=pyoxigraph.NamedNode(XSD + mark[6:])) if mark else pyoxigraph.Literal(inside)
    name = text.strip("?[]") or "anything"
    return values.get(name) or things.get(name) or pyoxigraph.NamedNode(f"http://example.org/{name}")


def _value(draw: random.Random, limits: list[str]) -> pyoxigraph.Literal:
    limit = draw.choice(limits) if limits else draw.choice(["7", "2001-01-01"])
    if re.fullmatch(r"\d{4}-\d\d-\d\d", limit):
        day = date.fromisoformat(limit) + timedelta(days=draw.randint(-400, 400))
        return pyoxigraph.Literal(f"{day.isoformat()}T00:00:00", datatype=pyoxigraph.NamedNode(XSD + "dateTime"))
    if limit[0].isalpha():
        return pyoxigraph.Literal(draw.choice([limit, limit.lower(), limit]))
    number = int(float(limit)) + draw.randint(-9, 9)
    return pyoxigraph.Literal(str(number), datatype=pyoxigraph.NamedNode(XSD + "integer"))
