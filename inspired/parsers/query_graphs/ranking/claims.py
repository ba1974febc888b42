"""Which words of a question a query graph explains: each speaks for one relation only, and what none claims is left over."""

from collections.abc import Mapping

from inspired.logical_form.forms import Entity
from inspired.parsers.linking.analysis import WHICH, QuestionAnalysis
from inspired.parsers.linking.entities import ADJECTIVE
from inspired.parsers.linking.label_grammar import is_participle
from inspired.parsers.linking.relations import NUMBER, Relation
from inspired.parsers.linking.values import SuperlativeMention
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use

_NO_EVIDENCE = 0.12
_SPEAKS = 0.5
_NAMES = 0.76
# What "in Africa" and "African" count for as words of the relation that says where something is.
_SAYS_WHERE = 0.6
_CLEAR = frozenset(("most", "least", "best", "worst", "maximum", "minimum"))
_INSIDE, _OF = frozenset(("in", "within", "inside")), frozenset(("of", "from"))
_INTO = frozenset("in into on onto through from to".split())
# What any figure may be called.
SHARES = frozenset(("percentage", "percent", "share", "rate", "proportion", "number", "amount", "figure", "value"))


def claims_of(state: PartialQueryGraph, analysis: QuestionAnalysis) -> tuple[dict[int, tuple[float, int]], dict[int, float]]:
    """For each token the relation that claims it, by its place in `state.uses`; for each relation what it has in all.

    A token speaks for one relation only, the one it speaks for most; "France and Spain" may share the words of one.
    """
    names = {index for use in state.uses if use.mention for index in use.places}
    groups = _groups(state)
    offers: dict[int, list[tuple[float, int]]] = {}
    for number, relation in groups.items():
        inner = _inner_kinds(state, state.uses[number], analysis)
        for index, strength in analysis.evidence.get(relation, {}).items():
            if index not in names and index not in inner:
                offers.setdefault(index, []).append((strength, number))
    missing = dict.fromkeys(groups, 1.0)
    best: dict[int, tuple[float, int]] = {}
    for index, offered in sorted(offers.items(), key=lambda each: -max(each[1])[0]):
        # Of two uses of one relation, the one that has less so far.
        best[index] = max(offered, key=lambda each: (each[0], missing[each[1]], -each[1]))
        missing[best[index][1]] *= 1 - best[index][0]
    first = {relation: number for number, relation in reversed(groups.items()) if state.uses[number].role == "start"}
    related = {number: use.relation for number, use in enumerate(state.uses) if use.relation is not None}
    evidence = {number: 1 - missing[number if number in groups else first[relation]] for number, relation in related.items()}
    placed = _hops_said_by_place(state, analysis)
    return best, {
        number: max(each, said_by_place(state.uses[number], analysis), placed.get(number, 0.0))
        for number, each in evidence.items()
    }


def _hops_said_by_place(state: PartialQueryGraph, analysis: QuestionAnalysis) -> dict[int, float]:
    """Of "prisons in Hainaut": what the prisons are in is in Hainaut, which "in" says of both."""
    inside = any(said_by_place(use, analysis) for use in state.uses)
    hops = [number for number, use in enumerate(state.uses) if use.role == "hop" and use.relation in analysis.placing]
    return dict.fromkeys(hops if inside else (), _SAYS_WHERE)


def _inner_kinds(state: PartialQueryGraph, hop: Use, analysis: QuestionAnalysis) -> frozenset[int]:
    """The nouns for the kind of what a relation goes on from: "creatures that fly" are not asked for their creature type."""
    if hop.role != "hop":
        return frozenset()
    kinds = {index for use in state.uses if use.role == "kind" and use.level > hop.level for index in use.places}
    return frozenset(index for index in kinds if not is_participle(analysis.tokens[index].plain))


def settled(state: PartialQueryGraph, analysis: QuestionAnalysis) -> dict[int, float]:
    return dict.fromkeys((*analysis.passed, *(index for use in state.uses for index in use.places)), 1.0)


def lost_superlatives(
    state: PartialQueryGraph, analysis: QuestionAnalysis, claims: Mapping[int, tuple[float, int]]
) -> list[SuperlativeMention]:
    """The superlatives that nothing is sorted by, but for those in the name of a relation ("highest point")."""
    firm = settled(state, analysis)

    def named(index: int) -> bool:
        relation = state.uses[claims[index][1]].relation if index in claims else None
        # A word of a dimension ("largest" for population) tells what to sort by, and is no name of it.
        return relation is not None and claims[index][0] >= _NAMES

    def is_sorted_by(extreme: SuperlativeMention) -> bool:
        places = range(extreme.start, extreme.end)
        # "the highest point" names a relation, "the highest mountain" chooses from mountains.
        alone = extreme.end >= len(analysis.tokens) or analysis.tokens[extreme.end].is_stop
        chooses = alone or any(each.start == extreme.end for each in analysis.kinds)
        return bool(set(places) & firm.keys()) or (not chooses and any(map(named, places)))

    def is_clear(extreme: SuperlativeMention) -> bool:
        words = [each.plain for each in analysis.tokens[extreme.start : extreme.end]]
        return any(each.endswith("est") or each in _CLEAR for each in words)  # "leads" and "record" are often something else

    return [each for each in analysis.extremes if is_clear(each) and not is_sorted_by(each)]


def unexplained(state: PartialQueryGraph, analysis: QuestionAnalysis) -> tuple[str, ...]:
    """The words of the question that `state` makes no use of."""
    claims, _ = claims_of(state, analysis)
    covered = {index: strength for index, (strength, _) in claims.items()} | settled(state, analysis)
    if kind_led_to(state) == NUMBER:
        covered |= {index: 1.0 for index, token in enumerate(analysis.tokens) if token.plain in SHARES}
    covered |= {index: 0.0 for each in lost_superlatives(state, analysis, claims) for index in range(each.start, each.end)}
    lost = _lost_choices(state, analysis) | _other_kind(state, analysis)
    return tuple(
        token.text
        for index, token in enumerate(analysis.tokens)
        if index in lost or (not token.is_stop and covered.get(index, 0.0) < _NO_EVIDENCE and (token.plain[0].isalnum()))
    )


def _other_kind(state: PartialQueryGraph, analysis: QuestionAnalysis) -> frozenset[int]:
    """The noun behind "which", where what is found is of no kind that is called so: "which browsers" by a format.

    Of 19 likeliest readings of questions in `corpus/knowledge_bases/read` that are so, 16 are wrong; of the 1,013 others 303.
    """
    if state.literal and state.last_relation is not None and state.last_relation.leads_to == NUMBER:
        return _place_asked_for(analysis)
    kinds = [each.kind for each in analysis.behind_which if each.kind.id]
    nodes = [] if state.literal else [each.id for each in state.some() if isinstance(each, Entity)]
    if not kinds or not nodes or any(node in kind.members for node in nodes for kind in kinds):
        return frozenset()
    asked = analysis.behind_which[0]
    return frozenset(index for index in range(asked.start, asked.end) if not analysis.tokens[index].is_stop)


def _place_asked_for(analysis: QuestionAnalysis) -> frozenset[int]:
    """The noun of "into which sea": no number is that."""
    words = [each.plain for each in analysis.tokens[:4]]
    index = next((index for index in range(2, len(words)) if words[index - 1] in WHICH and words[index - 2] in _INTO), None)
    return frozenset() if index is None or analysis.tokens[index].is_stop else frozenset((index,))


def _lost_choices(state: PartialQueryGraph, analysis: QuestionAnalysis) -> frozenset[int]:
    """Each "or" between two conditions that have to hold both."""
    limits = [use for use in state.uses if use.relation is not None and use.role != "hop" and use.end > use.start]
    inside = {index for use in state.uses for index in use.places}
    return frozenset(
        index
        for index, token in enumerate(analysis.tokens)
        if token.plain == "or" and index not in inside and not state.thing.options
        and any(use.end <= index for use in limits) and any(use.start > index for use in limits)
    )  # fmt: skip


def _groups(state: PartialQueryGraph) -> dict[int, Relation]:
    """The uses of relations, by their place, that need words of their own: all but one more start along the same relation."""
    result: dict[int, Relation] = {}
    started: set[Relation] = set()
    for number, use in enumerate(state.uses):
        if use.relation is not None and not (use.role == "start" and use.relation in started):
            result[number] = use.relation
            started |= {use.relation} if use.role == "start" else set()
    return result


def said_by_place(use: Use, analysis: QuestionAnalysis) -> float:
    """How far a name's position says the relation: "in" before it, or its adjective, for where something is."""
    if use.role != "start" or use.mention is None or use.relation not in analysis.placing:
        return 0.0
    adjective = use.mention.match == ADJECTIVE
    return _SAYS_WHERE if adjective or _is_behind_in(use.start, analysis) else 0.0


def _is_behind_in(start: int, analysis: QuestionAnalysis) -> bool:
    """Whether "in", or "of" behind a kind of thing ("mountain of Africa"), stands before the token, or before its "the"."""
    words = [each.plain for each in analysis.tokens[:start]]
    at = start - 1 - (words[-1:] == ["the"])
    if at < 0 or words[at] in _INSIDE:
        return at >= 0
    return words[at] in _OF and any(each.end == at for each in analysis.kinds)


def kind_led_to(state: PartialQueryGraph) -> str | None:
    """What the last relation leads to."""
    return state.last_relation.leads_to if state.last_relation else None
