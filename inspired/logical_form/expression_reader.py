"""Terms and expressions of a syntax tree as values: what stands in triples, in FILTER and BIND, and after ORDER BY."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lark import Token, Transformer, v_args
from lark.tree import Meta

from inspired.logical_form.forms import (
    AGGREGATES,
    COMPARATORS,
    FREEBASE,
    XSD,
    AllOf,
    AnyOf,
    Blank,
    Entity,
    Exists,
    Expression,
    FunctionCall,
    Literal,
    Not,
    Operand,
    Pattern,
    RelationalExpression,
    SubQuery,
    Variable,
)
from inspired.logical_form.sparql_grammar import refusal, string_text

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
WIKIDATA = "http://www.wikidata.org/"
# Known without a declaration: those that the endpoints of Wikidata, DBpedia and Freebase know.
PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "ns": FREEBASE,
        "xsd": XSD,
        "rdf": RDF,
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "owl": "http://www.w3.org/2002/07/owl#",
        "skos": "http://www.w3.org/2004/02/skos/core#",
        "schema": "http://schema.org/",
        "foaf": "http://xmlns.com/foaf/0.1/",
        "dc": "http://purl.org/dc/elements/1.1/",
        "dct": "http://purl.org/dc/terms/",
        "dcterms": "http://purl.org/dc/terms/",
        "prov": "http://www.w3.org/ns/prov#",
        "geo": "http://www.opengis.net/ont/geosparql#",
        "geof": "http://www.opengis.net/def/geosparql/function/",
        "ontolex": "http://www.w3.org/ns/lemon/ontolex#",
        "wd": f"{WIKIDATA}entity/",
        "wds": f"{WIKIDATA}entity/statement/",
        "wdv": f"{WIKIDATA}value/",
        "wdref": f"{WIKIDATA}reference/",
        "wdt": f"{WIKIDATA}prop/direct/",
        "wdtn": f"{WIKIDATA}prop/direct-normalized/",
        "wdno": f"{WIKIDATA}prop/novalue/",
        "p": f"{WIKIDATA}prop/",
        "ps": f"{WIKIDATA}prop/statement/",
        "psv": f"{WIKIDATA}prop/statement/value/",
        "psn": f"{WIKIDATA}prop/statement/value-normalized/",
        "pq": f"{WIKIDATA}prop/qualifier/",
        "pqv": f"{WIKIDATA}prop/qualifier/value/",
        "pqn": f"{WIKIDATA}prop/qualifier/value-normalized/",
        "pr": f"{WIKIDATA}prop/reference/",
        "prv": f"{WIKIDATA}prop/reference/value/",
        "wikibase": "http://wikiba.se/ontology#",
        "bd": "http://www.bigdata.com/rdf#",
        "hint": "http://www.bigdata.com/queryHints#",
        "mwapi": "https://www.mediawiki.org/ontology#API/",
        "dbo": "http://dbpedia.org/ontology/",
        "dbp": "http://dbpedia.org/property/",
        "dbr": "http://dbpedia.org/resource/",
        "res": "http://dbpedia.org/resource/",
        "dbc": "http://dbpedia.org/resource/Category:",
        "yago": "http://dbpedia.org/class/yago/",
        "bif": "bif:",
    }
)
CASTS = {
    "boolean": "boolean",
    "date": "date",
    "datetime": "dateTime",
    "decimal": "decimal",
    "double": "double",
    "float": "float",
    "int": "integer",
    "integer": "integer",
    "string": "string",
}
FUNCTIONS = frozenset(
    """
    str lang langmatches datatype bound iri uri bnode rand abs ceil floor round concat strlen ucase lcase encode_for_uri
    contains strstarts strends strbefore strafter year month day hours minutes seconds timezone tz now uuid struuid md5 sha1
    sha256 sha384 sha512 coalesce if strlang strdt sameterm isiri isuri isblank isliteral isnumeric regex substr replace
    """.split()
)


@dataclass(frozen=True)
class Undefined:
    """UNDEF in a table of values."""


class ExpressionReader(Transformer[Token, object]):
    """Bottom-up: each method has the name of its rule. `spellings` gives back the capitals that the compact form lacks."""

    def __init__(self, source: str, spellings: Iterable[str] = ()) -> None:
        super().__init__(visit_tokens=False)
        self.source = source
        self.spellings = {each.lower(): each for each in spellings}
        self.prefixes = dict(PREFIXES)
        self._names = {each[1:] for each in re.findall(r"[?$]\w+", source)}
        self._made = 0
        self.parts: dict[str, SubQuery] = {}

    def fresh(self) -> Variable:
        """A variable for what the query leaves without a name."""
        while True:
            self._made += 1
            if f"node{self._made}" not in self._names:
                return Variable(f"node{self._made}")

    @v_args(inline=True)
    def prefix(self, name: Token, iri: Token) -> None:
        if name.endswith(":"):
            self.prefixes[name[:-1]] = iri[1:-1]

    @v_args(inline=True)
    def iri(self, token: Token) -> Entity:
        if token.type == "ENTITY":
            return Entity(str(token))
        full = token[1:-1] if token.type == "IRIREF" else self._expanded(token)
        name = full.removeprefix(FREEBASE)
        return Entity(self.spellings.get(name, name))

    def _expanded(self, token: Token) -> str:
        prefix, _, local = token.partition(":")
        if prefix not in self.prefixes:
            raise refusal(f"The prefix {prefix}: is not declared: write PREFIX {prefix}: <...> before SELECT", token)
        return self.prefixes[prefix] + re.sub(r"\\(\W)", r"\1", local)

    @v_args(inline=True)
    def variable(self, token: Token) -> Variable:
        return Variable(token[1:])

    def undefined(self, _: object) -> Undefined:
        return Undefined()

    def blank(self, _: object) -> Blank:
        return Blank()

    @v_args(inline=True)
    def text(self, token: Token) -> Literal:
        return Literal(self._string(token))

    @v_args(inline=True)
    def text_in(self, token: Token, language: Token) -> Literal:
        return Literal(self._string(token), language=language[1:].lower())

    @v_args(inline=True)
    def typed(self, token: Token, datatype: Entity) -> Literal:
        name = datatype.id.removeprefix(XSD)
        return Literal(self._string(token), None if name == "string" else CASTS.get(name.lower(), name))

    def _string(self, token: Token) -> str:
        text = string_text(token)
        return self.spellings.get(text, text)

    @v_args(inline=True)
    def number(self, token: Token) -> Literal:
        return _number(token)

    def true(self, _: object) -> Literal:
        return Literal("true", "boolean")

    def false(self, _: object) -> Literal:
        return Literal("false", "boolean")

    def either(self, parts: list[Operand]) -> FunctionCall:
        return FunctionCall("||", tuple(parts))

    def both(self, parts: list[Operand]) -> FunctionCall:
        return FunctionCall("&&", tuple(parts))

    def negation(self, parts: list[Operand]) -> FunctionCall:
        return FunctionCall("!", tuple(parts))

    @v_args(inline=True)
    def compared(self, left: Operand, sign: Token, right: Operand) -> FunctionCall:
        return FunctionCall(str(sign), (left, right))

    def options(self, parts: list[Operand]) -> tuple[Operand, ...]:
        return tuple(parts)

    @v_args(inline=True)
    def one_of(self, left: Operand, options: tuple[Operand, ...]) -> FunctionCall:
        return FunctionCall("in", (left, *options))

    @v_args(inline=True)
    def none_of(self, left: Operand, options: tuple[Operand, ...]) -> FunctionCall:
        return FunctionCall("not in", (left, *options))

    def increment(self, parts: list[Operand | Token]) -> tuple[Token, Operand]:
        """What `+1` adds in `?x+1`, where the sign stands with the number."""
        number, *rest = parts
        assert isinstance(number, Token)
        return number, self.infix([_number(number[1:]), *rest])

    def infix(self, parts: list[Operand | Token | tuple[Token, Operand]]) -> Operand:
        """Left to right, as arithmetic is."""
        flat = [each for part in parts for each in ((part[0][0], part[1]) if isinstance(part, tuple) else (part,))]
        result, rest = flat[0], flat[1:]
        assert not isinstance(result, str)
        for sign, right in zip(rest[::2], rest[1::2], strict=True):
            assert not isinstance(right, str)
            result = FunctionCall(str(sign), (result, right))
        return result

    @v_args(inline=True)
    def signed(self, sign: Token, operand: Operand) -> Operand:
        if isinstance(operand, Literal):
            return Literal(f"{sign}{operand.text}", operand.datatype)
        return FunctionCall(str(sign), (operand,))

    @v_args(inline=True)
    def separator(self, token: Token) -> tuple[str, Literal]:
        return ("separator", Literal(self._string(token)))

    def distinct_mark(self, _: object) -> str:
        return "distinct"

    def arguments(self, parts: list[object]) -> list[object]:
        return parts

    @v_args(meta=True)
    def call(self, meta: Meta, parts: list[object]) -> FunctionCall:
        name, arguments = parts
        assert isinstance(arguments, list)
        function = self._function(name, meta)
        distinct = "distinct" in arguments
        plain = [each[1] if isinstance(each, tuple) else each for each in arguments if each != "distinct"]
        if distinct and function not in AGGREGATES:
            raise refusal(f"DISTINCT inside {function.upper()} is not covered; {_listed(AGGREGATES)} may have it", meta)
        if not plain and function in AGGREGATES and function != "count":
            raise refusal(f"{function.upper()} of nothing: name a ?variable inside its parentheses", meta)
        return FunctionCall(f"{function} distinct" if distinct else function, tuple(plain))

    def _function(self, name: object, meta: Meta) -> str:
        if isinstance(name, Entity):
            cast = CASTS.get(name.id.removeprefix(XSD).lower()) if name.id.startswith(XSD) else None
            return f"xsd:{cast}" if cast else name.id
        function = str(name).lower()
        if function not in FUNCTIONS and function not in AGGREGATES:
            raise refusal(f"The function {name} is not covered; those of SPARQL 1.1 and casts to xsd types are", meta)
        return function


def _number(text: str) -> Literal:
    return Literal(str(text), "double" if "e" in text.lower() else "decimal" if "." in text else "integer")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(each.upper() for each in names)


def condition_of(node: object, meta: Meta) -> Expression:
    """An expression as what a FILTER tests."""
    match node:
        case FunctionCall("&&", parts):
            inner = [condition_of(each, meta) for each in parts]
            return AllOf(tuple(part for each in inner for part in (each.parts if isinstance(each, AllOf) else (each,))))
        case FunctionCall("||", parts):
            return AnyOf(tuple(condition_of(each, meta) for each in parts))
        case FunctionCall("!", (part,)):
            negated = condition_of(part, meta)
            return Exists(negated.patterns, not negated.negated) if isinstance(negated, Exists) else Not(negated)
        case FunctionCall(function, (left, right)) if function in COMPARATORS:
            return RelationalExpression(operand_of(left, meta), function, operand_of(right, meta))
        case FunctionCall():
            operand = operand_of(node, meta)
            assert isinstance(operand, FunctionCall)
            return operand
        case Exists():
            return node
    raise refusal("A comparison is missing here: one of = != < > <= >=, IN or a function", meta)


def operand_of(node: object, meta: Meta) -> Operand:
    """An expression as a value: nothing inside it looks at the graph."""
    if isinstance(node, Exists):
        raise refusal("EXISTS inside an expression is not covered: test it in a FILTER", meta)
    if isinstance(node, FunctionCall):
        for each in node.arguments:
            operand_of(each, meta)
    assert isinstance(node, Variable | Entity | Literal | FunctionCall)
    return node


def patterns_of(children: Iterable[object]) -> tuple[Pattern, ...]:
    """The patterns among what the rules below gave."""
    flat: list[Pattern] = []
    for each in children:
        flat += patterns_of(each) if isinstance(each, list | tuple) else [each]  # type: ignore[list-item]
    return tuple(flat)
