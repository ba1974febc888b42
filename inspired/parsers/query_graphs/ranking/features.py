"""What speaks for and against a query graph as the meaning of a question: numbers for a log-linear model."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from inspired.logical_form.forms import Entity
from inspired.parsers.linking.analysis import QuestionAnalysis
from inspired.parsers.linking.entities import ADJECTIVE, EntityMention
from inspired.parsers.linking.relations import DATE, NUMBER, TEXT, THING, Relation
from inspired.parsers.query_graphs.ranking.claims import (
    SHARES,
    claims_of,
    kind_led_to,
    lost_superlatives,
    said_by_place,
    settled,
)
from inspired.parsers.query_graphs.ranking.ways import ways
from inspired.parsers.query_graphs.state import PartialQueryGraph, Use

FEATURES = (
    "unexplained",
    "unexplained_names",
    "unexplained_kinds",
    "unused_value",
    "unused_superlative",
    "names",
    "name_match",
    "name_weight",
    "shorter_name",
    "relations",
    "evidence",
    "least_evidence",
    "whole_title",
    "no_evidence",
    "no_evidence_start",
    "no_evidence_hop",
    "far_from_name",
    "crossing",
    "far_from_value",
    "far_from_superlative",
    "asked_kind",
    "other_kind",
    "asked_kind_deeper",
    "kind_only",
    "when_date",
    "not_when_date",
    "how_number",
    "not_how_number",
    "value_answer",
    "when_thing",
    "text_answer",
    "answers",
    "attribute",
    "attribute_name",
    "joined",
    "hop",
    "ordered",
    "compared",
    "familiarity",
    "unnarrowed",
    "superlative_kind",
    "superlative_other_kind",
    "code_anchor",
    "adjective_name",
    "vacuous",
    "empty",
    "tally",
    "ended",
    "people",
    "asked_value",
    "turned_round",
    "superlative_outside",
)
_NO_EVIDENCE = 0.12
_SHOWN = 40
_A_NAME = 0.7
_SPEAKS = 0.5
_WELL_KNOWN = 0.3
# What a superlative or comparison does not leave unexplained by itself.
_AMOUNT_WORDS = frozenset(
    "much many old big large long high tall heavy far deep wide fast cold hot number percentage percent share".split()
)
_DATE_WORDS = frozenset(("when", "date", "year", "day"))


def features(state: PartialQueryGraph, analysis: QuestionAnalysis, familiarity: Mapping[str, float]) -> dict[str, float]:
    """The values of FEATURES that are not 0; `familiarity` (0 to 1) is how often a relation is asked for."""
    values = dict.fromkeys(FEATURES, 0.0)
    claims, evidence = claims_of(state, analysis)
    _add_words(values, state, analysis, claims)
    _add_names(values, state, analysis)
    _add_relations(values, state, analysis, evidence, familiarity)
    _add_places(values, state, analysis, claims)
    _add_answer(values, state, analysis)
    _add_shape(values, state, analysis, claims)
    _add_superlative(values, state, analysis)
    return {name: value for name, value in values.items() if value}


def _add_words(
    features: dict[str, float], state: PartialQueryGraph, analysis: QuestionAnalysis, claims: dict[int, tuple[float, int]]
) -> None:
    firm, leads_to = settled(state, analysis), kind_led_to(state)
    names = _named_places(analysis)
    kinds = {index for each in analysis.kinds for index in range(each.start, each.end)}
    for index, token in enumerate(analysis.tokens):
        if token.is_stop or not token.plain[0].isalnum():
            continue
        left = 1 - max(firm.get(index, 0.0), min(1.0, 1.6 * claims[index][0]) if index in claims else 0.0)
        if not left or (leads_to == NUMBER and token.plain in SHARES):
            continue
        if index in kinds:
            features["unexplained_kinds"] += left
        elif index in names:
            features["unexplained_names"] += left
        else:
            features["unexplained"] += left
    features["unused_value"] = sum(not (set(range(each.start, each.end)) & firm.keys()) for each in analysis.comparisons)
    features["unused_superlative"] = len(lost_superlatives(state, analysis, claims))


@lru_cache(maxsize=64)
def _named_places(analysis: QuestionAnalysis) -> frozenset[int]:
    return frozenset(index for each in analysis.mentions if _is_name(each, analysis) for index in range(each.start, each.end))


def _is_name(mention: EntityMention, analysis: QuestionAnalysis) -> bool:
    """Whether the words are hardly anything but a name: with a capital, or, where people type without, a well-known one."""
    tokens = analysis.tokens[mention.start : mention.end]
    if mention.match < _A_NAME:
        return False
    if any(each.text[:1].isupper() for each in tokens) and mention.start:
        return True
    places = range(mention.start, mention.end)
    speaks = any(row.get(index, 0.0) > _SPEAKS for row in analysis.evidence.values() for index in places)
    return mention.weight >= _WELL_KNOWN and not speaks


def _add_names(features: dict[str, float], state: PartialQueryGraph, analysis: QuestionAnalysis) -> None:
    for mention in state.names:
        features["names"] += 1
        features["name_match"] += mention.match - 1
        features["name_weight"] += mention.weight - 0.5
        # "African countries": an adjective before what is asked for says where that is, more often than who lives there.
        behind = any(each.start == mention.end for each in analysis.kinds)
        features["adjective_name"] += behind and mention.match == ADJECTIVE
        features["code_anchor"] += not isinstance(mention.node, Entity)
        longer = [each for each in analysis.mentions if each.start <= mention.start and each.end >= mention.end]
        features["shorter_name"] += max((each.end - each.start for each in longer), default=0) - (mention.end - mention.start)
        values = [each.value for each in analysis.comparisons if each.value.start <= mention.start < each.value.end]
        features["shorter_name"] += sum(each.end - each.start > mention.end - mention.start for each in values)


def _add_relations(
    features: dict[str, float],
    state: PartialQueryGraph,
    analysis: QuestionAnalysis,
    evidence: dict[int, float],
    familiarity: Mapping[str, float],
) -> None:
    if not evidence:
        return
    for number, strength in evidence.items():
        relation = state.uses[number].relation
        assert relation is not None
        weak = strength < _NO_EVIDENCE
        features["relations"] += 1
        features["evidence"] += strength
        features["whole_title"] += analysis.title_shares.get(relation.sense, 0.0)
        features["no_evidence"] += weak
        features["no_evidence_start"] += weak and state.uses[number].role == "start"
        features["no_evidence_hop"] += weak and state.uses[number].role == "hop"
        features["familiarity"] += _familiar(relation, familiarity)
    features["least_evidence"] = min(evidence.values()) - 1


def _familiar(relation: Relation, familiarity: Mapping[str, float]) -> float:
    return familiarity.get(relation.key, familiarity.get(relation.sense, 0.0))


def _add_places(
    features: dict[str, float], state: PartialQueryGraph, analysis: QuestionAnalysis, claims: dict[int, tuple[float, int]]
) -> None:
    """Words stand near what they belong to, and the words of an inner relation nearer to the name than the outer's."""
    size = max(len(analysis.tokens), 1)
    spots: dict[int, list[int]] = {}
    for index, (_, number) in claims.items():
        spots.setdefault(number, []).append(index)
    for number, use in enumerate(state.uses):
        if number not in spots:
            continue
        if use.role == "hop":
            features["crossing"] += _crosses(state, use, spots, spots[number])
            continue
        away = min(_distance(index, use) for index in spots[number]) / size
        away = 0.0 if said_by_place(use, analysis) else away
        role = {
            "start": "far_from_name",
            "compare": "far_from_value",
            "tally": "far_from_value",
            "order": "far_from_superlative",
        }.get(use.role)
        if role:
            features[role] += away


def _distance(index: int, use: Use) -> int:
    return max(use.start - index, index - use.end + 1, 0)


def _crosses(state: PartialQueryGraph, hop: Use, spots: dict[int, list[int]], mine: Sequence[int]) -> float:
    """1 if the words of an outer relation stand nearer to a name than those of the relation that starts there."""
    for number, use in enumerate(state.uses):
        if use.role == "start" and use.level > hop.level and number in spots:
            inner = min(_distance(index, use) for index in spots[number])
            if min(_distance(index, use) for index in mine) < inner:
                return 1.0
    return 0.0


def _add_answer(features: dict[str, float], state: PartialQueryGraph, analysis: QuestionAnalysis) -> None:
    words = {each.plain for each in analysis.tokens}
    asks_when, asks_number = bool(words & _DATE_WORDS), "how" in words and bool(words & _AMOUNT_WORDS)
    leads_to = kind_led_to(state)
    if analysis.frame.kind != "list":
        asks_when = asks_number = False
    if leads_to == DATE:
        features["when_date" if asks_when else "not_when_date"] = 1
    elif leads_to == NUMBER:
        asks_number = asks_number or analysis.frame.kind == "count"
        features["how_number" if asks_number else "not_how_number"] = 1
    elif (asks_when or asks_number) and leads_to != TEXT:
        features["value_answer"] = 1
    if leads_to == TEXT:
        features["text_answer"] = 1
    features["asked_value"] = float(leads_to not in (THING, None) and _asked_for(state, analysis))
    # "When did it become independent?" asks for no country, however well "independent" speaks for one.
    features["when_thing"] = float(asks_when and "when" in words and leads_to not in (DATE, None))
    counted = analysis.frame.kind == "count" and leads_to == NUMBER  # "how many people" may ask for a figure
    if analysis.asked and not counted:
        _add_asked_kind(features, state, analysis)
    features["answers"] = math.log1p(len(state.nodes)) / 8


def _asked_for(state: PartialQueryGraph, analysis: QuestionAnalysis) -> bool:
    """Whether the noun behind "what" or "which" speaks for the last relation: "on what day"."""
    words = [each.plain for each in analysis.tokens]
    index = next((index for index, word in enumerate(words[:3], 1) if word in ("what", "which", "whats")), len(words))
    last = state.last_relation
    return last is not None and analysis.evidence.get(last, {}).get(index, 0.0) >= _SPEAKS


def _add_asked_kind(features: dict[str, float], state: PartialQueryGraph, analysis: QuestionAnalysis) -> None:
    """Whether "which country" is the kind of the answer, or of a node on the way to it, where it is most often wrong."""
    spans = {(each.start, each.end) for each in analysis.asked}
    levels = [use.level for use in state.uses if use.role == "kind" and (use.start, use.end) in spans]
    here = 0 in levels
    features["asked_kind" if here else "asked_kind_deeper" if levels else "other_kind"] = 1
    # A look at some nodes is enough: a set that holds one country where countries are asked for could be narrowed to them.
    some = [each for each in state.some(_SHOWN) if isinstance(each, Entity)]
    features["unnarrowed"] = float(not here and any(each.id in kind.kind.members for each in some for kind in analysis.asked))


def _add_superlative(features: dict[str, float], state: PartialQueryGraph, analysis: QuestionAnalysis) -> None:
    """ "largest country": what is sorted should be countries."""
    superlatives = {(each.start, each.end) for each in analysis.extremes}
    asked = {each.kind for each in analysis.asked}
    for use in state.uses:
        # "Which countries border the largest country?": two countries, and the one asked for is not the largest.
        named = [each for each in analysis.kinds if each.start == use.end and each.kind in asked]
        inner = (use.start, use.end) in superlatives and use.role in ("order", "tally") and use.level == 0
        features["superlative_outside"] += inner and bool(named) and named[0].start not in {one.start for one in analysis.asked}
        behind = {each.start for each in analysis.kinds if each.start == use.end}
        if (use.start, use.end) in superlatives and behind:
            fits = any(each.role == "kind" and each.level == use.level and each.start in behind for each in state.uses)
            features["superlative_kind" if fits else "superlative_other_kind"] += 1


def _dated(analysis: QuestionAnalysis) -> bool:
    return any(each.value.date for each in analysis.comparisons)


def _ended(use: Use) -> bool:
    return use.relation is not None and use.relation.ended


def _add_shape(
    features: dict[str, float], state: PartialQueryGraph, analysis: QuestionAnalysis, claims: dict[int, tuple[float, int]]
) -> None:
    roles = [use.role for use in state.uses]
    features["hop"] = roles.count("hop")
    features["joined"] = max(0, roles.count("start") - 1)
    features["ordered"] = float(state.ordered)
    features["compared"] = roles.count("compare")
    features["attribute"] = roles.count("attribute")
    features["attribute_name"] = sum(use.role == "attribute" and use.mention is not None for use in state.uses)
    features["kind_only"] = float(not state.thing.ties and not state.thing.options)
    features["empty"] = float(not state.nodes)
    features["ended"] = float(not analysis.frame.past and not _dated(analysis) and any(_ended(each) for each in state.uses))
    some = state.some(_SHOWN)
    features["people"] = float(
        bool(analysis.people and some) and all(getattr(one, "id", "") in analysis.people for one in some)
    )
    features["turned_round"] = sum(each is False for each in ways(state, analysis, claims))
    features["vacuous"] = float(state.vacuous)
    features["tally"] = sum(use.role == "tally" for use in state.uses)
