"""The question before, asked again about something else: "and Spain?", "and the second largest?", "and more than 500?"."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from backend.errors import InspiredError
from inspired.logical_form.forms import Entity
from inspired.parsers.follow_ups.before import A_NAME, ASKING, RANKS, Before, opening, pointing_words, row
from inspired.parsers.follow_ups.contexts import only_a_figure
from inspired.parsers.follow_ups.swapped import swapped
from inspired.parsers.linking.analysis import WHICH, QuestionAnalysis
from inspired.parsers.linking.entities import EntityMention
from inspired.parsers.linking.label_grammar import prepositions
from inspired.parsers.linking.relations import THING
from inspired.parsers.linking.values import ComparisonMention, SuperlativeMention
from inspired.parsers.linking.words import stem
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.reading import QuestionReading

# Match from which on words that are all there is beside an opening are a name that was misspelt, or a part of one.
NEARLY_A_NAME = 0.7
A_PART = 0.6  # match from which on words may be a part of a name
_SEVERAL = 2
STRONG = 0.4  # evidence from which on a word speaks for a relation
_SECOND = re.compile(
    r"(?:and |so |then |(?:what|how) about )*(?:(?:which|who|what)(?: \w+)? (?:is|was|comes|ranks|follows)(?: in)? |the )?"
    r"(?P<rank>second|third|fourth|fifth|next)(?: place| one)?(?: there)?$"
)
_NEIGHBOURS = r"(?:neighbou?rs|neighbou?ring (?:countries|states|ones))"
_OF_NEIGHBOURS = re.compile(
    rf"^\W*(?:and|what about|how about|and what about)\b\W*(?P<preposition>of|in|for|from|with)?\s*(?:its|their|the|his|her) "
    rf"{_NEIGHBOURS}\W*$",
    re.IGNORECASE,
)
_THE_NEIGHBOURS = re.compile(rf"\b(?:the|its) {_NEIGHBOURS}\b(?! of\b)", re.IGNORECASE)
_BY_WHAT = re.compile(r"^\W*(?:and|what about|how about|and what about)\b\W*by (?P<measure>[^?]+?)\W*$", re.IGNORECASE)
_BY = re.compile(r"\bby (?P<measure>[^?]+?)(?=\W*$)", re.IGNORECASE)
_WHICH_MOST = re.compile(
    r"^\W*(?:and |so )?(?:which|what)(?: one| of (?:them|these|those))? (?:is|was) the (?P<most>[a-z]{2,}est)(?: one)?\W*$",
    re.IGNORECASE,
)
Value = ComparisonMention | SuperlativeMention
Read = Callable[[DefaultParser, str, Before, int], tuple[tuple[QuestionReading, ...], str]]


@dataclass(frozen=True)
class _Again:
    """What is put in place of another: the things `named` by `name`, the likeliest first, and the `preposition` before it.

    Where it is to be `alike_only`, it takes the place of a thing of its kind alone; the name may be that of `several`.
    """

    named: Sequence[EntityMention]
    name: str
    preposition: str
    alike_only: bool
    several: bool = False


def with_another_name(
    parser: DefaultParser, analysis: QuestionAnalysis, before: Before, n: int, read: Read
) -> tuple[tuple[QuestionReading, ...], str] | None:
    """ "And Spain?": the question before with another name in place of one of the same kind. `read` reads a follow-up."""
    first = opening(analysis)
    named = [each for each in analysis.mentions if each.match >= A_NAME and each.start >= first] if first else []
    new = next(iter([*named, *_only_name(analysis, first)]), None)
    if new is None or only_a_figure(analysis):
        return None
    rest = _telling(analysis, first, before)
    if rest and first and {each.plain for each in analysis.tokens[first:]} & ASKING:
        return None  # "and who are Hungary's neighbours?"
    joined = [each.end for each in named if each.start == new.end + 1 and analysis.tokens[new.end].plain == "and"]
    end = max(joined, default=new.end)
    if any(index < new.start for index in rest) or sum(index >= end for index in rest) > 1:
        return None
    same_words = [each for each in analysis.mentions if (each.start, each.end) == (new.start, new.end)]
    name = analysis.text[analysis.tokens[new.start].start : analysis.tokens[end - 1].end]  # "and for Morocco and Tunisia"
    again = _Again(same_words, name, _preposition(analysis, new), alike_only=not first, several=end > new.end)
    return _about(parser, before, again, n, read)


def _only_name(analysis: QuestionAnalysis, first: int) -> list[EntityMention]:
    """What is nearly a name, where it is all that the words behind the opening are."""
    rest = _telling(analysis, first)
    if any(line.get(index, 0.0) >= STRONG for line in analysis.evidence.values() for index in rest):
        return []
    return [
        each
        for each in analysis.mentions
        if each.match >= NEARLY_A_NAME and rest and all(each.start <= index < each.end for index in rest)
    ]


def _telling(analysis: QuestionAnalysis, first: int, before: Before | None = None) -> list[int]:
    """The words behind the opening that may ask for something: not "too" in "and Edge too?", nor "the highest" in "and the
    highest in Chile?" where that was asked before."""
    asked = {word for each in before.chain() for word in each.question.lower().split()} if before is not None else set[str]()
    again = {
        index
        for each in analysis.extremes
        for index in range(each.start, each.end)
        if analysis.tokens[each.end - 1].plain in asked
    }
    return [
        index
        for index, each in enumerate(analysis.tokens)
        if index >= first and index not in again and not each.is_stop and each.plain not in row("closes")
    ]


def _preposition(analysis: QuestionAnalysis, mention: EntityMention) -> str:
    """The preposition before a name and its "the"; empty where there is none."""
    words = [each.plain for each in analysis.tokens[: mention.start]]
    word = words[-2] if words[-1:] == ["the"] and len(words) > 1 else next(iter(words[-1:]), "")
    return word if word in prepositions() else ""


def _about(
    parser: DefaultParser, before: Before, new: _Again, n: int, read: Read
) -> tuple[tuple[QuestionReading, ...], str] | None:
    """The questions before, from the last one that names such a thing, each asked again about another."""
    old = _counterpart(parser, before.question, new)
    asked = parser.analyse(before.question).text
    whole = f"{asked[: old[0]]}{new.name}{asked[old[1] :]}" if old is not None else f"{asked.rstrip(' ?.!')} {new.name}?"
    again: tuple[QuestionReading, ...] = ()
    if old is not None:
        with suppress(InspiredError):
            again = read(parser, whole, before.earlier, n)[0] if before.earlier else parser.parse(whole, n)
    if not new.several and (same := swapped(parser, before, new.named, again)) is not None:
        return same, whole
    if again:
        return again, whole
    inner = _about(parser, before.earlier, new, n, read) if before.earlier else None
    if inner is None:
        return None
    readings, whole = inner
    return read(parser, before.question, Before(whole, readings[0].form), n)


def _counterpart(parser: DefaultParser, question: str, new: _Again) -> tuple[int, int] | None:
    """Where the question before names a thing of the same kind, behind the same preposition if there is one, or points to one;
    else, unless it is to be `alike_only`, where it names its last one."""
    analysis = parser.analyse(question)
    named = [each for each in analysis.mentions if each.match >= A_NAME]
    alike = _alike(parser, analysis, named, parser.relations.kind_of(new.named[0].node))
    if not alike and (pointer := _pointing_to_one(analysis)) is not None:
        return analysis.tokens[pointer.start].start, analysis.tokens[pointer.stop - 1].end
    alike = alike or ([] if new.alike_only else named)
    if not alike:
        return None
    behind = [each for each in alike if new.preposition and _preposition(analysis, each) == new.preposition]
    if behind:  # "and with Georgia?", after "does Armenia have a border with Azerbaijan?"
        old = max(behind, key=lambda each: (each.end - each.start, each.weight))
    elif analysis.frame.kind == "yes-no":  # "firefox too?", after "is Edge based on Chrome?", is about what the claim is about
        old = min(alike, key=lambda each: (each.start, -each.end))
    else:
        old = max(alike, key=lambda each: (each.end - each.start, each.weight))
    return analysis.tokens[old.start].start, analysis.tokens[old.end - 1].end


def _alike(
    parser: DefaultParser, analysis: QuestionAnalysis, named: Sequence[EntityMention], wanted: str | None
) -> list[EntityMention]:
    """The names of things of the kind that is wanted; else words that nearly are one: "Pistachio" for pistachio nuts, in place
    of resveratrol that the question names in full."""
    nearly = [each for each in analysis.mentions if each.match >= A_PART and each not in named]
    alike = [each for each in named if parser.relations.kind_of(each.node) == wanted]
    return alike or [each for each in nearly if wanted and parser.relations.kind_of(each.node) == wanted]


def _pointing_to_one(analysis: QuestionAnalysis) -> range | None:
    """The words that point to one thing: "there" in "who is the president there?"."""
    pointer = pointing_words(analysis)
    return pointer if pointer is not None and analysis.tokens[pointer.start].plain in {"there", *row("singular")} else None


def with_neighbours(parser: DefaultParser, question: str, before: Before) -> str | None:
    """ "And in the neighbouring countries?", after the currency of Vietnam, asks for theirs; "how many of the neighbours" are
    those of what was asked about. None for other words, and where no neighbours are known here."""
    again, counted = _OF_NEIGHBOURS.match(question), _THE_NEIGHBOURS.search(question)
    if not (again or counted) or not parser.lexicon.relations_of(stem("border")):
        return None
    analysis = parser.analyse(before.question)
    named = [one for one in analysis.mentions if one.match >= A_NAME and isinstance(one.node, Entity)]
    preposition = again["preposition"] if again else None
    behind = [one for one in named if preposition and _preposition(analysis, one) == preposition]
    places = [one for one in behind or named if _borders(parser, one)]
    old = max(places, key=lambda one: (one.end - one.start, one.weight), default=None)
    if old is None:
        return None
    start, end = analysis.tokens[old.start].start, analysis.tokens[old.end - 1].end
    name = analysis.text[start:end].removesuffix("'s").removesuffix("’s")
    if again:
        return f"{analysis.text[:start]}the neighbouring countries of {name}{analysis.text[end:]}"
    if counted and not any(one.match >= A_NAME for one in parser.analyse(question).mentions):
        return f"{question[: counted.start()]}the neighbours of {name}{question[counted.end() :]}"
    return None


def _borders(parser: DefaultParser, mention: EntityMention) -> bool:
    """Whether something is on record that borders what a name means."""
    called = {relation for relation, strength in parser.lexicon.relations_of(stem("border")) if strength >= A_NAME}
    return any(relation in called and relation.leads_to == THING for relation in parser.relations.at([mention.node]))


def by_another_measure(parser: DefaultParser, question: str, before: Before) -> str | None:
    """ "And by population?": the last question that says by what, by that instead."""
    new = _BY_WHAT.match(question)
    if new is None or any(each.match >= A_NAME for each in parser.analyse(question).mentions):
        return None
    for each in before.chain():
        if (old := _BY.search(each.question)) is not None:
            return f"{each.question[: old.start('measure')]}{new['measure']}{each.question[old.end('measure') :]}"
    return None


def most_of_them(parser: DefaultParser, question: str, before: Before) -> str | None:
    """ "Which is the largest?", after the ethnic groups of Nigeria: the question before with the superlative, where that
    chooses by how many of each there are from what was found."""
    most = _WHICH_MOST.match(question)
    state = parser.state_of(before.form) if most is not None else None
    relation = state.last_relation if state is not None else None
    if most is None or state is None or relation is None or not relation.mediated or len(state.nodes) < _SEVERAL:
        return None
    analysis = parser.analyse(before.question)
    kind = next((each for each in analysis.kinds if each.start and analysis.tokens[each.start - 1].plain in WHICH), None)
    if kind is None:
        return None
    start = analysis.tokens[kind.start].start
    whole = f"{analysis.text[:start]}{most['most']} {analysis.text[start:]}"
    with suppress(InspiredError):
        reading = parser.parse(whole, 1)[0]
        chosen = parser.state_of(reading.form)
        sure = not (reading.unused or reading.improbable)
        if sure and chosen is not None and chosen.ordered and chosen.nodes <= state.nodes:
            return whole
    return None


def with_another_value(parser: DefaultParser, analysis: QuestionAnalysis, before: Before) -> str | None:
    """ "And the second largest?", "and more than 500?": the last question that has a superlative or a comparison, with
    another one."""
    if (in_row := _further_in_row(parser, analysis, before)) is not None:
        return in_row
    again = opening(analysis) > 0
    new = _only_value(analysis, again)
    if new is None:
        return None
    words = " ".join(each.text for each in analysis.tokens[new.start : new.end])
    asked: Before | None = before
    while asked is not None:
        known = parser.analyse(asked.question)
        olds: Sequence[Value] = _extremes(known) if isinstance(new, SuperlativeMention) else known.comparisons
        old = next(iter(olds), None)
        if old is not None:
            return f"{known.text[: known.tokens[old.start].start]}{words}{known.text[known.tokens[old.end - 1].end :]}"
        asked = asked.earlier if again else None
    return None


def _only_value(analysis: QuestionAnalysis, again: bool) -> Value | None:
    """The comparison, where the question before is asked `again`, or the superlative that is all that the words tell."""
    rest = [index for index, each in enumerate(analysis.tokens) if not each.is_stop]
    first = analysis.tokens[0].plain
    if not rest or (first in row("asking") and not again):
        return None
    compared = analysis.comparisons if again or first in row("narrows") else ()
    values: Sequence[Value] = (*compared, *_extremes(analysis))
    return next((each for each in values if all(index in range(each.start, each.end) for index in rest)), None)


def _extremes(analysis: QuestionAnalysis) -> tuple[SuperlativeMention, ...]:
    return tuple(each for each in analysis.extremes if not each.compares)


def _further_in_row(parser: DefaultParser, analysis: QuestionAnalysis, before: Before) -> str | None:
    """ "And which comes second?": the question before, for the second of the row that its superlative makes."""
    ranked = _SECOND.match(" ".join(each.plain for each in analysis.tokens))
    if ranked is None:
        return None
    asked: Before | None = before
    while asked is not None:
        known = parser.analyse(asked.question)
        row_of = next((each for each in _extremes(known) if each.many == 1), None)
        if row_of is not None:
            begin = known.tokens[row_of.start].start
            rest = known.text[known.tokens[row_of.start + (row_of.rank > 1)].start :]  # without the rank that it has
            rank = RANKS[min(row_of.rank, len(RANKS) - 1)] if ranked["rank"] == "next" else ranked["rank"]
            return f"{known.text[:begin]}{rank} {rest}"
        asked = asked.earlier
    return None
