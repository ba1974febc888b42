"""What only the question before measures or counts: "is it higher than Spain's?", "which has the lowest?", "how many has
Peru?"."""

import re

from inspired.logical_form.forms import Counting, Entity
from inspired.parsers.follow_ups.before import Before
from inspired.parsers.follow_ups.together import one_thing, several_before, standing
from inspired.parsers.linking.relations import DATE, NUMBER, Relation
from inspired.parsers.linking.words import table, tokens_of
from inspired.parsers.query_graphs.default_parser import DefaultParser

_OPENS = r"^\W*(?:(?:and|so|but|then|now) )*"
_OF_IT = re.compile(
    _OPENS
    + r"(?:is|was|are) (?:it|that|this|they) (?P<more>(?:more|less|\w{3,}er)) than (?:in |for |of |that of |the one in )?"
    r"(?P<other>[^?,]+?)(?:['’]s| has| does| did)?\W*$",
    re.IGNORECASE,
)
_WHERE_MOST = re.compile(
    _OPENS + r"where(?P<inside> in [^?]+?)? (?:is|was) (?:it|that|this) (?:the )?"
    r"(?P<most>lowest|highest|largest|smallest|most|least)\W*$",
    re.IGNORECASE,
)
_IS_THE_MOST = re.compile(
    _OPENS + r"(?:is|was) (?:it|that|this) (?:also )?the (?P<most>lowest|highest|largest|smallest|most|least)"
    r"(?P<rest> (?:in|of|on|among) [^?]+?)?\W*$",
    re.IGNORECASE,
)
_THE_MOST = re.compile(
    rf"(?P<head>{_OPENS}(?:which|what|who)\b[^?]*?\b(?:has|have|had)) the "
    r"(?P<most>(?:second |third )?(?:lowest|highest|largest|smallest|biggest|greatest|most|least|fewest))\W*$",
    re.IGNORECASE,
)
_MORE = re.compile(
    rf"(?P<head>{_OPENS}(?:which|what|who|does|do|did)\b[^?]*?\b(?:has|have|had)) (?:the |a )?"
    r"(?P<more>more|fewer|less|higher|lower|larger|smaller|greater)\W*$",
    re.IGNORECASE,
)
_WHICH_MORE = re.compile(
    _OPENS + r"(?:which|who|whose)(?: one| of (?:them|the two|these|those))? (?:is|was|has|had) (?:the )?(?P<more>\w{3,}er)"
    r"(?: one)?(?: of (?:them|the two|these|those)(?: two)?)?\W*$",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    _OPENS + r"(?:how many (?:(?:has|have) (?P<one>[^?]+?)(?: got)?|(?:does|do|did) (?P<other>[^?]+?) have)|"
    r"(?:what about |how about )?(?:in |for )?(?!(?:there|them|these|those)\b)(?P<third>[^?,]{3,40}?), how many)\W*$",
    re.IGNORECASE,
)
_ANY = re.compile(
    _OPENS + r"(?:(?:does|do|did) (?P<one>[^?]+?) (?:have|get)|(?:has|have) (?P<other>[^?]+?)(?: got)?) any\W*$", re.IGNORECASE
)
_MORE_IN = re.compile(_OPENS + r"(?:are|is) there (?P<more>more|fewer) (?:in|for|of) (?P<one>[^?,]+?)\W*$", re.IGNORECASE)
_WHO_HAS_MORE = re.compile(
    _OPENS
    + r"(?:which|who|what)(?: one| country)? (?:has|have|gets|get|had|got) (?:the )?(?P<more>more|fewer|less|higher|lower),? "
    r"(?P<two>[^?,]+ or [^?,]+?)\W*$",
    re.IGNORECASE,
)
_ONES_IN = re.compile(
    _OPENS + r"(?:now )?(?:please )?(?:name|list|show|give|tell)(?: me| us)? (?:the|those) ones "
    r"(?P<where>(?:in|of|from) [^?]+?),? instead\W*$",
    re.IGNORECASE,
)
_THE_ONES = re.compile(
    rf"(?P<head>{_OPENS}(?:(?:which|what) are|(?:please )?(?:name|list|show|give|tell)(?: me| us)?)) the "
    r"(?P<whose>[^\W\d]+(?: [^\W\d]+)?) ones(?: for me)?(?:,? please)?\W*$",
    re.IGNORECASE,
)
_MORE_THERE = re.compile(
    _OPENS
    + r"(?:is|was) (?:it|that|this) (?P<more>higher|lower|larger|smaller|greater|more|less) (?:in|for|of) (?P<one>[^?,]+?)\W*$",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(_OPENS + r"how (?:much|many)(?: exactly| precisely| is (?:it|that)(?: exactly)?)\W*$", re.IGNORECASE)
_OTHERS = re.compile(
    _OPENS + r"(?:which|what) (?!one\b|of (?:the|these|those|them)\b)\w+(?: \w+)? (?:has|have|had) (?:a )?\w+\W*$",
    re.IGNORECASE,
)
_HOW_BIG = re.compile(_OPENS + r"how (?P<how>\w+) (?:is|was|are) (?:it|that|this|they)\W*$", re.IGNORECASE)
_COUNTS = frozenset(("more", "fewer", "most", "fewest"))
_UNIT = re.compile(r"\s*\([^)]*\)$")


def with_measure(parser: DefaultParser, question: str, before: Before) -> str | None:
    """The question with what the question before measured, "the median age", or counted, "World Heritage sites".

    None where the words name that themselves, or nothing before measures or counts.
    """
    if match := _OF_IT.match(question):
        return _compared(parser, match, before)
    if match := _MORE_THERE.match(question):
        return _is_more_there(parser, match["more"].lower(), match["one"], before)
    if _HOW_MUCH.match(question):
        return _value(parser, "", before)
    if match := _IS_THE_MOST.match(question):
        return _has_the_most(parser, match, before)
    if match := _WHERE_MOST.match(question):
        return _where(parser, match, before)
    if match := _THE_MOST.match(question):
        return _behind(parser, f"{match['head']} the {match['most']}", match["most"].lower() in _COUNTS, before)
    if match := _WHICH_MORE.match(question):
        return _of_two(parser, match["more"], before)
    if match := _MORE.match(question):
        whole = _behind(parser, f"{match['head']} {match['more']}", match["more"].lower() in _COUNTS, before)
        return _than_before(parser, whole, before) if whole and _OTHERS.match(question) else whole
    if match := _HOW_BIG.match(question):
        return _value(parser, match["how"].lower(), before)
    return _with_counted(parser, question, before)


def _with_counted(parser: DefaultParser, question: str, before: Before) -> str | None:
    """The question with what was counted, in place of "any", "more" or "ones"."""
    if (match := _HOW_MANY.match(question)) and (counted := _counted(parser, before)):
        return f"How many {counted} does {match['one'] or match['other'] or match['third']} have?"
    if (match := _THE_ONES.match(question)) and (counted := _counted(parser, before)):
        return f"{match['head']} the {match['whose']} {counted}"
    if (match := _ONES_IN.match(question)) and (counted := _counted(parser, before)):
        return f"Which {counted} are {match['where']}?"
    if match := _ANY.match(question):
        return _has_any(parser, match["one"] or match["other"], before)
    if match := _MORE_IN.match(question):
        return _has_more(parser, match["more"].lower(), match["one"], before)
    if match := _WHO_HAS_MORE.match(question):
        return _who_has_more(parser, match["more"].lower(), match["two"], before)
    return None


def _has_any(parser: DefaultParser, name: str, before: Before) -> str | None:
    """ "Does Italy have any?", of what was counted, or what was measured there."""
    counted, figure = _counted(parser, before), measured(parser, before)
    return f"Does {name} have any {counted}?" if counted else f"What is the {figure} of {name}?" if figure else None


def _has_more(parser: DefaultParser, more: str, name: str, before: Before) -> str | None:
    """ "Are there more in Peru?", after a number of what is in Chile."""
    counted, other = _counted(parser, before), _topic(parser, before)
    return f"Does {name} have {more} {counted} than {other}?" if counted and other else None


def _is_more_there(parser: DefaultParser, more: str, name: str, before: Before) -> str | None:
    """ "Is it higher in Peru?", after a figure of Chile, or a number of what is there."""
    figure, other = measured(parser, before), _topic(parser, before)
    if figure is None or other is None:
        return _has_more(parser, more, name, before)
    return f"Does {name} have a {more} {figure} than {other}?"


def _who_has_more(parser: DefaultParser, more: str, names: str, before: Before) -> str | None:
    """ "Who has more, Peru or Chile?", of what was counted or measured."""
    counted, figure = _counted(parser, before), measured(parser, before)
    if counted is not None and more in _COUNTS:
        return f"Which has {more} {counted}, {names}?"
    higher = more if more in ("higher", "lower") else "lower" if more in ("less", "fewer") else "higher"
    return f"Which has the {higher} {figure}, {names}?" if figure is not None else None


def _compared(parser: DefaultParser, match: re.Match[str], before: Before) -> str | None:
    """ "Is it higher than Spain's?", after a figure of Italy, and "is that more than Spain has?", after a number."""
    figure, name, state = measured(parser, before), _topic(parser, before), standing(parser, before)
    if name is None or state is None:
        return None
    more, other = match["more"], match["other"]
    if figure is not None and state.literal:
        return f"Is the {figure} of {name} {more} than the {figure} of {other}?"
    counted = _counted(parser, before) if more.lower() in _COUNTS and isinstance(before.form.returns, Counting) else None
    return f"Does {name} have {more} {counted} than {other}?" if counted else None


def _has_the_most(parser: DefaultParser, match: re.Match[str], before: Before) -> str | None:
    """ "Is it the highest in the world?", after a figure of Japan."""
    figure, name, state = measured(parser, before), _topic(parser, before), standing(parser, before)
    if figure is None or name is None or state is None or not state.literal:
        return None
    return f"Does {name} have the {match['most']} {figure}{match['rest'] or ''}?"


def _where(parser: DefaultParser, match: re.Match[str], before: Before) -> str | None:
    """ "Where in Africa is it lowest?", of things of the kind that the question before was about."""
    figure, topic = measured(parser, before), one_thing(parser, before)
    kind = parser.graph.names.get(parser.relations.kind_of(topic) or "") if topic is not None else None
    return f"Which {kind.lower()}{match['inside'] or ''} has the {match['most']} {figure}?" if figure and kind else None


def _of_two(parser: DefaultParser, more: str, before: Before) -> str | None:
    """ "Which is longer?", after a figure of one thing and of another, or after two things."""
    state, figure = standing(parser, before), measured(parser, before)
    if state is None or (state.literal and figure is None):
        return None
    two = several_before(parser, before, 2, singular=None)
    names = [parser.graph.names.get(each.id) for each in two.thing.options] if two is not None else []
    if not names or not all(names):
        return None
    asked = f"has the {more} {figure}" if state.literal else f"is {more}"
    return f"Which {asked}, {names[0]} or {names[1]}?"


def _behind(parser: DefaultParser, words: str, counts: bool, before: Before) -> str | None:
    """The words with what was counted, or measured, behind them."""
    noun = (_counted(parser, before) if counts else None) or measured(parser, before)
    return f"{words} {noun}?" if noun is not None else None


def _than_before(parser: DefaultParser, whole: str, before: Before) -> str:
    """ "Which countries have a higher one?": than the one that the question before was about."""
    topic = _topic(parser, before)
    return f"{whole.rstrip('?')} than {topic}?" if topic is not None else whole


def _value(parser: DefaultParser, how: str, before: Before) -> str | None:
    """ "How long is that?": the figure by which the question before chose the one thing that it found."""
    relation = _chosen_by(parser, before)
    figure = _called(parser, relation, before) if relation is not None else None
    one = before.answers[0] if len(before.answers) == 1 else None
    name = parser.graph.names.get(one.id) if isinstance(one, Entity) else None
    about = {*str(table("superlatives").get(f"{how}est", {}).get("about", "")).split()}
    chosen = {word for each in parser.analyse(before.question).extremes for word in each.about}
    if figure is None or name is None or (how and not about & {*chosen, *figure.lower().split()}):
        return None
    return f"What is the {figure} of {name}?"


def _topic(parser: DefaultParser, before: Before) -> str | None:
    """What the one thing is called that the question before found or was about."""
    one = one_thing(parser, before)
    return parser.graph.names.get(one.id) if one is not None else None


def measured(parser: DefaultParser, before: Before) -> str | None:
    """What the figure is called that the question before found, or chose by; None if there is none."""
    state = standing(parser, before)
    relation = state.last_relation if state is not None and state.literal else _chosen_by(parser, before)
    return _called(parser, relation, before) if relation is not None and relation.leads_to in (NUMBER, DATE) else None


def _chosen_by(parser: DefaultParser, before: Before) -> Relation | None:
    state = standing(parser, before)
    return next((each.relation for each in state.uses if each.role == "order" and each.level == 0), None) if state else None


def _called(parser: DefaultParser, relation: Relation, before: Before) -> str | None:
    """The words of the name of a relation that the question before has ("GDP"), else its name without the unit."""
    name = parser.graph.names.get(relation.path[0])
    if not name:
        return None
    stems = {each.stem for each in tokens_of(name) if not each.is_stop}
    tokens = parser.analyse(before.question).tokens
    asked = [index for index, each in enumerate(tokens) if each.stem in stems]
    asked += [
        near for index, each in enumerate(tokens) if each.plain == "per" and index - 1 in asked for near in (index, index + 1)
    ]
    inside = [tokens[index] for index in sorted({*asked}) if index < len(tokens)]  # "GDP per person" is no GDP
    called = _UNIT.sub("", name)
    return " ".join(each.text for each in inside) or (called if called[1:2].isupper() else f"{called[:1].lower()}{called[1:]}")


def _counted(parser: DefaultParser, before: Before) -> str | None:
    """What the last question that says so counted or listed, in its own words; None where one since then measured."""
    for each in before.chain():
        if measured(parser, each) is not None:
            return None
        analysis = parser.analyse(each.question)
        if kinds := analysis.asked or analysis.kinds[:1]:
            return " ".join(token.text for token in analysis.tokens[kinds[0].start : kinds[0].end])
    return None
