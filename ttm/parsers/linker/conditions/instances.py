"""Made-up instances: "a 45 year old with BMI 31 and glucose 150" is one new row, not a condition on known ones."""

from collections.abc import Sequence

from ttm.language.parse import Comparator
from ttm.parsers.linker.schema_linking.grounding import SchemaGrounding, SurfacePart
from ttm.parsers.linker.schema_linking.reading import UtteranceReading
from ttm.parsers.linker.words.lexicon import lexicon

ANNOUNCED = frozenset("new hypothetical imaginary fictional made custom invented fictitious".split())
EQUAL = f" {Comparator.EQUAL} "
FROM = 2  # features that must be named for a row to be taken as made up, unless it is announced


def made_up_instance(reading: UtteranceReading, filters: Sequence[SurfacePart], ground: SchemaGrounding) -> SurfacePart | None:
    """The instance that an indefinite singular with several exact values describes; None if rows are meant.

    `A woman of 30` is nobody in the data, `women of 30` are rows: only number and article tell them apart, so one vague value
    is enough for rows.
    """
    if not filters or not all(_is_exact(part.text) for part in filters):
        return None
    numeric = [part for part in filters if EQUAL in part.text]
    features = {part.text.split()[1] for part in filters}
    if not numeric or len(features) < len(filters) or "or" in reading.words:
        return None
    words, start = reading.words, min(part.start for part in filters)
    announced = any(word in ANNOUNCED for word in words[max(0, start - 4) : start + 2])
    if not announced and (len(numeric) < FROM or not _is_indefinite_single(words, start)):
        return None
    values = " ".join(part.text.removeprefix("filter ").replace(EQUAL, " ") for part in filters)
    return SurfacePart(start, max(part.end for part in filters), f"instance {values}", 0.1)


def _is_exact(text: str) -> bool:
    """Whether a condition gives a column one value, as a made-up row has."""
    if not text or text.startswith(("filter id", "probability")):
        return False
    vague = text.endswith((" missing", " present")) or " than " in text or " not " in text
    return EQUAL in text or not vague


def _is_indefinite_single(words: list[str], start: int) -> bool:
    """`a 45 year old`, `a woman of 30`: an article right before; "someone" and "a person whose" keep selecting rows."""
    many = {"people", "those", "everyone", "all", "ones", "folks", "someone", "anyone"}
    before = words[max(0, start - 4) : start + 1]
    if any(word in many for word in words):
        return False
    return any(word in ("a", "an") for word in before) or (
        any(word in lexicon().groups["entity"] for word in before[-1:]) and "a" in before
    )
