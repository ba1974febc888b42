"""Where texts about the same item differ, word by word, and the sentences out of which one text is put together."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"\S+\s*")
_LETTERS = re.compile(r"\w+")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?…。！？])\s+|\n+")


@dataclass(frozen=True)
class TextWord:
    """A word with the blanks behind it; `shared`: whether every text has it, in any case and with any punctuation."""

    text: str
    shared: bool


def compared(texts: Mapping[str, str]) -> dict[str, tuple[TextWord, ...]]:
    """The words of each text, in their order."""
    held = [{_plain(word) for word in _WORD.findall(text)} for text in texts.values()]
    everywhere = set.intersection(*held) if held else set()
    return {
        name: tuple(TextWord(word, _plain(word) in everywhere) for word in _WORD.findall(text)) for name, text in texts.items()
    }


def sentences(text: str) -> Sequence[str]:
    """The sentences and lines of a text."""
    return [piece for each in _SENTENCE_ENDS.split(text) if (piece := each.strip())]


def _plain(word: str) -> str:
    return "".join(_LETTERS.findall(word)).casefold() or word.strip()
