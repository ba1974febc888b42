"""Comparisons that a span says in so many words; they add to what the encoder thinks of its relation."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ttm.parsers.linker.words.tokens import UtteranceToken

SAID = 4.0  # log-odds that plain words add
_PATTERNS = {
    "between": r"\bbetween\b.*\band\b|<n> (?:to|until|till|through|-) <n>|\bfrom <n> .*\bto <n>",
    "at least": r">=|=>|≥|\bat least\b|<n>(?: \w+)? (?:or|and) (?:more|over|above|older|up|higher|upwards?|better)|<n>(?: \w+)? (?:up|upwards?|plus)\b|"
                r"\b(?:no|not) (?:less|fewer|lower|younger|under|below)\b|\bminimum\b|\bfrom <n>(?: \w+)?(?: on| onwards?| up)",
    "at most": r"<=|=<|≤|\bat most\b|<n>(?: \w+)? (?:or|and) (?:less|fewer|under|below|younger|lower|down)|\b(?:no|not) (?:more|greater|over|older|higher|above)\b|"
               r"\bmaximum\b|\bup to\b",
    "not equal": r"!=|<>|≠",
    "greater": r"(?<![<=])>(?!=)|\b(?:more|greater|higher|bigger|larger|older|longer|heavier|taller|over|above|exceed\w*|beyond|past|north of|after|"
               r"better|wider|faster) ",
    "less": r"(?<![>=])<(?![=n>])|\b(?:less|fewer|lower|smaller|younger|shorter|lighter|under|below|beneath|before|cheaper|slower) ",
}  # fmt: skip


@lru_cache(maxsize=1)
def _compiled() -> dict[str, re.Pattern[str]]:
    return {relation: re.compile(pattern) for relation, pattern in _PATTERNS.items()}


def said_relation(tokens: Sequence[UtteranceToken]) -> str | None:
    """The comparison that a span with a number states plainly; None if it states none."""
    words = [("<n>" if token.kind in ("number", "date") else token.text) for token in tokens]
    if "<n>" not in words:
        return None
    if any(token.form == "plus" for token in tokens):
        return "at least"
    text = f"{' '.join(words)} "
    return next((relation for relation, pattern in _compiled().items() if pattern.search(text)), None)
