"""Texts that begin alike share their first tokens."""

from ttm.parsers.learned.second_opinion.token_tree import ROOT, tree_of

END = 0


def test_what_begins_alike_is_there_once() -> None:
    tree = tree_of([[5, 6, 7, END], [5, 6, 8, END], [9, END], [5, 6, END]])
    assert tree.tokens == [5, 6, 7, 8, 9]
    assert tree.parents == [ROOT, 0, 1, 1, ROOT]
    assert tree.paths == [[0, 1, 2], [0, 1, 3], [4], [0, 1]]


def test_children_are_looked_up_by_their_token() -> None:
    tree = tree_of([[5, 6, END]])
    assert tree.child(ROOT, 5) == 0
    assert tree.child(0, 6) == 1
    assert tree.child(0, 5) is None
