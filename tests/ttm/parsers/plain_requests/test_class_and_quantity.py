"""Words that name a class turn what is missed and what it costs; a predicted quantity is not the true one."""

import pytest

from tests.ttm.conftest import awkward_subject
from ttm.parsers import LearnedParser
from ttm.tabular.data.dataset import load_dataset

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def of_risks() -> LearnedParser:
    return LearnedParser(load_dataset("german").schema)


@pytest.fixture(scope="module")
def of_prices() -> LearnedParser:
    return LearnedParser(awkward_subject("regression").schema)


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("how many bad risks did the model overlook?", "predictionfilter 1 and labelfilter 0 and countdata"),
        ("how many good risks did the model miss?", "predictionfilter 0 and labelfilter 1 and countdata"),
        ("which threshold, if missing a bad risk is ten times as bad as a false alarm?", "threshold cost 0.1"),
        ("which threshold, if missing a good risk is ten times as bad as a false alarm?", "threshold cost 10"),
        ("which threshold, if a miss is ten times as bad as a false alarm?", "threshold cost 10"),
    ],
)
def test_what_is_missed_is_of_the_class_that_is_named(of_risks: LearnedParser, message: str, parse: str) -> None:
    best = of_risks.understand(message).best
    assert best is not None
    assert str(best.parse) == f"{parse} [e]"


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("what is the average predicted price of smokers?", "filter smoker true and predict"),
        ("what is the average price of smokers?", "filter smoker true and statistic target"),
        ("what would 110 have to change to be predicted above 60?", "filter id 110 and explain cfe greater than 60"),
        (
            "compare the age distribution of smokers and non-smokers",
            "filter smoker true versus filter smoker false and distribution age",
        ),
    ],
)
def test_what_is_predicted_and_what_is_compared(of_prices: LearnedParser, message: str, parse: str) -> None:
    best = of_prices.understand(message).best
    assert best is not None
    assert str(best.parse) == f"{parse} [e]"


@pytest.mark.parametrize(
    ("message", "parse"),
    [
        ("which ones does the model overestimate most?", "residuals 5 over"),
        ("whose value is underestimated the most", "residuals 5 under"),
        ("list the 7 it underpredicts worst", "residuals 7 under"),
        ("show me the 3 rows that are predicted too high", "residuals 3 over"),
        ("for whom is the prediction too low by the most?", "residuals 5 under"),
    ],
)
def test_errors_are_of_the_side_that_is_named(of_prices: LearnedParser, message: str, parse: str) -> None:
    best = of_prices.understand(message).best
    assert best is not None
    assert str(best.parse) == f"{parse} [e]"


def test_a_class_is_not_predicted_too_high(of_risks: LearnedParser) -> None:
    best = of_risks.understand("which ones does the model overestimate most?").best
    assert best is None or " over " not in str(best.parse)
