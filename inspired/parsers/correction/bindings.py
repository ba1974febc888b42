"""What the variables of the steps so far can stand for, worked out on the graph: enough to know their kinds.

At most some hundred rows are followed, and of the filters only comparisons of a variable with a value are looked at.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, product

from inspired.decomposition.steps import Step
from inspired.knowledge_base.graph import Graph
from inspired.knowledge_base.vocabulary import TYPE, Node
from inspired.logical_form.forms import Entity, Filter, Literal, Pattern, RelationalExpression, Term, Triple, Union, Variable
from inspired.parsers.query_graphs.comparing import literal_test

Row = dict[Variable, Node]
_MOST_ROWS = 600


def bindings(steps: Sequence[Step], graph: Graph) -> dict[Variable, frozenset[Node]]:
    """The values of each variable in `steps`; a variable that nothing fits is left out."""
    result: dict[Variable, set[Node]] = {}
    for patterns in _alternatives([pattern for step in steps for pattern in step.patterns]):
        for row in _rows(patterns, graph):
            for variable, node in row.items():
                result.setdefault(variable, set()).add(node)
    return {variable: frozenset(nodes) for variable, nodes in result.items()}


def _alternatives(patterns: Sequence[Pattern]) -> Iterator[list[Pattern]]:
    """The patterns with each union replaced by one of its branches, in every way."""
    plain = [each for each in patterns if not isinstance(each, Union)]
    branches = [each.branches for each in patterns if isinstance(each, Union)]
    for chosen in islice(product(*branches), 4):
        yield [*plain, *(pattern for branch in chosen for pattern in branch)]


def _rows(patterns: Sequence[Pattern], graph: Graph) -> list[Row]:
    waiting = [each for each in patterns if isinstance(each, Triple)]
    tests = [
        each.condition for each in patterns if isinstance(each, Filter) and isinstance(each.condition, RelationalExpression)
    ]
    rows: list[Row] = [{}]
    while waiting and rows:
        known = set(rows[0])
        triple = max(waiting, key=lambda each: _boundness(each, known))
        waiting.remove(triple)
        rows = list(islice((wider for row in rows for wider in _extended(row, triple, graph)), _MOST_ROWS))
        rows = [row for row in rows if all(_holds(test, row) for test in tests)]
    return rows


def _boundness(triple: Triple, known: set[Variable]) -> int:
    return sum(not isinstance(each, Variable) or each in known for each in (triple.subject, triple.object))


def _extended(row: Row, triple: Triple, graph: Graph) -> Iterator[Row]:
    subject, object_ = _value(triple.subject, row), _value(triple.object, row)
    for one, other in _facts(subject, triple.predicate, object_, graph):
        wider = dict(row)
        if isinstance(triple.subject, Variable):
            wider[triple.subject] = one
        if isinstance(triple.object, Variable):
            wider[triple.object] = other
        yield wider


def _value(term: Term, row: Row) -> Node | None:
    if isinstance(term, Variable):
        return row.get(term)
    return term if isinstance(term, Entity | Literal) else None


def _facts(subject: Node | None, predicate: str, object_: Node | None, graph: Graph) -> Iterator[tuple[Node, Node]]:
    if isinstance(subject, Entity):
        objects = map(Entity, graph.types.get(subject.id, ())) if predicate == TYPE else graph.objects(subject.id, predicate)
        yield from ((subject, each) for each in objects if object_ is None or each == object_)
    elif object_ is not None:
        a_type = predicate == TYPE and isinstance(object_, Entity)
        subjects = graph.members(object_.id) if a_type and isinstance(object_, Entity) else graph.subjects(predicate, object_)
        yield from ((Entity(each), object_) for each in subjects)
    else:
        yield from ((Entity(start), end) for start, end in graph.pairs(predicate))


def _holds(test: object, row: Row) -> bool:
    """Whether a comparison stands for a row, as far as that can be decided."""
    if not isinstance(test, RelationalExpression) or not isinstance(test.left, Variable) or test.left not in row:
        return True
    if isinstance(test.right, Entity):
        return (row[test.left] == test.right) == (test.operator != "!=")
    if not isinstance(test.right, Literal):
        return True
    return literal_test(row[test.left], test.operator, test.right)
