"""The logical forms of questions over a knowledge base: the part of SPARQL that ComplexWebQuestions uses, as values.

Covered: SELECT of one variable, COUNT of one, and ASK; triples with a named predicate; FILTER with comparisons, casts,
AND, OR, NOT and EXISTS; UNION, MINUS, VALUES of one variable; an aggregate per group; ORDER BY one key with LIMIT and
OFFSET. `inspired.logical_form.sparql_reader` reads this from text and
`inspired.logical_form.sparql_writer` writes it; neither the order of patterns nor the names of variables carries meaning
(`inspired.logical_form.equivalence`).
"""

from collections.abc import Iterable
from dataclasses import dataclass

FREEBASE = "http://rdf.freebase.com/ns/"
XSD = "http://www.w3.org/2001/XMLSchema#"

COMPARATORS = ("=", "!=", "<=", ">=", "<", ">")
AGGREGATES = ("count", "sum", "avg", "min", "max", "sample", "group_concat")


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
        case Variable() | Entity() | Literal() | Blank() | Counting():
            return ()
        case Triple():
            relation = (Variable(node.predicate[1:]),) if node.predicate.startswith("?") else ()
            return (node.subject, *relation, node.object)
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
        case Filter():
            return (node.condition,)
        case Order():
            return (node.key, *(key for key, _ in node.then))
        case LogicalForm():
            last = [each for each in (node.order, node.returns) if each is not None]
            return (node.answer, *node.patterns, *last)
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
