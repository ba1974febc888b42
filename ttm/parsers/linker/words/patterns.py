"""A small pattern language over the items of a reading, in which the cue phrases of `parsers/linker/cues.toml` are written.

A pattern is a row of elements: `word`, `begin*`, `@group` (of words.toml), `<tag>` of a linked item (feature f, property b,
value v, category g, class c, outcome t, number n, instance i, condition q), alternatives `a|b|@c`, an optional element `word?`,
a gap `...` of up to five items and a long one `....`, `^` for the beginning of a clause and `$` for its end. Patterns never
look beyond one clause.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ttm.parsers.linker.words.lexicon import Words, lexicon, words_of

GAP = 5
LONG_GAP = 14
GAPS = {"...": GAP, "....": LONG_GAP}
T = TypeVar("T")


@dataclass(frozen=True)
class Element:
    """One element: words or tags that fit, whether it may be left out, or a gap (`fits` is None)."""

    fits: Words | None
    optional: bool = False
    gap: int = 0


@dataclass(frozen=True)
class Pattern:
    elements: tuple[Element, ...]
    at_start: bool = False
    at_end: bool = False
    text: str = ""

    @property
    def weight(self) -> int:
        """How much a match says: the elements that must be there."""
        return sum(1 for element in self.elements if element.fits is not None and not element.optional)


def compile_pattern(text: str) -> Pattern:
    """Read a pattern from its text; raises KeyError for an unknown group."""
    words = text.split()
    at_start, at_end = words[0] == "^", words[-1] == "$"
    return Pattern(tuple(_element(word) for word in words if word not in ("^", "$")), at_start, at_end, text)


def _element(word: str) -> Element:
    if word in GAPS:
        return Element(None, gap=GAPS[word])
    optional = word.endswith("?") and len(word) > 1
    entries: list[str] = []
    beginnings: list[str] = []
    for part in word.removesuffix("?").split("|"):
        if part.startswith("@"):
            group = lexicon().groups[part[1:]]
            entries += group.whole
            beginnings += [f"{beginning}*" for beginning in group.beginnings]
        else:
            entries.append(part)
    return Element(words_of([*entries, *beginnings]), optional)


def match(pattern: Pattern, words: Sequence[str], start: int) -> int | None:
    """The position after a match that begins at `start`, or None."""
    if pattern.at_start and start != 0:
        return None
    return _match(pattern, 0, words, start)


def _match(pattern: Pattern, index: int, words: Sequence[str], position: int) -> int | None:
    if index == len(pattern.elements):
        return position if not pattern.at_end or position == len(words) else None
    element = pattern.elements[index]
    if element.fits is None:
        for length in range(element.gap + 1):
            if position + length > len(words):
                return None
            end = _match(pattern, index + 1, words, position + length)
            if end is not None:
                return end
        return None
    if position < len(words) and words[position] in element.fits:
        end = _match(pattern, index + 1, words, position + 1)
        if end is not None:
            return end
    return _match(pattern, index + 1, words, position) if element.optional else None


class PatternSet(Generic[T]):
    """Many patterns, each with what it stands for, indexed by the words that can begin them."""

    def __init__(self, pairs: Sequence[tuple[Pattern, T]]) -> None:
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._by_beginning: list[tuple[str, int]] = []
        self._pairs = list(pairs)
        self._known: dict[str, list[int]] = {}
        for number, (pattern, _) in enumerate(self._pairs):
            for element in pattern.elements:
                assert element.fits is not None, "a pattern may not begin with a gap"
                for word in element.fits.whole:
                    self._by_word[word].append(number)
                self._by_beginning += [(beginning, number) for beginning in element.fits.beginnings]
                if not element.optional:
                    break

    def find(self, words: Sequence[str]) -> Iterator[tuple[int, int, Pattern, T]]:
        """Every match as start, end, pattern and what the pattern stands for."""
        for start, word in enumerate(words):
            for number in self._candidates(word):
                pattern, meaning = self._pairs[number]
                end = match(pattern, words, start)
                if end is not None and end > start:
                    yield start, end, pattern, meaning

    def _candidates(self, word: str) -> list[int]:
        if word not in self._known:
            if len(self._known) > 20_000:
                self._known.clear()
            numbers = {*self._by_word.get(word, ()), *(n for beginning, n in self._by_beginning if word.startswith(beginning))}
            self._known[word] = sorted(numbers)
        return self._known[word]
