"""An index of names by the beginning of any of their words, made once for all who ask the same knowledge base.

It is one text with all names in it and an array of the places where their words begin, in the order of what follows there.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nlargest

from inspired.parsers.linking.words import tokens_of

SORTED = 40  # characters after the beginning of a word by which the places are in order
AT_START, WHOLE = 0.4, 0.4  # what counts beside the weight: a name that begins so, and one that is nothing more
_BETWEEN = "\n"
_AFTER_ALL = chr(0x10FFFF)


@dataclass(frozen=True, slots=True)
class KnownName:
    """What is written, what it is ("country"), and how well known it is, from 0 to 1.

    `text` takes the place of what was typed, which may be the beginning of `also`, another name of the same.
    """

    text: str
    about: str = ""
    weight: float = 0.0
    also: str = ""


class NameIndex:
    """Finds names in about the same time however many there are; nothing in it changes."""

    def __init__(self, names: Iterable[KnownName]) -> None:
        self._names: list[KnownName] = []
        self._text = _BETWEEN
        begins: list[tuple[int, int]] = []
        parts, size = [_BETWEEN], 1
        for name in names:
            words = plain_words(name.also or name.text)
            if not words:
                continue
            for word in words:
                begins.append((size, len(self._names)))
                parts.append(word + " ")
                size += len(word) + 1
            parts[-1] = words[-1] + _BETWEEN
            self._names.append(name)
        self._text = "".join(parts)
        begins.sort(key=lambda each: self._after(each[0]))
        self._begins = array("I", [begin for begin, _ in begins])
        self._owners = array("I", [owner for _, owner in begins])

    def _after(self, begin: int) -> str:
        return self._text[begin : begin + SORTED]

    def beginning(self, words: str, most: int, at_start: bool = False) -> tuple[KnownName, ...]:
        """At most `most` names with a word where `words` begins, the best known first; each text once.

        `words` are as `plain_words` gives them, with a blank between; `at_start`: only names that begin so.
        """
        ranked = nlargest(4 * most, self._matches(words, at_start), key=lambda each: each[0])
        by_text: dict[str, KnownName] = {}
        for _, owner in ranked:
            by_text.setdefault(self._names[owner].text, self._names[owner])
        return tuple(by_text.values())[:most]

    def _matches(self, words: str, at_start: bool) -> Iterable[tuple[float, int]]:
        """How good each match is, and the number of its name."""
        first, last = (bisect_left(self._begins, each, key=self._after) for each in (words[:SORTED], self._last(words)))
        for index in range(first, last):
            begin, owner = self._begins[index], self._owners[index]
            starts = self._text[begin - 1] == _BETWEEN
            if (at_start and not starts) or not self._text.startswith(words, begin):
                continue
            whole = starts and self._text[begin + len(words)] == _BETWEEN
            yield self._names[owner].weight + AT_START * starts + WHOLE * whole, owner

    def _last(self, words: str) -> str:
        return words[:SORTED] + _AFTER_ALL


def plain_words(text: str) -> list[str]:
    """The words of a name without case, accents and punctuation."""
    return [each.plain for each in tokens_of(text) if each.plain]
