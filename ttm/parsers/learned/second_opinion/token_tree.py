"""Some texts as one tree of tokens, so that what they begin with alike is read once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

ROOT = -1


@dataclass
class TokenTree:
    """`tokens` in an order in which each stands behind its parent; `parents` as indexes, ROOT for first tokens. `paths`: of
    each text the indexes of its tokens. The last token of a text, which ends it, is in no path."""

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    paths: list[list[int]] = field(default_factory=list)
    _children: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, tokens: Sequence[int]) -> None:
        """A text; its last token is looked at, not read."""
        path, at = list[int](), ROOT
        for token in tokens[:-1]:
            child = self.child(at, token)
            if child is None:
                child = self._children[at, token] = len(self.tokens)
                self.tokens.append(token)
                self.parents.append(at)
            path.append(child)
            at = child
        self.paths.append(path)

    def child(self, at: int, token: int) -> int | None:
        return self._children.get((at, token))


def tree_of(texts: Iterable[Sequence[int]]) -> TokenTree:
    tree = TokenTree()
    for tokens in texts:
        tree.add(tokens)
    return tree
