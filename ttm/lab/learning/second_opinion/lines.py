"""What the language model learns from: prompts of the corpus with the texts that may be written for them."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ttm.lab.learning.corpus import CorpusDialogue
from ttm.lab.learning.decoding.targets import ANY_ROW, fair_parses
from ttm.lab.learning.other_lines import template_pairs
from ttm.lab.learning.replay import forced_turns
from ttm.lab.learning.transplant import Transplants
from ttm.language.grammar import grammar_of
from ttm.parsers.learned.decoder.symbols import ASKS, CHATS, LISTED, REFUSES
from ttm.parsers.learned.second_opinion.prompt import message_text, state_text
from ttm.parsers.learned.second_opinion.second_reader import END_OF_PARSE
from ttm.parsers.linker.words.tokens import tokenise
from ttm.tabular.data.schema import Schema

MOST_TARGETS = 6
MOVED = 0.7  # share of the conversations that are said about another table in an epoch
TEMPLATES = 1500  # of an epoch


@dataclass(frozen=True)
class WriterLine:
    """A message with what stands before it, about `table`; `targets` are texts that may be written, the best first."""

    table: str
    prompt: str
    targets: tuple[str, ...]


class EpochLines:
    """The lines of each epoch: every message of the corpus, conversations moved to other tables, and filled templates."""

    def __init__(self, dialogues: Sequence[CorpusDialogue], schemas: Mapping[str, Schema]) -> None:
        self._schemas = schemas
        marked = {one.author for one in dialogues if any(turn.roles for turn in one.turns)}
        self._marked = [one for one in dialogues if one.author in marked]
        self._transplants = Transplants(dialogues, schemas)
        self._fixed = list(corpus_lines(dialogues, schemas))
        self._templates = [
            WriterLine(table, message_text(pair.utterance), (pair.parse.removesuffix(END_OF_PARSE),))
            for table, pair in template_pairs(schemas)
        ]

    def __call__(self, rng: random.Random) -> list[WriterLine]:
        drawn = (self._transplants.moved(one, rng) for one in self._marked if rng.random() < MOVED)
        moved = corpus_lines((one for one in drawn if one is not None), self._schemas)
        templates = rng.sample(self._templates, min(TEMPLATES, len(self._templates)))
        return [*self._fixed, *moved, *templates]


def corpus_lines(dialogues: Iterable[CorpusDialogue], schemas: Mapping[str, Schema]) -> Iterator[WriterLine]:
    """Every message after the fair readings of the turns before."""
    for one in forced_turns(dialogues, schemas):
        turn, table = one.turn, one.dialogue.table
        parses = fair_parses(turn, tokenise(turn.utterance), grammar_of(schemas[table]))
        if turn.chats or turn.refuses or not parses:
            targets = [CHATS if turn.chats else REFUSES if turn.refuses else ASKS]
        else:
            targets = [str(parse).removesuffix(END_OF_PARSE).replace(ANY_ROW, LISTED) for parse in parses]
        prompt = state_text(one.context) + message_text(turn.utterance)
        yield WriterLine(table, prompt, tuple(dict.fromkeys(targets))[:MOST_TARGETS])
