"""Spans: every word stands in exactly one region, whatever the passage looks like."""

from hypothesis import given
from hypothesis import strategies as st

from faithfulness.method.regions import Splitter, candidate_regions, equal_parts, masked, sentence_ends, word_groups, words

ROTATION = (
    "A rotation is a circular movement of an object around a center (or point) of rotation. A three-dimensional object can "
    "always be rotated around an infinite number of imaginary lines called rotation axes (/ˈæksɪz/ AK-seez). If the axis "
    "passes through the body's center of mass, the body is said to rotate upon itself, or spin. A rotation about an external "
    "point, e.g. the Earth about the Sun, is called a revolution or orbital revolution, typically when it is produced by "
    "gravity. The axis is called a pole."
)  # Wikipedia, "Rotation", CC BY-SA; the passage of the paper's Figure 1

passages = st.text(alphabet="ab .?!\n\t", max_size=200)


@given(passages, st.integers(1, 7), st.sampled_from(Splitter))
def test_regions_hold_every_word_once_and_in_order(passage, parts, splitter):
    regions = candidate_regions(passage, parts, splitter)
    assert [word for region in regions for word in words(passage, region)] == words(passage)
    assert len(regions) <= parts


@given(st.integers(0, 500), st.integers(1, 20))
def test_parts_differ_by_at_most_one_and_the_first_take_the_remainder(count, parts):
    sizes = equal_parts(count, parts)
    assert sum(sizes) == count
    assert sizes == sorted(sizes, reverse=True)
    assert not sizes or sizes[0] - sizes[-1] <= 1


def test_figure_1_comes_from_cuts_moved_to_sentence_ends():
    assert len(words(ROTATION)) == 87
    assert sentence_ends(ROTATION) == [16, 35, 55, 81, 87]
    third = candidate_regions(ROTATION, 3, Splitter.SENTENCES)[2].of(ROTATION)
    assert third.startswith("A rotation about an external point, e.g.")
    assert third.endswith("The axis is called a pole.")
    assert candidate_regions(ROTATION, 3, Splitter.WORDS)[2].of(ROTATION) != third


def test_a_mask_hides_one_span_and_not_its_repetition():
    passage = "red fish  blue fish red fish"
    region = candidate_regions(passage, 1)[0]
    groups = word_groups(passage, region, 3)
    assert [masked(passage, region, group) for group in groups] == [
        "_  blue fish red fish",
        "red fish  _ red fish",
        "red fish  blue fish _",
    ]
