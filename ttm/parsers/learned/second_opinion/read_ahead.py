"""Tokens that were read before the model wrote them.

A pass over a few tokens costs little more than one over a single token. So what the model may write next is read with what it
has written, and it goes on from there as long as it writes the same (Leviathan et al. 2023). What it writes does not change.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from backend.models.small_llama.llama import Floats, ReadTokens
from ttm.parsers.learned.second_opinion.token_tree import ROOT, TokenTree

DRAFT = 6  # tokens


@dataclass
class ReadAhead:
    """`read` holds all that was read, the tree from index `first` on; `following` (tree + 1, n): log-probabilities of what
    follows the tokens before the tree, then each token of the tree; `path`: which of the tree the model has written."""

    tree: TokenTree
    following: Floats
    read: ReadTokens
    first: int
    path: list[int] = field(default_factory=list)

    @property
    def scores(self) -> Floats:
        """Log-probabilities of what follows what the model has written."""
        return np.asarray(self.following[self._at + 1])

    def goes_on_with(self, token: int) -> bool:
        """Whether a token that the model writes now was read already."""
        child = self.tree.child(self._at, token)
        if child is not None:
            self.path.append(child)
        return child is not None

    def written(self) -> ReadTokens:
        """What was read of what the model has written, with all before."""
        return self.read.of(np.array([*range(self.first), *(self.first + at for at in self.path)], np.int64))

    @property
    def _at(self) -> int:
        return self.path[-1] if self.path else ROOT


def draft_of(tokens: Sequence[int], texts: Sequence[Sequence[int]]) -> list[int]:
    """What may follow some tokens: what follows the most of their last ones in one of the texts, without its end."""
    longest, draft = 0, list[int]()
    for text in texts:
        for at in range(len(text) - 1):
            alike = 0
            while alike <= min(at, len(tokens) - 1) and text[at - alike] == tokens[-1 - alike]:
                alike += 1
            if alike > longest:
                longest, draft = alike, list(text[at + 1 : -1][:DRAFT])
    return draft
