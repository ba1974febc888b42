"""Terms of a logical form put in place of others, and its entities as numbered placeholders (appendix A.2 of the paper)."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from inspired.logical_form.forms import (
    Aggregate,
    AllOf,
    AnyOf,
    Asking,
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
    walk,
)

_PLACEHOLDER = re.compile(r"#entity(\d+)#")


def substitute(form: LogicalForm, change: Callable[[Term], Term]) -> LogicalForm:
    """`form` with `change` applied to every term but the answer variable."""
    return replace(
        form,
        patterns=substitute_patterns(form.patterns, change),
        order=form.order and _order(form.order, change),
        returns=_returns(form.returns, change),
    )


def _order(order: Order, change: Callable[[Term], Term]) -> Order:
    return replace(
        order, key=_operand(order.key, change), then=tuple((_operand(key, change), down) for key, down in order.then)
    )


def _returns(returns: Returns | None, change: Callable[[Term], Term]) -> Returns | None:
    if isinstance(returns, Table):
        having = tuple(_expression(each, change) for each in returns.having)
        return Table(_columns(returns.columns, change), _columns(returns.by, change), having)
    if not isinstance(returns, Asking):
        return returns
    members = tuple(each for each in map(change, returns.members) if isinstance(each, Entity | Literal))
    tests = tuple(_expression(each, change) for each in returns.tests)
    return replace(returns, members=members, tests=tuple(each for each in tests if isinstance(each, RelationalExpression)))


def _columns(columns: Iterable[Variable | Bind], change: Callable[[Term], Term]) -> tuple[Variable | Bind, ...]:
    return tuple(_renamed(each, change) if isinstance(each, Variable) else _bind(each, change) for each in columns)


def _bind(bind: Bind, change: Callable[[Term], Term]) -> Bind:
    return Bind(_operand(bind.expression, change), _renamed(bind.variable, change))


def substitute_patterns(patterns: Iterable[Pattern], change: Callable[[Term], Term]) -> tuple[Pattern, ...]:
    return tuple(_pattern(each, change) for each in patterns)


def _pattern(pattern: Pattern, change: Callable[[Term], Term]) -> Pattern:
    match pattern:
        case Triple(predicate=predicate):
            if predicate.startswith("?"):
                changed = change(Variable(predicate[1:]))
                predicate = changed.id if isinstance(changed, Entity) else f"?{_renamed(Variable(predicate[1:]), change).name}"
            return Triple(change(pattern.subject), predicate, change(pattern.object))
        case Filter():
            return Filter(_expression(pattern.condition, change))
        case Union():
            return Union(tuple(substitute_patterns(branch, change) for branch in pattern.branches))
        case Minus() | OptionalGroup() | LabelService():
            return replace(pattern, patterns=substitute_patterns(pattern.patterns, change))
        case Bind():
            return _bind(pattern, change)
        case SubQuery(form):
            answer = _renamed(form.answer, change)
            return SubQuery(replace(substitute(form, change), answer=answer))
        case ValueRows(columns, rows):
            cells = tuple(tuple(_cell(cell, change) for cell in row) for row in rows)
            return ValueRows(tuple(_renamed(each, change) for each in columns), cells)
        case Values(variable, options):
            kept = tuple(each for each in map(change, options) if isinstance(each, Entity | Literal))
            return Values(_renamed(variable, change), kept)
        case Aggregate():
            over, result, by = (_renamed(each, change) for each in (pattern.over, pattern.result, pattern.by))
            return Aggregate(pattern.function, over, result, by, substitute_patterns(pattern.patterns, change))


def _cell(cell: Entity | Literal | None, change: Callable[[Term], Term]) -> Entity | Literal | None:
    changed = cell if cell is None else change(cell)
    return changed if isinstance(changed, Entity | Literal) else cell


def _renamed(variable: Variable, change: Callable[[Term], Term]) -> Variable:
    changed = change(variable)
    return changed if isinstance(changed, Variable) else variable


def _expression(expression: Expression, change: Callable[[Term], Term]) -> Expression:
    match expression:
        case RelationalExpression(left, operator, right):
            return RelationalExpression(_operand(left, change), operator, _operand(right, change))
        case FunctionCall(function, arguments):
            return FunctionCall(function, tuple(_operand(each, change) for each in arguments))
        case Not(inner):
            return Not(_expression(inner, change))
        case AllOf(parts):
            return AllOf(tuple(_expression(each, change) for each in parts))
        case AnyOf(parts):
            return AnyOf(tuple(_expression(each, change) for each in parts))
        case Exists(patterns, negated):
            return Exists(substitute_patterns(patterns, change), negated)


def _operand(operand: Operand, change: Callable[[Term], Term]) -> Operand:
    if isinstance(operand, FunctionCall):
        return FunctionCall(operand.function, tuple(_operand(each, change) for each in operand.arguments))
    changed = change(operand)
    return operand if isinstance(changed, Blank) else changed


def delexicalise(form: LogicalForm) -> tuple[LogicalForm, tuple[str, ...]]:
    """`form` with `#entity1#`, `#entity2#`, ... for its entities in order of appearance, and their ids in that order.

    Names of types stay as they are (appendix A.2 of the paper).
    """
    ids = dict.fromkeys(each.id for each in walk(form) if isinstance(each, Entity) and not each.is_type)
    numbers = {id_: Entity(f"#entity{number}#") for number, id_ in enumerate(ids, 1)}
    return substitute(form, lambda term: numbers.get(term.id, term) if isinstance(term, Entity) else term), tuple(ids)


def lexicalise(form: LogicalForm, entities: tuple[str, ...]) -> LogicalForm:
    """The inverse of `delexicalise`. A placeholder beyond `entities` stays."""

    def known(term: Term) -> Term:
        number = _PLACEHOLDER.fullmatch(term.id) if isinstance(term, Entity) else None
        if number is None or not 0 < int(number[1]) <= len(entities):
            return term
        return Entity(entities[int(number[1]) - 1])

    return substitute(form, known)
