"""Numbers, dates, comparisons and superlatives in questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspired.parsers.linking.values import ComparisonMention, comparisons_in, extremes_in, values_in
from inspired.parsers.linking.words import tokens_of


def compared(text: str) -> tuple[ComparisonMention, ...]:
    tokens = tokens_of(text)
    return comparisons_in(tokens, values_in(tokens))


@pytest.mark.parametrize(
    ("text", "operator", "number"),
    [
        ("more than 10 million people", ">", 10_000_000),
        ("more than 500 K people", ">", 500_000),
        ("melts above 300 K", ">", 300),
        ("above 300 K in air", ">", 300),
        ("at least 2,000 km", ">=", 2000),
        ("half a million people", "=", 500_000),
        ("5% or more", ">=", 5),
        ("fewer than a million", "<", 1_000_000),
        ("below -0.3 percent", "<", -0.3),
        ("over 1.5bn", ">", 1.5e9),
        ("no more than ten lakes", "<=", 10),
        ("rates of 8 per cent or above", ">=", 8),
    ],
)
def test_numbers_are_read_with_what_compares_them(text: str, operator: str, number: float) -> None:
    (found,) = compared(text)
    assert (found.operator, found.value.number) == (operator, pytest.approx(number))


@pytest.mark.parametrize(
    ("text", "operator", "date"),
    [
        ("independent since 1990", ">=", "1990"),
        ("founded by 1990", "<=", "1990"),
        ("before May 1990", "<", "1990-05"),
        ("after 17 May 1990", ">", "1990-05-17"),
        ("released on May 17, 1990", "=", "1990-05-17"),
        ("in 2010", "=", "2010"),
    ],
)
def test_dates_are_read_as_far_as_they_go(text: str, operator: str, date: str) -> None:
    (found,) = compared(text)
    assert (found.operator, found.value.date) == (operator, date)


def test_what_lies_between_two_values_is_one_comparison() -> None:
    (found,) = compared("built between 1960 and 1970")
    assert found.operator == ">="
    assert found.upper is not None
    assert (found.value.date, found.upper.date) == ("1960", "1970")


def test_one_alone_is_no_number() -> None:
    assert compared("which one of these") == ()


@pytest.mark.parametrize(
    ("text", "descending", "rank"),
    [
        ("the largest city", True, 1),
        ("the second largest city", True, 2),
        ("fewest lakes", False, 1),
        ("the country with less lakes", False, 1),
    ],
)
def test_superlatives_have_a_direction_and_a_rank(text: str, descending: bool, rank: int) -> None:
    (found,) = extremes_in(tokens_of(text))
    assert (found.descending, found.rank) == (descending, rank)


def test_the_longest_phrase_wins() -> None:
    (found,) = extremes_in(tokens_of("the most populous country"))
    assert found.about == ("population",)


@pytest.mark.parametrize(
    ("text", "compares"), [("the fewest people", False), ("fewer people than Malta", True), ("with less people", False)]
)
def test_an_amount_of_people_is_their_population(text: str, compares: bool) -> None:
    (found,) = extremes_in(tokens_of(text))
    assert (found.about, found.descending, found.compares) == (("population",), False, compares)


@given(st.integers(min_value=0, max_value=10**12))
def test_numbers_written_with_commas_are_the_same(number: int) -> None:
    assert compared(f"more than {number:,}")[0].value.number == number


@pytest.mark.parametrize("text", ["found 1940 to 1945", "levels 15-17", "pages of 3 to 5"])
def test_from_one_number_to_another_is_one_comparison(text: str) -> None:
    (found,) = compared(text)
    assert (found.operator, found.upper is not None) == (">=", True)


@pytest.mark.parametrize(("text", "descending"), [("the most cheap one", False), ("the least cheap one", True)])
def test_most_with_an_adjective_is_its_superlative(text: str, descending: bool) -> None:
    assert [each.descending for each in extremes_in(tokens_of(text))] == [descending]
