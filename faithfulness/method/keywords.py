"""The keywords that a model names: reading them from its reply, and finding them in the passage."""

import re
from collections.abc import Sequence

from faithfulness.method.regions import Span


def read_keywords(text: str, passage: str) -> tuple[str, ...]:
    """The keywords in a comma-separated list, in order, without empty pieces and duplicates.

    Pieces are merged again when the joined text stands in the passage: "August 11 to 16, 1965" is one keyword. A keyword
    that is not in the passage stays, since it counts in K.
    """
    # Not at the comma of "1,280", which no space follows.
    pieces = [piece for piece in re.split(r"(?<!\d),|,(?!\d{3}(?!\d))|;|\n", text) if piece.strip()]
    kept: list[str] = []
    while pieces:
        length = next((n for n in range(len(pieces), 1, -1) if occurrences(_joined(pieces[:n]), passage)), 1)
        kept.append(_joined(pieces[:length]))
        pieces = pieces[length:]
    return _distinct(kept)


def listed_keywords(listed: Sequence[str]) -> tuple[str, ...]:
    """Keywords that came as a list, each as it stands but for white space, quotes and the period at its end."""
    return _distinct([_clean(each) for each in listed])


def occurrences(keyword: str, passage: str, within: Span | None = None) -> list[Span]:
    """Where a keyword stands: case and white space folded, whole words only ("art" is not in "started")."""
    parts = [re.escape(part) for part in keyword.split()]
    if not parts:
        return []
    pattern = re.compile(r"(?<!\w)" + r"\s+".join(parts) + r"(?!\w)", re.IGNORECASE)
    start, end = (within.start, within.end) if within else (0, len(passage))
    return [Span(m.start() + start, m.end() + start) for m in pattern.finditer(passage[start:end])]


def any_inside(keywords: Sequence[str], passage: str, span: Span) -> bool:
    """Whether some keyword stands whole inside a span: "k is a part of s" (section 3.6), any occurrence counts."""
    return any(occurrences(keyword, passage, span) for keyword in keywords)


def any_overlapping(keywords: Sequence[str], passage: str, span: Span) -> bool:
    """The looser form reported beside it: some occurrence of a keyword shares a character with the span."""
    return any(occurrence.overlaps(span) for keyword in keywords for occurrence in occurrences(keyword, passage))


def _distinct(keywords: Sequence[str]) -> tuple[str, ...]:
    first: dict[str, str] = {}
    for word in filter(None, keywords):
        first.setdefault(word.casefold(), word)
    return tuple(first.values())


def _joined(pieces: Sequence[str]) -> str:
    return ", ".join(_clean(piece) for piece in pieces)


def bare(text: str) -> str:
    """Return words of a passage as a reader names them, without what stands around: "Los Angeles" for "(Los Angeles),"."""
    return re.sub(r"^\W+|\W+$", "", " ".join(text.split()))


def _clean(piece: str) -> str:
    """A keyword without the quotes around it and the punctuation at its end."""
    return " ".join(piece.split()).strip("\"'\u201c\u201d*`").rstrip(".!?:;").strip()
