"""Finding a text inside a passage as a reader would: whatever its case, white space, typography and Unicode normal form.

Word boundaries hold between letters of scripts that put spaces between words; Chinese, Japanese, Thai and others do not.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

# Letters of scripts without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han.
SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
# One character each, so that positions stay what they are.
_TYPOGRAPHY = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u02bc\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    }
)
_SPACELESS = re.compile(f"[{SPACELESS}]")
_LETTER = re.compile(rf"[^\W{SPACELESS}]")
_CLUSTER = re.compile(r"[^\u0300-\u036f\u1160-\u11ff]?[\u0300-\u036f\u1160-\u11ff]*", re.DOTALL)


def places(text: str, passage: str) -> list[tuple[int, int]]:
    """Return the characters [start, end) of each occurrence of a text as whole words ("art" is not in "started")."""
    parts = [re.escape(part) for part in _folded(text).split()]
    if not parts:
        return []
    composed, offsets = _composed(passage)
    matches = _whole_words(_pattern(tuple(parts)), composed)
    if offsets is None:
        return [match.span() for match in matches]
    return [(offsets[match.start()], offsets[match.end()]) for match in matches]


@lru_cache(maxsize=4096)
def _pattern(parts: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"\s+".join(parts), re.IGNORECASE)


def _whole_words(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    # The boundaries are no part of the pattern: the classes of letters took most of the time that it took to compile.
    start = 0
    while match := pattern.search(text, start):
        begins, ends = match.start(), match.end()
        whole = not _joined(text, begins - 1, begins) and not _joined(text, ends, ends - 1)
        if whole:
            yield match
        start = ends if whole else begins + 1


def _joined(text: str, outside: int, inside: int) -> bool:
    """Whether the character outside makes one word with that inside, which is one without a boundary of its own."""
    if not 0 <= outside < len(text) or _SPACELESS.match(text, inside):
        return False
    return _LETTER.match(text, outside) is not None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).translate(_TYPOGRAPHY)


@lru_cache(maxsize=512)
def _composed(passage: str) -> tuple[str, list[int] | None]:
    """The passage in normal form C, and where each of its characters, and its end, stand in the passage as it is."""
    if unicodedata.is_normalized("NFC", passage):
        return passage.translate(_TYPOGRAPHY), None
    pieces: list[str] = []
    offsets: list[int] = []
    for match in _CLUSTER.finditer(passage):
        piece = unicodedata.normalize("NFC", match[0])
        pieces.append(piece)
        offsets += [match.start()] * len(piece)
    return "".join(pieces).translate(_TYPOGRAPHY), [*offsets, len(passage)]
