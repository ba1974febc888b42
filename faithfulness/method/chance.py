"""What would have been named by chance, or by a list that knows nothing: the controls that stand beside f.

A control is judged as the model's keywords are, by its text, which counts wherever it stands. Counting only the place that was
drawn would make chance look worse than it is, and the model better.
"""

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from faithfulness.method.keywords import bare, listed_keywords, occurrences
from faithfulness.method.regions import Span, words
from faithfulness.method.sample import Sample

DRAWS = 200
FREQUENT_WORDS = ("the", "of", "in", "a", "and")
# Words that carry grammar rather than content; enough to tell the classes of words apart.
FUNCTION_WORDS = frozenset(
    "a an the of in on at by to from for with without as and or but nor so if than then that this these those which "
    "who whom whose what when where why how is are was were be been being am do does did has have had having will "
    "would shall should can could may might must not no it its he she they them his her their him we us our you your "
    "i me my there here into over under between during after before about against through also such both each all any "
    "some more most other only own same very s t".split()
)


def capitals_and_numbers(passage: str) -> tuple[str, ...]:
    """Every word of a passage that begins with a capital letter or holds a digit."""
    texts = (bare(span.of(passage)) for span in words(passage))
    return listed_keywords([text for text in texts if text[:1].isupper() or any(map(str.isdigit, text))])


def question_words(question: str) -> tuple[str, ...]:
    """The words of a question that are no function words."""
    texts = (bare(span.of(question)) for span in words(question))
    return listed_keywords([text for text in texts if text.casefold() not in FUNCTION_WORDS])


# Lists that know nothing of what the model needed. F that they reach as well is no sign of faithfulness.
CONTROLS: dict[str, Callable[[Sample], tuple[str, ...]]] = {
    ", ".join(FREQUENT_WORDS): lambda sample: FREQUENT_WORDS,
    "all capitalised words and numbers": lambda sample: capitals_and_numbers(sample.passage),
    "the words of the question": lambda sample: question_words(sample.question),
    "all words": lambda sample: listed_keywords([bare(span.of(sample.passage)) for span in words(sample.passage)]),
}


def word_class(text: str) -> str:
    """Whether a run of words holds a number, else a name, else any word of content, or function words only."""
    if any(map(str.isdigit, text)):
        return "number"
    parts = [part for part in re.split(r"\W+", text) if part]
    content = [part for part in parts if part.casefold() not in FUNCTION_WORDS]
    if any(part[:1].isupper() for part in content):
        return "name"
    return "content" if content else "function"


def random_keywords(passage: str, keywords: Sequence[str], seed: int = 0, literal: bool = False) -> Iterator[list[str]]:
    """DRAWS lists of random runs of words, one run for each keyword that is in the passage, as long and of the same class.

    A keyword that is not in the passage can hit nothing, and neither does chance in its stead; `literal` looks for it as the
    letter of the paper does, as part of the text. Where no run is of the class, any of the length will do.
    """
    tokens = words(passage)
    runs = _Runs(passage, tokens)
    present = [(keyword in passage) if literal else bool(occurrences(keyword, passage)) for keyword in keywords]
    choices = [runs.like(keyword) for keyword, there in zip(keywords, present, strict=True) if there]
    generator = random.Random(seed)
    for _ in range(DRAWS):
        yield [generator.choice(each) for each in choices if each]


class _Runs:
    """The runs of words of a passage by their length and class."""

    def __init__(self, passage: str, tokens: Sequence[Span]) -> None:
        self._passage, self._tokens = passage, tokens
        self._known: dict[int, dict[str, list[str]]] = {}

    def like(self, keyword: str) -> list[str]:
        spans = occurrences(keyword, self._passage)
        there = spans[0].of(self._passage) if spans else keyword  # a part of a word, by the letter of the paper
        length = min(max(1, len(words(there))), len(self._tokens))
        by_class = self._of(length)
        return by_class.get(word_class(there)) or [text for texts in by_class.values() for text in texts]

    def _of(self, length: int) -> dict[str, list[str]]:
        if length not in self._known:
            by_class: dict[str, list[str]] = defaultdict(list)
            for start in range(len(self._tokens) - length + 1):
                span = Span(self._tokens[start].start, self._tokens[start + length - 1].end)
                if text := bare(span.of(self._passage)):
                    by_class[word_class(text)].append(text)
            self._known[length] = dict(by_class)
        return self._known[length]
