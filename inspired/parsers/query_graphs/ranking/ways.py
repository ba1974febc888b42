"""Whether a query graph goes along its relations in the direction that the words tell."""

from collections.abc import Iterator, Mapping

from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.directions import role_of
from inspired.parsers.query_graphs.ranking.claims import claims_of
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use

_SPEAKS = 0.3
# Words behind which a name is what something is asked about.
_ACTS = frozenset("does do did where when who whose whom from of by to in than".split())
Claims = Mapping[int, tuple[float, int]]


def ways(state: PartialQueryGraph, analysis: QuestionAnalysis, claims: Claims) -> Iterator[bool | None]:
    """For each relation that could be gone along in both directions, whether the words tell this one; None if they do not."""
    for number, use in enumerate(state.uses):
        if use.relation is None or analysis.ends is None or use.role not in ("start", "hop"):
            continue
        agrees = _agrees(state, number, analysis, claims) if analysis.ends.is_open(use.relation) else None
        if agrees is None and not any(True for _ in _runs(number, state, claims)) and _asks_for_members(use, analysis):
            one = len(state.nodes) == 1 and use.level == 0 and not use.relation.outward
            agrees = False if one else analysis.ends.leads_to_members(use.relation)
        if agrees is not None or analysis.ends.is_open(use.relation):
            yield agrees


def _asks_for_members(use: Use, analysis: QuestionAnalysis) -> bool:
    """ "Name the essential amino acids", "how many fruits are there": a name in the plural is what the question asks for."""
    if use.role != "start" or use.mention is None or analysis.frame.kind == "yes-no":
        return False
    before, last = analysis.tokens[: use.start], analysis.tokens[use.end - 1].plain
    opens = all(each.is_stop or index in analysis.frame.cues for index, each in enumerate(before))
    several = last.endswith("s") and not last.endswith(("ss", "us", "is"))
    return several and opens and not _ACTS & {each.plain for each in before}


def ways_of(state: PartialQueryGraph, analysis: QuestionAnalysis) -> Iterator[bool | None]:
    return ways(state, analysis, claims_of(state, analysis)[0])


def _agrees(state: PartialQueryGraph, number: int, analysis: QuestionAnalysis, claims: Claims) -> bool | None:
    """What the words of the relation tell, those that stand nearest to the thing named first."""
    use = state.uses[number]
    named = use.places if use.role == "start" else _inner(use, state, claims)
    if not named or use.relation is None or analysis.ends is None:
        return None
    for run in sorted(_runs(number, state, claims), key=lambda each: max(named.start - each.stop, each.start - named.stop)):
        words = [analysis.tokens[index].plain for index in run]
        agrees = analysis.ends.agrees(use.relation, role_of(named, run, analysis.tokens), words)
        if agrees is not None:
            return agrees
    return None


def _runs(number: int, state: PartialQueryGraph, claims: Claims) -> Iterator[range]:
    """The words of a relation, together those that stand so ("sub class"); "parents of A and B" share theirs."""
    alike = {index for index, use in enumerate(state.uses) if use.relation == state.uses[number].relation}
    spots = {index for index, (strength, owner) in claims.items() if owner in alike and strength >= _SPEAKS}
    for first in sorted(spots):
        if first - 1 not in spots:
            yield range(first, next(index for index in range(first, first + len(spots) + 1) if index not in spots))


def _inner(hop: Use, state: PartialQueryGraph, claims: Claims) -> range:
    """The words for what a relation goes on from."""
    inner = {number for number, use in enumerate(state.uses) if use.level > hop.level}
    places = {index for number in inner for index in state.uses[number].places}
    places |= {index for index, (strength, number) in claims.items() if number in inner and strength >= _SPEAKS}
    return range(min(places), max(places) + 1) if places else range(0)
