"""Putting filters, changes and operations together into the surface of one parse, in the order of the parse language."""

from collections.abc import Sequence
from itertools import pairwise, product

from ttm.parsers.linker.schema_linking.grounding import SurfacePart
from ttm.parsers.linker.schema_linking.reading import UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon

MOST_ALTERNATIVES = 12
DIVIDING = frozenset({"versus", "against", "than", "compared"})  # between two groups of rows


def selection_surface(
    filters: Sequence[SurfacePart], reading: UtteranceReading, versus: bool = False, either: bool = False
) -> list[tuple[str, str]]:
    """Filters with the words that join them: `and` unless the utterance says `or` between two.

    As `and` binds tighter, "20 or 30 years old with a bmi over 40" is multiplied out. `versus` separates compared
    groups; `either` takes the other word than was said.
    """
    unique: list[SurfacePart] = []
    for part in filters:
        if part.text and all(part.text != other.text for other in unique):
            unique.append(part)
    if not unique:
        return []
    if versus and len(unique) >= 2:
        return [("and", unique[0].text), *zip(_sides(unique, reading), [part.text for part in unique[1:]], strict=True)]
    joints = [_joint(first, second, reading) for first, second in pairwise(unique)]
    if either:
        joints = ["and" if "or" in joints else "or"] * len(joints)
    return _written(_alternatives(unique, joints))


def _sides(parts: Sequence[SurfacePart], reading: UtteranceReading) -> list[str]:
    """What joins the conditions of compared groups: both ends of a range, and all on one side of `versus`, are one group."""
    joints = ["and" if _is_range(a, b) else "versus" for a, b in pairwise(parts)]
    nouns = lexicon().groups["entity"]
    gaps = [reading.between(a.end, b.start) for a, b in pairwise(parts)]
    for signs in ([bool(DIVIDING & set(gap)) for gap in gaps], [any(word in nouns for word in gap) for gap in gaps]):
        if joints.count("versus") > 1 and signs.count(True) == 1:
            return ["versus" if divided else "and" for divided in signs]
    return joints


def _is_range(low: SurfacePart, high: SurfacePart) -> bool:
    return (low.start, low.end) == (high.start, high.end) and " greater " in low.text and " less " in high.text


def _joint(first: SurfacePart, second: SurfacePart, reading: UtteranceReading) -> str:
    between = reading.between(min(first.end, second.start), max(first.end, second.start))
    if first.text.startswith("filter id ") and second.text.startswith("filter id "):
        return "or"
    if "or" not in between and "nor" not in between:
        return "and"
    at = between.index("or") if "or" in between else 0
    return "and" if between[at + 1 : at + 2] == ["not"] and len(between) > at + 2 and between[at + 2] in ("?", ",") else "or"


def _alternatives(parts: list[SurfacePart], joints: list[str]) -> list[list[SurfacePart]]:
    """Alternatives of conjunctions. An `or` between conditions on one feature binds before the `and` beside it."""
    terms: list[list[list[SurfacePart]]] = [[[parts[0]]]]
    for part, joint in zip(parts[1:], joints, strict=True):
        if joint == "and":
            terms[-1].append([part])
        elif _subject(part) == _subject(terms[-1][-1][-1]):
            terms[-1][-1].append(part)
        else:
            terms.append([[part]])
    return [list(choice) for term in terms for choice in product(*term)][:MOST_ALTERNATIVES]


def _subject(part: SurfacePart) -> str:
    return " ".join(part.text.split()[:2])


def _written(alternatives: list[list[SurfacePart]]) -> list[tuple[str, str]]:
    items: list[tuple[str, str]] = []
    for number, conjunction in enumerate(alternatives):
        for index, part in enumerate(conjunction):
            items.append(("or" if number and not index else "and", part.text))
    return items


def in_order(operations: Sequence[SurfacePart]) -> list[SurfacePart]:
    """Operations as they were mentioned, each once; a threshold comes first, and reasons before what could be changed."""
    unique: list[SurfacePart] = []
    for part in sorted(operations, key=lambda part: part.start):
        if part.text and all(part.text != other.text for other in unique):
            unique.append(part)
    if any(part.text.startswith("important ") and part.text != "important all" for part in unique):
        unique = [part for part in unique if part.text != "important all"]
    explained = any(part.text == "explain features" for part in unique)
    return sorted(unique, key=lambda part: _rank(part.text, explained))


def _rank(text: str, explained: bool) -> int:
    """A threshold holds for what is asked after it; what could be changed comes after the reasons."""
    if text.startswith("threshold "):
        return -1
    return int(explained and text.startswith("explain cfe"))


def compose(
    context: Sequence[str],
    selection: Sequence[tuple[str, str]],
    changes: Sequence[SurfacePart],
    operations: Sequence[SurfacePart],
) -> str:
    """The surface: what points back, then filters, changes and operations."""
    written: list[tuple[str, str]] = [("and", text) for text in context]
    written += selection
    seen: list[str] = []
    for part in [*changes, *in_order(operations)]:
        if part.text and part.text not in seen:
            seen.append(part.text)
            written.append(("and", part.text))
    return " ".join(text if not i else f"{joint} {text}" for i, (joint, text) in enumerate(written)) + " [e]"
