"""The logical forms of questions over a knowledge base: the part of SPARQL that ComplexWebQuestions uses, as values.

Covered: SELECT of one variable, COUNT of one, and ASK; triples with a named predicate; FILTER with comparisons, casts,
AND, OR, NOT and EXISTS; UNION, MINUS, VALUES of one variable; an aggregate per group; ORDER BY one key with LIMIT and
OFFSET. `inspired.logical_form.sparql_reader` reads this from text and
`inspired.logical_form.sparql_writer` writes it; neither the order of patterns nor the names of variables carries meaning
(`inspired.logical_form.equivalence`).
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

FREEBASE = "http://rdf.freebase.com/ns/"
XSD = "http://www.w3.org/2001/XMLSchema#"

COMPARATORS = ("=", "!=", "<=", ">=", "<", ">")
AGGREGATES = ("count", "sum", "avg", "min", "max", "sample", "group_concat")

_PLACEHOLDER = re.compile(r"#entity(\d+)#")


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


@dataclass(frozen=True, slots=True)
class Entity:
    """A node of the knowledge base: `m.03_dwn`, a name such as `location.country`, a full IRI or `#entity1#`.

    Names without a scheme live in the Freebase namespace.
    """

    id: str

    @property
    def is_placeholder(self) -> bool:
        return self.id.startswith("#")

    @property
    def is_type(self) -> bool:
        """Whether this names a part of the schema, such as `location.country`, and not a thing in the world."""
        return not self.is_placeholder and "://" not in self.id and not self.id.startswith(("m.", "g."))


@dataclass(frozen=True, slots=True)
class Literal:
    """`datatype` is the local name of an XSD type (`dateTime`) or a full IRI; None is a plain string."""

    text: str
    datatype: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Blank:
    """`[]`: something, whatever it is."""


Term = Variable | Entity | Literal | Blank


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """`function` in lower case: `str`, `lang`, `xsd:integer`, ..."""

    function: str
    arguments: "tuple[Operand, ...]"


Operand = Variable | Entity | Literal | FunctionCall


@dataclass(frozen=True, slots=True)
class RelationalExpression:
    left: Operand
    operator: str
    right: Operand


@dataclass(frozen=True, slots=True)
class Not:
    inner: "Expression"


@dataclass(frozen=True, slots=True)
class AllOf:
    parts: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True)
class AnyOf:
    parts: "tuple[Expression, ...]"


@dataclass(frozen=True, slots=True)
class Exists:
    patterns: "tuple[Pattern, ...]"
    negated: bool = False


Expression = RelationalExpression | FunctionCall | Not | AllOf | AnyOf | Exists


@dataclass(frozen=True, slots=True)
class Triple:
    """`predicate` is named as an Entity's id is.

    A property path that one triple cannot do without is in its place, with full names: `<http://e.org/part>*`. A variable
    in its place is written as in SPARQL: `?p`.
    """

    subject: Term
    predicate: str
    object: Term


@dataclass(frozen=True, slots=True)
class Filter:
    condition: Expression


@dataclass(frozen=True, slots=True)
class Union:
    branches: "tuple[tuple[Pattern, ...], ...]"


@dataclass(frozen=True, slots=True)
class Minus:
    """Not what `patterns` describe, as far as they share variables with what stands outside."""

    patterns: "tuple[Pattern, ...]"


@dataclass(frozen=True, slots=True)
class Values:
    """`variable` is one of `options`."""

    variable: Variable
    options: "tuple[Entity | Literal, ...]"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`result` is the `function` (`count`, `sum`, ...) of the different values of `over`, for each value of `by`."""

    function: str
    over: Variable
    result: Variable
    by: Variable
    patterns: "tuple[Pattern, ...]"


@dataclass(frozen=True, slots=True)
class ValueRows:
    """`columns` take the values of one of `rows` together; None leaves a variable open."""

    columns: tuple[Variable, ...]
    rows: "tuple[tuple[Entity | Literal | None, ...], ...]"


@dataclass(frozen=True, slots=True)
class OptionalGroup:
    """What `patterns` describe, where there is such a thing."""

    patterns: "tuple[Pattern, ...]"


@dataclass(frozen=True, slots=True)
class Bind:
    """`variable` is what `expression` gives; also a column of a table that is computed."""

    expression: Operand
    variable: Variable


@dataclass(frozen=True, slots=True)
class SubQuery:
    """A query inside the query; variables that it does not return have names of their own."""

    form: "LogicalForm"


@dataclass(frozen=True, slots=True)
class LabelService:
    """Wikidata's service that gives each `?thing` its name in one of `languages` as `?thingLabel`."""

    languages: str
    patterns: "tuple[Pattern, ...]" = ()


Group = Union | Minus | Values | ValueRows | Aggregate | OptionalGroup | Bind | SubQuery | LabelService
Pattern = Triple | Filter | Group


@dataclass(frozen=True, slots=True)
class Counting:
    """The question asks how many answers there are."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The question is answered with yes or no: whether all of `members` are among the answers, and pass `tests`.

    Without members: whether there is any answer that passes. `negated` turns the answer round.
    """

    members: "tuple[Entity | Literal, ...]" = ()
    tests: "tuple[RelationalExpression, ...]" = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The question asks for several columns, or for one of what is computed; `by` groups the rows, `having` picks groups."""

    columns: "tuple[Variable | Bind, ...]"
    by: "tuple[Variable | Bind, ...]" = ()
    having: "tuple[Expression, ...]" = ()

    @property
    def groups(self) -> bool:
        """Whether a row stands for several solutions."""
        calls = [each for part in (*self.columns, *self.having) for each in walk(part) if isinstance(each, FunctionCall)]
        return bool(self.by) or any(each.function.split()[0] in AGGREGATES for each in calls if each.function)


Returns = Counting | Asking | Table


@dataclass(frozen=True, slots=True)
class Order:
    """Sort by `key`, then keep `limit` rows after the first `offset`; a limit of None keeps all.

    `then` has further keys, each with whether it descends.
    """

    key: Operand
    descending: bool = False
    limit: int | None = None
    offset: int = 0
    then: tuple[tuple[Operand, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class LogicalForm:
    """`limit` and `offset` here are those of a query without ORDER BY; a sorted one has them in `order`.

    `returns` says what is asked of the answers, where they are not to be listed.
    """

    answer: Variable
    patterns: tuple[Pattern, ...]
    order: Order | None = None
    distinct: bool = True
    limit: int | None = None
    offset: int = 0
    returns: Returns | None = None


Node = Term | FunctionCall | RelationalExpression | Not | AllOf | AnyOf | Exists | Pattern | Order | Returns | LogicalForm


def parts_of(node: Node) -> tuple[Node, ...]:
    """The nodes directly below `node`, in the order in which they are written."""
    match node:
        case FunctionCall():
            return node.arguments
        case RelationalExpression():
            return (node.left, node.right)
        case Not():
            return (node.inner,)
        case AllOf() | AnyOf():
            return node.parts
        case Asking():
            return (*node.members, *node.tests)
        case Table():
            return (*node.columns, *node.by, *node.having)
        case Triple():
            relation = (Variable(node.predicate[1:]),) if node.predicate.startswith("?") else ()
            return (node.subject, *relation, node.object)
        case Filter():
            return (node.condition,)
        case Order():
            return (node.key, *(key for key, _ in node.then))
        case LogicalForm():
            last = [each for each in (node.order, node.returns) if each is not None]
            return (node.answer, *node.patterns, *last)
        case Variable() | Entity() | Literal() | Blank() | Counting():
            return ()
        case _:
            return _parts_of_group(node)


def _parts_of_group(node: Group | Exists) -> tuple[Node, ...]:
    match node:
        case Minus() | Exists() | OptionalGroup() | LabelService():
            return node.patterns
        case Bind():
            return (node.expression, node.variable)
        case SubQuery():
            return (node.form,)
        case ValueRows():
            return (*node.columns, *(cell for row in node.rows for cell in row if cell is not None))
        case Union():
            return tuple(pattern for branch in node.branches for pattern in branch)
        case Values():
            return (node.variable, *node.options)
        case Aggregate():
            return (node.by, node.result, node.over, *node.patterns)


def walk(node: Node | Iterable[Node]) -> list[Node]:
    """`node` and everything below it, in the order in which it is written."""
    nodes: list[Node] = []
    waiting: list[Node] = list(reversed(list(node))) if isinstance(node, Iterable) else [node]
    while waiting:
        each = waiting.pop()
        nodes.append(each)
        waiting += reversed(parts_of(each))
    return nodes


def variables(node: Node | Iterable[Node]) -> list[Variable]:
    """Each variable once, in order of appearance."""
    return list(dict.fromkeys(each for each in walk(node) if isinstance(each, Variable)))


def triples(node: Node | Iterable[Node]) -> list[Triple]:
    return [each for each in walk(node) if isinstance(each, Triple)]


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
