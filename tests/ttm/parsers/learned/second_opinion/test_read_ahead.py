"""What is read before the model writes it."""

import numpy as np
import pytest

from backend.models.small_llama.llama import ReadTokens
from ttm.parsers.learned.second_opinion.read_ahead import DRAFT, ReadAhead, draft_of
from ttm.parsers.learned.second_opinion.token_tree import tree_of

END = 0


@pytest.mark.parametrize(
    ("written", "draft"),
    [
        ([5], [6, 7]),  # as the first text goes on
        ([9, 5], [8]),  # more of the last tokens are alike in the second
        ([7], []),  # only its end follows
        ([4], []),
    ],
)
def test_a_draft_is_what_follows_the_same_tokens_elsewhere(written: list[int], draft: list[int]) -> None:
    assert draft_of(written, [[3, 5, 6, 7, END], [9, 5, 8, END]]) == draft


def test_a_draft_is_short() -> None:
    assert draft_of([1], [[1, *range(2, 40), END]]) == list(range(2, 2 + DRAFT))


def test_what_was_written_is_what_was_read_of_it() -> None:
    tree = tree_of([[3, 5, END], [3, 6, END]])
    numbers = np.arange(2 + len(tree.tokens), dtype=np.float32)
    read = ReadTokens(numbers[None, None, :, None], numbers[None, None, :, None], np.array([0, 1, 2, 3, 3]))
    following = np.arange(8, dtype=np.float32).reshape(4, 2)
    ahead = ReadAhead(tree, following, read, 2)
    assert ahead.scores.tolist() == [0, 1]
    assert ahead.goes_on_with(3)
    assert ahead.goes_on_with(6)
    assert not ahead.goes_on_with(5)
    assert ahead.scores.tolist() == [6, 7]
    assert ahead.written().keys.ravel().tolist() == [0, 1, 2, 4]
    assert ahead.written().positions.tolist() == [0, 1, 2, 3]
