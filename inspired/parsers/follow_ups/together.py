"""Things that a follow-up points to together, "the two", "they both", "all three", and the nth of the answers before it."""

import re
from dataclasses import replace
from itertools import islice

from inspired.logical_form.forms import Asking, Entity, walk
from inspired.parsers.follow_ups.before import A_NAME, RANKS, Before, pointing_words
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.query_graphs.columns import naming
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.query_graph import Thing
from inspired.parsers.query_graphs.state import PartialQueryGraph

_MOST = 200
# Not "of the two largest lakes".
_ALONE = r"(?!\s+(?:most|least|fewest|[a-z]{2,}est)\b)"
_TOGETHER = re.compile(
    rf"\b(?:the|these|those|all) two\b{_ALONE}|\b(?:of|do|does|did|have) (?:the|these|those|all) (?P<m>three|four)\b{_ALONE}|"
    r"\bboth\b|\bn?either of\b",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\b(?:they|these|those|them) both\b|\bboth of (?:them|these|those)\b|(?<=^do )both\b(?! [^?]* and )", re.IGNORECASE
)
_SURELY = re.compile(
    rf"\b(?:of|do|does|did|have) (?:the|these|those|all) (?:two|three|four)\b{_ALONE}|{_BOTH.pattern}", re.IGNORECASE
)
_MANY = {"two": 2, "three": 3, "four": 4}
_OF_SEVERAL = re.compile(
    r"(?:(?<=which )[^\W\d]+\s+)?\bof\s+(?:the|these|those|all)\s+(?:two|three|four)"
    rf"(?:\s+(?:ones|things|places|countries|cities))?\b{_ALONE}",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\bbetween (?:them|these|those|(?:the|these|those) two(?: countries)?)(?: two)?(?=\W*$| \w+\W*$)", re.IGNORECASE
)
_NTH = re.compile(
    rf"(?:^\W*(?:and|so|ok|then)\s+|^|(?<=\w)\s)(?P<at>)the\s+(?P<nth>{'|'.join(RANKS)}|last)"
    r"(?:\s+one\b|\s+of\s+(?:them|these|those)\b|(?=\W*$))",
    re.IGNORECASE,
)
_ASKS_WHICH = re.compile(
    r"^\W*(?:and\s+)?(?:which|what|who)(?:\s+one|\s+of\s+(?:them|these|those))?\s+(?:is|was|are|were)\s*$", re.IGNORECASE
)


def points_together(question: str, analysis: QuestionAnalysis) -> int:
    """How many things a question points to together: 2 in "which of the two" and "do they both", 0 where it does not."""
    match = _TOGETHER.search(question)
    named = {each.start for each in analysis.mentions if each.match >= A_NAME}
    return _MANY[(match["m"] or "two").lower()] if match and len(named) <= 1 else 0


def surely_points_together(question: str, analysis: QuestionAnalysis) -> bool:
    """Whether no other things can be meant than those of before: "both" alone may be of two things that are named."""
    return points_together(question, analysis) > 0 and _SURELY.search(question) is not None


def of_them(question: str) -> str:
    """The question with "of them" in place of "of the two" and "of these three"."""
    return _OF_SEVERAL.sub("of them", question)


def several_before(parser: DefaultParser, before: Before, many: int, singular: bool | None) -> PartialQueryGraph | None:
    """The things that a question points to together: so `many` if it says, else those that the question before compared."""
    if singular is False and not many and len(before.answers) == 1:
        many = len(compared(parser, before))  # "which of them", after "which is bigger, Peru or Chile?"
    return _several(parser, before, many) if many else None


def of_both(parser: DefaultParser, question: str, analysis: QuestionAnalysis, before: Before) -> str | None:
    """ "Do they both border Kenya?", with the names of both."""
    match = _BOTH.search(question) if analysis.frame.kind == "yes-no" else None
    names = _both_names(parser, before) if match is not None else None
    return f"{question[: match.start()]}{names} both{question[match.end() :]}" if match is not None and names else None


def between_them(parser: DefaultParser, question: str, before: Before) -> str | None:
    """ "How long is the border between them?", with the names of the last two things that were asked about."""
    match = _BETWEEN.search(question)
    names = _both_names(parser, before) if match is not None else None
    return f"{question[: match.start()]}between {names}{question[match.end() :]}" if match is not None and names else None


def _both_names(parser: DefaultParser, before: Before) -> str | None:
    """ "Haiti and Cuba", of the two things that the questions before tell of."""
    both = _several(parser, before, 2)
    names = [parser.graph.names.get(each.id, "") for each in both.thing.options] if both is not None else []
    return " and ".join(names) if names and all(names) else None


def of_nth(parser: DefaultParser, question: str, before: Before) -> str | None:
    """ "What does the second one export?", with the name of the second of the answers as they were shown last."""
    match = _NTH.search(question)
    answers = next((each.answers for each in before.chain() if len(each.answers) > 1), ())
    if match is None or not answers or not all(isinstance(each, Entity) for each in answers):
        return None
    index = len(answers) - 1 if match["nth"].lower() == "last" else RANKS.index(match["nth"].lower())
    one = answers[index] if index < len(answers) else None
    name = parser.graph.names.get(one.id) if isinstance(one, Entity) else None
    rest = question[match.end() :].lstrip(" ,:")
    # "Which was the last of them?" asks for the latest.
    if name is None or not (rest or match.start()) or _ASKS_WHICH.match(question[: match.start()]):
        return None
    if not match.start():  # "the second one, what does it export?"
        pointer = pointing_words(parser.analyse(rest))
        return naming(rest, name) if pointer is not None else f"{name} {rest}"
    return f"{question[: match.start('at')]}{name}{question[match.end() :]}"


def _several(parser: DefaultParser, before: Before, many: int) -> PartialQueryGraph | None:
    """ "The two", "all three" that the last question found or names, or that the last ones found one each of, or, of values,
    were about; None where they tell of more or fewer."""
    nodes = tuple(each for each in before.answers if isinstance(each, Entity))
    nodes = nodes if len(nodes) == many else compared(parser, before)
    if len(nodes) != many:
        last = tuple(islice(before.chain(), many))[::-1]
        nodes = tuple(one for each in last if (one := one_thing(parser, each)) is not None)
    return PartialQueryGraph(Thing((), options=nodes), frozenset(nodes), ()) if len(set(nodes)) == many else None


def compared(parser: DefaultParser, before: Before) -> tuple[Entity, ...]:
    """The things of one kind that a question names, where there are several: of a claim, those of which it says something."""
    claimed = before.form.returns.members if isinstance(before.form.returns, Asking) else ()
    state = standing(parser, before)
    options = state.thing.options if state is not None else ()
    if len(several := max(claimed, options, key=len)) > 1:
        return tuple(each for each in several if isinstance(each, Entity))
    mentions = [each for each in parser.analyse(before.question).mentions if each.match >= A_NAME]
    held = {*walk(before.form)}
    named = [each.node for each in sorted(mentions, key=lambda each: each.start) if isinstance(each.node, Entity)]
    named = [each for each in named if each in held]
    kinds = [parser.relations.kind_of(each) for each in named]
    return tuple(dict.fromkeys(each for each, kind in zip(named, kinds, strict=True) if kind and kinds.count(kind) > 1))


def claimed_thing(before: Before) -> Entity | None:
    """The one thing that a question of yes or no is about."""
    members = before.form.returns.members if isinstance(before.form.returns, Asking) else ()
    return members[0] if len(members) == 1 and isinstance(members[0], Entity) else None


def one_thing(parser: DefaultParser, before: Before) -> Entity | None:
    """The only thing that a question found or made a claim of, else the only one that it was about."""
    if (claimed := claimed_thing(before)) is not None:
        return claimed
    if len(before.answers) == 1 and isinstance(before.answers[0], Entity):
        return before.answers[0]
    state = standing(parser, before)
    named = [tie.other for tie in state.thing.ties if tie.finds and isinstance(tie.other, Entity)] if state is not None else []
    return named[0] if len(named) == 1 else None


def standing(parser: DefaultParser, before: Before) -> PartialQueryGraph | None:
    """What the question before found, as a thing that a query graph grows from."""
    state = parser.state_of(replace(before.form, returns=None))
    if state is not None:
        return state
    nodes = tuple(each for each in before.answers if isinstance(each, Entity))[:_MOST]
    return PartialQueryGraph(Thing((), options=nodes), frozenset(nodes), ()) if nodes else None
