"""Follow-ups that ask for others ("which other fish are of that sort?", "and those that are not?", "without the grapes") or
for the same in order ("sort by price")."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Entity, walk
from inspired.parsers.follow_ups.before import A_NAME, Before, row
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.words import stem, tokens_of
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.query_graph import Thing
from inspired.parsers.query_graphs.state import PartialQueryGraph
from inspired.parsers.reading import QuestionReading

_SORTS = re.compile(
    r"(?:(?:please|can you|could you|now|and|then) )*(?:sort|order|rank|arrange)(?:ed)? "
    r"(?:(?:them|these|those|it|all|the|ones?) )*(?:by|from|in)\b"
)
_SMALLEST_FIRST = " least first"
# "And the ones that are not?", "which don't?", "and the rest?"
_THE_REST = re.compile(
    r"(?:(?:and|but|now|what|how|about) )*(?:(?:the |all the |all )?(?:rest|others|remaining ones|other ones)|"
    r"(?:which|what|who|(?:all )?(?:the|those|these)(?: ones)?)(?: ones)?(?: of (?:them|these|those))?(?: that| which| who)? "
    r"(?:(?:is|are|was|were|do|does|did|has|have|can) not|(?:is|are|was|were|do|does|did|has|have)n't|can't))"
)
_BY_NAME = re.compile(
    r"(?:(?:and|but|now|ok|please|could you|can you) )*(?:(?P<only>only|just)|without|leave out|leaving out|drop|remove|skip|"
    r"exclude|excluding|except|minus)(?: all| any)?(?: the)? (?P<words>[^\W\d]+(?: [^\W\d]+)?)(?: please| plz| pls)?"
)
# A guess: `corpus/knowledge_bases/read` has three such questions, and two readings were meant.
_SURE = 0.6
_MOST_LEFT_OUT = 100


def asks_for_others(analysis: QuestionAnalysis, at_once: bool = False) -> bool:
    """Whether others are asked for; `at_once`, if that is what the question begins with: "which other", "who else"."""
    words = [each.plain for each in analysis.tokens]
    return words[0] in row("asking") and bool(row("others") & set(words[1:2])) if at_once else bool(row("others") & set(words))


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
    return _SORTS.match(_words(analysis)) is not None


def with_direction(question: str, analysis: QuestionAnalysis) -> str:
    """What is to be sorted begins with the smallest, unless the words say otherwise."""
    return question if analysis.extremes else question.rstrip(" .!?") + _SMALLEST_FIRST


def all_in_order(
    parser: DefaultParser, readings: Sequence[QuestionReading], context: PartialQueryGraph
) -> tuple[QuestionReading, ...]:
    """The readings that sort, with all that is sorted: `context`, from which what is asked next goes on."""
    sorting = [each for each in readings if each.form.order is not None]
    return tuple(parser.sorted_as(each, context) for each in sorting)


def the_rest(parser: DefaultParser, analysis: QuestionAnalysis, before: Before) -> QuestionReading | None:
    """ "And those that are not?": of what the question before chose from, what it did not choose."""
    if before.earlier is None or _THE_REST.fullmatch(_words(analysis)) is None:
        return None
    whole, part = (parser.state_of(replace(each.form, returns=None)) for each in (before.earlier, before))
    if whole is None or part is None or whole.ordered or whole.literal or not part.nodes < whole.nodes:
        return None
    if not part.nodes:
        return parser.read_as(QuestionReading(replace(before.form, returns=None), {}, _SURE), whole)
    return _without(parser, before, whole, part.nodes)


def by_their_names(
    parser: DefaultParser, analysis: QuestionAnalysis, before: Before, standing: PartialQueryGraph
) -> QuestionReading | None:
    """ "Without the grapes": of what the question before found, which `standing` describes, what is not called so, or is.

    None where the words name one thing or a kind of things.
    """
    asked = _BY_NAME.fullmatch(_words(analysis))
    named = {each.node for each in analysis.mentions if each.match >= A_NAME}
    if asked is None or standing.literal or standing.ordered or analysis.kinds or len(named) == 1:
        return None
    wanted = {stem(each) for each in asked["words"].split()}
    called = frozenset(
        each
        for each in standing.nodes
        if isinstance(each, Entity) and wanted <= {stem(word.plain) for word in tokens_of(parser.graph.names.get(each.id, ""))}
    )
    left_out = standing.nodes - called if asked["only"] else called
    return _without(parser, before, standing, left_out) if called and called != standing.nodes else None


def _without(
    parser: DefaultParser, before: Before, state: PartialQueryGraph, left_out: frozenset[Node]
) -> QuestionReading | None:
    """What is left of `state` without some; None where that is all of it, or where they are too many to be named in a query."""
    things = tuple(sorted((each for each in left_out if isinstance(each, Entity)), key=lambda each: each.id))
    if not 0 < len(things) <= _MOST_LEFT_OUT:
        return None
    thing = replace(state.thing, without=(*state.thing.without, Thing((), options=things)))
    plain = QuestionReading(replace(before.form, returns=None), {}, _SURE)
    return parser.read_as(plain, replace(state, thing=thing, nodes=state.nodes - left_out))


def _words(analysis: QuestionAnalysis) -> str:
    return " ".join(each.plain for each in analysis.tokens)
