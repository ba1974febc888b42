"""N-gram statistics against values worked out by hand, and against a direct computation."""

from collections import Counter
from itertools import pairwise
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.text.tokens import tokens, words
from inspired.lab.metrics.ngrams import ngram_statistics

texts = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), max_size=12)


def test_by_hand() -> None:
    # a b a b | a c: the unigrams are 3 a, 2 b, 1 c; the bigrams 2 ab, 1 ba, 1 ac; the trigrams aba, bab.
    one, two, three = ngram_statistics(["abab", "ac"])
    assert (one.total, one.vocabulary, one.unique) == (6, 3, 1)
    assert one.distinct == 0.5
    assert one.entropy == pytest.approx(1.4591479)  # 1/2 * 1 + 1/3 * log2(3) + 1/6 * log2(6)
    assert one.conditional_entropy is None
    assert (two.total, two.vocabulary, two.distinct, two.unique, two.entropy) == (4, 3, 0.75, 2, 1.5)
    # p(a) = 1/2 and p(b) = 1/3: 1/2 * log2(1/2 / 1/2) + 1/4 * log2(1/3 / 1/4) + 1/4 * log2(1/2 / 1/4)
    assert two.conditional_entropy == pytest.approx(0.25 * log2(4 / 3) + 0.25)
    assert (three.total, three.vocabulary, three.unique, three.entropy) == (2, 2, 2, 1.0)


def test_evenly_spread_texts_have_as_many_bits_as_choices() -> None:
    one, *_ = ngram_statistics([[str(number)] for number in range(1024)])
    assert one.entropy == pytest.approx(10)
    assert one.distinct == 1
    assert ngram_statistics([["a"] * 9])[1].entropy == 0


@given(texts)
def test_as_counted_directly(texts: list[list[str]]) -> None:
    one, two, _ = ngram_statistics(texts)
    unigrams = Counter(token for text in texts for token in text)
    bigrams = Counter(pair for text in texts for pair in pairwise(text))
    assert (one.total, one.vocabulary) == (unigrams.total(), len(unigrams))
    assert (two.total, two.vocabulary) == (bigrams.total(), len(bigrams))
    assert two.unique == list(bigrams.values()).count(1)
    joint = {pair: count / bigrams.total() for pair, count in bigrams.items()}
    assert two.entropy == pytest.approx(-sum(p * log2(p) for p in joint.values()))
    given = {token: count / unigrams.total() for token, count in unigrams.items()}
    assert two.conditional_entropy == pytest.approx(-sum(p * log2(p / given[pair[0]]) for pair, p in joint.items()))


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=40))
@pytest.mark.slow
def test_conditional_entropy_is_that_of_the_next_token_where_texts_do_not_end(ring: list[str]) -> None:
    """A ring read once round has every token as often in front as at all, so the chain rule holds exactly."""
    bigrams = Counter(zip(ring, [*ring[1:], ring[0]], strict=True))
    each_apart = [list(pair) for pair, count in bigrams.items() for _ in range(count)]
    _, two, _ = ngram_statistics(each_apart)
    # In the pairs each token of the ring is there twice, so that shares stay as in the ring.
    entropy = -sum(count / len(ring) * log2(count / len(ring)) for count in Counter(ring).values())
    assert two.conditional_entropy == pytest.approx(two.entropy - entropy)


def unigram_entropy(texts: int, bigrams: int, entropy: float, conditional: float) -> float:
    """What it must be, in bits, if each text ends in "?", which stands nowhere else, and shares are of all n-grams."""
    last = texts / (bigrams + texts)
    inner = entropy - conditional + log2(1 - last)
    return -last * log2(last) - (1 - last) * log2(1 - last) + (1 - last) * inner


@given(st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=6), min_size=1, max_size=12))
def test_entropies_hang_together(texts: list[list[str]]) -> None:
    one, two, _ = ngram_statistics([*text, "?"] for text in texts)
    assert two.conditional_entropy is not None
    assert one.entropy == pytest.approx(unigram_entropy(len(texts), two.total, two.entropy, two.conditional_entropy))


def test_the_papers_entropies_hang_together_in_the_same_way() -> None:
    """Table 21; how many texts and bigrams there were follows from its distinct shares, not to the last digit."""
    assert unigram_entropy(40_700, 677_700, 8.976, 2.295) == pytest.approx(6.532, abs=0.01)
    assert unigram_entropy(40_700, 404_400, 12.484, 3.918) == pytest.approx(8.090, abs=0.01)


def test_nothing_has_no_statistics() -> None:
    assert [(each.vocabulary, each.distinct, each.entropy) for each in ngram_statistics([])] == [(0, 0.0, 0.0)] * 3


def test_words_and_marks() -> None:
    assert tokens("Who's in the U.S., #entity# or São Tomé?") == (
        *("who's", "in", "the", "u.s", ".", ",", "#entity#", "or", "são", "tomé", "?"),
    )
    assert words("What is/are the well-known (country) - with 1,000?") == (
        *("what", "is/are", "the", "well-known", "country", "with", "1,000"),
    )
