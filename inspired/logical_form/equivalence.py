"""Do two logical forms say the same? The order of patterns and the names of variables do not count."""

from collections.abc import Iterable, Mapping
from itertools import permutations

from inspired.logical_form.forms import (
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
    variables,
)

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_MOST_TIES = 5


def equivalent(one: LogicalForm, other: LogicalForm) -> bool:
    """Whether the two are equal up to the order of patterns, repeated patterns and the names of variables."""
    return canonical(one) == canonical(other)


def canonical(form: LogicalForm) -> str:
    """A text that is equal for forms that are equal up to order and names.

    Variables are distinguished by where they stand, again and again until nothing more is learnt; those still alike
    (rare: they are symmetric) are tried in every order if they are few, and the smallest text is taken.
    """
    colours = _colours(form)
    groups: dict[str, list[Variable]] = {}
    for variable, colour in colours.items():
        groups.setdefault(colour, []).append(variable)
    ordered = [groups[colour] for colour in sorted(groups)]
    return min(_text(form, names) for names in _namings(ordered))


def _namings(groups: list[list[Variable]]) -> Iterable[dict[Variable, str]]:
    if not groups:
        yield {}
        return
    head, *rest = groups
    orders = permutations(head) if len(head) <= _MOST_TIES else [tuple(head)]
    for order in orders:
        for names in _namings(rest):
            depth = len(rest)
            yield {variable: f"v{depth}.{index}" for index, variable in enumerate(order)} | names


def _colours(form: LogicalForm) -> dict[Variable, str]:
    colours = {each: "answer" if each == form.answer else "variable" for each in variables(form)}
    distinct = len(set(colours.values()))
    pieces = [(each, set(variables(each))) for each in dict.fromkeys([*form.patterns, *([form.order] if form.order else [])])]
    while True:
        finer = {}
        for variable, colour in colours.items():
            shades = {**colours, variable: "self"}
            around = sorted(_write(piece, shades) for piece, inside in pieces if variable in inside)
            around += [_returned(form.returns, shades)] if isinstance(form.returns, Table) else []
            finer[variable] = f"{colour}|{hash_text('|'.join(around))}"
        if len(set(finer.values())) == distinct:
            return finer
        colours, distinct = finer, len(set(finer.values()))


def hash_text(text: str) -> str:
    import hashlib

    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _text(form: LogicalForm, names: Mapping[Variable, str]) -> str:
    order = "" if form.order is None else _write(form.order, names)
    returns = _returned(form.returns, names)
    return f"{names[form.answer]} {form.distinct} {_set(form.patterns, names)} {order} {form.limit} {form.offset}{returns}"


def _returned(returns: Returns | None, names: Mapping[Variable, str]) -> str:
    match returns:
        case Asking(members, tests, negated):
            asked = [*(_operand(each, names) for each in members), *(_expression(each, names) for each in tests)]
            return f" ask {negated} {' and '.join(sorted(set(asked)))}"
        case Counting():
            return " count"
        case Table(columns, by, having):
            picked = " and ".join(sorted(_expression(each, names) for each in having))
            return f" table {_columns(columns, names)} by {_columns(by, names)} having {picked}"
        case None:
            return ""


def _columns(columns: Iterable[Variable | Bind], names: Mapping[Variable, str]) -> str:
    return " ".join(_operand(each, names) if isinstance(each, Variable) else _write(each, names) for each in columns)


def _set(patterns: Iterable[Pattern], names: Mapping[Variable, str]) -> str:
    return " . ".join(sorted({_write(each, names) for each in patterns}))


def _write(node: Pattern | Order, names: Mapping[Variable, str]) -> str:
    match node:
        case Triple(subject, predicate, object_):
            relation = f"?{names[Variable(predicate[1:])]}" if predicate.startswith("?") else predicate
            return f"{_operand(subject, names)} {relation} {_operand(object_, names)}"
        case Filter(condition):
            return f"filter {_expression(condition, names)}"
        case Union(branches):
            return " union ".join(sorted("{" + _set(branch, names) + "}" for branch in branches))
        case Minus(patterns):
            return f"minus {{{_set(patterns, names)}}}"
        case Values(variable, options):
            return f"values ?{names[variable]} {{{' '.join(sorted(_operand(each, names) for each in options))}}}"
        case Aggregate(function, over, result, by, patterns):
            head = f"?{names[result]} = {function} ?{names[over]} by ?{names[by]}"
            return f"{head} {{{_set(patterns, names)}}}"
        case Order(key, descending, limit, offset, then):
            further = " ".join(f"{_operand(each, names)} {down}" for each, down in then)
            return f"order {_operand(key, names)} {descending} {further} {limit} {offset}"
        case _:
            return _write_group(node, names)


def _write_group(node: ValueRows | OptionalGroup | Bind | SubQuery | LabelService, names: Mapping[Variable, str]) -> str:
    match node:
        case OptionalGroup(patterns):
            return f"optional {{{_set(patterns, names)}}}"
        case Bind(expression, variable):
            return f"?{names[variable]} is {_operand(expression, names)}"
        case SubQuery(form):
            return f"query {{{_text(form, names)}}}"
        case LabelService(languages, patterns):
            return f"labels {languages} {{{_set(patterns, names)}}}"
        case ValueRows(columns, rows):
            cells = sorted(" ".join("-" if each is None else _operand(each, names) for each in row) for row in rows)
            return f"values {' '.join(f'?{names[each]}' for each in columns)} {cells}"


def _expression(expression: Expression, names: Mapping[Variable, str]) -> str:
    match expression:
        case RelationalExpression(left, operator, right):
            one, other = _operand(left, names), _operand(right, names)
            if one > other:
                one, other, operator = other, one, _MIRRORED.get(operator, operator)
            return f"({one} {operator} {other})"
        case FunctionCall():
            return _operand(expression, names)
        case Not(inner):
            return f"not({_expression(inner, names)})"
        case AllOf(parts) | AnyOf(parts):
            sign = " and " if isinstance(expression, AllOf) else " or "
            return "(" + sign.join(sorted({_expression(each, names) for each in parts})) + ")"
        case Exists(patterns, negated):
            return f"{'not ' if negated else ''}exists {{{_set(patterns, names)}}}"


def _operand(operand: Operand | Term, names: Mapping[Variable, str]) -> str:
    match operand:
        case Variable():
            return f"?{names[operand]}"
        case Entity(id_):
            return id_
        case Literal(text, datatype, language):
            return f"{text!r}^{datatype}@{language}"
        case FunctionCall(function, arguments):
            return f"{function}({', '.join(_operand(each, names) for each in arguments)})"
        case Blank():
            return "[]"
