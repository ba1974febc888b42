"""Figures by group: "average price by city" becomes a comparison of the rows of each city."""

from collections.abc import Sequence

from ttm.parsers.linker.requests.operation_cues import CueMatch
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding, SurfacePart
from ttm.parsers.linker.schema_linking.names import truth_values
from ttm.parsers.linker.schema_linking.reading import UtteranceReading
from ttm.tabular.data.schema import Feature, FeatureKind

AVERAGED = ("statistic ", "score ")
OPPOSITES = {"true": "false", "false": "true", "yes": "no", "no": "yes", "0": "1", "1": "0"}
LEFT_OUT = frozenset("without not others rest".split())
AGAINST = frozenset("versus and or than compared to against with those people the ones ,".split())
MOST_GROUPS = 6


def by_groups(
    operations: Sequence[SurfacePart], heard: Sequence[CueMatch], reading: UtteranceReading, ground: SchemaGrounding
) -> tuple[list[SurfacePart], list[SurfacePart]]:
    """The operations without `compare F`, and the groups of F as conditions to set against each other.

    Of a feature with too many values, or a numeric one, there are no groups, and the person is asked for them.
    """
    compared = [part for part in operations if part.text.startswith("compare ")]
    if len(compared) != 1 or not any(call.cue.family == "compare" for call in heard):
        return list(operations), []
    token = compared[0].text.split()[1]
    kept = [part for part in operations if part is not compared[0] and part.text != f"statistic {token}"]
    feature = ground.schema.by_token[token]
    values = group_values(feature)
    if not kept:
        return list(operations), []
    if not 2 <= len(values) <= MOST_GROUPS:
        question = f"Which groups of {feature.label} should I set against each other?{_example(feature)}"
        return [*kept, SurfacePart(compared[0].start, compared[0].end, "", 1.0, question=question)], []
    at = compared[0].start
    return kept, [SurfacePart(at, at + 1, f"filter {token} {value}") for value in values]


def contrary_group(reading: UtteranceReading, filters: Sequence[SurfacePart]) -> SurfacePart | None:
    """`people with diabetes versus without`: the group that the last condition leaves out."""
    stated = [part for part in filters if part.text]
    words = reading.words
    end = len(words)
    while end and not words[end - 1][:1].isalpha():
        end -= 1
    if not stated or end < 2 or words[end - 1] not in LEFT_OUT:
        return None
    last = max(stated, key=lambda part: part.end)
    between = words[last.end : end - 1]
    opposite = OPPOSITES.get(last.text.split()[-1])
    if opposite is None or not between or between[0] not in AGAINST or any(word not in AGAINST for word in between):
        return None
    text = f"{last.text.rpartition(' ')[0]} {opposite}"
    return SurfacePart(end - 1, end, text, 0.1) if last.text.startswith(("filter", "labelfilter")) else None


def _example(feature: Feature) -> str:
    if feature.kind is not FeatureKind.NUMERIC or feature.low is None or feature.high is None:
        return ""
    middle = round((feature.low + feature.high) / 2)
    return f' For example: "{feature.label} under {middle:,} versus {feature.label} over {middle:,}".'


def group_values(feature: Feature) -> list[str]:
    """The values of a feature that fall into groups, as they are written in the parse language."""
    truth = truth_values(feature)
    if truth is not None:
        return list(truth[::-1])
    return [feature.value_token(value) for value in feature.values] if feature.kind is FeatureKind.CATEGORICAL else []
