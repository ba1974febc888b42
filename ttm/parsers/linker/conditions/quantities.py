"""Conditions on numbers: which comparison a number stands in, and which feature it is compared with.

Clumsy language puts these in any order ("for people with less than 100 for their blood pressure"), so both are found by
looking outwards from the number instead of by fixed sentences.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from ttm.language.parse import Comparator
from ttm.parsers.linker.schema_linking.names import NameRole
from ttm.parsers.linker.schema_linking.reading import SENTENCE_ENDS, UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon

MOST_FILLERS = 5
COPULAS = frozenset(
    "is are was were be been being of that who with have has had having at a an the in their his her its it by as to "
    "for than value values level levels score age aged ' lies lie stays stay remains remain falls fall ranges range strictly "
    "somewhere anywhere between from either count number reading from data".split()
)  # may stand between a feature and the comparison that follows it
AFTER = frozenset(
    "at from away of in for their his her its the on a an , years year months month old points point worth is".split()
)
OPENING = frozenset({"between", "from", "ranging", "within", "range"})


@dataclass(frozen=True)
class QuantityMention:
    """The number at item `position` in a comparison. `start` and `end` bound the words that say so; `feature_at` is the item
    that names the feature, None when that is left to the context; `adjective` is `older` and the like."""

    position: int
    comparator: Comparator
    start: int
    end: int
    feature_at: int | None = None
    adjective: str = ""
    explicit: bool = False  # a comparison was said, or the number stands right beside its feature


@lru_cache(maxsize=1)
def _left_pattern() -> re.Pattern[str]:
    groups = lexicon().words["comparisons"]

    def any_of(*names: str) -> str:
        phrases = {phrase.replace("*", "") for name in names for phrase in groups[name]}
        return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))

    equal = r"(?P<same> (?:or|and) (?:equal|equals|equivalent|same|the same|even|exactly|as much)(?: to| than| as)?)?"
    return re.compile(
        rf"(?:^| )(?:(?P<at_least>{any_of('at_least')})|(?P<at_most>{any_of('at_most')})"
        rf"|(?P<not_equal>{any_of('not_equal')})|(?P<equal>{any_of('equal')})"
        rf"|(?P<denied>(?:not|no|nor|never) )?(?:(?P<up>{any_of('up')})|(?P<down>{any_of('down')}))"
        rf"(?: (?:people|persons|individuals|ones|folks|values|value|levels|than|then))*{equal}"
        r"(?: than| then| to| of| as| from)?)$"
    )


@lru_cache(maxsize=1)
def _right_pattern() -> re.Pattern[str]:
    groups = lexicon().words["comparisons"]
    parts = [
        rf"(?P<{name}>{'|'.join(re.escape(phrase) for phrase in sorted(groups[name], key=len, reverse=True))})"
        for name in ("at_least_after", "at_most_after", "more_after")
    ]
    return re.compile(rf"^(?:{'|'.join(parts)})(?: |$)")


def quantity_at(reading: UtteranceReading, position: int) -> QuantityMention:
    """How the number at `position` is compared, and the feature that stands beside it."""
    mirrored = _mirrored(reading, position)
    if mirrored is not None:
        return mirrored
    left = _compare_left(reading, position)
    right = _compare_right(reading, position)
    start, comparator, inside, adjective = left if left else (position, None, None, "")
    end, after = right
    chosen = after or comparator
    if chosen is None and reading.items[position].token.form == "plus":
        chosen = Comparator.GREATER
    feature_at = inside if inside is not None else _feature_before(reading, start, position)
    if feature_at is None:
        feature_at = _feature_after(reading, end)
    return QuantityMention(position, chosen or Comparator.EQUAL, start, end, feature_at, adjective, chosen is not None)


MIRRORED = {"<": Comparator.GREATER, "<=": Comparator.GREATER_EQUAL, ">": Comparator.LESS, ">=": Comparator.LESS_EQUAL}


def _mirrored(reading: UtteranceReading, position: int) -> QuantityMention | None:
    """`12 < alcohol`: the number stands before its feature."""
    sign, feature = (*reading.words[position + 1 : position + 3], "", "")[:2]
    if sign not in MIRRORED or feature != "<f>" or reading.words[max(0, position - 1) : position] == ["<f>"]:
        return None
    return QuantityMention(position, MIRRORED[sign], position, position + 3, position + 2, "", True)


def _compare_left(reading: UtteranceReading, position: int) -> tuple[int, Comparator, int | None, str] | None:
    """The comparison that ends left of a number: where it begins, what it is, a feature met on the way, its adjective."""
    fillers, inside = lexicon().groups["numbers.fillers"], None
    words, at = reading.words, position
    for _ in range(MOST_FILLERS):
        first = max(0, at - 7)
        while at > first and any(word in SENTENCE_ENDS or word == "<n>" for word in words[first:at]):
            first += 1
        match = _left_pattern().search(" ".join(words[first:at]))
        if match:
            length = len(match.group().split())
            adjective = next((word for word in match.group().split() if word in lexicon().dimensions), "")
            return at - length, _meaning(match), inside, adjective
        if (
            at == 0
            or (words[at - 1] not in fillers and words[at - 1] != "<f>")
            or (words[at - 1] == "<f>" and inside is not None)
        ):
            return None
        inside = at - 1 if words[at - 1] == "<f>" else inside
        at -= 1
    return None


def _meaning(match: re.Match[str]) -> Comparator:
    fixed = {"at_least": Comparator.GREATER_EQUAL, "at_most": Comparator.LESS_EQUAL, "not_equal": Comparator.NOT_EQUAL,
             "equal": Comparator.EQUAL}  # fmt: skip
    for name, comparator in fixed.items():
        if match.group(name):
            return comparator
    up = bool(match.group("up")) != bool(match.group("denied"))
    if match.group("denied") or match.group("same"):
        return Comparator.GREATER_EQUAL if up else Comparator.LESS_EQUAL
    return Comparator.GREATER if up else Comparator.LESS


def _compare_right(reading: UtteranceReading, position: int) -> tuple[int, Comparator | None]:
    """The comparison right of a number (`or more`, `plus`), perhaps after its unit or feature, and where all that ends."""
    units, words = lexicon().groups["numbers.units"], reading.words
    at = position + 1
    for _ in range(4):
        match = _right_pattern().match(" ".join(words[at : at + 4]))
        after = words[at + len(match.group().split()) : at + len(match.group().split()) + 1] if match else []
        if match and after not in (["than"], ["<n>"], ["then"]):
            group = match.lastgroup
            comparators = {"at_least_after": Comparator.GREATER_EQUAL, "at_most_after": Comparator.LESS_EQUAL}
            return at + len(match.group().split()), comparators.get(group or "", Comparator.GREATER)
        if at >= len(words) or (words[at] not in units and words[at] != "<f>"):
            break
        at += 1
    at = position + 1
    while at < len(words) and words[at] in units and words[at] not in ("in", "of", "or", "so", "total"):
        at += 1
    return at, None


def _feature_before(reading: UtteranceReading, start: int, position: int) -> int | None:
    at = start - 1
    for _ in range(5):
        if at < 0 or reading.words[at] == "<n>":
            return None
        if reading.words[at] == "<f>":
            return at
        is_aside = reading.words[at] == "<i>" or (reading.words[at] == "," and start == position)
        if reading.words[at] not in COPULAS and not is_aside:
            return None
        at -= 1
    return None


def _feature_after(reading: UtteranceReading, end: int) -> int | None:
    at = end
    for _ in range(4):
        if at >= len(reading.words):
            return None
        if reading.words[at] == "<f>":
            return None if _has_own_number(reading, at) else at
        if reading.words[at] not in AFTER:
            return None
        at += 1
    return None


def _has_own_number(reading: UtteranceReading, feature_at: int) -> bool:
    """Whether a number of its own follows the feature: `over 40, glucose above 100`."""
    for position in range(feature_at + 1, min(feature_at + 7, len(reading.words))):
        word = reading.words[position]
        if word == "<n>":
            left = _compare_left(reading, position)
            start = left[0] if left else position
            moved = lexicon().groups["changes.more"], lexicon().groups["changes.less"]
            if any(other in moved[0] or other in moved[1] for other in reading.words[position + 1 : position + 3]):
                return False  # "were 5 years younger" is another number's business
            return all(other in COPULAS for other in reading.words[feature_at + 1 : start])
        if word in ("<f>", "and", "or", ",", "?", ".") or word in lexicon().groups["entity"]:
            return False
    return False


def range_at(reading: UtteranceReading, position: int) -> tuple[int, Comparator, Comparator] | None:
    """If the number at `position` opens a range: the item of its upper end, and the comparisons at both ends.

    "Between 20 and 30" leaves the ends out, as the gold data does; "from 20 to 30" and "20-30" keep them.
    """
    words = reading.words
    at = position + 1
    units = lexicon().groups["numbers.units"]
    while at < len(words) and words[at] in units and words[at] not in ("or", "so") and at - position < 4:
        at += 1
    if words[at : at + 1] not in (["and"], ["to"], ["through"], ["until"], ["till"]):
        return None
    joint, top = words[at], at + 1
    while top < len(words) and words[top] in ("the", "age", "of", "a", "ages"):
        top += 1
    if words[top : top + 1] != ["<n>"] or reading.items[top].token.value < reading.items[position].token.value:
        return None
    before = words[max(0, position - 5) : position]
    opened = any(word in OPENING for word in before)
    if "between" in before or (joint == "and" and opened):
        closed = "inclusive" in words or "inclusively" in words
    elif joint == "and" or (not opened and top != position + 2):
        return None
    else:
        closed = True
    if closed:
        return top, Comparator.GREATER_EQUAL, Comparator.LESS_EQUAL
    return top, Comparator.GREATER, Comparator.LESS


def is_numeric(reading: UtteranceReading, position: int) -> bool:
    mention = reading.items[position].mention
    return mention is not None and mention.name.role is NameRole.FEATURE
