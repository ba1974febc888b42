"""Numbers in words, against spellings written down by hand and against the parser's own reading of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttm.parsers.linker.words.tokens import TokenKind, tokenise
from ttm.parsers.templates.number_words import grouped, ordinal, ordinal_words, spoken


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"), (13, "thirteen"), (21, "twenty-one"), (40, "forty"), (100, "one hundred"), (101, "one hundred and one"),
        (999, "nine hundred and ninety-nine"), (2000, "two thousand"), (2050, "two thousand fifty"),
        (1_000_018, "one million eighteen"), (31.5, "thirty-one point five"), (0.08, "zero point zero eight"),
        (-3, "minus three"),
    ],
)  # fmt: skip
def test_numbers_are_spoken_as_in_english(number: float, words: str) -> None:
    assert spoken(number) == words


@pytest.mark.parametrize(
    ("number", "digits", "words"),
    [
        (1, "1st", "first"), (2, "2nd", "second"), (3, "3rd", "third"), (11, "11th", "eleventh"), (12, "12th", "twelfth"),
        (13, "13th", "thirteenth"), (20, "20th", "twentieth"), (32, "32nd", "thirty-second"), (100, "100th", "one hundredth"),
        (112, "112th", "one hundred and twelfth"), (853, "853rd", "eight hundred and fifty-third"),
    ],
)  # fmt: skip
def test_ordinals(number: int, digits: str, words: str) -> None:
    assert (ordinal(number), ordinal_words(number)) == (digits, words)


def test_thousands_stand_apart() -> None:
    assert [grouped(number) for number in (999, 2000, 1234567, 2500.25)] == ["999", "2,000", "1,234,567", "2,500.25"]


@given(st.integers(0, 9_999))
def test_the_parser_hears_what_is_spoken(number: int) -> None:
    assert [token.value for token in tokenise(spoken(number)) if token.kind is TokenKind.NUMBER] == [number]
