"""Whether a question goes on from the one before it or begins a new subject.

Nearly every question can be read both ways: "What food has lycopene in it?" has a word that may point back. So it is read
alone and in context, and where the readings differ, a logistic regression says which is meant: by how sure each is, and by how
the question opens and points. It is fitted on questions of people, new subjects put behind one another.
"""

import json
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from backend.errors import InspiredError
from inspired.knowledge_base.vocabulary import Node
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import walk
from inspired.parsers.follow_ups.before import (
    A_NAME,
    Before,
    first_word,
    no_surer,
    opening,
    pointing_words,
    row,
    without_interjections,
)
from inspired.parsers.follow_ups.contexts import asks_of_these, claims_of_it
from inspired.parsers.follow_ups.in_context import asks_of_one, in_full, is_bare, read_in_context, spelt_out
from inspired.parsers.follow_ups.of_these import points_to_some
from inspired.parsers.follow_ups.others import asks_for_order, asks_for_others, without_known
from inspired.parsers.follow_ups.together import surely_points_together
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.query_graphs.default_parser import DOUBTED, DefaultParser
from inspired.parsers.reading import QuestionReading

FITTED = Path(__file__).with_name("new_subject.json")
EVIDENCE = ("sure_alone", "sure_in_context", "left_over", "opens", "points_back", "bare", "length")
GOES_ON = 0.5  # probability from which on the reading in context is taken
_LONG = 15
_MANY = 4
# "Whose anthem is it?" and "the same region as Punjab" point at what the question itself names.
_POINTS_AHEAD = frozenset({"whose", "same", "above"})
_SAME_ONES = re.compile(r"\bthe same ones?\b", re.IGNORECASE)
_THOSE = frozenset("this that these those".split())
_OF_SOME = (["which", "of"], ["who", "of"])
Readings = tuple[QuestionReading, ...]


@dataclass(frozen=True)
class ReadAfter:
    """What a question was read as after others: `whole` says it in words that stand for themselves, if there are any.

    `alone` are the readings without what was asked before; where it does not go on from that, they are its `readings`.
    """

    readings: Readings
    whole: str
    alone: Readings

    @property
    def goes_on(self) -> bool:
        return self.readings is not self.alone


@dataclass(frozen=True)
class NewSubject:
    """Weights of EVIDENCE and the offset of a logistic regression."""

    weights: tuple[float, ...]
    offset: float

    def goes_on(self, evidence: Sequence[float]) -> float:
        """How probable it is that a question with this evidence goes on from the one before it."""
        logit = self.offset + sum(weight * value for weight, value in zip(self.weights, evidence, strict=True))
        return 1 / (1 + math.exp(-logit))

    def save(self, path: Path) -> None:
        weights = {name: round(weight, 3) for name, weight in zip(EVIDENCE, self.weights, strict=True)}
        path.write_text(f"{json.dumps({'weights': weights, 'offset': round(self.offset, 3)}, indent=2)}\n", encoding="utf-8")


@cache
def new_subject() -> NewSubject:
    """The one that ships with Parley."""
    stored = json.loads(FITTED.read_text(encoding="utf-8"))
    return NewSubject(tuple(stored["weights"][name] for name in EVIDENCE), stored["offset"])


def read_after(parser: DefaultParser, question: str, before: Before, n: int = 10) -> ReadAfter:
    """The readings of a question that was asked after others, in their context if it goes on from them.

    Raises InspiredError if there is none.
    """
    alone, context, whole = both_ways(parser, question, before, n)
    text = without_interjections(question)
    analysis = parser.analyse(text)
    differs = context and not (alone and equivalent(alone[0].form, context[0].form))
    if differs and _goes_on(parser, text, analysis, alone, context, before):
        context = tuple(_asked_anew(no_surer(each, before), before) for each in context)
        if len(before.answers) > 1 and (same := _SAME_ONES.search(text)):  # all of them, not some
            context = tuple(replace(each, unused=(*each.unused, same[0])) for each in context)
        return ReadAfter(context, whole, alone)
    alone = alone or parser.parse(question, n)  # which else says why there is none
    if asks_for_others(analysis, at_once=True):
        others = without_known(parser, alone, before)
        return ReadAfter(alone if others[0].form == alone[0].form else others, question, alone)
    alone = tuple(_without_what_it_points_to(analysis, each) for each in alone)
    return ReadAfter(alone, question, alone)


def _asked_anew(reading: QuestionReading, before: Before) -> QuestionReading:
    """A reading in doubt where it is a question of before once more: "and those of the countries that border it?" is not."""
    if not any(equivalent(reading.form, each.form) for each in before.chain()):
        return reading
    return replace(reading, confidence=min(reading.confidence, DOUBTED))


def _without_what_it_points_to(analysis: QuestionAnalysis, reading: QuestionReading) -> QuestionReading:
    """A reading by itself, which leaves out the words that point back to several: "which of those", "those countries"."""
    pointer = pointing_words(analysis)
    several = row("plural") | row("points")
    if pointer is None or analysis.tokens[pointer.stop - 1].plain not in several or not _points_back(analysis):
        return reading
    words = " ".join(analysis.tokens[index].text for index in pointer)
    return replace(reading, unused=(*reading.unused, words))


def _goes_on(
    parser: DefaultParser, question: str, analysis: QuestionAnalysis, alone: Readings, context: Readings, before: Before
) -> bool:
    first = context[0]
    telling = sum(not each.is_stop and index not in analysis.passed for index, each in enumerate(analysis.tokens))
    if 0 < telling <= len(first.unused) and any(equivalent(first.form, each.form) for each in before.chain()):
        return False  # "what is the weather?": nothing of it is understood, and what was asked before would be answered again
    named = {each.node for each in analysis.mentions if each.match >= A_NAME}
    if named and equivalent(first.form, before.form) and not named & {*walk(first.form)}:
        return False  # "English only" does not ask again what was asked before
    surely = _surely(analysis) or surely_points_together(question, analysis) or asks_of_one(parser, analysis, alone)
    surely = surely or (len(before.answers) > 1 and asks_of_these(analysis) and is_bare(analysis))
    if surely or _says_less_alone(analysis, alone, first, named):
        return True
    if new_subject().goes_on(evidence(analysis, alone, context)) >= GOES_ON:
        return True
    return spelt_out(parser, question, before) != question or in_full(parser, question, analysis, before) is not None


def _says_less_alone(analysis: QuestionAnalysis, alone: Readings, context: QuestionReading, named: Collection[Node]) -> bool:
    """Whether a question that points back leaves out more words by itself ("is it larger than Lima?"), or is about nothing that
    it names ("what is the main religion there?")."""
    pointer = pointing_words(analysis)
    word = analysis.tokens[pointer.stop - 1].plain if pointer is not None else ""
    points = word == "there" or (word == "them" and points_to_some(analysis, pointer)) or _points_back(analysis)
    if not alone or not points:
        return False
    left, in_context = len(alone[0].unused), len(context.unused)
    return in_context < left or (in_context == left and not {*named} & {*walk(alone[0].form)})


def both_ways(parser: DefaultParser, question: str, before: Before | None, n: int) -> tuple[Readings, Readings, str]:
    """The readings alone and in context, both empty where there are none; and the question in words of its own, in context."""
    try:
        alone = parser.parse(without_interjections(question), n)
    except InspiredError:
        alone = ()
    if before is None:
        return alone, (), question
    try:
        return alone, *read_in_context(parser, question, before, n)
    except InspiredError:
        return alone, (), question


def evidence(analysis: QuestionAnalysis, alone: Readings, context: Readings) -> tuple[float, ...]:
    """What speaks for either way, as EVIDENCE names it: each from 0 to 1."""
    return (
        alone[0].confidence if alone else 0.0,
        context[0].confidence,
        min(len(context[0].unused), _MANY) / _MANY,
        float(opening(analysis) > 0),
        float(_points_back(analysis)),
        float(is_bare(analysis)),
        min(len(analysis.tokens), _LONG) / _LONG,
    )


def _surely(analysis: QuestionAnalysis) -> bool:
    """Whether it is asked which "of them", or only in what order, or something of "it", or all that is said is which "only" or
    which "not"."""
    narrows = first_word(analysis) == "only" or any(each.start == 0 for each in analysis.frame.negations)
    pointer = pointing_words(analysis)
    ones = pointer is not None and analysis.tokens[pointer.start].plain == "ones"
    some = (ones or points_to_some(analysis, pointer)) and _points_back(analysis)
    return narrows or asks_for_order(analysis) or some or claims_of_it(analysis, pointer)


def _offers(analysis: QuestionAnalysis) -> bool:
    """Whether a question names things to choose from: "which of the two is larger, Kenya or Ghana?"."""
    named = [each for each in analysis.mentions if each.match >= A_NAME]
    between = [analysis.tokens[one.end : other.start] for one in named for other in named if one.end < other.start]
    return any(each[0].plain in ("or", "and") and all(token.is_stop for token in each) for each in between)


def _points_back(analysis: QuestionAnalysis) -> bool:
    """Whether words point, and to nothing that the question names before them, as "it" does in "the lich, is it immune?"."""
    pointer = pointing_words(analysis)
    if pointer is None or analysis.tokens[pointer.start].plain in _POINTS_AHEAD:
        return False
    behind = [each.plain for each in analysis.tokens[: pointer.start]][-2:]
    # "that town", "of those countries"
    kinds = {pointer.start + 1} if len(pointer) > 1 else set[int]()
    kinds |= {pointer.stop} if analysis.tokens[pointer.stop - 1].plain in _THOSE and not _offers(analysis) else set()
    that_kind = any(each.start in kinds for each in analysis.kinds)
    return that_kind or behind in _OF_SOME or not _points_inside(analysis, pointer)


def _points_inside(analysis: QuestionAnalysis, pointer: range) -> bool:
    """Whether words that point may mean what the question names itself."""
    kinds = {index for each in analysis.kinds for index in range(each.start, each.end)}
    named = [each for each in analysis.mentions if each.match >= A_NAME and each.start not in kinds]
    if analysis.tokens[pointer.start].plain == "they" and named:  # "what do they call the anthem in Chad?"
        return True
    if points_to_some(analysis, pointer) and _offers(analysis):
        return True
    # "In which country does it end?" points to no country: that is asked for.
    asked = {each.start for each in analysis.behind_which} if analysis.tokens[pointer.start].plain == "it" else set[int]()
    kinds_before = [each.end for each in analysis.kinds if each.start not in asked]
    return any(end <= pointer.start for end in [*(each.end for each in named), *kinds_before])
