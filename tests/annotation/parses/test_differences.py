"""The marks between two parses: nothing is lost, and what is not marked is the same in both."""

from hypothesis import given
from hypothesis import strategies as st

from annotation.parses.differences import TextStretch, differences

texts = st.lists(st.sampled_from(["filter", "age", "and", "predict", " ", "\n", "5"])).map(" ".join) | st.text()


@given(texts, texts)
def test_the_pieces_are_the_texts_and_what_is_unmarked_is_shared(before: str, after: str) -> None:
    left, right = differences(before, after)
    assert "".join(piece.text for piece in left) == before
    assert "".join(piece.text for piece in right) == after
    kept = ["".join(piece.text for piece in side if not piece.changed) for side in (left, right)]
    assert kept[0] == kept[1]


@given(texts)
def test_equal_texts_have_no_marks(text: str) -> None:
    assert not any(piece.changed for side in differences(text, text) for piece in side)


def test_a_changed_word_is_marked_alone() -> None:
    left, right = differences("filter age greater than 5 and predict [e]", "filter age greater equal than 5 and likelihood [e]")
    assert [piece.text for piece in left if piece.changed] == ["predict "]
    assert [piece.text for piece in right if piece.changed] == ["equal ", "likelihood "]


def test_very_long_parses_are_compared_at_once() -> None:
    before, after = " ".join(map(str, range(50_000))), " ".join(map(str, range(50_000, 0, -1)))
    assert differences(before, after)[0] == [TextStretch(before, True)]
