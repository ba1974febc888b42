"""What a follow-up may mean by the words that point back: what was found before, or one thing that it was about."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspired.logical_form.forms import Entity, walk
from inspired.parsers.follow_ups.before import A_NAME, Before, opening, pointing_words, row
from inspired.parsers.follow_ups.together import claimed_thing, several_before, standing
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.relations import NUMBER
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.state import PartialQueryGraph

# What was found before, or with its name one thing that this was about.
Context = tuple[PartialQueryGraph, str | None]
_CONTEXTS = 4
_HALF = 0.5
_INSIDE = frozenset("in at inside within through".split())
_CLAIMED_OF = frozenset(("it", "he", "she", "they"))
_OPENING = 2  # words before "it" in "and is it ..."
_PERSONAL = frozenset("he him his she her hers".split())


@dataclass(frozen=True, eq=False)
class QuestionInContext:
    """A question that may go on from `before`; `pointer` are the places of its words that point there, if any do."""

    parser: DefaultParser
    question: str
    analysis: QuestionAnalysis
    before: Before
    pointer: range | None
    n: int

    @property
    def pointing(self) -> set[str]:
        return {self.analysis.tokens[index].plain for index in self.pointer or ()}


def follow_up_of(parser: DefaultParser, question: str, before: Before, n: int) -> QuestionInContext:
    analysis = parser.analyse(question)
    return QuestionInContext(parser, question, analysis, before, pointing_words(analysis), n)


def asks_of_these(analysis: QuestionAnalysis) -> bool:
    """Whether one of what was found before is asked for: "which is the largest?", "which of them has the most?"."""
    words = [each.plain for each in analysis.tokens if each.plain not in row("goes_on")]
    which = words[:1] == ["which"] and words[1:2] in (["is"], ["was"], ["has"], ["of"], ["one"])
    measures = {each.end for each in analysis.extremes}  # "area" of "the largest area", which is a name too
    measures |= {each.start for each in analysis.extremes}  # "most" is a party too
    named = any(each.match >= A_NAME and each.start not in measures for each in analysis.mentions)
    return which and bool(measures) and not named


def claims_of_it(analysis: QuestionAnalysis, pointer: range | None) -> bool:
    """Whether something is claimed of what was asked about before: "is it the capital of Turkey?"."""
    if pointer is None or analysis.frame.kind != "yes-no" or analysis.tokens[pointer.start].plain not in _CLAIMED_OF:
        return False
    return all(each.is_stop for each in analysis.tokens[: pointer.start]) and pointer.start <= _OPENING


def only_a_figure(analysis: QuestionAnalysis) -> bool:
    """Whether the words are what a figure is called: "and the area?", also where a region is of the type Area."""
    telling = {index for index, each in enumerate(analysis.tokens) if not each.is_stop}
    figures = [row for relation, row in analysis.evidence.items() if relation.leads_to == NUMBER]
    lower = all(analysis.tokens[index].text.islower() for index in telling)
    return bool(telling) and lower and any(all(row.get(index, 0.0) >= _HALF for index in telling) for row in figures)


def only_counts(analysis: QuestionAnalysis) -> bool:
    """ "How many is that?": no more than the number of what was found."""
    telling = [each for index, each in enumerate(analysis.tokens) if not each.is_stop and index not in analysis.passed]
    return analysis.frame.kind == "count" and not telling


def _points_to_one(asked: QuestionInContext) -> bool | None:
    """Whether the words that point mean one thing ("its") or several ("their"); None if they do not tell."""
    return True if asked.pointing & row("singular") else False if asked.pointing & row("plural") else None


def contexts_of(asked: QuestionInContext, together: int) -> list[Context]:
    """What the questions before found, and the things that those were about, by their names; the likeliest first."""
    parser, before, singular = asked.parser, asked.before, _points_to_one(asked)
    # "Which has the least?", after the one that has the most, is asked of all that it was chosen from.
    chosen = asked.pointer is None and len(before.answers) <= 1
    found_only = (asks_of_these(asked.analysis) and not chosen) or only_counts(asked.analysis)
    several = several_before(parser, before, together, singular)
    result: list[Context] = [(several, None)] if several is not None else []
    each: Before | None = before
    while each is not None and len(result) < _CONTEXTS:
        state = standing(parser, each)
        if state is not None:
            # "What currency do they use?", after a figure of Ghana: those who live there.
            one = singular is not False or (state.literal and asked.pointing == {"they"})
            result += [(state, name) for name in _claimed(parser, each) if one]
            result += [] if state.literal else [(state, None)]
            result += [(state, name) for name in _names_in(asked, each, state) if one and not found_only]
        each = each.earlier
    return sorted(_at_places(asked, _of_people(asked, result)), key=lambda context: not _fits(asked, context, result))


def _names_in(asked: QuestionInContext, before: Before, state: PartialQueryGraph) -> Iterator[str]:
    """The names of what a question was about, and of what it found, if that is one thing and was asked for last."""
    yield from (name for name in topics_of(asked.parser, state) if not _left(asked.parser, asked.before, name))
    if before is asked.before and asked.pointer is not None:
        yield from only_answer(asked.parser, before)


def _fits(asked: QuestionInContext, context: Context, others: Sequence[Context]) -> bool:
    """Whether a context is of as many things as the words that point say: of several, or of the one that is left of several,
    where one of these is asked for."""
    (state, name), singular = context, _points_to_one(asked)
    if asks_of_these(asked.analysis):
        return name is not None or len(state.nodes) > 1 or any(state.nodes < other.nodes for other, _ in others)
    one = name is not None or len(state.nodes) == 1
    return singular is None or only_counts(asked.analysis) or singular == one


def _at_places(asked: QuestionInContext, contexts: list[Context]) -> list[Context]:
    """The contexts that "there" may mean: after "which religions are followed in Lebanon?", Lebanon and no religion."""
    short = asked.pointer is None and opening(asked.analysis) > 0 and bool(asked.analysis.asked)  # "and which languages?"
    kinds = _kinds_of_places(asked.parser, asked.before) if short or asked.pointing == {"there"} else set()
    kind_of = asked.parser.relations.kind_of
    if not kinds:
        return contexts
    placed = {relation.path for relation in asked.parser.lexicon.placing}

    def is_place(state: PartialQueryGraph) -> bool:
        lying = any(each.path in placed and not each.outward for each in asked.parser.relations.at(state.some()))
        return bool({kind_of(node) for node in state.some()} & kinds) or (len(state.nodes) == 1 and lying)

    kept = [each for each in contexts if each[1] is not None or is_place(each[0])]
    return kept or contexts


def _kinds_of_places(parser: DefaultParser, before: Before) -> set[str | None]:
    """The kinds of what the questions before name as the place where something is: "in Lebanon", "flows through Peru"."""
    result = set[str | None]()
    for each in before.chain():
        analysis = parser.analyse(each.question)
        words = [token.plain for token in analysis.tokens]
        named = [mention for mention in analysis.mentions if mention.match >= A_NAME and isinstance(mention.node, Entity)]
        for mention in named:
            behind = [word for word in words[: mention.start] if word != "the"][-1:]
            result |= {parser.relations.kind_of(mention.node)} if behind and behind[0] in _INSIDE else set()
    return result - {None}


def _of_people(asked: QuestionInContext, contexts: list[Context]) -> list[Context]:
    """The contexts that "he" and "her" may mean: people, where the knowledge base has any."""
    people = asked.parser.lexicon.people
    if not people or not asked.pointing & _PERSONAL:
        return contexts
    names = {asked.parser.graph.names.get(each) for each in people}
    return [
        (state, name)
        for state, name in contexts
        if (name in names if name is not None else any(isinstance(each, Entity) and each.id in people for each in state.nodes))
    ]


def _claimed(parser: DefaultParser, before: Before) -> Iterator[str]:
    """The one thing that a question of yes or no is about."""
    one = claimed_thing(before)
    if one is not None and (name := parser.graph.names.get(one.id)):
        yield name


def _left(parser: DefaultParser, before: Before, topic: str) -> bool:
    """Whether a question that does not name the topic has found one thing, which is what one then speaks of: Austria, after
    "which of those use the euro?", and no longer Slovakia, which it borders."""
    if len(before.answers) != 1 or not isinstance(before.answers[0], Entity) or before.earlier is None:
        return False
    known, named = ({*walk(before.earlier.form)}, {each.node for each in parser.analyse(before.question).mentions})
    return topic in {parser.graph.names.get(each.id) for each in known - named if isinstance(each, Entity)}


def only_answer(parser: DefaultParser, before: Before) -> Iterator[str]:
    """The name of the one thing that a question found."""
    one = before.answers[0] if len(before.answers) == 1 else None
    if isinstance(one, Entity) and (name := parser.graph.names.get(one.id)):
        yield name


def topics_of(parser: DefaultParser, state: PartialQueryGraph) -> Iterator[str]:
    """The one thing that a question was about: Kenya, of the population of Kenya."""
    others = [tie.other for tie in state.thing.ties if tie.finds]
    if len(others) == 1 and isinstance(others[0], Entity) and (name := parser.graph.names.get(others[0].id)):
        yield name
