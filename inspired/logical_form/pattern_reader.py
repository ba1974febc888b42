"""Triples, paths and groups of a syntax tree as patterns.

A path becomes triples where SPARQL 1.1 defines it by triples (`/`, `^`, `|`); only what repeats stays a path.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from lark import Token, v_args
from lark.tree import Meta

from inspired.logical_form.arrangement import arranged
from inspired.logical_form.expression_reader import RDF, ExpressionReader, Undefined, condition_of, operand_of, patterns_of
from inspired.logical_form.forms import (
    FREEBASE,
    AllOf,
    AnyOf,
    Bind,
    Blank,
    Entity,
    Exists,
    Expression,
    Filter,
    FunctionCall,
    LabelService,
    Literal,
    LogicalForm,
    Minus,
    Not,
    OptionalGroup,
    Pattern,
    RelationalExpression,
    SubQuery,
    Term,
    Triple,
    Union,
    ValueRows,
    Values,
    Variable,
)
from inspired.logical_form.schema import is_kind
from inspired.logical_form.sparql_grammar import refusal

RDF_TYPE = f"{RDF}type"
ANSWER = Variable("x")
HEADERS: dict[str, Variable | Entity] = {"sparql-header-1": Variable("c"), "sparql-header-2": Entity("#entity1#")}
_LABELS = "http://wikiba.se/ontology#label"
_LANGUAGE = "http://wikiba.se/ontology#language"
_HINTS = "http://www.bigdata.com/queryHints#"


def header(excluded: Variable | Entity) -> tuple[Filter, Filter]:
    """The two filters that open nearly every query of the data: not `excluded`, and text only in English."""
    language = AnyOf(
        (
            Not(FunctionCall("isliteral", (ANSWER,))),
            RelationalExpression(FunctionCall("lang", (ANSWER,)), "=", Literal("")),
            FunctionCall("langmatches", (FunctionCall("lang", (ANSWER,)), Literal("en"))),
        )
    )
    return Filter(RelationalExpression(ANSWER, "!=", excluded)), Filter(language)


@dataclass(frozen=True)
class Described:
    """A node, and the patterns inside its square brackets."""

    node: Term
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class Path:
    """`kind` is name, variable, sequence, either, inverse, negated, or the sign of repetition."""

    kind: str
    parts: "tuple[Path, ...]" = ()
    name: str = ""


class PatternReader(ExpressionReader):
    """What stands between braces."""

    def path_name(self, parts: list[Entity]) -> Path:
        return Path("name", name=parts[0].id)

    def path_type(self, _: object) -> Path:
        return Path("name", name=RDF_TYPE)

    def inverse_name(self, parts: list[Entity]) -> Path:
        return Path("inverse", (Path("name", name=parts[0].id),))

    @v_args(inline=True)
    def predicate_variable(self, token: Token) -> Path:
        return Path("variable", name=f"?{token[1:]}")

    def alternatives(self, parts: list[Path]) -> Path:
        return Path("either", tuple(parts))

    def sequence(self, parts: list[Path]) -> Path:
        return Path("sequence", tuple(parts))

    def inverse(self, parts: list[Path]) -> Path:
        return Path("inverse", tuple(parts))

    def any_number(self, parts: list[Path]) -> Path:
        return Path("*", tuple(parts))

    def at_least_one(self, parts: list[Path]) -> Path:
        return Path("+", tuple(parts))

    def at_most_one(self, parts: list[Path]) -> Path:
        return Path("?", tuple(parts))

    def negated(self, parts: list[Path]) -> list[Path]:
        return parts

    def negated_path(self, parts: list[list[Path]]) -> Path:
        return Path("negated", tuple(parts[0]))

    def blank(self, _: object) -> Blank:
        return Blank()

    @v_args(inline=True)
    def labelled_blank(self, token: Token) -> Variable:
        return Variable(f"blank_{token[2:]}")

    @v_args(meta=True)
    def collection(self, meta: Meta, _: object) -> Term:
        raise refusal("A list in parentheses is not covered: write its triples", meta)

    def nested(self, parts: list[list[tuple[Path, Term | Described]]]) -> Described:
        node = self.fresh()
        return Described(node, self._facts_about(node, parts[0]))

    described = nested

    def predicate(self, parts: list[object]) -> list[tuple[Path, Term | Described]]:
        path, *objects = parts
        return [(path, each) for each in objects]  # type: ignore[misc]

    def predicates(self, parts: list[list[tuple[Path, Term | Described]]]) -> list[tuple[Path, Term | Described]]:
        return [pair for each in parts for pair in each]

    def triples(self, parts: list[object]) -> list[Pattern]:
        subject = parts[0]
        about = parts[1] if len(parts) > 1 else []
        assert isinstance(about, list)
        if isinstance(subject, Described):
            return [*subject.patterns, *self._facts_about(subject.node, about)]
        return list(self._facts_about(subject, about))  # type: ignore[arg-type]

    def _facts_about(self, subject: Term, about: Iterable[tuple[Path, Term | Described]]) -> tuple[Pattern, ...]:
        result: list[Pattern] = []
        for path, target in about:
            node = target.node if isinstance(target, Described) else target
            result += self._along(subject, path, node)
            result += target.patterns if isinstance(target, Described) else ()
        return tuple(each for each in result if not (isinstance(each, Triple) and each.predicate.startswith(_HINTS)))

    def _along(self, subject: Term, path: Path, target: Term) -> list[Pattern]:
        match path:
            case Path("name" | "variable"):
                return [Triple(subject, path.name, target)]
            case Path("inverse", (inner,)):
                return self._along(target, inner, subject)
            case Path("either", parts):
                return [Union(tuple(tuple(self._along(subject, each, target)) for each in parts))]
            case Path("sequence", parts):
                return self._through(subject, parts, target)
            case _:
                return [Triple(subject, _path_text(path), target)]

    def _through(self, subject: Term, parts: tuple[Path, ...], target: Term) -> list[Pattern]:
        """One step after the other; a kind and the kinds above it are one step."""
        first, rest = parts[0], parts[1:]
        if rest and first.kind == "name" and is_kind(first.name) and rest[0].kind in ("*", "+"):
            first, rest = Path("kinds", (first, rest[0])), rest[1:]
        if not rest:
            return self._along(subject, first, target)
        between = self.fresh()
        return [*self._along(subject, first, between), *self._through(between, rest, target)]

    @v_args(inline=True)
    def header(self, token: Token) -> tuple[Filter, Filter]:
        return header(HEADERS[token.strip("<>")])

    @v_args(meta=True)
    def bracketed(self, meta: Meta, parts: list[object]) -> Expression:
        return condition_of(parts[0], meta)

    @v_args(meta=True)
    def constraint(self, meta: Meta, parts: list[object]) -> Expression:
        return condition_of(parts[0], meta)

    def exists(self, parts: list[tuple[Pattern, ...]]) -> Exists:
        return Exists(parts[0])

    @v_args(meta=True)
    def filter(self, meta: Meta, parts: list[object]) -> list[Filter]:
        condition = cast(Expression, condition_of(parts[0], meta) if isinstance(parts[0], FunctionCall) else parts[0])
        return [Filter(each) for each in (condition.parts if isinstance(condition, AllOf) else (condition,))]

    def elements(self, parts: list[object]) -> tuple[Pattern, ...]:
        return arranged(patterns_of(parts))

    def group(self, parts: list[object]) -> tuple[Pattern, ...]:
        return patterns_of([SubQuery(each) if not isinstance(each, tuple) else each for each in parts])  # type: ignore[arg-type]

    def union(self, parts: list[tuple[Pattern, ...]]) -> Union:
        return Union(tuple(parts))

    def optional(self, parts: list[tuple[Pattern, ...]]) -> OptionalGroup:
        return OptionalGroup(parts[0])

    def minus(self, parts: list[tuple[Pattern, ...]]) -> Minus:
        return Minus(parts[0])

    @v_args(meta=True)
    def bind(self, meta: Meta, parts: list[object]) -> Bind:
        assert isinstance(parts[1], Token)
        return Bind(operand_of(parts[0], meta), Variable(parts[1][1:]))

    def row(self, parts: list[object]) -> tuple[object, ...]:
        return tuple(parts)

    @v_args(meta=True)
    def values(self, meta: Meta, parts: list[object]) -> Values | ValueRows:
        columns = tuple(Variable(each[1:]) for each in parts if isinstance(each, Token))
        cells = [each if isinstance(each, tuple) else (each,) for each in parts if not isinstance(each, Token)]
        if not columns or not cells or any(len(each) != len(columns) for each in cells):
            raise refusal("VALUES needs a variable, and in each row as many values as there are variables", meta)
        rows = tuple(tuple(None if isinstance(cell, Undefined) else cell for cell in row) for row in cells)
        if len(columns) == 1 and not any(cell is None for row in rows for cell in row):
            return Values(columns[0], tuple(row[0] for row in rows))  # type: ignore[misc]
        return ValueRows(columns, rows)

    @v_args(meta=True)
    def service(self, meta: Meta, parts: list[object]) -> LabelService:
        name, patterns = parts
        if not isinstance(name, Entity) or name.id != _LABELS:
            called = f" {name.id}" if isinstance(name, Entity) else ""
            raise refusal(f"SERVICE{called} is not covered; the label service of Wikidata is", meta)
        assert isinstance(patterns, tuple)
        languages = [
            each.object.text
            for each in patterns
            if isinstance(each, Triple) and each.predicate == _LANGUAGE and isinstance(each.object, Literal)
        ]
        rest = tuple(each for each in patterns if not (isinstance(each, Triple) and each.predicate == _LANGUAGE))
        return LabelService(",".join(languages) or "en", rest)

    @v_args(inline=True)
    def named(self, form: LogicalForm, name: Token) -> None:
        self.parts[name] = SubQuery(form)

    @v_args(inline=True)
    def include(self, name: Token) -> SubQuery:
        if name not in self.parts:
            raise refusal(f"INCLUDE {name} names no part: write WITH {{ SELECT ... }} AS {name} before WHERE", name)
        return self.parts[name]

    @v_args(meta=True)
    def graph(self, meta: Meta, _: object) -> Pattern:
        raise refusal("GRAPH is not covered: a question is about one graph", meta)


def _path_text(path: Path) -> str:
    """A path as SPARQL with full names."""
    inner = [_path_text(each) for each in path.parts]
    match path.kind:
        case "name":
            return f"<{path.name if '://' in path.name else FREEBASE + path.name}>"
        case "sequence":
            return f"({'/'.join(inner)})"
        case "kinds":
            return "/".join(inner)
        case "either":
            return f"({'|'.join(inner)})"
        case "inverse":
            return f"(^{inner[0]})"
        case "negated":
            return f"!({'|'.join(each.strip('()') for each in inner)})"
        case _:
            return f"{inner[0]}{path.kind}"
