"""What was read for the question before, with another thing in place of one of its kind.

That keeps what the question before was read as, also where its words would be read otherwise of another thing: "and giants?",
after the number of dragons among the creatures, asks for creatures and not for who speaks Giant. A corrected step is kept too,
where the parser knows the query that comes of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspired.logical_form.equivalence import canonical
from inspired.logical_form.forms import Asking, Entity
from inspired.parsers.follow_ups.before import Before
from inspired.parsers.linking.entities import EntityMention
from inspired.parsers.query_graphs.default_parser import DefaultParser
from inspired.parsers.query_graphs.query_graph import Either, Thing, Tie
from inspired.parsers.query_graphs.state import PartialQueryGraph
from inspired.parsers.query_graphs.walk import answers
from inspired.parsers.reading import QuestionReading

# How sure such a reading is where the words, read again, do not come to it.
_SURE = 0.5


def swapped(
    parser: DefaultParser, before: Before, named: Sequence[EntityMention], again: Sequence[QuestionReading]
) -> tuple[QuestionReading, ...] | None:
    """The reading of the question before about one of the things in `named`, and then those of `again`, by its words; None
    if the question before has no thing of their kinds, or several, or nothing comes of it."""
    state = parser.state_of(replace(before.form, returns=None))
    if state is None or state.rank > 1:
        return None
    for each in named:
        changed = _about(parser, before, state, each.node) if isinstance(each.node, Entity) else None
        if changed is None:
            continue
        thing, members = changed
        nodes = frozenset(answers(parser.graph, thing))
        if not nodes and before.form.returns is None:
            continue
        returns = before.form.returns
        asked = replace(returns, members=members) if isinstance(returns, Asking) and members else returns
        plain = QuestionReading(replace(before.form, returns=asked), {}, _SURE)
        reading = parser.read_as(plain, replace(state, thing=thing, nodes=nodes))
        return _first(reading, again)
    return None


def _first(reading: QuestionReading, again: Sequence[QuestionReading]) -> tuple[QuestionReading, ...]:
    """`reading` before the others, as sure as the words are of it, or of what they would be read as in its place, and without
    the words that are left out there."""
    form = canonical(reading.form)
    same = [each for each in again if canonical(each.form) == form]
    sure = max([_SURE, *(each.confidence for each in (*same, *again[:1]))])
    others = tuple(each for each in again if each not in same)
    rest = max(1.0 - sure, 0.0)
    total = sum(each.confidence for each in others)
    fewer = tuple(replace(each, confidence=each.confidence * min(1.0, rest / total)) if total else each for each in others)
    unused = next((each.unused for each in (*same, *again)), ())
    return (replace(reading, confidence=sure, unused=unused), *fewer)


def _about(
    parser: DefaultParser, before: Before, state: PartialQueryGraph, new: Entity
) -> tuple[Thing, tuple[Entity, ...]] | None:
    """What was asked for and what was claimed, with `new` in place of the only other thing of its kind."""
    kind = parser.relations.kind_of(new)
    returns = before.form.returns
    claimed = tuple(each for each in returns.members if isinstance(each, Entity)) if isinstance(returns, Asking) else ()
    if {*claimed} & {*state.thing.options}:  # what was compared is not what is to be compared
        return None
    alike = {each for each in (*_things(state.thing), *claimed) if parser.relations.kind_of(each) == kind}
    if kind is None or len(alike) != 1 or new in alike:
        return None
    old = alike.pop()
    return _with(state.thing, old, new), tuple(new if each == old else each for each in claimed)


def _things(thing: Thing) -> Iterator[Entity]:
    for tie in thing.ties:
        match tie.other:
            case Entity() as other:
                yield other
            case Either(options):
                yield from options
            case Thing() as other:
                yield from _things(other)
    for each in thing.without:
        yield from _things(each)


def _with(thing: Thing, old: Entity, new: Entity) -> Thing:
    return replace(
        thing,
        ties=tuple(_tie_with(each, old, new) for each in thing.ties),
        without=tuple(_with(each, old, new) for each in thing.without),
    )


def _tie_with(tie: Tie, old: Entity, new: Entity) -> Tie:
    match tie.other:
        case Entity() as other if other == old:
            return replace(tie, other=new)
        case Either(options):
            return replace(tie, other=Either(tuple(new if each == old else each for each in options)))
        case Thing() as other:
            return replace(tie, other=_with(other, old, new))
    return tie
