"""Questions that go on from the one before: "which of these ...?", "what are their capitals?", "and Spain?", "how many?".

What was found before stands for the words that point to it, as one more thing that a query graph can grow from; so a
denial, a count or a superlative in a follow-up is read as in any question.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from backend.errors import InspiredError
from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.forms import Entity, LogicalForm
from inspired.logical_form.sparql_reader import ANSWER
from inspired.parsers.correction.pointers import pointers_in
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.entities import EntityMention
from inspired.parsers.linking.words import table
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.query_graph import Thing
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use
from inspired.parsers.reading import QuestionReading

_FEW = 3
_A_NAME = 0.8
_MOST = 200
_CONTEXTS = 4
_VAGUE = 20
_TWO = re.compile(r"\b(the|these|those) two\b|\bboth\b", re.IGNORECASE)


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
    if (whole := _with_another_superlative(parser, analysis, before)) is not None:
        return parser.parse(whole, n), whole
    pointer = _pointer(analysis)
    if pointer is not None or _is_bare(analysis) or _names_nothing(analysis):
        if (reading := _from_before(parser, question, analysis, before, pointer, n)) is not None:
            return reading
    elif (again := _with_another_name(parser, analysis, before, n)) is not None:
        return again
    try:
        readings = parser.parse(question, n)
        narrower = (
            _from_before(parser, question, analysis, before, pointer, n) if _is_vague(parser, analysis, readings) else None
        )
        return narrower if narrower and not narrower[0][0].unused else (readings, question)
    except InspiredError:
        reading = _from_before(parser, question, analysis, before, pointer, n)
        if reading is None:
            raise
        return reading


def _from_before(
    parser: DefaultParser, question: str, analysis: QuestionAnalysis, before: Before, pointer: range | None, n: int
) -> tuple[tuple[QuestionReading, ...], str] | None:
    """The readings that go on from what was found before, or from what that was about: those that use the most words."""
    best: tuple[tuple[QuestionReading, ...], str] | None = None
    for state, name in _contexts(parser, before, analysis, pointer, _TWO.search(question) is not None):
        whole = question if name is None else _naming(analysis, pointer, name)
        try:
            readings = parser.parse(whole, n, _in_context(state, pointer or range(0)) if name is None else None)
        except InspiredError:
            continue
        if best is None or len(readings[0].unused) < len(best[0][0].unused):
            best = readings, whole
        if not best[0][0].unused:
            break
    return best


def _only_counts(analysis: QuestionAnalysis) -> bool:
    """ "How many is that?": no more than the number of what was found."""
    telling = [each for index, each in enumerate(analysis.tokens) if not each.is_stop and index not in analysis.passed]
    return analysis.frame.kind == "count" and not telling


def _points_to_one(analysis: QuestionAnalysis, pointer: range | None) -> bool | None:
    """Whether the words that point mean one thing ("its") or several ("their"); None if they do not tell."""
    words = {analysis.tokens[index].plain for index in pointer or ()}
    return True if words & _row("singular") else False if words & _row("plural") else None


def _contexts(
    parser: DefaultParser, before: Before, analysis: QuestionAnalysis, pointer: range | None, of_two: bool
) -> list[tuple[PartialQueryGraph, str | None]]:
    """What the questions before found, and the things that those were about, by their names; the likeliest first."""
    singular, found_only = _points_to_one(analysis, pointer), _only_counts(analysis)
    result: list[tuple[PartialQueryGraph, str | None]] = []
    both = _both(before) if of_two else None
    result += [(both, None)] if both is not None else []
    each: Before | None = before
    while each is not None and len(result) < _CONTEXTS:
        state = _standing(parser, each)
        if state is not None:
            result += [] if state.literal else [(state, None)]
            result += [(state, name) for name in _topics(parser, state) if singular is not False and not found_only]
        each = each.earlier

    def fits(context: tuple[PartialQueryGraph, str | None]) -> bool:
        return singular is None or found_only or singular == (context[1] is not None or len(context[0].nodes) == 1)

    return sorted(result, key=lambda context: not fits(context))


def _both(before: Before) -> PartialQueryGraph | None:
    """ "The two" that the last two questions found one of each; None where either found none or several."""
    pairs = [each.answers for each in (before.earlier, before) if each is not None]
    nodes = tuple(each[0] for each in pairs if len(each) == 1 and isinstance(each[0], Entity))
    return PartialQueryGraph(Thing((), options=nodes), frozenset(nodes), ()) if len(set(nodes)) == 2 else None


def _topics(parser: DefaultParser, state: PartialQueryGraph) -> Iterator[str]:
    """The one thing that a question was about: Kenya, of the population of Kenya."""
    others = [tie.other for tie in state.thing.ties if tie.finds]
    if len(others) == 1 and isinstance(others[0], Entity) and (name := parser.graph.names.get(others[0].id)):
        yield name


def _naming(analysis: QuestionAnalysis, pointer: range | None, name: str) -> str:
    """The question with a name in place of the words that point, or behind it."""
    words = [each.text for each in analysis.tokens]
    if pointer is None:
        return " ".join((*words, "of", name))
    return " ".join((*words[: pointer.start], name, *words[pointer.stop :]))


def _is_vague(parser: DefaultParser, analysis: QuestionAnalysis, readings: Sequence[QuestionReading]) -> bool:
    """Whether "the head of government" asks for one thing and finds those of all countries."""
    words = [each.plain for each in analysis.tokens[:4]]
    state = parser.state_of(replace(readings[0].form, returns=None))
    definite = any(words[index : index + 2] in (["is", "the"], ["was", "the"]) for index in range(3))
    return definite and not analysis.extremes and state is not None and len(state.nodes) > _VAGUE


def _names_nothing(analysis: QuestionAnalysis) -> bool:
    """Whether neither a name nor a kind of thing tells what a question is about: "and the life expectancy?"."""
    return not analysis.kinds and not any(each.match >= _A_NAME for each in analysis.mentions)


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
    opening = _opening(analysis)
    for each in pointers_in(analysis.tokens, {}, [ANSWER]):
        if each.start >= opening and not analysis.frame.cues & set(range(each.start, each.end)):
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
    counting = _only_counts(analysis)
    named = any(each.match >= _A_NAME for each in analysis.mentions)
    values = bool(analysis.comparisons or analysis.extremes)
    return not named and not analysis.asked and (counting or (values and len(telling) <= 2 * _FEW and words[:1] == ["which"]))


def _with_another_name(
    parser: DefaultParser, analysis: QuestionAnalysis, before: Before, n: int
) -> tuple[tuple[QuestionReading, ...], str] | None:
    """ "And Spain?": the question before with another name in place of one of the same kind."""
    opening = _opening(analysis)
    names = [each for each in analysis.mentions if each.match >= _A_NAME and each.start >= opening]
    if not opening or not names:
        return None
    new = names[0]
    left = [each for index, each in enumerate(analysis.tokens) if index >= new.end and not each.is_stop]
    return None if len(left) > 1 else _asked_again(parser, before, new, analysis.linking.text(new), n)


def _asked_again(
    parser: DefaultParser, before: Before, new: EntityMention, name: str, n: int
) -> tuple[tuple[QuestionReading, ...], str] | None:
    """The questions before, from the last one that names such a thing, each asked again about another."""
    old = _counterpart(parser, before.question, new)
    if old is not None:
        asked = parser.analyse(before.question).text
        whole = f"{asked[: old[0]]}{name}{asked[old[1] :]}"
        return parser.parse(whole, n), whole
    inner = _asked_again(parser, before.earlier, new, name, n) if before.earlier else None
    if inner is None:
        return None
    readings, whole = inner
    return read_in_context(parser, before.question, Before(whole, readings[0].form), n)


def _opening(analysis: QuestionAnalysis) -> int:
    """How many words say that the question before is asked again."""
    words = [each.plain for each in analysis.tokens]
    return next((len(each.split()) for each in table("follow_ups")["instead"] if words[: len(each.split())] == each.split()), 0)


def _with_another_superlative(parser: DefaultParser, analysis: QuestionAnalysis, before: Before) -> str | None:
    """ "And the second largest?": the question before with another superlative."""
    new = next((each for each in analysis.extremes if not each.compares), None)
    rest = [index for index, each in enumerate(analysis.tokens) if not each.is_stop]
    if new is None or analysis.tokens[0].plain in _row("asking") or not all(new.start <= index < new.end for index in rest):
        return None
    known = parser.analyse(before.question)
    old = next((each for each in known.extremes if not each.compares), None)
    if old is None:
        return None
    asked, words = known.text, " ".join(each.text for each in analysis.tokens[new.start : new.end])
    return f"{asked[: known.tokens[old.start].start]}{words}{asked[known.tokens[old.end - 1].end :]}"


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
