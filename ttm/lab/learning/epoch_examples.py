"""The examples of each epoch: the messages of the corpus, and as many of them as can be said about another table."""

import random
from collections.abc import Sequence

from ttm.lab.learning.corpus import CorpusDialogue
from ttm.lab.learning.examples import ExampleMaker, MessageExample
from ttm.lab.learning.transplant import Transplants


class EpochExamples:
    """`others` are examples beside the corpus, the same in each epoch."""

    def __init__(self, maker: ExampleMaker, dialogues: Sequence[CorpusDialogue], others: Sequence[MessageExample]) -> None:
        self._maker = maker
        self._transplants = Transplants(dialogues, maker.schemas)
        authors = {one.author for one in dialogues if any(turn.roles for turn in one.turns)}
        self._marked = [one for one in dialogues if one.author in authors]
        self.fixed = [*maker.examples(dialogues), *others]

    def __call__(self, rng: random.Random) -> list[MessageExample]:
        moved = (self._transplants.moved(dialogue, rng) for dialogue in self._marked)
        return [*self.fixed, *self._maker.examples(one for one in moved if one is not None)]
