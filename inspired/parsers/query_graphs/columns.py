"""Questions for several columns: "which countries border France and what are their capitals?", "capital and area of Peru".

What is asked of each answer, or of the one thing that is named, is read by itself and put beside it as what may be on record.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from inspired.knowledge_base.graph import Graph
from inspired.logical_form.forms import LogicalForm, OptionalGroup, Table, Triple, Variable, variables
from inspired.logical_form.sparql_reader import ANSWER
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.relations import Relation, Relations
from inspired.parsers.query_graphs.query_graph import Tie, linked
from inspired.parsers.query_graphs.state import PartialQueryGraph
from inspired.sub_questions.templates import property_words

_OWNING = frozenset(("their", "its", "his", "her"))
_OWN = rf"(?:{'|'.join(sorted(_OWNING))})"
_PREPOSITION = r"(?:(?:in|into|from|to|on|at|by|of|with)\s+)?"
# "... and what are their capitals", "... together with their capital and population"
_BEHIND = re.compile(
    rf"^(?P<whole>.+?),?\s+(?:(?:and|,)\s*(?:(?:what|who|when|where|which)\s+(?:is|are|was|were)\s+)?(?:also\s+)?{_OWN}"
    rf"|(?:together\s+|along\s+)?with\s+{_OWN})\s+(?P<columns>[^?]+?)\s*[?.]*\s*$",
    re.IGNORECASE,
)
# "name, population and area of the countries that border France"
_AHEAD = re.compile(
    r"^\W*(?:(?:please\s+)?(?:list|show|show\s+me|give|give\s+me|tell\s+me|what\s+are|what\s+is)\s+)?(?:the\s+)?"
    r"(?P<columns>[\w ]+?(?:,\s*(?:the\s+)?[\w ]+?)*,?\s+and\s+(?:the\s+)?[\w ]+?)\s+(?:of|for)\s+"
    r"(?P<whole>(?:the|all|each|every|all\s+the)\s+[^?]+?)\s*[?.]*\s*$",
    re.IGNORECASE,
)
# "capital and currency of Peru": of one thing, which needs no "the"
_OF_ONE = re.compile(
    r"^\W*(?P<opening>(?:please\s+)?(?:list|show(?:\s+me)?|give\s+me|tell\s+me|(?:what|who)\s+(?:are|is|was|were)|what's)\s+)?"
    r"(?:the\s+)?(?P<columns>(?:(?!\bof\b)[\w ,])+?,?\s+and\s+(?:the\s+)?(?:(?!\bof\b)[\w ])+?)\s+(?:of|for)\s+(?P<one>[^?]+?)"
    r"\s*[?.]*\s*$",
    re.IGNORECASE,
)
# "when did X become independent and who did it get independence from?": a question of its own behind the first one. In "who was
# born in Rome and who died there" no question begins.
_SECOND = re.compile(
    r"^(?P<first>.{8,}?)(?:\s*[?.!]\s*(?:and\s+|also\s+)?|,?\s+and\s+(?:also\s+)?)"
    rf"(?P<second>{_PREPOSITION}(?:"
    r"(?:when|where|what|whom|who|how|which(?:\s+\w+)?)\s+(?:do|does|did)\s|(?:when|where|how\s+\w+|what)\s+(?:is|are|was|were|has|have)\s|"
    r"how\s+(?:many|much)\s|(?:what|which)\s+(?:percentage|percent|proportion|share|fraction)s?\b|(?:who|which|what)\s+(?=.*\b(?:it|its|they|their|them|he|she|his|her)\b)|"
    r"who\s+(?:is|are)\s+(?:the|its|their)\s).*?)\s*[?.!]*\s*$",
    re.IGNORECASE | re.DOTALL,
)
# "from whom did X become independent and in which year?": the same asked in another way
_OTHERWISE = re.compile(
    r"^(?P<first>(?:\w+\s+)?(?:when|where|who|whom|what|how\s+\w+|which\s+\w+)\s+(?P<rest>(?:do|does|did|is|are|was|were|has|have)\s.+?)),?\s+and\s+"
    rf"(?P<other>{_PREPOSITION}(?:when|where|whom?|which\s+\w+|what\s+\w+|how\s+\w+))\s*[?.!]*\s*$",
    re.IGNORECASE,
)
# "tell me when Haiti became independent and from whom"
_TOLD = re.compile(
    r"^\W*(?:please\s+)?(?:tell|show|give)\s+(?:me|us)\s+(?P<when>when|where)\s+(?P<one>.{2,40}?)\s+became\s+", re.IGNORECASE
)
_ASKING = re.compile(
    rf"^\W*(?:(?:and|so|ok|please)\s+)?{_PREPOSITION}(?:whom?|what|when|where|which|how|name|list|tell|give|show|is|are|was|were|do|does|did)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\b(?:it|its|they|their|them|he|she|his|her|him|there)\b", re.IGNORECASE)
# Those that mean what was found where that are things, and not the one thing that was named.
OF_FOUND = frozenset("they their them he his him she her".split())
# "... and by what percentage of the population", "... with their shares", "... and what share of the people belongs to each?"
A_SHARE = r"(?:percentages?|proportions?|shares?|fractions?)"
_OF_PEOPLE = r"(?:\s+of\s+(?:the|its|their)?\s*(?:population|people|inhabitants|total|whole|trade))?"
_AND_SHARES = re.compile(
    r"^(?P<whole>.{8,}?)(?P<shares>(?:,|\s+and|[.;?!])\s*(?:and\s+)?(?:"
    rf"(?:by|with|in|at|to)\s+(?:what|which)\s+(?:respective\s+)?{A_SHARE}{_OF_PEOPLE}(?:\s+each)?"
    rf"|(?:together\s+|along\s+)?with\s+(?:the|their|its)\s+(?:respective\s+)?{A_SHARE}{_OF_PEOPLE}"
    rf"|(?:please\s+)?(?:give|add|show|tell|state)(?:\s+me)?\s+(?:the|their|its)\s+(?:respective\s+)?{A_SHARE}(?:\s+(?:too|as\s+well))?"
    rf"|(?:the|their|its)\s+(?:respective\s+)?{A_SHARE}"
    rf"|(?:what|which)\s+(?:are\s+)?(?:the|their|its)?\s*{A_SHARE}{_OF_PEOPLE}(?:\s+[^?,]*\b(?:each|them|they)\b[^?,]*)?)"
    r"(?:,?\s+please)?)\s*[?.!]*\s*$",
    re.IGNORECASE | re.DOTALL,
)
# "life expectancy Japan vs Italy"
_AGAINST = re.compile(r"^\W*(?P<head>[^?,]+?)\s+(?:vs\.?|versus)\s+(?P<other>[^?,]+?)\s*[?.]*\s*$", re.IGNORECASE)
# "population of Peru and Chile": a value of several things
_OF_THINGS = re.compile(
    r"^\W*(?!(?:which|who|whose|is|are|do|does|did|was|were|has|have)\b)(?P<opening>.*\b(?:of|for|in))\s+"
    r"(?P<things>[^?,]+?(?:,\s*[^?,]+?)*,?\s+(?:and|vs\.?|versus)\s+[^?,]+?)\s*[?.]*\s*$",
    re.IGNORECASE,
)
_PARTED = re.compile(r"\s*(?:,\s*and\b|,|\band\b|\bvs\b\.?|\bversus\b)\s*", re.IGNORECASE)
_IN = re.compile(r"^(?:of|for|in)\s+", re.IGNORECASE)
_TRAILING = re.compile(r"\s*(?:\b(?:of|for|in|between)|[:–—-])\s*$", re.IGNORECASE)
_LEADING = re.compile(rf"^(?:the|a|an|{_OWN}|also)\s+", re.IGNORECASE)
_NAMES = frozenset(("name", "names", "title", "titles", "label", "labels"))
_LONGEST, _MOST = 4, 6
_SPEAKS = 0.45
_SAMPLE = 24
_OF_A_WHOLE = frozenset(("percent", "percentage", "share", "proportion", "fraction"))


@dataclass(frozen=True)
class ColumnsAsked:
    """`whole` is the question for the answers, `columns` what is asked of each of them, in words."""

    whole: str
    columns: tuple[str, ...]


def columns_asked(question: str) -> ColumnsAsked | None:
    """The parts of a question for several columns; None where it asks for one."""
    for pattern, opening in ((_BEHIND, ""), (_AHEAD, "list ")):
        if match := pattern.match(question):
            columns = tuple(_phrases(match["columns"]))
            if columns and len(columns) <= _MOST and all(len(each.split()) <= _LONGEST for each in columns):
                return ColumnsAsked(f"{opening}{match['whole']}", columns)
    return None


def shares_asked(question: str) -> tuple[str, str] | None:
    """The question without the words that ask for the share of each answer, and these words; None where none do."""
    match = _AND_SHARES.match(question)
    return (f"{match['whole'].rstrip(' ?.!,;')}?", match["shares"].strip(" ,.;?!")) if match else None


def with_shares(form: LogicalForm, graph: Graph) -> LogicalForm | None:
    """`form` with the share that the node between an answer and what it is known by has; None where there is no such share."""
    facts = [each for each in form.patterns if isinstance(each, Triple)]
    for fact in (each for each in facts if each.object == form.answer and isinstance(each.subject, Variable)):
        ends = islice(graph.pairs(fact.predicate), _SAMPLE)
        leaving = {predicate for node, _ in ends for predicate in graph.predicates_from(node)}
        shares = sorted(each for each in leaving if _OF_A_WHOLE & {*property_words(each).split()})
        if shares and form.returns is None and form.order is None:
            share = Variable("share")
            beside = Triple(fact.subject, shares[0], share)
            return replace(form, patterns=(*form.patterns, beside), returns=Table((form.answer, share)))
    return None


def columns_of_one(question: str) -> tuple[str, ...]:
    """The questions for each of several things that are asked of one: "capital and currency of Peru"; none for others."""
    match = _OF_ONE.match(question)
    columns = tuple(_phrases(match["columns"])) if match else ()
    if match is None or len(columns) < 2 or any(len(each.split()) > _LONGEST for each in columns):
        return ()
    return tuple(f"{match['opening'] or 'what is '}the {each} of {match['one']}?" for each in columns)


def questions_in(question: str) -> tuple[str, ...]:
    """The two questions that are asked in one; none where it is one."""
    question = _TOLD.sub(r"\g<when> did \g<one> become ", question)
    if match := _OTHERWISE.match(question):
        return f"{match['first']}?", f"{match['other']} {match['rest']}?"
    if (match := _SECOND.match(question)) and _ASKING.match(match["first"]):
        return f"{match['first']}?", f"{match['second']}?"
    return ()


def things_in(question: str, is_known: Callable[[str], bool]) -> tuple[str, tuple[str, ...]] | None:
    """The things of which a question asks the same, and the same question of each; None where it asks of one.

    `is_known` tells whether words stand in a name, by which the first of two ends that no preposition begins.
    """
    match = _OF_THINGS.match(question)
    things = [each for each in _PARTED.split(match["things"]) if each] if match else []
    if match is not None and 1 < len(things) <= _MOST:
        return match["things"], tuple(f"{match['opening']} {_IN.sub('', each)}?" for each in things)
    if (against := _AGAINST.match(question)) is None:
        return None
    head = against["head"].split()
    long = next((n for n in range(min(_LONGEST, len(head) - 1), 0, -1) if is_known(" ".join(head[-n:]))), 0)
    if not long:
        return None
    first, asked = " ".join(head[-long:]), _TRAILING.sub("", " ".join(head[:-long]))
    return f"{first} vs {against['other']}", tuple(f"{asked} of {each}?" for each in (first, against["other"]))


def pointer_in(question: str) -> str | None:
    """The word by which a second question points to what the first one is about."""
    match = _POINTS.search(question)
    return match[0] if match else None


def naming(question: str, name: str) -> str:
    """The question with a name in place of the word that points, or behind it where it has neither."""
    if pointer_in(question) is None and name.lower() not in question.lower():
        return f"{question.rstrip('?')} of {name}?"
    return _POINTS.sub(lambda each: f"{name}'s" if each[0].lower() in _OWNING else name, question, count=1)


def _phrases(text: str) -> Iterator[str]:
    for each in _PARTED.split(text):
        plain = _LEADING.sub("", each.strip())
        if plain and plain.lower() not in _NAMES:
            yield plain


def column_relations(
    state: PartialQueryGraph, columns: Sequence[str], relations: Relations, analyse: Callable[[str], QuestionAnalysis]
) -> tuple[Relation, ...] | None:
    """The relation of the things in `state` that each of the words stands for; None where one stands for none."""
    leaving = relations.at(state.some(_SAMPLE))
    chosen: list[Relation] = []
    for words in columns:
        analysis = analyse(words)
        ranked = sorted(leaving, key=lambda each: -_strength(each, analysis))
        if not ranked or _strength(ranked[0], analysis) < _SPEAKS:
            return None
        chosen += [ranked[0]] if ranked[0] not in chosen else []
    return tuple(chosen)


def _strength(relation: Relation, analysis: QuestionAnalysis) -> float:
    """How far the words are the name of a relation, from the thing that has it rather than from the other end."""
    spoken = analysis.speaks_for(relation) * (0.8 if relation.outward else 1.0)
    return spoken * (1 + analysis.title_shares.get(relation.sense, 0.0)) / 2


def relation_columns(relations: Iterable[Relation]) -> tuple[Tie, ...]:
    """The ties from an answer to what `relations` lead to."""
    return tuple(Tie(each.path, ANSWER, not each.outward) for each in relations)


def with_columns(form: LogicalForm, ties: Sequence[Tie]) -> LogicalForm:
    """`form` with what `ties` lead to beside each answer, where there is anything."""
    taken = {each.name for each in variables(form.patterns)} | {ANSWER.name}
    patterns, columns = list(form.patterns), [form.answer]
    for number, tie in enumerate(ties, 1):
        value = Variable(f"column{number}")
        patterns.append(OptionalGroup(tuple(linked(replace(tie, other=value), form.answer, taken | {value.name}))))
        taken |= {each.name for each in variables(patterns[-1:])}
        columns.append(value)
    return replace(form, patterns=tuple(patterns), returns=Table(tuple(columns)))
