"""Questions that go on from the one before: "which of these ...?", "what are their capitals?", "and Spain?", "how many?".

What was found before stands for the words that point to it, as one more thing that a query graph can grow from; so a
denial, a count or a superlative in a follow-up is read as in any question.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from backend.errors import InspiredError
from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Entity, LogicalForm
from inspired.logical_form.sparql_reader import ANSWER
from inspired.parsers.correction.pointers import pointers_in
from inspired.parsers.linking.analysis import QuestionAnalysis, rewritten
from inspired.parsers.linking.entities import EntityMention
from inspired.parsers.linking.words import table
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.query_graph import Thing
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use
from inspired.parsers.reading import QuestionReading

_FEW = 3
_A_NAME = 0.8
_MOST = 200


@dataclass(frozen=True)
class Before:
    """The question before: its words, what it was read as, what was answered, and what was asked still earlier."""

    question: str
    form: LogicalForm
    answers: tuple[Node, ...] = ()
    earlier: "Before | None" = None


def read_in_context(
    parser: DefaultParser, question: str, before: Before, n: int = 10
) -> tuple[tuple[QuestionReading, ...], str]:
    """The readings of a question that may go on from `before`, and the question in words that stand for themselves.

    Raises InspiredError if there is none.
    """
    analysis = parser.analyse(question)
    state = _standing(parser, before)
    pointer = _pointer(analysis)
    if state is not None and (pointer is not None or _is_bare(analysis)):
        return parser.parse(question, n, _in_context(state, pointer or range(0))), question
    if (whole := _with_the_rest(parser, analysis, before)) is not None:
        return parser.parse(whole, n), whole
    try:
        return parser.parse(question, n), question
    except InspiredError:
        if state is None:
            raise
        return parser.parse(question, n, _in_context(state, range(0))), question


def _standing(parser: DefaultParser, before: Before) -> PartialQueryGraph | None:
    """What the question before found, as a thing that a query graph grows from."""
    state = parser.state_of(replace(before.form, returns=None))
    if state is not None:
        return state
    nodes = tuple(each for each in before.answers if isinstance(each, Entity))[:_MOST]
    return PartialQueryGraph(Thing((), options=nodes), frozenset(nodes), ()) if nodes else None


def _in_context(state: PartialQueryGraph, places: range) -> PartialQueryGraph:
    uses = (Use("context", places.start, places.stop),)
    return replace(state, uses=uses, taken=frozenset(places), levels=0)


def _pointer(analysis: QuestionAnalysis) -> range | None:
    """The words that point back; "there" in "is there" points nowhere."""
    for each in pointers_in(analysis.tokens, {}, [ANSWER]):
        if not analysis.frame.cues & set(range(each.start, each.end)):
            first = max(each.start - _words_before(analysis, each.start), 0)
            return range(first, each.end)
    words = [each.plain for each in analysis.tokens]
    return next((range(index, index + 1) for index, word in enumerate(words) if word in _row("points")), None)


def _words_before(analysis: QuestionAnalysis, start: int) -> int:
    """ "one of", "which of" before "them" belong to it."""
    words = [each.plain for each in analysis.tokens[:start]]
    return 2 if words[-2:] in (["one", "of"], ["some", "of"], ["any", "of"]) else int(words[-1:] == ["of"])


def _is_bare(analysis: QuestionAnalysis) -> bool:
    """Whether the words ask for something of what is already there: "how many?", "the largest?", "only in Europe"."""
    words = [each.plain for each in analysis.tokens]
    if words and (words[0] in _row("narrows") or any(each.start == 0 for each in analysis.frame.negations)):
        return True
    telling = [each for index, each in enumerate(analysis.tokens) if not each.is_stop and index not in analysis.passed]
    named = any(each.match >= _A_NAME for each in analysis.mentions)
    values = bool(analysis.comparisons or analysis.extremes)
    counting = analysis.frame.kind == "count" and not telling
    return not named and not analysis.asked and (counting or (values and len(telling) <= 2 * _FEW and words[:1] == ["which"]))


def _with_the_rest(parser: DefaultParser, analysis: QuestionAnalysis, before: Before) -> str | None:
    """ "And Spain?": the question before with another name in place of one of the same kind."""
    words = [each.plain for each in analysis.tokens]
    opening = next(
        (len(each.split()) for each in table("follow_ups")["instead"] if words[: len(each.split())] == each.split()), 0
    )
    names = [each for each in analysis.mentions if each.match >= _A_NAME and each.start >= opening]
    if not opening or not names:
        return None
    new = names[0]
    left = [each for index, each in enumerate(analysis.tokens) if index >= new.end and not each.is_stop]
    old = _counterpart(parser, before.question, new)
    if len(left) > 1:
        return None
    if old is None:
        return _with_the_rest(parser, analysis, before.earlier) if before.earlier else None
    start, end = old
    asked = rewritten(before.question)
    return f"{asked[:start]}{analysis.linking.text(new)}{asked[end:]}"


def _counterpart(parser: DefaultParser, question: str, new: EntityMention) -> tuple[int, int] | None:
    """Where the question before names a thing of the same kind; else where it names its last one."""
    analysis = parser.analyse(question)
    wanted = parser.relations.kind_of(new.node)
    named = [each for each in analysis.mentions if each.match >= _A_NAME]
    alike: Sequence[EntityMention] = [each for each in named if parser.relations.kind_of(each.node) == wanted] or named
    if not alike:
        return None
    old = max(alike, key=lambda each: (each.end - each.start, each.weight))
    return analysis.tokens[old.start].start, analysis.tokens[old.end - 1].end


def _row(name: str) -> frozenset[str]:
    return frozenset(str(table("follow_ups")[name]).split())
