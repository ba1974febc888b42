"""Queries as people write them on Wikidata and DBpedia, and small graphs that answer them."""

import random
import re
from dataclasses import dataclass
from pathlib import Path

import pyoxigraph

from inspired.logical_form.expression_reader import PREFIXES
from inspired.logical_form.forms import (
    Entity,
    FunctionCall,
    Literal,
    LogicalForm,
    Order,
    RelationalExpression,
    Term,
    Triple,
    ValueRows,
    Values,
    Variable,
    variables,
    walk,
)

FOLDER = Path(__file__).with_name("written")
XSD = "http://www.w3.org/2001/XMLSchema#"
_DATED = ("year", "month", "day")
_WORDED = ("lang", "contains", "strstarts", "strends", "regex", "lcase", "ucase", "strlen", "langmatches", "concat")
Node = pyoxigraph.NamedNode | pyoxigraph.Literal


@dataclass(frozen=True)
class Written:
    name: str
    sparql: str


def written() -> list[Written]:
    """Every query of the folder; those of `first.rq` were written before the reader."""
    result = []
    for path in sorted(FOLDER.glob("*.rq")):
        parts = re.split(r"(?m)^### (.*)\n", path.read_text(encoding="utf-8"))[1:]
        result += [Written(name, text.strip()) for name, text in zip(parts[::2], parts[1::2], strict=True)]
    return result


def standard(sparql: str) -> str:
    """The text as an engine takes it: prefixes declared; no label service, which only the servers of Wikidata have.

    What Virtuoso and Blazegraph take beyond the standard is put into the words of the standard.
    """
    text = re.sub(r"SERVICE\s+wikibase:label\s*\{[^}]*\}", " ", sparql)
    text = re.sub(r"SELECT (?:DISTINCT )?(COUNT\([^)]*\))(?: AS \?n)?", r"SELECT (\1 AS ?counted)", text)
    part = re.search(r"WITH (\{.*?\}) AS (%\w+) WHERE", text, re.DOTALL)
    if part:
        text = text.replace(part[0], "WHERE").replace(f"INCLUDE {part[2]}", part[1])
    declared = set(re.findall(r"(?i)PREFIX\s+(\w+):", text))
    return "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in PREFIXES.items() if name not in declared and "." in iri) + text


def graph_for(form: LogicalForm, seed: int) -> pyoxigraph.Store:
    """A small graph with answers and near misses: the triples of the query again and again, with other things for its
    variables; of some copies a triple is left out."""
    draw = random.Random(seed)
    store = pyoxigraph.Store()
    triples = [each for each in walk(form) if isinstance(each, Triple)]
    kinds = _kinds(form, triples)
    pools = {each: _pool(each, kinds.get(each, ""), form, draw) for each in variables(form)}
    for _ in range(24):
        things = {each: draw.choice(pool) for each, pool in pools.items()}
        missing = draw.choice([None, None, *range(len(triples))])
        for number, triple in enumerate(triples):
            subject, target = _node(triple.subject, things), _node(triple.object, things)
            names = re.findall(r"<([^<>]+)>", triple.predicate) or [triple.predicate]
            if number == missing or not isinstance(subject, pyoxigraph.NamedNode):
                continue
            for name in names:
                store.add(pyoxigraph.Quad(subject, _node(Entity(name.replace("?", "e:")), things), target))
    return store


def answers(store: pyoxigraph.Store, sparql: str) -> list[tuple[str, ...]]:
    """The rows, sorted, or whether there is any."""
    result = store.query(sparql)
    if isinstance(result, pyoxigraph.QueryBoolean):
        return [(str(bool(result)),)]
    assert isinstance(result, pyoxigraph.QuerySolutions)
    return sorted(tuple(str(cell) for cell in row) for row in result)


def _kinds(form: LogicalForm, triples: list[Triple]) -> dict[Variable, str]:
    kinds: dict[Variable, str] = {}
    for each in walk(form):
        if isinstance(each, FunctionCall | RelationalExpression | Order):
            call = each.function if isinstance(each, FunctionCall) else ""
            kind = "date" if call in _DATED else "text" if call in _WORDED else "number"
            if call in ("bound", "if", "coalesce", "count", "count distinct", "str", "sample", "in", "not in"):
                continue
            literals = [inner for inner in walk(each) if isinstance(inner, Literal)]
            kind = "date" if any("date" in (inner.datatype or "") for inner in literals) else kind
            for name in variables(each):
                if kinds.get(name) not in ("date", "text"):
                    kinds[name] = kind
    subjects = {each.subject for each in triples}
    listed = {name for each in walk(form) if isinstance(each, Values | ValueRows) for name in variables(each)}
    return {name: kind for name, kind in kinds.items() if name not in subjects and name not in listed}


def _pool(variable: Variable, kind: str, form: LogicalForm, draw: random.Random) -> list[Node]:
    literals = [each for each in walk(form) if isinstance(each, Literal)]
    if kind == "date":
        years = [int(text) for each in literals for text in re.findall(r"\b[12]\d{3}\b", each.text)] or [1950]
        days = [f"{draw.choice(years) + draw.randint(-2, 2)}-{draw.choice(['12-24', '03-14'])}T00:00:00Z" for _ in range(6)]
        return [pyoxigraph.Literal(day, datatype=pyoxigraph.NamedNode(f"{XSD}dateTime")) for day in days]
    if kind == "text":
        words = [each.text.strip("^") for each in literals if len(each.text) > 2] or ["a word", "text"]
        return [pyoxigraph.Literal(f"{word}{end}", language="en") for word in words for end in ("", " x")]
    if kind == "number":
        limits = [float(each.text) for each in literals if each.datatype in ("integer", "decimal", "double")] or [10.0]
        return [pyoxigraph.Literal(limit + draw.randint(-3, 40)) for limit in limits for _ in range(4)]
    options = [
        option.id
        for each in walk(form)
        if isinstance(each, Values | ValueRows | FunctionCall | RelationalExpression) and variable in variables(each)
        for option in walk(each)
        if isinstance(option, Entity)
    ]
    return [pyoxigraph.NamedNode(name) for name in [*options, *(f"http://e.org/{variable.name}{n}" for n in range(3))]]


def _node(term: Term, things: dict[Variable, Node]) -> Node:
    match term:
        case Entity(name):
            return pyoxigraph.NamedNode(name if "://" in name else f"http://e.org/{name[2:]}")
        case Variable():
            return things[term]
        case Literal(text, datatype, language):
            if language:
                return pyoxigraph.Literal(text, language=language)
            return pyoxigraph.Literal(text, datatype=pyoxigraph.NamedNode(f"{XSD}{datatype or 'string'}"))
    return pyoxigraph.NamedNode("http://e.org/anything")
