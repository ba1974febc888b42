"""Where two parses differ, word by word."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_COMPARED = 1000  # words that lie between the first and the last difference; above, all of them count as changed


@dataclass(frozen=True)
class TextStretch:
    """A stretch of a text; `changed` if the other text lacks it."""

    text: str
    changed: bool


def differences(before: str, after: str) -> tuple[list[TextStretch], list[TextStretch]]:
    """Both texts cut where they begin or cease to differ; the pieces put together give the text again."""
    old, new = _words(before), _words(after)
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    left, right = [TextStretch("".join(old[:start]), False)], [TextStretch("".join(new[:start]), False)]
    for same, a, b in _blocks(middle_old, middle_new):
        left.append(TextStretch("".join(a), not same))
        right.append(TextStretch("".join(b), not same))
    tail = TextStretch("".join(old[len(old) - end :]), False)
    return [piece for piece in (*left, tail) if piece.text], [piece for piece in (*right, tail) if piece.text]


def _words(text: str) -> list[str]:
    """Words, each with the blanks that follow it."""
    return re.findall(r"\S+\s*|\s+", text)


def _shared(old: list[str], new: list[str]) -> int:
    """How many words both begin with."""
    return next((index for index, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def _blocks(old: list[str], new: list[str]) -> list[tuple[bool, list[str], list[str]]]:
    if max(len(old), len(new)) > MOST_COMPARED:
        return [(False, old, new)]
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(code == "equal", old[a:b], new[c:d]) for code, a, b, c, d in codes]
