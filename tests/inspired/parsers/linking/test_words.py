"""Tokens and stems."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspired.parsers.linking.words import plain, stem, tokens_of


@pytest.mark.parametrize(
    "forms",
    [
        ("border", "borders", "bordering", "bordered"),
        ("populous", "population", "populated"),
        ("country", "countries"),
        ("currency", "currencies"),
        ("location", "located", "lies"),
        ("independent", "independence"),
        ("electronegative", "electronegativity"),
    ],
)
def test_forms_of_one_word_share_a_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(each) for each in forms}) == 1


def test_different_words_keep_different_stems() -> None:
    assert len({stem(each) for each in ("capital", "currency", "country", "city", "continent", "person")}) == 6


def test_possessives_and_diacritics_do_not_count() -> None:
    assert plain("Côte") == "cote"
    assert [each.plain for each in tokens_of("d’Ivoire's capital")] == ["d'ivoire", "capital"]


def test_numbers_keep_their_sign_and_separators() -> None:
    assert [each.text for each in tokens_of("below -0.3 or 2,000 (>= 5%)")] == ["below", "-0.3", "or", "2,000", ">=", "5", "%"]


@given(st.text(max_size=80))
def test_any_text_splits_into_tokens_that_stand_where_they_say(text: str) -> None:
    tokens = tokens_of(text)
    assert all(text[each.start : each.end] == each.text for each in tokens)
    assert all(one.end <= other.start for one, other in pairwise(tokens))


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_stemming_ends_and_never_empties_a_word(word: str) -> None:
    assert bool(stem(word)) == bool(word)
