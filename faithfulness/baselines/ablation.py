"""What every baseline asks: is the answer still right when these words are masked? Each question once, within a budget."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from faithfulness.method.regions import Span, with_words, words

Keep = npt.NDArray[np.bool_]
Weights = npt.NDArray[np.float64]


@dataclass
class Ablation:
    """`right` says whether the model answers rightly from a text; `budget` bounds how many texts it may be asked about.

    Masked words that stand side by side become one mask, as in algorithm 2. The whole passage is known to be right and
    costs nothing.
    """

    passage: str
    right: Callable[[str], bool]
    budget: int
    mask: str = "_"
    known: dict[bytes, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.words: list[Span] = words(self.passage)
        self.known[np.ones(len(self.words), dtype=bool).tobytes()] = 1.0

    @property
    def calls(self) -> int:
        return len(self.known) - 1

    @property
    def left(self) -> int:
        return self.budget - self.calls

    def value(self, keep: Keep) -> float:
        """1 if the answer is right with the words of `keep` (n,) shown and the others masked, else 0.

        Raises BudgetSpent if that would take a call too many.
        """
        key = keep.astype(bool).tobytes()
        if key not in self.known:
            if self.left <= 0:
                raise BudgetSpent
            self.known[key] = float(self.right(self.text(keep)))
        return self.known[key]

    def text(self, keep: Keep) -> str:
        """The passage with the mask in place of each run of words that is not kept."""
        return with_words(self.passage, set(np.flatnonzero(keep).tolist()), self.mask)


class BudgetSpent(Exception):
    """No further call may be made for this sample; what is known by then must do."""
