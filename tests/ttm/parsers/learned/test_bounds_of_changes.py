"""A condition on a number of a row that is named bounds what its counterfactual may change."""

import pytest

from ttm.language.grammar import grammar_of
from ttm.language.parse import Counterfactual, Parse
from ttm.parsers.learned.composition.counterfactual_limits import bounded, limited
from ttm.tabular.subject import load_subject


@pytest.mark.parametrize(
    ("parse", "expected"),
    [
        (
            "filter id 5 and filter glucose greater equal than 100 and explain cfe",
            "filter id 5 and explain cfe within glucose greater equal than 100",
        ),
        ("filter age greater than 40 and explain cfe", None),
        ("filter id 5 and filter glucose greater than 100 and predict", None),
        ("filter id 5 or filter glucose greater than 100 and explain cfe", None),
    ],
)
def test_only_where_a_row_is_named_and_its_changes_are_asked_for(parse: str, expected: str | None) -> None:
    read = grammar_of(load_subject("diabetes").schema).read
    assert str(bounded(read(parse))) == str(read(expected or parse))


def test_a_column_that_is_kept_is_none_that_alone_may_change() -> None:
    read = grammar_of(load_subject("diabetes").schema).read
    (step,) = read("explain cfe keep age keep bmi only bmi").steps
    assert isinstance(step, Counterfactual)
    assert Parse((limited(step, {}),)) == read("explain cfe keep age keep bmi")
    assert Parse((limited(step, {"only": ("glucose",)}),)) == read("explain cfe only glucose")
