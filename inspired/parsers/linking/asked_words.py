"""Words and phrases by which people ask for what a graph calls otherwise: "how far" for a distance, "airfield" for an airport.

The files beside this one were written by authors who saw neither graphs nor questions. A line of `near_synonyms.txt` has the
word by which a property is called and then words by which people ask for it, one of `kinds.txt` the same for a class; a line of
`phrases.txt` has a phrase, `=>` and the word for the property.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from inspired.parsers.linking.words import content_stems, stem, stop_words, tokens_of

LONGEST_PHRASE = 4
Stems = tuple[str, ...]


@cache
def near(name: Literal["near_synonyms", "kinds"]) -> Mapping[str, tuple[str, ...]]:
    """By stem, the stems of words that ask for nearly the same: those of a line and its first one, not among each other."""
    result: dict[str, dict[str, None]] = {}
    for line in _lines(f"{name}.txt"):
        first, *others = dict.fromkeys(stem(each) for each in line.split() if each not in stop_words())
        for each in others:
            result.setdefault(first, {})[each] = None
            result.setdefault(each, {})[first] = None
    return {each: tuple(others) for each, others in result.items()}


@cache
def phrases() -> Mapping[Stems, tuple[Stems, ...]]:
    """By the stems of a phrase, those of each property that it may ask for."""
    result: dict[Stems, dict[Stems, None]] = {}
    for line in _lines("phrases.txt"):
        phrase, _, called = line.partition(" => ")
        result.setdefault(tuple(each.stem for each in tokens_of(phrase)), {})[content_stems(called)] = None
    return {phrase: tuple(called) for phrase, called in result.items()}


def phrases_in(stems: Sequence[str]) -> Iterator[tuple[range, Stems]]:
    """Where phrases stand among the stems of a question, and what each may ask for."""
    known = phrases()
    for start in range(len(stems)):
        for end in range(start + 2, min(start + LONGEST_PHRASE, len(stems)) + 1):
            for called in known.get(tuple(stems[start:end]), ()):
                yield range(start, end), called


def _lines(name: str) -> Iterator[str]:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return (line for line in text.splitlines() if line and not line.startswith("#"))
