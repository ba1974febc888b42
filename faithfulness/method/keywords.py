"""The keywords that a model names: reading them from its reply, and finding them in the passage."""

import re
import unicodedata
from collections.abc import Sequence

from faithfulness.method.regions import Span, words
from faithfulness.method.texts.matching import places

# What models write where they have no keyword to name.
NOTHING = {"none", "n/a", "na", "nil", "null", "no keywords", "not applicable"}
_MARK = re.compile(r"^\s*(?:[-*\u2022\u2023\u25aa\u2013]\s+|\(?\d{1,2}[.)]\s+|\(\d{1,2}\)\s*)")


def read_keywords(text: str, passage: str) -> tuple[str, ...]:
    """The keywords in a list, in order, without empty pieces, duplicates and the marks and numbers of the list.

    Pieces between commas are merged again when the joined text stands in the passage: "August 11 to 16, 1965" is one keyword.
    A keyword that is not in the passage stays, since it counts in K.
    """
    text = _without_brackets(text)
    # Not at the comma of "1,280", which no space follows.
    split = re.split(r"(?<!\d),|,(?!\d{3}(?!\d))|;|\n|[\u3001\uff0c\uff1b]", text)
    pieces = [_unmarked(piece, passage) for piece in split if piece.strip()]
    kept: list[str] = []
    while pieces:
        length = next((n for n in range(len(pieces), 1, -1) if occurrences(_joined(pieces[:n]), passage)), 1)
        kept.append(_joined(pieces[:length]))
        pieces = pieces[length:]
    return _named(kept, passage)


def listed_keywords(listed: Sequence[str], passage: str = "") -> tuple[str, ...]:
    """Keywords that came as a list, each as it stands but for white space, quotes, the period at its end and, where a passage
    is there to tell, the mark or number before it."""
    return _named([_clean(_unmarked(each, passage) if passage else each) for each in listed], passage)


def occurrences(keyword: str, passage: str, within: Span | None = None) -> list[Span]:
    """Where a keyword stands, as whole words, see `faithfulness.method.texts.matching`."""
    start, end = (within.start, within.end) if within else (0, len(passage))
    return [Span(first + start, last + start) for first, last in places(keyword, passage[start:end])]


def any_inside(keywords: Sequence[str], passage: str, span: Span, literal: bool = False) -> bool:
    """Whether some keyword stands whole inside a span: "k is a part of s" (section 3.6), any occurrence counts.

    By the letter of the paper (`literal`), as part of the string, in the same case and also inside a word.
    """
    if literal:
        return any(keyword in span.of(passage) for keyword in keywords)
    return any(occurrences(keyword, passage, span) for keyword in keywords)


def any_overlapping(keywords: Sequence[str], passage: str, span: Span) -> bool:
    """The looser form reported beside it: some occurrence of a keyword shares a character with the span."""
    return any(occurrence.overlaps(span) for keyword in keywords for occurrence in occurrences(keyword, passage))


def touched_words(texts: Sequence[str], passage: str) -> set[int]:
    """The indices of the words of a passage that some occurrence of a text touches."""
    spans = [span for text in texts for span in occurrences(text, passage)]
    if not spans:
        return set()
    return {index for index, word in enumerate(words(passage)) if any(word.overlaps(span) for span in spans)}


def bare(text: str) -> str:
    """Return words of a passage as a reader names them, without what stands around: "Los Angeles" for "(Los Angeles),"."""
    return re.sub(r"^\W+|\W+$", "", " ".join(text.split()))


def _named(keywords: Sequence[str], passage: str) -> tuple[str, ...]:
    """Different keywords, each in normal form C; a lone "none" that the passage does not hold is no keyword."""
    first: dict[str, str] = {}
    for word in filter(None, (unicodedata.normalize("NFC", keyword) for keyword in keywords)):
        first.setdefault(word.casefold(), word)
    named = tuple(first.values())
    if len(named) == 1 and named[0].casefold().strip("().") in NOTHING and passage and not occurrences(named[0], passage):
        return ()
    return named


def _without_brackets(text: str) -> str:
    """A list as JSON or Python writes it, without the brackets around it."""
    inner = text.strip()
    return inner[1:-1] if inner.startswith("[") and inner.endswith("]") else text


def _unmarked(piece: str, passage: str) -> str:
    """A keyword without the bullet or number of a list before it, unless the passage holds it with that."""
    mark = _MARK.match(piece)
    return piece if mark is None or (passage and occurrences(_clean(piece), passage)) else piece[mark.end() :]


def _joined(pieces: Sequence[str]) -> str:
    return ", ".join(_clean(piece) for piece in pieces)


def _clean(piece: str) -> str:
    """A keyword without the quotes around it and the punctuation at its end."""
    return " ".join(piece.split()).strip("\"'\u201c\u201d*`").rstrip(".!?:;").strip()
