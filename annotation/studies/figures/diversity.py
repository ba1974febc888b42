"""How varied the language of workers is beside that of the templates they reworded (INSPIRED, section 4.2 and appendix B)."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from annotation.studies.figures.results import STANDING, AnswerFilter, count_of_answers, each_result
from annotation.studies.study import Study
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
    """Of `answers` that were read, out of `of_all` that stand."""

    templates: Language
    wordings: Language
    answers: int
    of_all: int


class TextCounts:
    """What of many texts tells how varied they are, counted one text after another: all at once they take much memory."""

    def __init__(self) -> None:
        self._texts: Counter[str] = Counter()
        self._words: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._window: list[str] = []  # the words since the last whole stretch
        self._windows, self._different_in_windows = 0, 0

    def add(self, text: str) -> None:
        words = words_of(text)
        self._texts[plain(text)] += 1
        self._words.update(words)
        self._pairs.update(pairwise(words))
        self._window += words
        while len(self._window) >= WINDOW:
            self._windows += 1
            self._different_in_windows += len(set(self._window[:WINDOW]))
            del self._window[:WINDOW]

    def language(self) -> Language:
        """The figures of all texts so far."""
        texts, words = self._texts.total(), self._words.total()
        return Language(
            texts=texts,
            words=words,
            vocabulary=len(self._words),
            mean_words=_share(words, texts),
            distinct_1=_share(len(self._words), words),
            distinct_2=_share(len(self._pairs), self._pairs.total()),
            entropy_1=_entropy(self._words),
            entropy_2=_entropy(self._pairs),
            type_token_ratio=self._different_in_windows / WINDOW / self._windows if self._windows else None,
            different=_share(sum(count == 1 for count in self._texts.values()), texts),
        )


def diversity(study: Study, choice: AnswerFilter = STANDING, most: int | None = None) -> Diversity:
    """Of all that workers wrote in place of a template, and of those templates.

    For `most` of the answers or fewer, spread evenly over the items, since a template may take long to make again.
    """
    templates, wordings = TextCounts(), TextCounts()
    of_all = count_of_answers(study, choice)
    step = 1 if most is None else max(math.ceil(of_all / most), 1)
    read = 0
    for result in islice(each_result(study, choice), 0, None, step):
        read += 1
        for part in study.task.parts(result.content, study.plan.task_settings, result.shown):
            if part.kind == "write" and part.source and part.name in result.answer:
                templates.add(part.source)
                wordings.add(str(result.answer[part.name]))
    return Diversity(templates.language(), wordings.language(), read, of_all)


def language(texts: Iterable[str]) -> Language:
    counts = TextCounts()
    for text in texts:
        counts.add(text)
    return counts.language()


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _entropy(counts: Mapping[Any, int]) -> float:
    total = sum(counts.values())
    return -sum(count / total * math.log2(count / total) for count in counts.values()) if total else 0.0
