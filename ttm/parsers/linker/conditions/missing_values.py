"""Conditions on values that are missing or known ("rows where insulin is missing", "with a known salary") and on counts of
nothing ("no prior crimes")."""

from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding, SurfacePart
from ttm.parsers.linker.schema_linking.names import truth_values
from ttm.parsers.linker.schema_linking.reading import UtteranceReading
from ttm.tabular.data.schema import Feature, FeatureKind

ABSENT = frozenset("missing unknown blank empty null nan unrecorded unavailable absent".split())
PRESENT = frozenset("known recorded available present measured nonmissing".split())
RECORDS = frozenset(
    "value values measurement measurements reading readings record records data entry entries result results".split()
)
NEAR = frozenset("a an the any is are was were has have value values of for on not their with".split())


def missing_conditions(reading: UtteranceReading, ground: SchemaGrounding, used: set[int]) -> list[SurfacePart]:
    """Conditions that say a feature's value is missing or present; `used` are items of features with another condition."""
    parts = []
    for at, word in enumerate(reading.words):
        if word in ("<f>", "<g>", "<b>") and at not in used:
            part = _at(reading, at) or _without(reading, at) or _none(reading, at)
            if part is not None:
                parts.append(part)
    return parts


def _at(reading: UtteranceReading, at: int) -> SurfacePart | None:
    """What is said of the column at `at` itself, behind it or before it: `bmi is missing`, `unknown bmi`, `no value for bmi`.

    The words for it are also ordinary ones (`filled`, `known`, `on record`), so they count only right beside the column, and
    a denial turns them round.
    """
    words, feature = reading.words, reading.items[at].feature
    assert feature is not None
    after = at + 1
    while after < len(words) and words[after] in NEAR and after - at < 4:
        after += 1
    denied = "not" in words[at + 1 : after]
    if words[after : after + 2] in (["filled", "in"], ["on", "record"]):
        return SurfacePart(
            at, after + 2, f"filter {feature.token} {'missing' if _is_denied(words, at) or denied else 'present'}"
        )
    if after < len(words) and words[after] in ABSENT:
        return SurfacePart(at, after + 1, f"filter {feature.token} {'present' if denied else 'missing'}")
    if after > at + 1 and after < len(words) and words[after] in PRESENT:
        return SurfacePart(at, after + 1, f"filter {feature.token} {'missing' if denied else 'present'}")
    return _before(words, at, feature)


def _before(words: list[str], at: int, feature: Feature) -> SurfacePart | None:
    before = at - 1
    while before >= 0 and words[before] in NEAR and at - before < 4:
        before -= 1
    if before >= 0 and words[before] in ABSENT:
        return SurfacePart(before, at + 1, f"filter {feature.token} missing")
    if before >= 0 and words[before] in PRESENT and words[before - 1 : before] in (["a"], ["an"], ["with"], ["whose"], ["of"]):
        return SurfacePart(before, at + 1, f"filter {feature.token} present")
    if words[at - 2 : at] == ["value", "for"] and at >= 4:
        denied = words[at - 3] in ("no", "any") and bool({"no", "not", "without"} & set(words[max(0, at - 6) : at - 2]))
        return SurfacePart(at - 3, at + 1, f"filter {feature.token} {'missing' if denied else 'present'}")
    return None


def _is_denied(words: list[str], at: int) -> bool:
    return bool({"no", "without", "not"} & set(words[max(0, at - 3) : at]))


def _without(reading: UtteranceReading, at: int) -> SurfacePart | None:
    """`with no insulin measurement`, `do not have a city`: nothing was recorded. A bare `no insulin` may be a zero, so it
    counts only for what cannot be zero."""
    words, item = reading.words, reading.items[at]
    feature = item.feature
    if feature is None or truth_values(feature) is not None:
        return None
    recorded = bool(RECORDS & {*item.tail, *item.spoken[-1:]}) or words[at + 1 : at + 2] in (
        ["recorded"],
        ["measured"],
        ["given"],
    )
    above_zero = feature.kind in (FeatureKind.CATEGORICAL, FeatureKind.DATE) or (feature.low is not None and feature.low > 0)
    start = at - 1
    while start >= 0 and words[start] in ("a", "an", "any", "the", "their", "have", "has", "had", "having") and at - start < 4:
        start -= 1
    denied = start >= 0 and (words[start] in ("without", "lack", "lacks", "lacking") or (words[start] in ("no", "not")))
    if not denied or (words[start] == "not" and start == at - 1) or not (recorded or above_zero):
        return None
    return SurfacePart(start, at + 1, f"filter {feature.token} missing", 0.0 if recorded else 0.2)


def _none(reading: UtteranceReading, at: int) -> SurfacePart | None:
    """`have no prior crimes`, `without children`: a count that is zero; `any prior crimes`: one above it."""
    feature = reading.items[at].feature
    if feature is None or reading.words[at] != "<f>" or feature.low is None or feature.low > 0:
        return None
    before = reading.words[max(0, at - 3) : at]
    spoken = reading.items[at].spoken
    if not spoken or (not spoken[-1].endswith("s") and not feature.name.lower().endswith("s")):
        return None
    if before[-1:] in (["no"], ["without"], ["zero"]) or before[-2:] in (["without", "any"], ["not", "any"], ["have", "never"]):
        return SurfacePart(at - 1, at + 1, f"filter {feature.token} equal to 0", 0.1)
    return None
