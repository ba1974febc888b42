"""Write logical forms: standard SPARQL 1.1, for engines, and the compact form of the paper (appendix A.2).

Full IRIs are the default because some engines, Oxigraph among them, misread names with two dots such as `ns:a.b.c`,
which SPARQL 1.1 allows.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from inspired.logical_form.forms import (
    FREEBASE,
    XSD,
    Aggregate,
    AllOf,
    AnyOf,
    Asking,
    Bind,
    Blank,
    Counting,
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
    Operand,
    OptionalGroup,
    Order,
    Pattern,
    RelationalExpression,
    Returns,
    SubQuery,
    Table,
    Term,
    Triple,
    Union,
    ValueRows,
    Values,
    Variable,
)
from inspired.logical_form.sparql_reader import HEADERS, header
from inspired.logical_form.substitution import delexicalise, substitute_patterns
from inspired.logical_form.vocabularies import is_path

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_FUNCTIONS = {"str": "STR", "lang": "LANG", "langmatches": "langMatches", "isliteral": "isLiteral", "isiri": "isIRI"}
INFIX = ("||", "&&", "=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "!")
WIKIBASE = "http://wikiba.se/ontology#"
WIKIBASE_BD = "http://www.bigdata.com/rdf#"
_SHORT_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_FIRST_DAY = "0000-01-01"
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN_NAME = re.compile(r"\w+(?:[.\-]\w+)*")


@dataclass(frozen=True)
class Spelling:
    """How one form of writing spells the parts that differ."""

    name: Callable[[str], str]
    literal: Callable[[Literal], str]
    function: Callable[[str], str]
    either: str
    both: str
    words: Callable[[str], str]


def write_sparql(form: LogicalForm, prefixes: bool = False, beside: Iterable[Variable] = ()) -> str:
    """SPARQL 1.1 on several lines: with full IRIs, or with `ns:` and `xsd:` for people to read.

    `beside` are variables to select together with the answer.
    """
    spelling = READABLE if prefixes else STANDARD
    lines = [f"PREFIX ns: <{FREEBASE}>", f"PREFIX xsd: <{XSD}>"] if prefixes else [f"PREFIX xsd: <{XSD}>"]
    lines += _query(form, spelling, tuple(beside))
    return "\n".join(lines) + "\n"


def _query(form: LogicalForm, spelling: Spelling, beside: tuple[Variable, ...]) -> list[str]:
    body = [f"  {_pattern(each, spelling)}" for each in form.patterns]
    cut = form.order is not None or form.limit is not None or form.offset
    match form.returns:
        case None:
            selected = " ".join(f"?{each.name}" for each in (form.answer, *beside))
            return [
                f"SELECT {'DISTINCT ' if form.distinct else ''}{selected}",
                "WHERE {",
                *body,
                "}",
                *_modifiers(form, spelling),
            ]
        case Counting():
            distinct = "DISTINCT " if form.distinct else ""
            inner = _inside(form, spelling) if cut else body
            return [f"SELECT (COUNT({distinct}?{form.answer.name}) AS ?{COUNT})", "WHERE {", *inner, "}"]
        case Table() as table:
            return _tabular(form, table, body, spelling)
        case Asking() as asking:
            inner = _inside(form, spelling) if cut else body
            return ["ASK {", *_asked(asking, form.answer, inner, spelling), "}"]


def _tabular(form: LogicalForm, table: Table, body: list[str], spelling: Spelling) -> list[str]:
    by = " ".join(_column(each, spelling) for each in table.by)
    having = " ".join(f"({_expression(each, spelling)})" for each in table.having)
    return [
        f"SELECT {'DISTINCT ' if form.distinct else ''}{' '.join(_column(each, spelling) for each in table.columns)}",
        "WHERE {",
        *body,
        "}",
        *([f"GROUP BY {by}"] if by else []),
        *([f"HAVING {having}"] if having else []),
        *_modifiers(form, spelling),
    ]


def _column(column: Variable | Bind, spelling: Spelling) -> str:
    """A variable, or what is computed with the name of its column."""
    if isinstance(column, Variable):
        return f"?{column.name}"
    return f"({_operand(column.expression, spelling)} AS ?{column.variable.name})"


COUNT = "count"


def _inside(form: LogicalForm, spelling: Spelling) -> list[str]:
    """A query of its own, where only some of the rows count."""
    return ["  {", *(f"    {line}" for line in _query(replace(form, returns=None), spelling, ())), "  }"]


def _asked(asking: Asking, answer: Variable, body: list[str], spelling: Spelling) -> list[str]:
    tests = [f"  FILTER ({_expression(each, spelling)})" for each in asking.tests]
    members = [_operand(each, spelling) for each in asking.members]
    if len(members) == 1:
        tests.append(f"  FILTER (?{answer.name} = {members[0]})")
    lines = [*body, *tests]
    if len(members) > 1:
        among = f"    FILTER (?{answer.name} IN ({', '.join(members)}))"
        count = f"  {{ SELECT (COUNT(DISTINCT ?{answer.name}) AS ?{COUNT}) WHERE {{"
        lines = [count, *lines, among, "  } }", f"  FILTER (?{COUNT} = {len(members)})"]
    return ["  FILTER NOT EXISTS {", *lines, "  }"] if asking.negated else lines


def with_full_dates(form: LogicalForm) -> LogicalForm:
    """`form` with "1899" and "1899-07-03", where a filter compares with them as xsd:dateTime, written in full.

    The data writes them so for Virtuoso, which takes them; for an engine that keeps to the standard they are no dates
    at all, and such a filter never holds. The first instant is meant.
    """
    return replace(form, patterns=tuple(_full_dates(each) if isinstance(each, Filter) else each for each in form.patterns))


def _full_dates(condition: Filter) -> Filter:
    def full(term: Term) -> Term:
        if not isinstance(term, Literal) or term.datatype != "dateTime" or not _SHORT_DATE.fullmatch(term.text):
            return term
        return replace(term, text=f"{term.text}{_FIRST_DAY[len(term.text) :]}T00:00:00")

    (changed,) = substitute_patterns([condition], full)
    assert isinstance(changed, Filter)
    return changed


def write_on_one_line(form: LogicalForm) -> str:
    """SPARQL as people read it, for where a query is one line. Line breaks inside texts are escapes, so none is lost."""
    return " ".join(line.strip() for line in write_sparql(form, prefixes=True).splitlines())


def write_compact(form: LogicalForm) -> str:
    """The compact form of `form`, delexicalised if it is not yet: one line, lower case."""
    form, _ = delexicalise(form)
    patterns = list(form.patterns)
    opening = ""
    for name, excluded in HEADERS.items():
        if tuple(patterns[:2]) == header(excluded):
            opening, patterns = f"<{name}>", patterns[2:]
    body = compact_patterns(patterns)
    modifiers = " ".join(_modifiers(form, COMPACT)).lower()
    return " ".join(part for part in (opening, body, f"}} {modifiers}" if modifiers else "") if part)


def compact_patterns(patterns: Iterable[Pattern]) -> str:
    return " ".join(_pattern(each, COMPACT) for each in patterns)


def compact_order(order: Order) -> str:
    return " ".join(_ordering(order, COMPACT)).lower()


def readable_patterns(patterns: Iterable[Pattern]) -> list[str]:
    """One line a pattern, with prefixes."""
    return [_pattern(each, READABLE) for each in patterns]


def readable_returns(returns: Returns, answer: Variable) -> str:
    """COUNT or ASK with what it tests, as a last line."""
    if isinstance(returns, Counting):
        return f"COUNT(DISTINCT ?{answer.name})"
    if isinstance(returns, Table):
        form = LogicalForm(answer, (), distinct=False, returns=returns)
        return " ".join(line for line in _query(form, READABLE, ()) if line not in ("WHERE {", "}"))
    tests = [f"?{answer.name} = {_operand(each, READABLE)}" for each in returns.members]
    tests += [_expression(each, READABLE) for each in returns.tests]
    return " ".join(["NOT" * returns.negated, "ASK", " && ".join(tests)]).strip()


def readable_order(order: Order) -> str:
    return " ".join(_ordering(order, READABLE))


def _modifiers(form: LogicalForm, spelling: Spelling) -> list[str]:
    if form.order is not None:
        return _ordering(form.order, spelling)
    return _window(form.limit, form.offset)


def _ordering(order: Order, spelling: Spelling) -> list[str]:
    keys = " ".join(_key(key, down, spelling) for key, down in ((order.key, order.descending), *order.then))
    return [f"ORDER BY {keys}", *_window(order.limit, order.offset)]


def _key(key: Operand, descending: bool, spelling: Spelling) -> str:
    text = _operand(key, spelling)
    if descending:
        return spelling.words(f"DESC({text})")
    return text if isinstance(key, Variable) or not isinstance(key, FunctionCall) or key.function[0].isalpha() else f"({text})"


def _window(limit: int | None, offset: int) -> list[str]:
    return ([] if limit is None else [f"LIMIT {limit}"]) + ([f"OFFSET {offset}"] if offset else [])


def _pattern(pattern: Pattern, spelling: Spelling) -> str:
    match pattern:
        case Triple(subject, predicate, object_):
            return f"{_operand(subject, spelling)} {_predicate(predicate, spelling)} {_operand(object_, spelling)} ."
        case Filter(condition):
            return spelling.words(f"FILTER ({_expression(condition, spelling)})")
        case Union(branches):
            union = f" {spelling.words('UNION')} "
            return union.join("{ " + " ".join(_pattern(each, spelling) for each in branch) + " }" for branch in branches)
        case Minus(patterns):
            return spelling.words("MINUS ") + "{ " + " ".join(_pattern(each, spelling) for each in patterns) + " }"
        case Values(variable, options):
            listed = " ".join(_operand(each, spelling) for each in options)
            return spelling.words("VALUES ") + f"?{variable.name} {{ {listed} }}"
        case Aggregate(function, over, result, by, patterns):
            head = f"SELECT ?{by.name} ({function.upper()}(DISTINCT ?{over.name}) AS ?{result.name})"
            body = " ".join(_pattern(each, spelling) for each in patterns)
            return spelling.words(f"{{ {head} WHERE {{ ") + body + spelling.words(f" }} GROUP BY ?{by.name} }}")
        case _:
            return _group(pattern, spelling)


def _predicate(predicate: str, spelling: Spelling) -> str:
    """A name, a variable, or a path with each of its names spelled."""
    if predicate.startswith("?"):
        return predicate
    if is_path(predicate):
        return re.sub(r"<([^<>]+)>", lambda match: spelling.name(match[1].removeprefix(FREEBASE)), predicate)
    return spelling.name(predicate)


def _group(pattern: ValueRows | OptionalGroup | Bind | SubQuery | LabelService, spelling: Spelling) -> str:
    match pattern:
        case OptionalGroup(patterns):
            return spelling.words("OPTIONAL ") + "{ " + " ".join(_pattern(each, spelling) for each in patterns) + " }"
        case Bind(expression, variable):
            return f"{spelling.words('BIND')}({_operand(expression, spelling)} {spelling.words('AS')} ?{variable.name})"
        case SubQuery(form):
            return "{ " + " ".join(line.strip() for line in _query(form, spelling, ())) + " }"
        case LabelService(languages, patterns):
            of = "".join(f" {_pattern(each, spelling)}" for each in patterns)
            ask = f"<{WIKIBASE_BD}serviceParam> <{WIKIBASE}language> {_literal(Literal(languages))}"
            return f"{spelling.words('SERVICE')} <{WIKIBASE}label> {{ {ask} .{of} }}"
        case ValueRows(columns, rows):
            names = " ".join(f"?{each.name}" for each in columns)
            cells = " ".join("(" + " ".join(_cell(each, spelling) for each in row) + ")" for row in rows)
            return f"{spelling.words('VALUES')} ({names}) {{ {cells} }}"


def _cell(cell: Entity | Literal | None, spelling: Spelling) -> str:
    return spelling.words("UNDEF") if cell is None else _operand(cell, spelling)


def _expression(expression: Expression, spelling: Spelling, inner: bool = False) -> str:
    match expression:
        case RelationalExpression(left, operator, right):
            return f"{_operand(left, spelling)} {operator} {_operand(right, spelling)}"
        case FunctionCall():
            return _operand(expression, spelling)
        case Not(part):
            return f"!{_expression(part, spelling)}" if isinstance(part, FunctionCall) else f"!({_expression(part, spelling)})"
        case AllOf(parts) | AnyOf(parts):
            sign = spelling.both if isinstance(expression, AllOf) else spelling.either
            joined = f" {sign} ".join(_expression(part, spelling, inner=True) for part in parts)
            return f"({joined})" if inner else joined
        case Exists(patterns, negated):
            body = " ".join(_pattern(each, spelling) for each in patterns)
            return spelling.words(f"{'NOT ' if negated else ''}EXISTS ") + "{ " + body + " }"


def _operand(operand: Operand | Term, spelling: Spelling) -> str:
    match operand:
        case Variable(name):
            return f"?{name}"
        case Entity(id_):
            return id_ if operand.is_placeholder else spelling.name(id_)
        case Blank():
            return "[]"
        case Literal():
            return spelling.literal(operand)
        case FunctionCall():
            return _call(operand, spelling)


def _call(call: FunctionCall, spelling: Spelling) -> str:
    name, parts = call.function, [_operand(each, spelling) for each in call.arguments]
    if name in ("in", "not in"):
        return f"({parts[0]} {spelling.words(name.upper())} ({', '.join(parts[1:])}))"
    if name in INFIX:
        sign = {"&&": spelling.both, "||": spelling.either}.get(name, name)
        return f"({f' {sign} '.join(parts)})" if len(parts) > 1 else f"({sign}{parts[0]})"
    distinct = "DISTINCT " if name.endswith(" distinct") else ""
    name = name.removesuffix(" distinct")
    if name == "group_concat" and len(parts) > 1:
        return f"GROUP_CONCAT({distinct}{parts[0]}; separator = {parts[1]})"
    inside = "*" if name == "count" and not parts else ", ".join(parts)
    return spelling.words(f"{spelling.function(name)}({distinct}{inside})")


def _full_name(name: str) -> str:
    return f"<{name}>" if "://" in name else f"<{FREEBASE}{name}>"


def _prefixed_name(name: str) -> str:
    return f"ns:{name}" if _PLAIN_NAME.fullmatch(name) else _full_name(name)


def _literal(literal: Literal) -> str:
    if literal.datatype == "boolean" or (
        literal.datatype in ("integer", "decimal", "double") and _NUMBER.fullmatch(literal.text)
    ):
        return literal.text
    quoted = '"' + "".join(_ESCAPES.get(character, character) for character in literal.text) + '"'
    return quoted + _mark(literal)


def _compact_literal(literal: Literal) -> str:
    if literal.datatype in ("integer", "decimal", "double") and _NUMBER.fullmatch(literal.text):
        return literal.text
    return f"'' {literal.text} ``{_mark(literal)}".lower()


def _mark(literal: Literal) -> str:
    if literal.language:
        return f"@{literal.language}"
    if literal.datatype is None:
        return ""
    return f"^^<{literal.datatype}>" if "://" in literal.datatype else f"^^xsd:{literal.datatype}"


def _function(name: str) -> str:
    if "://" in name:
        return f"<{name}>"
    return _FUNCTIONS.get(name, name if ":" in name else name.upper())


def _compact_words(text: str) -> str:
    """Lower case, and a space on the inner and outer side of each parenthesis; literals and names stay."""
    head, bracket, rest = text.partition("(")
    if not bracket:
        return head.lower()
    return f"{head.rstrip().lower()} ( {rest[:-1].strip()} )"


STANDARD = Spelling(_full_name, _literal, _function, "||", "&&", str)
READABLE = Spelling(_prefixed_name, _literal, _function, "||", "&&", str)
COMPACT = Spelling(lambda name: _prefixed_name(name).lower(), _compact_literal, str.lower, "or", "and", _compact_words)
