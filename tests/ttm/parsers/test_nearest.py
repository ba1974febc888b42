"""The nearest-neighbour parser: whose parse it takes, how many it compares with, and what it keeps."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from backend.errors import ExecutionError
from backend.storage.cache import Cache
from tests.ttm.parsers.schemas import SCHEMAS
from ttm.parsers.examples import ExampleSet, evenly, examples_of
from ttm.parsers.nearest import NearestParser
from ttm.parsers.templates.generate import TrainingPair

SCHEMA = SCHEMAS["recidivism"]
EXAMPLES = [
    TrainingPair("How many people are there?", "countdata [e]", "a"),
    TrainingPair("What is the number of people?", "countdata [e]", "b"),
    TrainingPair("How accurate is the model?", "score accuracy [e]", "c"),
    TrainingPair("Which features are most important?", "important all [e]", "d"),
    TrainingPair("What is the average age?", "statistic age [e]", "e"),
]


class Words:
    """Embeds a text as its words; deterministic, and nearer the more words are shared."""

    name = "words"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked += texts
        vectors = np.zeros((len(texts), 512), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().strip("?.! ").split() or [""]:
                vectors[row, sum(word.encode()) * 31 % 512] += 1
        lengths: npt.NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / lengths


@pytest.fixture
def parser() -> NearestParser:
    return NearestParser(SCHEMA, ExampleSet(EXAMPLES, Words()))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.template)
def test_the_words_of_an_example_give_its_parse(parser: NearestParser, example: TrainingPair) -> None:
    best = parser.understand(example.utterance).best
    assert best is not None
    assert str(best.parse) == example.parse


def test_other_parses_follow_each_once(parser: NearestParser) -> None:
    candidates = parser.understand("how many people are there in this data?").candidates
    parses = [str(each.parse) for each in candidates]
    assert parses[0] == "countdata [e]"
    assert sorted(parses) == sorted({each.parse for each in EXAMPLES})
    confidences = [each.confidence for each in candidates]
    assert confidences == sorted(confidences, reverse=True)
    assert sum(confidences) <= 1 + 1e-6


def test_what_the_data_is_not_about_is_not_answered(parser: NearestParser) -> None:
    understanding = parser.understand("what will the weather be tomorrow?")
    assert not understanding.in_scope
    assert understanding.question


@pytest.mark.parametrize("text", ["", " ", "?" * 5000, "ποιο είναι το μέσο;", "\x00\ud800"[:1], "x" * 20_000])
def test_any_text_is_taken(parser: NearestParser, text: str) -> None:
    assert parser.understand(text).utterance == text


def test_no_template_dominates_and_the_number_is_bounded() -> None:
    many = [TrainingPair(f"{template} {number}", "countdata [e]", template) for template in "abc" for number in range(50)]
    kept = evenly([*many, TrainingPair("alone", "show [e]", "d")], 31)
    assert Counter(each.template for each in kept) == {"a": 10, "b": 10, "c": 10, "d": 1}
    assert len(evenly([*EXAMPLES, *EXAMPLES], 100)) == len(EXAMPLES)


def test_embeddings_are_kept_by_content(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    first, second = Words(), Words()
    ExampleSet(EXAMPLES, first, cache)
    again = ExampleSet(EXAMPLES, second, Cache(tmp_path / "cache"))
    assert len(first.asked) == len(EXAMPLES)
    assert second.asked == []
    assert next(again.nearest(EXAMPLES[2].utterance)).example is EXAMPLES[2]
    ExampleSet(EXAMPLES[:3], second, cache)
    assert second.asked == [EXAMPLES[2].utterance, *(each.utterance for each in EXAMPLES[:3])]


def test_without_examples_it_says_so() -> None:
    with pytest.raises(ExecutionError, match="no example"):
        ExampleSet([], Words())


def test_generated_examples_are_in_the_language_of_the_data_set() -> None:
    examples = examples_of(SCHEMA, most=300, embedder=Words())
    assert 100 < len(examples.examples) <= 300
    parser = NearestParser(SCHEMA, examples)
    asked = examples.examples[::25]
    right = [str(best.parse) == each.parse for each in asked if (best := parser.understand(each.utterance).best)]
    assert sum(right) >= 0.9 * len(asked)
