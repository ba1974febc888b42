"""Follow-ups that ask for others ("which other fish are of that sort?") or for the same in order ("sort by price")."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspired.logical_form.forms import Entity, walk
from inspired.parsers.follow_ups.before import Before, row
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.query_graph import Thing
from inspired.parsers.query_graphs.state import PartialQueryGraph
from inspired.parsers.reading import QuestionReading

_SORTS = re.compile(
    r"(?:(?:please|can you|could you|now|and|then) )*(?:sort|order|rank|arrange)(?:ed)? "
    r"(?:(?:them|these|those|it|all|the|ones?) )*(?:by|from|in)\b"
)
_SMALLEST_FIRST = " lowest first"


def asks_for_others(analysis: QuestionAnalysis) -> bool:
    return bool(row("others") & {each.plain for each in analysis.tokens})


def without_known(parser: DefaultParser, readings: Sequence[QuestionReading], before: Before) -> tuple[QuestionReading, ...]:
    """The readings without the things that the questions before named or had for an answer, as far as others are left."""
    known = frozenset(_known(before))
    result = []
    for reading in readings:
        state = parser.state_of(replace(reading.form, returns=None))
        again = tuple(each for each in sorted(known, key=lambda each: each.id) if state is not None and each in state.nodes)
        if state is None or not again or len(again) == len(state.nodes):
            result.append(reading)
            continue
        thing = replace(state.thing, without=(*state.thing.without, Thing((), options=again)))
        kept = parser.read_as(reading, replace(state, thing=thing, nodes=state.nodes - frozenset(again)))
        result.append(replace(kept, unused=tuple(each for each in kept.unused if each.lower() not in row("others"))))
    return tuple(result)


def _known(before: Before | None) -> Iterator[Entity]:
    while before is not None:
        yield from (each for each in walk(before.form) if isinstance(each, Entity))
        if len(before.answers) == 1:
            yield from (each for each in before.answers if isinstance(each, Entity))
        before = before.earlier


def asks_for_order(analysis: QuestionAnalysis) -> bool:
    return _SORTS.match(" ".join(each.plain for each in analysis.tokens)) is not None


def with_direction(question: str, analysis: QuestionAnalysis) -> str:
    """What is to be sorted begins with the smallest, unless the words say otherwise."""
    return question if analysis.extremes else question.rstrip(" .!?") + _SMALLEST_FIRST


def all_in_order(
    parser: DefaultParser, readings: Sequence[QuestionReading], context: PartialQueryGraph
) -> tuple[QuestionReading, ...]:
    """The readings that sort, with all that is sorted: `context`, from which what is asked next goes on."""
    sorting = [each for each in readings if each.form.order is not None]
    return tuple(parser.sorted_as(each, context) for each in sorting)
