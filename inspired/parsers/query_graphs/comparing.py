"""Comparisons and superlatives carried out on the values of a graph, and how a logical form writes them."""

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Literal
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.relations import DATE, NUMBER, Relations, kind_of_literal
from inspired.parsers.linking.values import ComparisonMention
from inspired.parsers.query_graphs.query_graph import Bound, Thing, Tie
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use

_CLEAR = 0.5
_OPENS, _BEHIND = frozenset("what what's whats is was are were the tell give me show".split()), frozenset(("of", "for"))
_FIRST_DAY = "0000-01-01"
_TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
}


def number_of(literal: Literal) -> float | None:
    """The number that a literal stands for; None for dates and text."""
    if kind_of_literal(literal) == DATE:
        return None
    try:
        return float(literal.text)
    except ValueError:
        return None


def best_value(nodes: Iterable[Node], descending: bool) -> float | str | None:
    """The largest (or smallest) number among `nodes`, else the last (or first) date."""
    literals = [each for each in nodes if isinstance(each, Literal)]
    numbers = [number for each in literals if (number := number_of(each)) is not None]
    best = max if descending else min
    if numbers:
        return best(numbers)
    return best((each.text for each in literals), default=None)


def literal_test(node: Node, sign: str, limit: Literal) -> bool:
    """Whether a value compares so with `limit`: as numbers if both are, else as dates or text."""
    if not isinstance(node, Literal):
        return False
    one, other = number_of(node), number_of(limit)
    if one is not None and other is not None:
        return _TESTS[sign](one, other)
    return one is None and other is None and _TESTS[sign](_moment(node), _moment(limit))


def _moment(literal: Literal) -> str:
    """A date with everything that it may leave out; other text as it stands."""
    if kind_of_literal(literal) != DATE or len(literal.text) > len(_FIRST_DAY):
        return literal.text
    return f"{literal.text}{_FIRST_DAY[len(literal.text) :]}T00:00:00"


def in_the_words_of(limit: Literal, datatype: str) -> Literal:
    """A moment as a date or a year, where a graph tells no more: only values of one datatype can be compared."""
    size = {"date": 10, "gYear": 4, "gYearMonth": 7}.get(datatype)
    return Literal(limit.text[:size], datatype) if size and limit.datatype == "dateTime" else limit


def bounds_of(comparison: ComparisonMention, leads_to: str) -> tuple[Bound, ...]:
    """What a number or date has to be; two bounds for what lies between, and none if the value is of another kind.

    A year or month compared by "=" is everything inside it; a number stands for itself.
    """
    if leads_to == NUMBER and comparison.value.number is not None:
        low = number_literal(comparison.value.number)
        if comparison.operator == "=":
            return (Bound(">=", low), Bound("<=", low))
        upper = comparison.upper.number if comparison.upper else None
        return (Bound(comparison.operator, low), *((Bound("<=", number_literal(upper)),) if upper is not None else ()))
    if leads_to == DATE and comparison.value.date is not None:
        return _date_bounds(comparison, comparison.value.date)
    return ()


def _date_bounds(comparison: ComparisonMention, date: str) -> tuple[Bound, ...]:
    first, last = day_span(date)
    upper = comparison.upper.date if comparison.upper else None
    if comparison.operator == "=" or upper is not None:
        end = day_span(upper)[1] if upper is not None else last
        return Bound(">=", first), Bound("<=", end)
    return (Bound(comparison.operator, first if comparison.operator in ("<", ">=") else last),)


def meets(node: Node, bounds: Iterable[Bound]) -> bool:
    return all(literal_test(node, each.operator, each.value) for each in bounds)


def number_literal(number: float) -> Literal:
    """An integer if the number is whole, else a decimal."""
    return Literal(str(int(number)), "integer") if number == int(number) else Literal(f"{number:.12g}", "decimal")


def day_span(date: str) -> tuple[Literal, Literal]:
    """The first and the last day of a year ("1990"), month ("1990-05") or day, as moments."""
    parts = date.split("-")
    first = "-".join([*parts, "01", "01"][:3])
    last = "-".join([*parts, *(("12", "31") if len(parts) == 1 else ("31",))][:3])
    return Literal(f"{first}T00:00:00", "dateTime"), Literal(f"{last}T00:00:00", "dateTime")


def value_of_first(state: PartialQueryGraph, analysis: QuestionAnalysis, relations: Relations) -> PartialQueryGraph | None:
    """The value by which the first of a row is chosen, where that is asked for: "how long is the longest river?"."""
    order = next((use for use in state.uses if use.role == "order" and not use.level), None)
    asked = _value_asked(analysis)
    if order is None or order.relation is None or asked is None or asked in order.places or state.literal:
        return None
    relation = order.relation
    values = frozenset(value for node in state.nodes for value in relations.follow(node, relation))
    if not values or analysis.evidence.get(relation, {}).get(asked, 0.0) < _CLEAR:
        return None
    chosen = state.rank if len(values) > 1 or state.rank > 1 else 0
    thing = Thing((Tie(relation.path, replace(state.thing, chosen=chosen), relation.outward),))
    uses = (*(replace(each, level=each.level + 1) for each in state.uses), Use("hop", 0, 0, relation))
    return replace(state, thing=thing, nodes=values, uses=uses, levels=state.levels + 1, literal=True)


def _value_asked(analysis: QuestionAnalysis) -> int | None:
    """Where the word for a value stands that a question asks for: "how tall is", "what is the height of"."""
    words = [each.plain for each in analysis.tokens]
    if words[:1] == ["how"] and words[2:3] and words[2] in ("is", "was", "are", "were"):
        return 1
    index = next((index for index, word in enumerate(words) if word not in _OPENS), len(words))
    return index if words[index + 1 : index + 2] and words[index + 1] in _BEHIND else None
