"""Rows at one end are ranked by the class that a message speaks of, of whichever class the model's output is."""

import pytest

from ttm.parsers import LearnedParser
from ttm.tabular.data.dataset import load_dataset

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["german", "diabetes"])
def parser(request: pytest.FixtureRequest) -> LearnedParser:
    return LearnedParser(load_dataset(request.param).schema)


# Of german the last class is the good one, of diabetes that of being ill.
@pytest.mark.parametrize(
    ("message", "of_good", "of_ill"),
    [
        ("which ones are most likely to {bad}?", "lowest 5", "highest 5"),
        ("who are the five that are least likely to {bad}?", "highest 5", "lowest 5"),
        ("who are the five that are most likely not to {bad}?", "highest 5", "lowest 5"),
        ("who are the five that are most unlikely to {bad}?", "highest 5", "lowest 5"),
        ("show the five with the highest risk", "lowest 5", "highest 5"),
        ("the five with the highest probability of being {bad class}", "lowest 5", "highest 5"),
    ],
)
def test_the_end_is_that_of_the_class(parser: LearnedParser, message: str, of_good: str, of_ill: str) -> None:
    is_german = parser.schema.target.classes[-1].startswith("good")
    bad = ("be bad", "bad") if is_german else ("have diabetes", "likely to have diabetes")
    best = parser.understand(message.replace("{bad class}", bad[1]).replace("{bad}", bad[0])).best
    assert best is not None
    assert str(best.parse) == f"{of_good if is_german else of_ill} probability [e]"


def test_risky_rows_are_not_taken_for_all_rows_in_silence(parser: LearnedParser) -> None:
    understanding = parser.understand("how many risky ones are there?")
    assert (
        understanding.question is not None
        or "risky" in understanding.unused
        or "filter " in str(understanding.candidates[0].parse)
    )
