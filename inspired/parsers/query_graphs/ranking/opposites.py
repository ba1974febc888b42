"""How probable readings are that differ only in the direction in which facts are read.

Trees weigh each reading alone; that one of two opposites is meant is told by the words, or by nothing. So what the two have
together is shared between them as the words tell (P(reading) = P(relations and names) * P(direction | words)).
"""

import math
from collections.abc import Hashable, Sequence

from inspired.logical_form.forms import Asking, Entity
from inspired.parsers.linking.relations import Relations
from inspired.parsers.query_graphs.query_graph import Thing, Tie

_AGREES, _OPEN, _OPPOSES = 0.95, 0.5, 0.05


def undirected(thing: Thing, relations: Relations) -> Hashable:
    """What a description shares with those that read the same facts from other ends."""

    def part(tie: Tie) -> Hashable:
        relation = relations.by_way.get((tie.path, tie.outward))
        other = undirected(tie.other, relations) if isinstance(tie.other, Thing) else tie.other
        return (relation.sense if relation else tie.path), other, tie.attributes, tie.year

    return frozenset(map(part, thing.ties)), thing.without, thing.options, thing.chosen, "" if thing.ties else thing.kind


def fact_claimed(thing: Thing, returns: object, relations: Relations) -> Hashable:
    """The one fact that is asked for with yes or no, from whichever end it is looked for; None where it is not one."""
    if not isinstance(returns, Asking) or returns.tests or len(returns.members) != 1 or len(thing.ties) != 1:
        return None
    tie, (member,) = thing.ties[0], returns.members
    if not isinstance(tie.other, Entity) or not isinstance(member, Entity) or thing.without or thing.options or thing.chosen:
        return None
    ends, path = ((member, tie.other) if tie.outward else (tie.other, member)), tie.path
    back = relations.reverses.get(path)
    if back is not None and (back, ends[1].id) < (path, ends[0].id):
        ends, path = ends[::-1], back
    return path, ends, tie.attributes, tie.year, returns.negated


def direction_probability(ways: Sequence[bool | None]) -> float:
    """How probable the directions of one reading are (see `ways`)."""
    return math.prod(_OPEN if each is None else _AGREES if each else _OPPOSES for each in ways)


def shared(chances: Sequence[float], alike: Sequence[Hashable], ways: Sequence[Sequence[bool | None]]) -> list[float]:
    """The chances of readings, where those `alike` but for directions share what they have together."""
    weights = [chance * direction_probability(each) for chance, each in zip(chances, ways, strict=True)]
    result = []
    for chance, weight, key, own in zip(chances, weights, alike, ways, strict=True):
        group = [index for index, other in enumerate(alike) if other == key]
        total, of_all = sum(weights[index] for index in group), min(1.0, sum(chances[index] for index in group))
        lone = chance * (_OPPOSES / _AGREES) ** sum(each is False for each in own)
        result.append(of_all * weight / total if len(group) > 1 and total else lone)
    return result
