"""What no row can meet is not meant; values of one column that are named one by one are alternatives."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.language.parse import CategoricalCondition, Comparator, NumericCondition
from ttm.parsers.learned.composition.contradictions import each_once, either_value, is_contradictory


@pytest.mark.parametrize(
    ("parse", "contradictory"),
    [
        ("filter age greater than 40 and filter age less than 30 and countdata", True),
        ("filter age greater than 30 and filter age less than 40 and countdata", False),
        ("filter age greater equal than 40 and filter age less equal than 40 and countdata", False),
        ("filter age equal to 40 and filter age equal to 50 and countdata", True),
        ("filter age greater than 30 and filter age greater than 35 and countdata", True),
        ("labelfilter 0 and labelfilter 1 and countdata", True),
        ("labelfilter 0 and predictionfilter 1 and countdata", False),
        ("labelfilter 0 or labelfilter 1 and countdata", False),
        ("filter age greater than 40 versus filter age less than 30 and predict", False),
        ("instance age 40 bmi 30 age 50 and predict", True),
        ("instance age 40 bmi 30 and predict", False),
        ("filter id 5 and change age set 40 and change age set 50 and predict", True),
        ("filter id 5 and change age set 40 and change bmi set 40 and predict", False),
        ("filter id 5 and change age increase 5 and change age increase 5 and predict", False),
        ("interact age age", True),
        ("countdata by bmi bmi", True),
        ("interact age bmi", False),
    ],
)
def test_two_bounds_or_values_that_exclude_each_other(parse: str, contradictory: bool) -> None:
    assert is_contradictory(grammar_of(SCHEMAS["clinic"]).read(parse)) == contradictory


def test_values_of_one_column_are_alternatives() -> None:
    red, blue = CategoricalCondition("colour", "red"), CategoricalCondition("colour", "blue")
    old = NumericCondition("age", Comparator.GREATER, 60.0)
    assert either_value([[(red,)], [(old,)], [(blue,)]]) == [[(red,), (blue,)], [(old,)]]
    no_red = CategoricalCondition("colour", "red", negated=True)
    assert either_value([[(no_red,)], [(blue,)]]) == [[(no_red,)], [(blue,)]]


def test_a_condition_of_a_group_stands_once() -> None:
    read = grammar_of(SCHEMAS["clinic"]).read
    twice = "filter age greater than 40 and filter age greater than 40 versus filter age greater than 40 and countdata"
    assert each_once(read(twice)) == read("filter age greater than 40 versus filter age greater than 40 and countdata")


def test_a_change_to_a_value_stands_once() -> None:
    read = grammar_of(SCHEMAS["clinic"]).read
    once = "filter id 5 and change age set 40 and change bmi increase 1 and change bmi increase 1 and predict"
    assert each_once(read(f"{once.removesuffix(' and predict')} and change age set 40 and predict")) == read(once)
    scores = read("threshold 0.2 and score recall and threshold 0.3 and score recall")
    assert each_once(scores) == scores
