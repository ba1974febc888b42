"""A bare number that stands as a person would is a row; one that counts or measures is none."""

import pytest

from ttm.language.grammar import grammar_of
from ttm.parsers import LearnedParser
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.plain_requests.row_as_subject import (
    row_as_subject,
    row_of_owner,
    uses_row_otherwise,
    with_announced_row,
)
from ttm.parsers.understanding import ParseCandidate
from ttm.tabular.data.dataset import load_dataset


@pytest.mark.parametrize(
    ("message", "row"),
    [
        ("does age count for more than bmi when the model judges 55?", "55"),
        ("when it weighs up 55, is age decisive?", "55"),
        ("what if 57's glucose goes up", "57"),
        ("how many has it predicted 55 times", None),
        ("in case of 3 or more changes", None),
    ],
)
def test_what_is_judged_is_a_row(message: str, row: str | None) -> None:
    assert row_of_owner(tokenise(message)) == row


@pytest.fixture(scope="module")
def parser() -> LearnedParser:
    return LearnedParser(load_dataset("diabetes").schema)


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("how could 5 get another prediction without changing glucose?", "explain cfe keep glucose"),
        ("how could 5 flip by changing glucose only?", "explain cfe only glucose"),
        ("how could 5 get another outcome with at most two changes?", "explain cfe most 2"),
        ("how would 5 reach the other outcome while keeping age and pregnancies fixed?",
         "explain cfe keep age keep pregnancies"),
        ("what should patient 5 do to get the opposite prediction without touching bmi?", "explain cfe keep bmi"),
        ("how does 5 differ from all others?", "contrast"),
        ("what sets 5 apart from the rest?", "contrast"),
        ("from what glucose would 5 be predicted otherwise?", "crossing glucose"),
        ("how high would glucose have to be for 5 to flip?", "crossing glucose"),
        ("what if 5 did not have that glucose?", "otherwise glucose"),
        ("what if patient 5 had a different bmi?", "otherwise bmi"),
        ("explain 5 the way the paper does", "explain paper"),
        ("which patients are most like 5?", "similar 5"),
        ("for the 5th id, is glucose more important than age?", "important glucose and important age"),
        ("is anything odd about patient 5?", "contrast"),
    ],
)  # fmt: skip
def test_questions_about_one_row_are_answered_for_it(parser: LearnedParser, message: str, parse: str) -> None:
    understanding = parser.understand(message)
    assert understanding.best is not None
    assert (str(understanding.best.parse), understanding.question) == (f"filter id 5 and {parse} [e]", None)
    assert understanding.unused == ()


@pytest.mark.parametrize(
    "message",
    [
        "how many of the 17 differ in age?", "show 5 people with different ages", "at most 5 changes", "is glucose above 140?",
        "how does glucose differ between people with 5 pregnancies and others?", "what if the fifth were older?",
        "what if bmi were 5 points lower?", "could 5 get less and would 6 get more?",
    ],
)  # fmt: skip
def test_other_numbers_and_several_rows_are_none(message: str) -> None:
    assert row_as_subject(tokenise(message)) is None


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("what if 5 had a bmi of 40?", "filter id 5 and change bmi set 40 and predict"),
        ("if we changed only the age of 5 to 60, what would be predicted?", "filter id 5 and change age set 60 and predict"),
        ("from what glucose on is a patient diabetic?", "crossing glucose"),
        ("keep only people over 40 and show their predictions", "filter age greater than 40 and predict"),
    ],
)
def test_the_same_words_about_something_else_stay_what_they_were(parser: LearnedParser, message: str, parse: str) -> None:
    best = parser.understand(message).best
    assert best is not None
    assert str(best.parse) == f"{parse} [e]"


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("predict 5 with glucose 100 and bmi 30", "filter id 5 and change glucose set 100 and change bmi set 30 and predict"),
        ("predict 12 with glucose 180", "filter id 12 and change glucose set 180 and predict"),
    ],
)
def test_values_behind_a_row_are_changes_of_it_and_no_made_up_case(parser: LearnedParser, message: str, parse: str) -> None:
    understanding = parser.understand(message)
    assert understanding.best is not None
    assert (str(understanding.best.parse), understanding.question) == (f"{parse} [e]", None)


@pytest.mark.parametrize("row", [57, 60])
def test_the_number_of_an_owner_is_that_of_a_row(parser: LearnedParser, row: int) -> None:
    understanding = parser.understand(f"what if {row}'s glucose goes up 100 and bmi up 3, how likely is diabetes")
    assert understanding.best is not None
    assert str(understanding.best.parse).startswith(
        f"filter id {row} and change glucose increase 100 and change bmi increase 3 and"
    )


def test_a_number_beside_a_made_up_case_is_not_lost_in_silence(parser: LearnedParser) -> None:
    understanding = parser.understand("a patient of 5 with glucose 100 and bmi 30")
    assert understanding.best is not None
    assert "instance" in str(understanding.best.parse)
    assert "5" in understanding.unused or understanding.question


def test_a_reading_that_only_leaves_the_row_out_gives_way_to_that_with_it(parser: LearnedParser) -> None:
    read = grammar_of(parser.schema).read
    all_rows, one_row, other = (
        ParseCandidate(read(text), 0.3)
        for text in ("important age", "filter id 55 and important age", "filter id 5 and predict")
    )
    first, *rest = with_announced_row((all_rows, other, one_row), tokenise("how important is age on data point 55?"))
    assert (first.parse, rest) == (one_row.parse, [other])
    assert first.confidence == pytest.approx(0.6)
    same = (all_rows, other, one_row)
    assert with_announced_row(same, tokenise("how important is age?")) == same


@pytest.mark.slow
def test_words_of_a_supposition_change_nothing_else() -> None:
    """ "not that loan" is also how a yes/no column is denied."""
    best = LearnedParser(load_dataset("german").schema).understand("what if 5 did not have that loan amount?").best
    assert best is not None
    assert str(best.parse) == "filter id 5 and otherwise loanamount [e]"


@pytest.mark.parametrize(
    ("parse", "otherwise"),
    [
        ("change age increase 49 and predict", True),
        ("filter age greater than 49 and countdata", True),
        ("filter id 49 and predict", False),
        ("filter id 49 and change age increase 49 and predict", False),
        ("predict", False),
    ],
)
def test_the_number_of_a_row_is_nothing_else(parse: str, otherwise: bool) -> None:
    assert uses_row_otherwise(grammar_of(load_dataset("diabetes").schema).read(parse), "49") is otherwise
