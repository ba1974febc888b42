"""Whether a verb supposes a state that is not ("if they were single") or describes one ("people who were single"), and what is
supposed of a single row ("suppose 73 owns a house")."""

from collections.abc import Sequence
from dataclasses import replace

from ttm.language.parse import Comparator
from ttm.parsers.linker.schema_linking.grounding import SurfacePart
from ttm.parsers.linker.schema_linking.reading import SENTENCE_ENDS, UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon


def is_hypothetical(reading: UtteranceReading, verb_at: int) -> bool:
    """Whether the verb at an item ("were", "had") stands in a supposition: after `if`, `suppose`, `imagine`, or inverted
    ("were they 20"); a bare `was` or `had` needs `would` or `what if` elsewhere."""
    words = reading.words
    start = verb_at
    while start > 0 and words[start - 1] not in SENTENCE_ENDS and verb_at - start < 12:
        start -= 1
    clause = words[start:verb_at]
    suppose = lexicon().groups["changes.hypothetical"]
    opened = [at for at, word in enumerate(clause) if word in suppose and word not in ("were", "had", "say")]
    if clause[:1] == ["say"]:
        return True
    if not opened:
        return _is_inverted(words, verb_at, start)
    if any(word in ("who", "that", "which") for word in clause[opened[-1] :]):
        return False
    if words[verb_at] in ("were", "became", "become"):
        return True
    if "instead" in words or "rather" in words:
        return True
    if any(word in ("everyone", "everybody", "they", "all", "people", "we") for word in clause[opened[-1] :]):
        return True
    if clause[opened[-1] + 1 :][:1] in (["it"], ["he"], ["she"], ["<i>"]):
        return True
    return (
        any(word in ("would", "could", "might") for word in words)
        or clause[opened[-1] - 1 : opened[-1]] == ["what"]
        or clause[opened[-1]] != "if"
    )


def _is_inverted(words: list[str], verb_at: int, start: int) -> bool:
    """`Had they been older, ...`, `would he have survived had he been ...`: a supposition without `if`."""
    if words[verb_at] not in ("had", "were") or words[verb_at + 1 : verb_at + 2] == []:
        return False
    subject = words[verb_at + 1]
    if subject in ("they", "he", "she", "it", "these", "those", "this", "the", "people", "<i>"):
        return verb_at > start or "," in words[verb_at:]
    return False


EQUAL = f" {Comparator.EQUAL} "
KEPT = (" than ", f" {Comparator.NOT_EQUAL} ")
NO_STATES = ("missing", "present")


def supposed_of_row(reading: UtteranceReading, filters: Sequence[SurfacePart]) -> tuple[list[SurfacePart], list[SurfacePart]]:
    """The filters without those that a single row is only supposed to meet, and these as changes.

    A row that is named by its id needs no second condition, so an exact one is what its answer would be asked for under.
    """
    rows = [part for part in filters if part.text.startswith("filter id ")]
    if len(rows) != 1 or not _supposes(reading):
        return list(filters), []
    moved = [part for part in filters if is_exact(part) and not _describes(reading, part, rows[0])]
    kept = [part for part in filters if part not in moved]
    return kept, [as_change(part) for part in moved]


def _supposes(reading: UtteranceReading) -> bool:
    groups = lexicon().groups
    return any(
        word in groups[name]
        for word in reading.words
        for name in ("identifiers.supposing", "identifiers.turning", "suppositions.asked")
    )


def is_exact(part: SurfacePart) -> bool:
    """Whether a part is a condition that says which value a column has, so that it could as well be a change."""
    words = part.text.split()
    if words[:1] != ["filter"] or words[1] == "id" or any(kept in part.text for kept in KEPT):
        return False
    return words[-1] not in NO_STATES and words[2] != "not"


def _describes(reading: UtteranceReading, part: SurfacePart, row: SurfacePart) -> bool:
    """`the black person 12`, `patient 7, who smokes`: says which row it is."""
    before, after = reading.between(part.end, row.start), reading.between(row.end, part.start)
    if part.end <= row.start:
        return len(before) == 0
    return any(word in ("who", "that", "which", "whose") for word in after) or after in ([","], [",", "a"], [",", "an"])


def as_change(part: SurfacePart) -> SurfacePart:
    """An exact condition as a change to the value that it names."""
    return replace(part, text=_changed(part.text), others=tuple(_changed(one) for one in part.others))


def as_filter(part: SurfacePart) -> SurfacePart | None:
    """The inverse of `as_change`; None of a change by an amount."""
    words = part.text.split()
    if len(words) < 3 or words[2] in ("increase", "decrease"):
        return None
    text = part.text.replace("change ", "filter ", 1)
    return replace(part, text=text.replace(" set ", EQUAL, 1) if words[2] == "set" else text, others=())


def _changed(text: str) -> str:
    return text.replace("filter ", "change ", 1).replace(EQUAL, " set ")
