"""The patterns of one group in a form whose order does not matter, but for what OPTIONAL, MINUS and BIND build on.

SPARQL evaluates a group from left to right. What is joined commutes; what follows an OPTIONAL and needs what only it
finds does not, so that the patterns before it then keep braces of their own.
"""

from collections.abc import Iterable
from dataclasses import replace

from inspired.logical_form.forms import (
    Aggregate,
    Bind,
    Entity,
    Exists,
    Filter,
    LabelService,
    Literal,
    LogicalForm,
    Minus,
    OptionalGroup,
    Pattern,
    SubQuery,
    Table,
    Triple,
    Union,
    ValueRows,
    Values,
    Variable,
    variables,
    walk,
)

_SEQUENTIAL = (OptionalGroup, Minus, Bind, LabelService)


def arranged(patterns: Iterable[Pattern]) -> tuple[Pattern, ...]:
    """The same patterns without braces that mean nothing, in an order in which the joined ones could come first."""
    result: list[Pattern] = []
    for pattern in patterns:
        for each in _opened(_plain(pattern, result)):
            if _needs_what_came(each, result):
                tests = [test for test in result if isinstance(test, Filter)]
                result = [Union((tuple(before for before in result if before not in tests),)), *tests]
            result.append(each)
    return tuple(result)


def _plain(pattern: Pattern, before: list[Pattern]) -> Pattern:
    """A constant in BIND as VALUES: the two differ only where the variable has a value already."""
    if not isinstance(pattern, Bind) or not isinstance(pattern.expression, Entity | Literal):
        return pattern
    known = bound(before, certainly=False)
    return pattern if pattern.variable in known else Values(pattern.variable, (pattern.expression,))


def _opened(pattern: Pattern) -> tuple[Pattern, ...]:
    """What is inside braces of their own, where they change nothing."""
    if not isinstance(pattern, Union) or len(pattern.branches) > 1:
        return (pattern,)
    inside = pattern.branches[0]
    known = bound(inside, certainly=False)
    for each in inside:
        if isinstance(each, _SEQUENTIAL):
            return (pattern,)
        if isinstance(each, Filter) and not isinstance(each.condition, Exists) and set(variables(each)) - known:
            return (pattern,)
    return inside


def _needs_what_came(pattern: Pattern, before: list[Pattern]) -> bool:
    """Whether a joined pattern shares a variable with a sequential one before it that was open until then."""
    if isinstance(pattern, (*_SEQUENTIAL, Filter)):
        return False
    certain: set[Variable] = set()
    for earlier in before:
        if isinstance(earlier, Filter | LabelService):
            continue
        if isinstance(earlier, _SEQUENTIAL):
            inside = {earlier.variable} if isinstance(earlier, Bind) else set(variables(earlier))
            if set(variables(pattern)) & inside - certain:
                return True
        else:
            certain |= bound([earlier], certainly=True)
    return False


def bound(patterns: Iterable[Pattern], certainly: bool) -> set[Variable]:
    """The variables that have a value after the patterns: in every solution, or in some.

    Two patterns may only change places where this stays the same: OPTIONAL and MINUS mean something else for a variable that is
    bound already than for one that may be (SPARQL 1.1, section 18).
    """
    return set[Variable]().union(*(_bound_by(each, certainly) for each in patterns))


def _bound_by(pattern: Pattern, certainly: bool) -> set[Variable]:
    match pattern:
        case Triple() | Values():
            return set(variables(pattern))
        case ValueRows(columns, rows):
            cells = {name: [row[index] for row in rows] for index, name in enumerate(columns)}
            return {name for name, column in cells.items() if not certainly or None not in column}
        case Union(branches):
            sides = [bound(branch, certainly) for branch in branches]
            return set.intersection(*sides) if certainly else set.union(*sides)
        case Aggregate():
            return {pattern.by, pattern.result}
        case SubQuery(form):
            return _returned(form, certainly)
        case OptionalGroup(patterns=inside) if not certainly:
            return bound(inside, certainly)
        case Bind(variable=variable) if not certainly:
            return {variable}
        case _:
            return set()


def _returned(form: LogicalForm, certainly: bool) -> set[Variable]:
    known = bound(form.patterns, certainly)
    columns = form.returns.columns if isinstance(form.returns, Table) else (form.answer,)
    computed = set() if certainly else {each.variable for each in columns if isinstance(each, Bind)}
    return computed | {each for each in columns if isinstance(each, Variable) and each in known}


def hidden(query: SubQuery) -> set[Variable]:
    """The variables of a query inside the query that it does not return."""
    return {each for each in walk(query) if isinstance(each, Variable)} - bound([query], certainly=False)


def without_labels(form: LogicalForm) -> LogicalForm:
    """The form without the label service, which other servers than Wikidata's lack, and without what only it gives."""
    if not any(isinstance(each, LabelService) for each in form.patterns):
        return form
    patterns = tuple(each for each in form.patterns if not isinstance(each, LabelService))
    known = bound(patterns, certainly=False)
    table = form.returns if isinstance(form.returns, Table) else None
    if table is not None:
        known |= {each.variable for each in (*table.columns, *table.by) if isinstance(each, Bind)}
        columns, by = (
            tuple(each for each in part if isinstance(each, Bind) or each in known) for part in (table.columns, table.by)
        )
        table = Table(columns or table.columns, by, table.having)
    order = form.order if form.order and set(variables(form.order)) <= known else None
    returns = form.returns if table is None else table
    limit, offset = (form.order.limit, form.order.offset) if form.order and order is None else (form.limit, form.offset)
    return replace(form, patterns=patterns, returns=returns, order=order, limit=limit, offset=offset)
