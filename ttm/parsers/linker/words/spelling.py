"""Correcting typing errors, towards the words that matter here: those of the data set and those that questions are made of.

A word of everyday English is never "corrected", so `chance` does not become `change`. The list in `parsers/linker/english.txt`
holds common words in alphabetical order, whole words of the vocabulary of all-MiniLM-L6-v2 (Apache-2.0).
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from importlib import resources

from rapidfuzz import process
from rapidfuzz.distance import OSA

from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken

SHORTEST = 4  # letters; shorter words have too many neighbours
TWO_ERRORS_FROM = 8  # letters from which two errors are forgiven
ENDINGS = ("s", "es", "ed", "d", "ing", "ly", "er", "ers")
MOST = 40  # corrections tried in one utterance


@lru_cache(maxsize=1)
def english() -> frozenset[str]:
    return frozenset(resources.files("ttm.parsers.linker").joinpath("english.txt").read_text("utf-8").split())


class Speller:
    """Corrects words towards `vocabulary`; of two corrections equally near, one in `preferred` wins."""

    def __init__(self, vocabulary: Iterable[str], preferred: Iterable[str]) -> None:
        preferred_words = [word for word in preferred if word.isalpha()]
        self._preferred = frozenset(word for word in preferred_words if len(word) >= SHORTEST)
        self._words = sorted({word for word in vocabulary if len(word) >= SHORTEST} | set(self._preferred))
        self._known = frozenset(self._words) | frozenset(preferred_words) | english()
        self._corrections: dict[str, str] = {}

    def correct(self, tokens: list[UtteranceToken]) -> list[UtteranceToken]:
        tried = 0
        result: list[UtteranceToken] = []
        for token in tokens:
            if token.kind is TokenKind.WORD and token.form != "code" and tried < MOST and not self._is_known(token.text):
                tried += 1
                token = replace(token, text=self._nearest(token.text))
            result.append(token)
        return result

    def _is_known(self, word: str) -> bool:
        if len(word) < SHORTEST or word in self._known:
            return True
        roots = [word.removesuffix(ending) for ending in ENDINGS if word.endswith(ending)]
        silent = [f"{word.removesuffix(ending)}e" for ending in ("ing", "er", "ers") if word.endswith(ending)]
        return any(root in self._known for root in [*roots, *silent])

    def _nearest(self, word: str) -> str:
        if word in self._corrections:
            return self._corrections[word]
        allowed = 2 if len(word) >= TWO_ERRORS_FROM else 1
        near = process.extract(word, self._words, scorer=OSA.distance, score_cutoff=allowed, limit=5)
        best = min(near, key=lambda match: (match[1], match[0][0] != word[0], match[0] not in self._preferred), default=None)
        if len(self._corrections) > 10_000:
            self._corrections.clear()
        self._corrections[word] = best[0] if best else word
        return self._corrections[word]
