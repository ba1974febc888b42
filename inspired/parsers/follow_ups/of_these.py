""" "Which of them have a king?", also where none has: what was found before, and what is asked of it, must both hold.

The search for query graphs keeps no graph that finds nothing, so what is true of none of these has no reading there.
"""

from collections import Counter
from dataclasses import replace

from backend.errors import InspiredError
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import Counting, Entity
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.state import PartialQueryGraph
from inspired.parsers.reading import QuestionReading

CLEARLY = 2.0  # times as probable


def words_for_some(analysis: QuestionAnalysis, pointer: range | None) -> range | None:
    """The words that stand for what was found before, of which some are asked for: "them" after "of", and "only"."""
    if analysis.tokens[0].plain == "only" and pointer is None:
        return range(1)
    return pointer if points_to_some(analysis, pointer) else None


def points_to_some(analysis: QuestionAnalysis, pointer: range | None) -> bool:
    """Whether the words ask which "of them" or "of those", and how many."""
    words = [each.plain for each in analysis.tokens]
    return pointer is not None and "of" in words[max(pointer.start - 1, 0) : pointer.stop]


def with_these(
    parser: DefaultParser,
    analysis: QuestionAnalysis,
    pointer: range,
    these: PartialQueryGraph,
    readings: tuple[QuestionReading, ...],
) -> tuple[QuestionReading, ...]:
    """The readings with the one of `of_these` before them: where that uses more words, or as many and is far more probable, or
    the first finds others than these ("which of those border Poland?" are not their neighbours that do)."""
    reading = of_these(parser, analysis, pointer, these)
    if reading is None:
        return readings
    if readings:
        more, first = len(reading.unused) - len(readings[0].unused), readings[0]
        state = parser.state_of(replace(first.form, returns=None))
        of_others = state is not None and not state.nodes <= these.nodes
        if more > 0 or (more == 0 and not of_others and reading.confidence <= CLEARLY * first.confidence):
            return readings
    return (reading, *(each for each in readings if not equivalent(each.form, reading.form)))


def of_these(
    parser: DefaultParser, analysis: QuestionAnalysis, pointer: range, these: PartialQueryGraph
) -> QuestionReading | None:
    """What the question asks of the kind of things that `these` are, of these alone; None where it cannot be asked of them."""
    kinds = Counter(filter(None, map(parser.relations.kind_of, these.some())))
    kind = parser.graph.names.get(kinds.most_common(1)[0][0]) if kinds else None
    if kind is None:
        return None
    words = [each.text for each in analysis.tokens]
    start = pointer.start - (pointer.start > 0 and analysis.tokens[pointer.start - 1].plain == "of")
    try:
        reading = parser.parse(" ".join((*words[:start], kind, *words[pointer.stop :])), 1)[0]
    except InspiredError:
        return None
    asked = parser.state_of(replace(reading.form, returns=None))
    if asked is None or asked.ordered or asked.literal or these.ordered or these.literal:
        return None
    if asked.thing.options or not isinstance(reading.form.returns, Counting | None) or not _alike(parser, asked, these):
        return None
    without = (*these.thing.without, *asked.thing.without)
    thing = replace(these.thing, ties=(*these.thing.ties, *asked.thing.ties), without=without)
    return parser.read_as(reading, replace(these, thing=thing, nodes=these.nodes & asked.nodes))


def _alike(parser: DefaultParser, one: PartialQueryGraph, other: PartialQueryGraph) -> bool:
    kinds = [{parser.relations.kind_of(each) for each in state.some() if isinstance(each, Entity)} for state in (one, other)]
    return bool(kinds[0] & kinds[1] - {None})
