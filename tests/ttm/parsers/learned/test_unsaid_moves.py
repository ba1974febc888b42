"""A value moves up or down only where a message says so."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.language.row_state import rows_after
from ttm.parsers import LearnedParser
from ttm.parsers.learned.composition.unsaid_moves import moves_unsaid
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.understanding import ALONE, DialogueContext
from ttm.tabular.data.dataset import load_dataset

GRAMMAR = grammar_of(SCHEMAS["titanic"])


@pytest.mark.parametrize(
    ("message", "unsaid"),
    [
        ("what if their age was 25?", True),
        ("and with age 25?", True),
        ("what if they were 25 years older?", False),
        ("age down to 25", False),
        ("25% off the fare", False),
        ("-5 instead", False),
        ("half the fare", False),
    ],
)
def test_moves_need_a_word(message: str, unsaid: bool) -> None:
    parse = GRAMMAR.read("change age decrease 25 and predict")
    assert moves_unsaid(parse, tokenise(message), ALONE) is unsaid


def test_a_move_of_before_may_go_on_without_one() -> None:
    before = DialogueContext(parse=GRAMMAR.read("change age increase 5 and predict"))
    assert not moves_unsaid(GRAMMAR.read("change age increase 10 and predict"), tokenise("and 10?"), before)


def test_a_what_if_about_the_row_before_is_answered() -> None:
    schema = load_dataset("diabetes").schema
    parse = grammar_of(schema).read("filter id 5 and explain features")
    rows = rows_after(parse, None)
    context = DialogueContext(parse, "why is 5 predicted so?", rows=rows, operations=parse.steps[1:])
    understanding = LearnedParser(schema).understand("What if their BMI was 25?", context)
    assert understanding.question is None
    assert understanding.best is not None
    assert "change bmi set 25" in str(understanding.best.parse)
