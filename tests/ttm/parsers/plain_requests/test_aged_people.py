"""The over-50s are people of more than 50 years, not rows called over-50s and not what stands beside them."""

import pytest

from tests.ttm.parsers.schemas import SCHEMAS
from ttm.language.grammar import grammar_of
from ttm.parsers import LearnedParser
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.plain_requests.aged_people import with_ages
from ttm.tabular.data.dataset import load_dataset


@pytest.fixture(scope="module")
def parser() -> LearnedParser:
    return LearnedParser(load_dataset("diabetes").schema)


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        (
            "three most important features for over-30s with BMI greater than 35",
            "filter age greater than 30 and filter bmi greater than 35 and important topk 3 [e]",
        ),
        (
            "under-23s whose glucose is less than 75: three most important features",
            "filter age less than 23 and filter glucose less than 75 and important topk 3 [e]",
        ),
        ("the average glucose of the over 50s", "filter age greater than 50 and statistic glucose [e]"),
        ("mean bmi of the under-25s", "filter age less than 25 and statistic bmi [e]"),
    ],
)
def test_bounds_of_people_are_of_their_age(parser: LearnedParser, message: str, parse: str) -> None:
    best = parser.understand(message).best
    assert best is not None
    assert str(best.parse) == parse


@pytest.mark.parametrize(
    ("message", "schema", "parse", "expected"),
    [
        ("glucose of the over 50s", "stroke", "filter bmi greater than 50 and show", "filter age greater than 50 and show [e]"),
        ("over 50s with 50 of it", "stroke", "filter bmi greater than 50 and show", "filter bmi greater than 50 and show [e]"),
        ("bmi over 50", "stroke", "filter bmi greater than 50 and show", "filter bmi greater than 50 and show [e]"),
        ("wines over 50s", "wine", "filter alcohol less than 50 and show", "filter alcohol less than 50 and show [e]"),
    ],
)
def test_other_numbers_stay(message: str, schema: str, parse: str, expected: str) -> None:
    read = grammar_of(SCHEMAS[schema]).read(parse)
    assert str(with_ages(read, tokenise(message), SCHEMAS[schema])) == expected
