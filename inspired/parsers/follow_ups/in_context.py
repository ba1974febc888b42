"""Questions that go on from the one before: "which of these ...?", "what are their capitals?", "and Spain?", "how many?".

What was found before stands for the words that point to it, as one more thing that a query graph can grow from; so a
denial, a count or a superlative in a follow-up is read as in any question.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from backend.errors import InspiredError
from inspired.logical_form.equivalence import equivalent
from inspired.logical_form.forms import Asking, Entity, walk
from inspired.parsers.follow_ups.after_claims import true_instead, with_claim_before
from inspired.parsers.follow_ups.asked_again import (
    by_another_measure,
    most_of_them,
    with_another_name,
    with_another_value,
    with_neighbours,
)
from inspired.parsers.follow_ups.before import (
    A_NAME,
    ASKING,
    Before,
    asked_otherwise,
    first_word,
    opening,
    pointing_words,
    row,
    without_interjections,
)
from inspired.parsers.follow_ups.compared import with_what_it_is_compared
from inspired.parsers.follow_ups.contexts import (
    Context,
    QuestionInContext,
    asks_of_these,
    claims_of_it,
    contexts_of,
    follow_up_of,
    only_a_figure,
    only_answer,
    only_counts,
    topics_of,
)
from inspired.parsers.follow_ups.measured import with_measure
from inspired.parsers.follow_ups.of_these import with_these, words_for_some
from inspired.parsers.follow_ups.others import (
    all_in_order,
    asks_for_order,
    asks_for_others,
    by_their_names,
    the_rest,
    with_direction,
    without_known,
)
from inspired.parsers.follow_ups.together import (
    between_them,
    compared,
    of_both,
    of_nth,
    of_them,
    points_together,
    standing,
    surely_points_together,
)
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.query_graphs.default_parser import DOUBTED, IMPROBABLE, DefaultParser
from inspired.parsers.query_graphs.query_graph import Thing
from inspired.parsers.query_graphs.state import PartialQueryGraph
from inspired.parsers.query_graphs.walk import described
from inspired.parsers.reading import QuestionReading

_FEW = 3
_VAGUE = 20
_SURER = 0.1
_HALF = 0.5
_BOTH = 2
_LIKELY = 0.3
_IT = frozenset(("it", "its", "there"))
_LARGEST_ONE = re.compile(
    r"(?<=of |in |to |by |at |es )the (?P<most>(?:second |third )?(?:[a-z]{2,}est|(?:most|least) [a-z]+(?= ones?\b)))"
    r"(?: ones?\b(?=\W*$| \w+\W*$)|(?=\W*$))",
    re.IGNORECASE,
)
_LATTER = re.compile(r"\bthe (?P<which>former|latter)\b(?! \w+ of\b)", re.IGNORECASE)
_IS_IT_THE = re.compile(
    r"^\W*(?:and |so )?(?:is|was) it (?:also |really |actually )?the (?P<what>(?!\w*est\b|most\b|least\b)[a-z]+(?: [a-z]+)?)"
    r"(?: there| of (?:it|the country|that country))?\W*$",
    re.IGNORECASE,
)
_OWNER = re.compile(r"\bthe \w+['’]s\b", re.IGNORECASE)
_OWNING = frozenset("its his her their".split())


def read_in_context(
    parser: DefaultParser, question: str, before: Before, n: int = 10
) -> tuple[tuple[QuestionReading, ...], str]:
    """The readings of a question that may go on from `before`, and the question in words that stand for themselves.

    Raises InspiredError if there is none.
    """
    question = without_interjections(question)
    question = spelt_out(parser, question, before)
    analysis = parser.analyse(question)
    if asks_for_order(analysis) and (in_order := _in_order(parser, question, analysis, before, n)) is not None:
        return in_order
    readings, whole = _understood(parser, question, analysis, before, n)
    return without_known(parser, readings, before) if asks_for_others(analysis) else readings, whole


def _understood(
    parser: DefaultParser, question: str, analysis: QuestionAnalysis, before: Before, n: int
) -> tuple[tuple[QuestionReading, ...], str]:
    if (whole := in_full(parser, question, analysis, before)) is not None:
        known = parser.analyse(whole)
        if before.earlier is not None and (pointing_words(known) is not None or is_bare(known)):
            return read_in_context(parser, whole, before.earlier, n)[0], whole
        return parser.parse(whole, n), whole
    state = standing(parser, before)
    by_name = by_their_names(parser, analysis, before, state) if state else None
    only = by_name or true_instead(parser, analysis, before) or the_rest(parser, analysis, before)
    if only is not None:
        return (only,), question
    if (of_kind := _thing_of_kind(parser, analysis, before, n)) is not None:
        return of_kind
    pointer = pointing_words(analysis)
    narrows = first_word(analysis) in row("narrows")
    again = with_another_name(parser, analysis, before, n, read_in_context) if pointer is None and not narrows else None
    if again is not None and not equivalent(again[0][0].form, before.form):
        return again
    goes_on = pointer is not None or is_bare(analysis) or _names_nothing(analysis) or surely_points_together(question, analysis)
    asked = QuestionInContext(parser, question, analysis, before, pointer, n)
    if goes_on and (reading := _from_before(asked)) is not None:
        return reading
    return _alone_or_from_before(asked)


def _alone_or_from_before(asked: QuestionInContext) -> tuple[tuple[QuestionReading, ...], str]:
    """The readings of a question that does not say that it goes on: in context if it asks of one thing, or has none alone."""
    try:
        readings = asked.parser.parse(asked.question, asked.n)
    except InspiredError:
        reading = _from_before(asked)
        if reading is None:
            raise
        return reading
    of_one = asks_of_one(asked.parser, asked.analysis, readings)
    narrower = _from_before(asked, of_one) if of_one else None
    return narrower if narrower and not narrower[0][0].unused else (readings, asked.question)


def in_full(parser: DefaultParser, question: str, analysis: QuestionAnalysis, before: Before) -> str | None:
    """A question that can only be understood by the one before, "the second largest?" or "is the Rhine longer?", in full."""
    return (
        with_another_value(parser, analysis, before)
        or with_what_it_is_compared(parser, analysis, before)
        or of_both(parser, question, analysis, before)
        or of_nth(parser, question, before)
    )


def spelt_out(parser: DefaultParser, question: str, before: Before) -> str:
    """The question with what it leaves out: all but how it asks, what was measured before, or the name of "the largest one"."""
    return (
        asked_otherwise(question, before)
        or with_neighbours(parser, question, before)
        or by_another_measure(parser, question, before)
        or between_them(parser, question, before)
        or most_of_them(parser, question, before)
        or with_measure(parser, question, before)
        or _of_the_most(parser, question, before)
        or _of_latter(parser, question, before)
        or with_claim_before(parser, question, before)
        or _of_owner(parser, question, before)
        or _what_it_is_of(parser, question, before)
        or question
    )


def _of_owner(parser: DefaultParser, question: str, before: Before) -> str | None:
    """ "What is the country's largest city?", with the name of the country that was asked about."""
    if _OWNER.search(question) is None:
        return None
    analysis = parser.analyse(question)
    owner = next((each for each in analysis.kinds if analysis.tokens[each.start].text.lower().endswith(("'s", "’s"))), None)
    if owner is None or owner.start == 0 or analysis.tokens[owner.start - 1].plain != "the":
        return None
    for each in before.chain():
        mentions = sorted(parser.analyse(each.question).mentions, key=lambda mention: -mention.match)
        nodes = [*each.answers, *(mention.node for mention in mentions if mention.match >= A_NAME)]
        one = next((node for node in nodes if isinstance(node, Entity) and node.id in owner.kind.members), None)
        if one is not None and (name := parser.graph.names.get(one.id)):
            start, end = analysis.tokens[owner.start - 1].start, analysis.tokens[owner.start].end
            return f"{analysis.text[:start]}{name}'s{analysis.text[end:]}"
    return None


def _what_it_is_of(parser: DefaultParser, question: str, before: Before) -> str | None:
    """ "Is it also the capital?", of the largest city in Brazil, with the names of both."""
    match = _IS_IT_THE.match(question)
    one = before.answers[0] if match is not None and len(before.answers) == 1 else None
    state = standing(parser, before) if isinstance(one, Entity) else None
    topic = next(topics_of(parser, state), None) if state is not None else None
    if match is None or not isinstance(one, Entity) or topic is None:
        return None
    whole = f"Is {parser.graph.names.get(one.id)} the {match['what']} of {topic}?"
    reading = next(iter(_parsed(parser, whole, 1, None)), None)
    claimed = (
        isinstance(reading.form.returns, Asking) and reading.form.returns.members == (one,) if reading is not None else False
    )
    return whole if reading is not None and claimed and not reading.unused else None


def _of_latter(parser: DefaultParser, question: str, before: Before) -> str | None:
    """ "In which country is the latter?", with the name of the last of the things that the question before names."""
    match = _LATTER.search(question)
    if match is None:
        return None
    index = 0 if match["which"].lower() == "former" else -1
    both = compared(parser, before)
    earlier = [*before.chain()][1:]
    known = {one for each in earlier for one in (*walk(each.form), *each.answers)} & {*both}
    if len(both) == _BOTH and len(known) == 1:  # "Is Elbrus higher?", which has what was asked about before put behind it
        name = parser.graph.names.get(sorted(both, key=lambda each: each not in known)[index].id, "")
        return f"{question[: match.start()]}{name}{question[match.end() :]}" if name else None
    asked = parser.analyse(before.question)
    mentions = [each for each in asked.mentions if each.match >= A_NAME and isinstance(each.node, Entity)]
    named = sorted(mentions, key=lambda each: (each.start, -each.end))
    if not named or named[0].node == named[-1].node:
        return None
    one = named[index]
    name = asked.text[asked.tokens[one.start].start : asked.tokens[one.end - 1].end]
    return f"{question[: match.start()]}{name}{question[match.end() :]}"


def _of_the_most(parser: DefaultParser, question: str, before: Before) -> str | None:
    """ "And the capital of the largest one?", with the name of the largest of what was found."""
    match = _LARGEST_ONE.search(question)
    if match is None or not parser.analyse(question).extremes:
        return None
    try:
        reading = read_in_context(parser, f"which of them is the {match['most']}?", before, 1)[0][0]
    except InspiredError:
        return None
    state = parser.state_of(replace(reading.form, returns=None))
    sure = not (reading.unused or reading.improbable)
    one = next(iter(state.nodes)) if state is not None and len(state.nodes) == 1 and sure else None
    name = parser.graph.names.get(one.id) if isinstance(one, Entity) else None
    return f"{question[: match.start()]}{name}{question[match.end() :]}" if name else None


def _thing_of_kind(
    parser: DefaultParser, analysis: QuestionAnalysis, before: Before, n: int
) -> tuple[tuple[QuestionReading, ...], str] | None:
    """ "Which country?" asks in which one the thing is that the question before was about, or found."""
    words = [each.plain for each in analysis.tokens]
    telling = [index for index, each in enumerate(analysis.tokens) if not each.is_stop]
    kinds = [each for each in analysis.kinds if telling and all(each.start <= index < each.end for index in telling)]
    if not kinds or words[:1] not in (["which"], ["what"]) or kinds[0].start != 1 or kinds[0].end != len(words):
        return None
    state = standing(parser, before)
    answers = [parser.graph.names.get(each.id) for each in before.answers if isinstance(each, Entity)]
    topics = [*topics_of(parser, state)] if state is not None else []
    for name in filter(None, [*(answers if len(answers) == 1 else []), *topics]):
        whole = f"{analysis.text.rstrip(' ?')} is {name} in?"
        try:
            readings = parser.parse(whole, n)
        except InspiredError:
            continue
        if not readings[0].unused:
            return readings, whole
    return None


def _in_order(
    parser: DefaultParser, question: str, analysis: QuestionAnalysis, before: Before, n: int
) -> tuple[tuple[QuestionReading, ...], str] | None:
    """ "Sort them by price, cheapest first": all that was found, in order."""
    context = next(_standing_things(parser, before), None)
    if context is None:
        return None
    whole = with_direction(question, analysis)
    pointer = pointing_words(parser.analyse(whole)) or range(0)
    try:
        readings = all_in_order(parser, parser.parse(whole, n, context.as_context(pointer)), context)
    except InspiredError:
        return None
    return (readings, before.question) if readings else None


def _from_before(asked: QuestionInContext, of_one: bool = False) -> tuple[tuple[QuestionReading, ...], str] | None:
    """The readings that go on from what was found before, or from what that was about: those that use the most words.

    Where one thing is asked about, "it" or what is to have the one asked for (`of_one`), the surest of these.
    """
    together = points_together(asked.question, asked.analysis)
    if together and (plainer := of_them(asked.question)) != asked.question:
        asked = follow_up_of(asked.parser, plainer, asked.before, asked.n)
    shortly = asked.pointer is None and opening(asked.analysis) > 0  # "and the import partners?"
    surest = of_one or shortly or bool(asked.pointing and asked.pointing <= _IT)
    best = _best_of(asked, contexts_of(asked, together), surest)
    claimed = claims_of_it(asked.analysis, asked.pointer)  # "is it the capital of Turkey?" is not whether Turkey has a capital
    if best is not None and not best[0][0].unused and not claimed:
        return best
    named = _about_the_answer(asked)
    if named is None or (claimed and best is not None and named[0][0].confidence < _LIKELY):
        return (tuple(_of_another(asked, each) for each in best[0]), best[1]) if claimed and best is not None else best
    return named


def _of_another(asked: QuestionInContext, reading: QuestionReading) -> QuestionReading:
    """A claim of "it", as doubtful where it is made of another thing than the one answer before, which is not named either:
    "is it also the capital?", of the largest city in Brazil, is not whether Brazil has one."""
    returns, answers = reading.form.returns, asked.before.answers
    members = returns.members if isinstance(returns, Asking) else ()
    named = {each.node for each in asked.analysis.mentions}
    if len(answers) != 1 or not isinstance(answers[0], Entity) or not members or {*members} & {*answers, *named}:
        return reading
    return replace(reading, confidence=min(reading.confidence, DOUBTED))


def _best_of(
    asked: QuestionInContext, contexts: Sequence[Context], surest: bool
) -> tuple[tuple[QuestionReading, ...], str] | None:
    """The readings in the context in which the most words are used; of those of the last question the `surest`, if so."""
    best: tuple[tuple[QuestionReading, ...], str] | None = None
    latest = standing(asked.parser, asked.before)
    for state, name in contexts:
        by_sureness = surest and state is latest
        if best is not None and not (best[0][0].unused or best[0][0].improbable or by_sureness):
            break
        readings, whole = _going_on_from(asked, state) if name is None else _about(asked, name)
        returns = False
        if best is not None and by_sureness and name is not None:
            returns = _comes_back(asked.parser, best[0][0], state) or _is_fuller(asked, readings, best[0])
            by_way = best[1] == asked.question  # of what was found, and not by a name
            returns = returns or (by_way and _finds_others(asked, name, readings, best[0]))
        if readings and (best is None or _is_better(readings[0], best[0][0], by_sureness, returns)):
            best = readings, whole
    return best


def _going_on_from(asked: QuestionInContext, state: PartialQueryGraph) -> tuple[tuple[QuestionReading, ...], str]:
    """The readings of a question that go on from what was found; with words that point, none that makes no use of that."""
    parser, pointer = asked.parser, asked.pointer
    readings = _parsed(parser, asked.question, asked.n, state.as_context(pointer or range(0)))
    if pointer is not None and readings and not _makes_use(parser, readings[0]):
        readings = ()  # "what is the main religion there?" does not ask for that of the whole world
    readings = tuple(_of_none_of_these(parser, each, state) for each in readings) if asks_of_these(asked.analysis) else readings
    some = words_for_some(asked.analysis, pointer)
    return readings if some is None else with_these(parser, asked.analysis, some, state, readings), asked.question


def _of_none_of_these(parser: DefaultParser, reading: QuestionReading, these: PartialQueryGraph) -> QuestionReading:
    """A reading, as improbable where it finds none of these: the largest of the states of Australia is not Australia."""
    state = parser.state_of(replace(reading.form, returns=None))
    if state is None or state.literal or these.literal or state.nodes & these.nodes:
        return reading
    return replace(reading, confidence=min(reading.confidence, IMPROBABLE / 2), improbable=True)


def _makes_use(parser: DefaultParser, reading: QuestionReading) -> bool:
    """Whether a reading makes use of what was found before; of one that came otherwise it is not known."""
    state = parser.state_of(replace(reading.form, returns=None))
    return state is None or any(each.role == "context" for each in state.uses)


def _about(asked: QuestionInContext, name: str) -> tuple[tuple[QuestionReading, ...], str]:
    """The readings of the question about what has the name."""
    whole = _naming(asked.analysis, asked.pointer, name)
    return _parsed(asked.parser, whole, asked.n, None), whole


def _about_the_answer(asked: QuestionInContext) -> tuple[tuple[QuestionReading, ...], str] | None:
    """ "Where does it begin?", by the name of the one answer: a graph that grows from it finds nothing where that is not on
    record."""
    name = next(only_answer(asked.parser, asked.before), None) if asked.pointer is not None else None
    readings, whole = _about(asked, name) if name is not None else ((), "")
    return (readings, whole) if readings and not readings[0].unused else None


def _parsed(parser: DefaultParser, question: str, n: int, context: PartialQueryGraph | None) -> tuple[QuestionReading, ...]:
    """The readings of a question; none where it cannot be read."""
    try:
        return parser.parse(question, n, context)
    except InspiredError:
        return ()


def _comes_back(parser: DefaultParser, reading: QuestionReading, state: PartialQueryGraph) -> bool:
    """Whether a reading goes by way of things among which is the one that `state` is about: to the head of state of all that
    have the form of government of Laos."""
    known = parser.state_of(replace(reading.form, returns=None))
    topics = {tie.other for tie in state.thing.ties if tie.finds and isinstance(tie.other, Entity)}
    inner = [known.thing] if known is not None and len(topics) == 1 else []
    while inner:
        inner = [tie.other for thing in inner for tie in thing.ties if isinstance(tie.other, Thing)]
        if any(topics & described(parser.graph, each).keys() for each in inner):
            return True
    return False


def _finds_others(
    asked: QuestionInContext, name: str, readings: Sequence[QuestionReading], known: Sequence[QuestionReading]
) -> bool:
    """Whether a question about the one answer before finds something else by its name than by what led to it: the same is
    meant, and the words say more plainly whether Nigeria exports or is exported to."""
    if not readings or name not in only_answer(asked.parser, asked.before):
        return False
    by_name, by_way = (asked.parser.state_of(replace(each[0].form, returns=None)) for each in (readings, known))
    return by_name is not None and by_way is not None and by_name.nodes != by_way.nodes


def _is_fuller(asked: QuestionInContext, readings: Sequence[QuestionReading], known: Sequence[QuestionReading]) -> bool:
    """Whether the question says all of what the relation is called by which `readings` answer it, and half of that in `known`:
    how long the Nile is, and not how long the coast of the country in which it rises."""
    shares = [_title_share(asked, each[0]) for each in (readings, known) if each]
    return len(shares) > 1 and shares[0] == 1.0 and shares[1] <= _HALF


def _title_share(asked: QuestionInContext, reading: QuestionReading) -> float:
    state = asked.parser.state_of(replace(reading.form, returns=None))
    relation = state.last_relation if state is not None else None
    return asked.analysis.title_shares.get(relation.sense, 0.0) if relation is not None else 1.0


def _is_better(reading: QuestionReading, known: QuestionReading, by_sureness: bool, returns: bool) -> bool:
    """Whether a reading uses more words than the best one so far, or as many and is surer by far, or as sure where that one
    `returns` to what is named: after "what is the currency of Croatia?", Croatia became independent, not what has the euro."""
    left, known_left = len(reading.unused), len(known.unused)
    if known.improbable and left <= known_left:
        return not reading.improbable
    surer = by_sureness and reading.confidence > known.confidence + (-_SURER if returns else _SURER)
    return left < known_left or (left == known_left and surer)


def _naming(analysis: QuestionAnalysis, pointer: range | None, name: str) -> str:
    """The question with a name in place of the words that point, or behind it."""
    words = [each.text for each in analysis.tokens]
    if pointer is None:
        return " ".join((*words, "of", name))
    owned = f"{name}'s" if analysis.tokens[pointer.stop - 1].plain in _OWNING and words[pointer.stop :] else name
    return " ".join((*words[: pointer.start], owned, *words[pointer.stop :]))


def asks_of_one(parser: DefaultParser, analysis: QuestionAnalysis, readings: Sequence[QuestionReading]) -> bool:
    """Whether "who is the president?" or "and which languages?" is asked of what was asked about before: by itself, it asks for
    one thing and finds those of all countries, or names none of which it asks."""
    if not readings or analysis.extremes:
        return False
    if opening(analysis) > 0 and only_a_figure(analysis):
        return True
    words = [each.plain for each in analysis.tokens[:4]]
    one = words[1:2] == ["the"] and words[0] in ASKING  # "who's the president?"
    one = one or any(words[index : index + 2] in (["is", "the"], ["was", "the"]) for index in range(3))
    named = {each.node for each in analysis.mentions if each.match >= A_NAME}
    of_none = opening(analysis) > 0 and not analysis.comparisons and not named & {*walk(readings[0].form)}
    state = parser.state_of(replace(readings[0].form, returns=None)) if one or of_none else None
    return state is not None and len(state.nodes) > _VAGUE


def _names_nothing(analysis: QuestionAnalysis) -> bool:
    """Whether neither a name nor a kind of thing tells what a question is about: "and the life expectancy?"."""
    return not analysis.kinds and not any(each.match >= A_NAME for each in analysis.mentions)


def _standing_things(parser: DefaultParser, before: Before | None) -> Iterator[PartialQueryGraph]:
    """What the questions before found, the last first, but for values."""
    while before is not None:
        state = standing(parser, before)
        if state is not None and not state.literal:
            yield state
        before = before.earlier


def is_bare(analysis: QuestionAnalysis) -> bool:
    """Whether the words ask for something of what is already there: "how many?", "the largest?", "only in Europe"."""
    words = [each.plain for each in analysis.tokens]
    if words and (first_word(analysis) in row("narrows") or any(each.start == 0 for each in analysis.frame.negations)):
        return True
    telling = [each for index, each in enumerate(analysis.tokens) if not each.is_stop and index not in analysis.passed]
    counting = only_counts(analysis)
    inside = {index for each in analysis.extremes for index in range(each.start, each.end)}  # "most", which is a party too
    named = any(each.match >= A_NAME and each.start not in inside for each in analysis.mentions)
    values = bool(analysis.comparisons or analysis.extremes)
    return not named and not analysis.asked and (counting or (values and len(telling) <= 2 * _FEW and words[:1] == ["which"]))
