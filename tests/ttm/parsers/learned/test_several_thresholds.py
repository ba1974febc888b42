"""A message that names several decision thresholds asks for each."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.parsers.learned.decisions.several_thresholds import at_each_threshold
from ttm.parsers.linker.words.tokens import tokenise

GRAMMAR = grammar_of(SCHEMAS["titanic"])


@pytest.mark.parametrize(("message", "before", "after"), [
    ("at 20%, 30 % or 0.5?", "threshold 0.2", "threshold 0.2 and threshold 0.3 and threshold 0.5"),
    ("at .2 and .3", "filter sex female and threshold and score recall",
     "filter sex female and threshold 0.2 and score recall and threshold 0.3 and score recall"),
    ("at 20%", "threshold 0.2", "threshold 0.2"),
    ("at .2 and .3", "threshold 0.4", "threshold 0.4"),
    ("at 0.2 for 3 of them", "threshold 0.2", "threshold 0.2"),
    ("recall at 20% and 30%", "score recall", "score recall"),
    ("at .2 and .3", "threshold 0.2 and predict", "threshold 0.2 and predict"),
])  # fmt: skip
def test_each_threshold_is_asked_for(message: str, before: str, after: str) -> None:
    assert str(at_each_threshold(GRAMMAR.read(f"{before} [e]"), tokenise(message))) == f"{after} [e]"
