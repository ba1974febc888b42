"""How varied the language of workers is beside that of the templates they reworded (INSPIRED, section 4.2 and appendix B)."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotation.studies.figures.answered_fields import AnsweredFields
from annotation.studies.work.answer_warnings import plain
from backend.text.tokens import words as words_of

WINDOW = 100  # words over which the type-token ratio is taken


@dataclass(frozen=True)
class Language:
    """`mean_words`: words a text, as `inspired metrics` counts them: punctuation is no word.

    `distinct_1`, `distinct_2`: different words (pairs of them) over all.

    `entropy_1`, `entropy_2`: of words and pairs, in bits. `type_token_ratio`: mean over stretches of 100 words, None if
    there are fewer. `different`: the share of texts that occur only once.
    """

    texts: int
    words: int
    vocabulary: int
    mean_words: float
    distinct_1: float
    distinct_2: float
    entropy_1: float
    entropy_2: float
    type_token_ratio: float | None
    different: float


@dataclass(frozen=True)
class Diversity:
    templates: Language
    wordings: Language


def diversity(answered: AnsweredFields) -> Diversity:
    """Of all that workers wrote in place of a template, and of those templates."""
    templates, wordings = [template for template, _ in answered.written], [wording for _, wording in answered.written]
    return Diversity(language(templates), language(wordings))


def language(texts: Sequence[str]) -> Language:
    words = [words_of(text) for text in texts]
    tokens = [word for text in words for word in text]
    pairs = [pair for text in words for pair in pairwise(text)]
    once = sum(count == 1 for count in Counter(plain(text) for text in texts).values())
    return Language(
        texts=len(texts),
        words=len(tokens),
        vocabulary=len(set(tokens)),
        mean_words=_share(len(tokens), len(texts)),
        distinct_1=_share(len(set(tokens)), len(tokens)),
        distinct_2=_share(len(set(pairs)), len(pairs)),
        entropy_1=_entropy(tokens),
        entropy_2=_entropy(pairs),
        type_token_ratio=_type_token_ratio(tokens),
        different=_share(once, len(texts)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _entropy(symbols: Iterable[object]) -> float:
    counts = Counter(symbols)
    total = counts.total()
    return -sum(count / total * math.log2(count / total) for count in counts.values()) if total else 0.0


def _type_token_ratio(tokens: list[str]) -> float | None:
    windows = [tokens[start : start + WINDOW] for start in range(0, len(tokens) - WINDOW + 1, WINDOW)]
    return sum(len(set(window)) for window in windows) / WINDOW / len(windows) if windows else None
