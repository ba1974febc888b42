"""A value moves up or down only where a message says so."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.language.row_state import rows_after
from ttm.parsers import LearnedParser
from ttm.parsers.learned.composition.unsaid_moves import moves_against, moves_unsaid
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.understanding import ALONE, DialogueContext
from ttm.tabular.data.dataset import load_dataset

GRAMMAR = grammar_of(SCHEMAS["titanic"])


@pytest.fixture(scope="module")
def parser() -> LearnedParser:
    return LearnedParser(load_dataset("diabetes").schema)


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
        ("for 25 age is more important than fare", True),
    ],
)
def test_moves_need_a_word(message: str, unsaid: bool) -> None:
    parse = GRAMMAR.read("change age decrease 25 and predict")
    assert moves_unsaid(parse, tokenise(message), ALONE) is unsaid


@pytest.mark.parametrize(
    ("message", "against"),
    [
        ("increase two values of 17, age by 25 and fare by 3", True),
        ("what if we raised the age by 25?", True),
        ("increase the fare by 3 and lower the age by 25", False),
        ("raise the fare, age 25 less", False),
        ("what if the age was 25 less?", False),
        ("decrease the age by 25", False),
        ("increasing the age by -25", False),
    ],
)
def test_what_is_only_raised_goes_not_down(message: str, against: bool) -> None:
    parse = GRAMMAR.read("change age decrease 25 and predict")
    assert moves_against(parse, tokenise(message), ALONE) is against


def test_what_is_only_lowered_goes_not_up() -> None:
    parse = GRAMMAR.read("change age increase 25 and predict")
    assert moves_against(parse, tokenise("reducing the age by 25"), ALONE)
    assert not moves_against(parse, tokenise("reducing the fare, and the age 25 higher"), ALONE)


def test_what_went_down_before_may_stay_so() -> None:
    before = GRAMMAR.read("change age decrease 25 and predict")
    context = DialogueContext(parse=before, utterance="x", rows=rows_after(before, None))
    parse = GRAMMAR.read("change age decrease 25 and change fare increase 3 and predict")
    assert not moves_against(parse, tokenise("increase the fare by 3 too"), context)


def test_a_move_of_before_may_go_on_without_one() -> None:
    before = DialogueContext(parse=GRAMMAR.read("change age increase 5 and predict"))
    assert not moves_unsaid(GRAMMAR.read("change age increase 10 and predict"), tokenise("and 10?"), before)


def test_a_what_if_about_the_row_before_is_answered(parser: LearnedParser) -> None:
    schema = parser.schema
    parse = grammar_of(schema).read("filter id 5 and explain features")
    rows = rows_after(parse, None)
    context = DialogueContext(parse, "why is 5 predicted so?", rows=rows, operations=parse.steps[1:])
    understanding = parser.understand("What if their BMI was 25?", context)
    assert understanding.question is None
    assert understanding.best is not None
    assert "change bmi set 25" in str(understanding.best.parse)


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("What if 57 had glucose up by 100 and BMI up by 3?", "change glucose increase 100 and change bmi increase 3"),
        ("What if 57 had BMI lower by 3 and insulin higher by 40?", "change bmi decrease 3 and change insulin increase 40"),
        ("What if glucose of 57 were 20 lower and BMI 2 higher?", "change glucose decrease 20 and change bmi increase 2"),
        ("How likely is 57 to have diabetes with BMI minus 4?", "change bmi decrease 4"),
        (
            "If 57's glucose went up by one hundred and their BMI rose by three, how likely would they be to have diabetes?",
            "change glucose increase 100 and change bmi increase 3",
        ),
        ("pt 57, say bmi comes down 5, what's the chance of diabetes then", "change bmi decrease 5"),
        (
            "Say that the glucose level of the patient with id 57 rose by one hundred and their BMI went up by three points. "
            "What likelihood of diabetes does the model predict then?",
            "change glucose increase 100 and change bmi increase 3",
        ),
    ],
)
def test_each_column_moves_by_its_own_number(parser: LearnedParser, message: str, changes: str) -> None:
    best = parser.understand(message).best
    assert best is not None
    assert f"filter id 57 and {changes} and " in str(best.parse)


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("How likely is 57 to have diabetes after raising the glucose 40 units and the BMI 2 units?",
         "change glucose increase 40 and change bmi increase 2"),
        ("How likely would 57 have diabetes if their BMI were two points and their glucose 30 points lower?",
         "change glucose decrease 30 and change bmi decrease 2"),
        # One column, named twice, and a number that stands behind its column.
        ("If we lowered the age by 5 years for people with a bmi of 30, what would be predicted?", "change age decrease 5"),
        ("What likelihood of diabetes if we were to increase glucose by 100 in data point 33?", "change glucose increase 100"),
        ("reduce the glucose of 57 to 100 and the bmi to 25 and predict", "change glucose set 100 and change bmi set 25"),
    ],
)  # fmt: skip
def test_what_one_word_moves_is_moved_together(parser: LearnedParser, message: str, changes: str) -> None:
    best = parser.understand(message).best
    assert best is not None
    steps = str(best.parse).removesuffix(" [e]").split(" and ")
    assert sorted(step for step in steps if step.startswith("change")) == sorted(changes.split(" and "))


@pytest.mark.parametrize(("message", "unsaid"), [("5 more age", True), ("age 5% up", False), ("half the age", False)])
def test_a_share_needs_a_word(message: str, unsaid: bool) -> None:
    parse = GRAMMAR.read("change age increase 5 percent and predict")
    assert moves_unsaid(parse, tokenise(message), ALONE) is unsaid


def test_the_amount_of_a_change_that_is_named_apart_from_its_column_is_not_asked_for() -> None:
    parser = LearnedParser(load_dataset("german").schema)
    understanding = parser.understand("how important are the features when loan duration is increased by 6 months?")
    assert understanding.best is not None
    assert str(understanding.best.parse).startswith("change loanduration increase 6 and important")
    assert "By how much" not in (understanding.question or "")


def test_an_amount_moves_the_column_that_the_question_is_about() -> None:
    parser = LearnedParser(load_dataset("diabetes").schema)
    best = parser.understand("Suppose the bmi of the patient with id 293 went down by five; how probable is diabetes?").best
    assert best is not None
    assert str(best.parse).startswith("filter id 293 and change bmi decrease 5 and likelihood")
