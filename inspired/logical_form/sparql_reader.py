"""Read SPARQL as people write it, the paper's compact form, or a single step.

Tolerated besides the standard: what `sparql.lark` names; comments anywhere, `#MANUAL SPARQL` among them; `xsd:datetime`;
the usual prefixes without a declaration; `#entity1#` in place of an entity. What lies outside `inspired.logical_form.forms`
is refused with its name and its place.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lark import Token, Tree, v_args
from lark.exceptions import VisitError
from lark.tree import Meta

from backend.errors import LogicalFormError
from inspired.logical_form.arrangement import bound, hidden
from inspired.logical_form.expression_reader import condition_of, operand_of
from inspired.logical_form.forms import (
    Aggregate,
    Asking,
    Bind,
    Counting,
    Entity,
    Expression,
    FunctionCall,
    Literal,
    LogicalForm,
    Operand,
    Order,
    Pattern,
    SubQuery,
    Table,
    Term,
    ValueRows,
    Values,
    Variable,
    triples,
    variables,
    walk,
)
from inspired.logical_form.pattern_reader import ANSWER, HEADERS, RDF_TYPE, PatternReader, header
from inspired.logical_form.query_limits import check_length, check_levels, check_patterns, check_tokens, too_deep
from inspired.logical_form.sparql_grammar import parse, refusal
from inspired.logical_form.substitution import lexicalise, substitute

__all__ = [
    "ANSWER", "HEADERS", "RDF_TYPE", "header",
    "is_compact", "read_compact", "read_fragment", "read_query", "read_sparql", "spellings_of",
]  # fmt: skip
COUNT = "count"
# What a query in standard SPARQL begins with, after comments; the compact form has no such head, but may begin with a header.
_STANDARD_HEAD = re.compile(r"(?:\s|#[^\n]*(?:\n|$))*(?:prefix|base|ask)(?=[\s{])", re.IGNORECASE)


@dataclass(frozen=True)
class _SelectedColumn:
    expression: Operand | None
    variable: Variable | None


@dataclass(frozen=True)
class _Modifiers:
    by: tuple[Variable | Bind, ...] = ()
    having: tuple[Expression, ...] = ()
    keys: tuple[tuple[Operand, bool], ...] = ()
    limit: int | None = None
    offset: int = 0


def read_sparql(text: str) -> LogicalForm:
    """The logical form of a whole SPARQL query.

    Raises LogicalFormError naming the construct that cannot be read, and its line and column.
    """
    return _read(text, "query", compact=False, spellings=())


def read_compact(text: str, entities: tuple[str, ...] = (), spellings: Iterable[str] = ()) -> LogicalForm:
    """The logical form of a query in the paper's compact form (appendix A.2).

    `entities` are put in place of `#entity1#`, ... The compact form is all in lower case; `spellings` holds strings
    and names that have capitals, and gives them back. Raises LogicalFormError as `read_sparql` does.
    """
    return lexicalise(_read(text, "compact", compact=True, spellings=spellings), entities)


def is_compact(text: str) -> bool:
    """Whether a query is in the paper's compact form (appendix A.2), which begins with neither PREFIX, SELECT nor ASK."""
    if text.lstrip().startswith("<sparql-header-"):
        return True
    return "select" not in text.lower() and _STANDARD_HEAD.match(text) is None


def read_query(text: str, entities: tuple[str, ...] = ()) -> LogicalForm:
    """The logical form of a whole query in standard SPARQL or in the compact form, whichever it is.

    `entities` are put in place of `#entity1#`, ... of a compact one. Raises LogicalFormError as `read_sparql` does.
    """
    return read_compact(text, entities) if is_compact(text) else read_sparql(text)


def spellings_of(form: LogicalForm) -> tuple[str, ...]:
    """The strings and names of `form` that the compact form would write without their capitals."""
    written = [each.text for each in walk(form) if isinstance(each, Literal)]
    written += [each.predicate for each in triples(form)]
    written += [each.id for each in walk(form) if isinstance(each, Entity)]
    return tuple(dict.fromkeys(each for each in written if each != each.lower()))


def read_fragment(text: str, spellings: Iterable[str] = ()) -> tuple[tuple[Pattern, ...], Order | None]:
    """The patterns and the order of a sub-logical form, standard or compact, without SELECT and outer braces.

    Raises LogicalFormError as `read_sparql` does, and for a fragment that says nothing.
    """
    form = _read(text, "fragment", compact="``" in text, spellings=spellings)
    if not form.patterns and form.order is None:
        raise LogicalFormError("A step needs at least one triple, or an ORDER BY (at the end of the text).")
    return form.patterns, form.order


def _read(text: str, start: str, compact: bool, spellings: Iterable[str]) -> LogicalForm:
    check_length(text)
    check_tokens(re.findall(r"[{}()!]|[^\s{}()!]+", text))
    try:
        form = _transformed(parse(text, start, compact), text, spellings)
    except LogicalFormError:
        # To keep the place of every node takes a third of the time, and only what is refused needs it.
        form = _transformed(parse(text, start, compact, located=True), text, spellings)
    check_levels(form.patterns)
    check_patterns(form.patterns)
    return form


def _transformed(tree: Tree[Token], text: str, spellings: Iterable[str]) -> LogicalForm:
    try:
        form = _QueryReader(text, spellings).transform(tree)
    except VisitError as error:
        if isinstance(error.orig_exc, LogicalFormError):
            raise error.orig_exc from error
        if isinstance(error.orig_exc, RecursionError):
            raise too_deep() from error
        raise
    assert isinstance(form, LogicalForm)
    return form


class _QueryReader(PatternReader):
    """Whole queries."""

    def prologue(self, _: object) -> None:
        return None

    def query(self, parts: list[object]) -> object:
        return parts[-1]

    def compact(self, parts: list[object]) -> LogicalForm:
        patterns, modifiers = [each for each in parts if not isinstance(each, Token)]
        assert isinstance(patterns, tuple)
        assert isinstance(modifiers, _Modifiers)
        return _sorted(LogicalForm(ANSWER, patterns), modifiers)

    fragment = compact

    def distinct(self, _: object) -> str:
        return "distinct"

    reduced = distinct

    @v_args(inline=True)
    def plain_column(self, token: Token) -> _SelectedColumn:
        return _SelectedColumn(None, Variable(token[1:]))

    @v_args(meta=True)
    def computed_column(self, meta: Meta, parts: list[object]) -> _SelectedColumn:
        name = parts[1] if len(parts) > 1 else None
        expression = operand_of(parts[0], meta)
        if name is None and isinstance(expression, Variable):
            return _SelectedColumn(None, expression)
        return _SelectedColumn(expression, Variable(name[1:]) if isinstance(name, Token) else None)

    def columns(self, parts: list[_SelectedColumn]) -> tuple[_SelectedColumn, ...]:
        return tuple(parts)

    def all_columns(self, _: object) -> tuple[_SelectedColumn, ...]:
        return ()

    @v_args(meta=True)
    def dataset(self, meta: Meta, _: object) -> None:
        raise refusal("FROM is not covered: a question is about one graph", meta)

    def group_by(self, parts: list[_SelectedColumn]) -> tuple[str, object]:
        return ("by", tuple(self._named(each) for each in parts))

    @v_args(meta=True)
    def having(self, meta: Meta, parts: list[object]) -> tuple[str, object]:
        return ("having", tuple(condition_of(each, meta) if isinstance(each, FunctionCall) else each for each in parts))

    @v_args(meta=True)
    def ascending(self, meta: Meta, parts: list[object]) -> tuple[Operand, bool]:
        return (operand_of(parts[0], meta), False)

    @v_args(meta=True)
    def descending(self, meta: Meta, parts: list[object]) -> tuple[Operand, bool]:
        return (operand_of(parts[0], meta), True)

    def order_by(self, parts: list[tuple[Operand, bool]]) -> tuple[str, object]:
        return ("keys", tuple(parts))

    @v_args(inline=True)
    def limit(self, token: Token) -> tuple[str, object]:
        return ("limit", _whole(token))

    @v_args(inline=True)
    def offset(self, token: Token) -> tuple[str, object]:
        return ("offset", _whole(token))

    def modifiers(self, parts: list[tuple[str, object]]) -> _Modifiers:
        return _Modifiers(**dict(parts))  # type: ignore[arg-type]

    def _named(self, column: _SelectedColumn) -> Variable | Bind:
        if column.expression is None:
            assert column.variable is not None
            return column.variable
        return Bind(column.expression, column.variable or self.fresh())

    def ask(self, parts: list[object]) -> LogicalForm:
        patterns, modifiers = _body(parts)
        names = variables(patterns)
        return _sorted(LogicalForm(names[0] if names else ANSWER, patterns, returns=Asking()), modifiers)

    @v_args(meta=True)
    def select(self, meta: Meta, parts: list[object]) -> LogicalForm:
        distinct = parts[0] == "distinct"
        written = next(each for each in parts if isinstance(each, tuple))
        patterns, modifiers = _body(parts[1 + distinct :])
        patterns = self._apart(patterns, meta)
        columns = tuple(self._named(each) for each in written) or _visible(patterns)
        if not columns:
            raise refusal("SELECT * finds no variable to return: name one in the triples", meta)
        table = Table(columns, modifiers.by, modifiers.having)
        if table.groups and isinstance(parts[-1], Values | ValueRows):
            raise refusal("VALUES after the braces of a grouped query is not covered: put it inside them", meta)
        if not table.groups and not table.having:
            patterns = (*patterns, *(each for each in columns if isinstance(each, Bind)))
            columns = tuple(each.variable if isinstance(each, Bind) else each for each in columns)
            form = LogicalForm(_answer(columns, patterns), patterns, distinct=distinct)
            return _sorted(form if len(columns) == 1 else replace(form, returns=Table(columns)), modifiers)
        return _sorted(_grouped(table, patterns, distinct, modifiers), modifiers)

    def _apart(self, patterns: tuple[Pattern, ...], meta: Meta) -> tuple[Pattern, ...]:
        """The patterns with other names for what queries inside them keep to themselves, where a name stands outside too."""
        result = list(patterns)
        for number, each in enumerate(result):
            if not isinstance(each, SubQuery):
                continue
            outside = set(variables([other for n, other in enumerate(result) if n != number]))
            # What is returned, grouped or sorted by comes later; a name that is written twice in the text is not ours alone.
            names: dict[Term, Term] = {name: self.fresh() for name in hidden(each) & outside}
            if names:
                form = substitute(each.form, lambda term, names=names: names.get(term, term))  # type: ignore[misc]
                answer = names.get(form.answer, form.answer)
                assert isinstance(answer, Variable)
                result[number] = SubQuery(replace(form, answer=answer))
        return tuple(_counted_each(each) for each in result)


def _whole(token: Token) -> int:
    if not token.isdigit():
        raise refusal("LIMIT and OFFSET are followed by a whole number", token)
    return int(token)


def _body(parts: Sequence[object]) -> tuple[tuple[Pattern, ...], _Modifiers]:
    groups = [each for each in parts if isinstance(each, tuple)]
    modifiers = next(each for each in parts if isinstance(each, _Modifiers))
    values = [each for each in parts if isinstance(each, Values | ValueRows)]
    return (*groups[-1], *values), modifiers


def _sorted(form: LogicalForm, modifiers: _Modifiers) -> LogicalForm:
    if isinstance(form.returns, Counting) or (isinstance(form.returns, Asking) and not modifiers.offset):
        return form  # one row, whatever it is sorted by
    if not modifiers.keys:
        return replace(form, limit=modifiers.limit, offset=modifiers.offset)
    (key, down), *then = modifiers.keys
    return replace(form, order=Order(key, down, modifiers.limit, modifiers.offset, tuple(then)))


def _grouped(table: Table, patterns: tuple[Pattern, ...], distinct: bool, modifiers: _Modifiers) -> LogicalForm:
    """A count of all as such; anything else as a table."""
    column = table.columns[0]
    taken = set(variables(patterns)) | ({column.variable} if isinstance(column, Bind) else set())
    plain = len(table.columns) == 1 and not table.by and not table.having and not modifiers.offset
    if plain and modifiers.limit != 0 and isinstance(column, Bind) and isinstance(column.expression, FunctionCall):
        call = column.expression
        counts = call.function in (COUNT, f"{COUNT} distinct") and len(call.arguments) == 1
        if counts and isinstance(call.arguments[0], Variable) and Variable(COUNT) not in taken - {column.variable}:
            return LogicalForm(call.arguments[0], patterns, distinct=call.function != COUNT, returns=Counting())
    return LogicalForm(_answer(table.columns, patterns), patterns, distinct=distinct, returns=table)


def _answer(columns: Iterable[Variable | Bind], patterns: tuple[Pattern, ...]) -> Variable:
    """What the question is about: the first column, else what the first is computed from."""
    columns = tuple(columns)
    known = set(variables(patterns))
    plain = [each for each in columns if isinstance(each, Variable)]
    inside = variables([each.expression for each in columns if isinstance(each, Bind)])
    return next(iter([*(each for each in plain if each in known), *plain, *inside, *variables(patterns)]), ANSWER)


def _visible(patterns: tuple[Pattern, ...]) -> tuple[Variable, ...]:
    """What SELECT * returns."""
    known = bound(patterns, certainly=False)
    return tuple(each for each in variables(patterns) if each in known and not each.name.startswith(("node", "blank_")))


def _counted_each(pattern: Pattern) -> Pattern:
    """A query inside the query that only aggregates different values for each thing."""
    if not isinstance(pattern, SubQuery):
        return pattern
    form, table = pattern.form, pattern.form.returns
    if not isinstance(table, Table) or form.distinct or form.order or form.limit is not None or form.offset or table.having:
        return pattern
    match table:
        case Table((Variable() as thing, Bind(FunctionCall(function, (Variable() as over,)), result)), (Variable() as by,)):
            name, _, distinct = function.partition(" ")
            if thing == by and distinct:
                return Aggregate(name, over, result, by, form.patterns)
    return pattern
