"""Cutting a passage into candidate regions, a region into groups of words, and masking a group (algorithms 1 and 2).

Everything is a span of characters of the passage, never a string: replacing text would hit repeated words, and two thirds of
the passages of Natural Questions hold double spaces.
"""

import itertools
import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from faithfulness.method.texts.matching import SPACELESS

ABBREVIATIONS = set("e.g i.e etc mr mrs ms dr st vs no jr sr prof gen col u.s c ca".split())

# A character of a script without spaces takes its combining marks and the punctuation behind it along.
_WORD = re.compile(rf"[{SPACELESS}](?:[^\w\s]|[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])*|[^\s{SPACELESS}]+")

_WIDE_ENDS = ("\u3002", "\uff01", "\uff1f", "\u0964")  # of Chinese and Japanese, and of Hindi


class Splitter(StrEnum):
    """WORDS cuts into equal numbers of words (algorithm 1, to the letter); SENTENCES then moves each cut to a sentence end
    near it, which gives the regions of the paper's Figure 1."""

    WORDS = "words"
    SENTENCES = "sentences"


@dataclass(frozen=True, order=True)
class Span:
    """Characters start..end (end excluded) of a passage."""

    start: int
    end: int

    def of(self, passage: str) -> str:
        return passage[self.start : self.end]

    def holds(self, other: "Span") -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: "Span") -> bool:
        return self.start < other.end and other.start < self.end


def words(passage: str, within: Span | None = None) -> list[Span]:
    """The words of a passage, or of one span of it: runs of non-space, and in scripts without spaces each character."""
    start, end = (within.start, within.end) if within else (0, len(passage))
    return [Span(start + m.start(), start + m.end()) for m in _WORD.finditer(passage[start:end])]


def equal_parts(count: int, parts: int) -> list[int]:
    """Sizes of `parts` parts of `count` words: they differ by at most one, the first take the remainder; fewer words than
    parts gives fewer parts."""
    parts = min(parts, count)
    if parts < 1:
        return []
    size, rest = divmod(count, parts)
    return [size + (i < rest) for i in range(parts)]


def candidate_regions(passage: str, parts: int = 3, splitter: Splitter = Splitter.WORDS) -> list[Span]:
    """The candidate regions CR of algorithm 1, in order; together they hold every word once.

    There are `parts` of them wherever there are so many words: a text with fewer sentences is cut at words.
    """
    spans = words(passage)
    sizes = equal_parts(len(spans), parts)
    cuts = [sum(sizes[: i + 1]) for i in range(len(sizes) - 1)]
    if splitter is Splitter.SENTENCES:
        inner = [end for end in sentence_ends(passage) if end < len(spans)]
        cuts = _nearest(cuts, inner) if len(inner) >= len(cuts) else cuts
    return _joined(spans, cuts)


def _nearest(cuts: list[int], ends: list[int]) -> list[int]:
    """As many different ends, in order, each for one cut, whose distances from the cuts have the smallest sum.

    Each cut's own nearest end, as in the paper's Figure 1, unless two cuts have the same.
    """
    alone = [min(ends, key=lambda end: (abs(end - cut), end)) for cut in cuts]
    if len(set(alone)) == len(cuts):
        return alone
    best: dict[int, tuple[int, list[int]]] = {-1: (0, [])}  # the last end taken -> distance so far, ends taken
    for number, cut in enumerate(cuts):
        reached: dict[int, tuple[int, list[int]]] = {}
        for index in range(number, len(ends) - (len(cuts) - number - 1)):
            distance, taken = min(known for last, known in best.items() if last < index)
            reached[index] = (distance + abs(ends[index] - cut), [*taken, ends[index]])
        best = reached
    return min(best.values())[1]


def word_groups(passage: str, region: Span, groups: int = 5) -> list[Span]:
    """The candidate keywords CK of algorithm 2: groups of equal numbers of words of a region, in order."""
    spans = words(passage, region)
    sizes = equal_parts(len(spans), groups)
    return _joined(spans, [sum(sizes[: i + 1]) for i in range(len(sizes) - 1)])


def masked(passage: str, region: Span, group: Span, mask: str = "_") -> str:
    """The text of a region with one group replaced by one mask (section 2)."""
    return passage[region.start : group.start] + mask + passage[group.end : region.end]


def with_words(passage: str, keep: Collection[int], mask: str = "_") -> str:
    """The passage with the mask in place of each run of words whose indices are not among those to keep."""
    pieces: list[str] = []
    at, masking = 0, False
    for index, span in enumerate(words(passage)):
        if index in keep:
            pieces.append(passage[at : span.end])
            masking = False
        elif not masking:
            pieces += [passage[at : span.start], mask]
            masking = True
        at = span.end
    return "".join([*pieces, passage[at:]])


def sentence_ends(passage: str) -> list[int]:
    """After how many words each sentence ends; the last is the number of words."""
    texts = [span.of(passage) for span in words(passage)]
    ends = [i + 1 for i, word in enumerate(texts) if _ends_sentence(word, texts[i + 1 : i + 2])]
    return ends if ends and ends[-1] == len(texts) else [*ends, len(texts)] if texts else []


def _ends_sentence(word: str, following: list[str]) -> bool:
    bare = word.rstrip("\"')]\u201d\u2019\u300d\u300f")
    if bare.endswith(_WIDE_ENDS):
        return True
    if not bare.endswith((".", "!", "?")):
        return False
    stem = bare.rstrip(".!?").lstrip("\"'([\u201c\u2018").lower()
    if stem in ABBREVIATIONS or (len(stem) == 1 and stem.isalpha() and bare.endswith(".")):
        return False
    return not following or not following[0][:1].islower()


def _joined(spans: list[Span], cuts: list[int]) -> list[Span]:
    edges = [0, *cuts, len(spans)]
    pairs = itertools.pairwise(edges)
    return [Span(spans[a].start, spans[b - 1].end) for a, b in pairs if b > a]
