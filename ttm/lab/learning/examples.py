"""Lines of the corpus as training examples: what the encoder reads, and what it should decide."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn, SurfaceReader, readings
from ttm.lab.learning.decoding.targets import DecodingExample, TargetMaker
from ttm.lab.learning.replay import ReplayedTurn, forced_turns
from ttm.lab.learning.span_labels import SpanLabel, span_label
from ttm.lab.learning.transplant import Transplants
from ttm.language.grammar import grammar_of
from ttm.language.parse import Parse, surface
from ttm.language.row_state import RowState
from ttm.parsers.learned.encoder.encoder_input import EncoderInput, encoder_input
from ttm.parsers.learned.encoder.item_words import ItemWords
from ttm.parsers.learned.encoder.roles import INGREDIENTS, OTHER, ingredients_of
from ttm.parsers.learned.encoder.schema_items import SchemaItem, items_of
from ttm.parsers.learned.encoder.state_words import ALONE, state_words
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.tokens import UtteranceToken, tokenise
from ttm.tabular.data.schema import Schema

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ttm.parsers.templates.generate import TrainingPair

MOVED = 0.4  # how often a conversation is about another table
BEFORE = ("count ( where ) : ", "predict ( row ) : ", "explain features ( row ) : ", "statistic ( where ) : ")


@dataclass(frozen=True)
class LabelledSpan:
    """Tokens `start` to `end` of a message with what they mean in `table`; `lexical` (items, LEXICAL) is how their words fit
    each of its items."""

    start: int
    end: int
    label: SpanLabel
    table: str
    lexical: npt.NDArray[np.float32]


@dataclass(frozen=True)
class MessageExample:
    """One message. `readings` are the fair sets of ingredients, as indexes, none where only rules know what is asked for;
    `spans` its mentions with their roles; `decoding` what the decoder should write, if it can."""

    dialogue: str
    table: str
    input: EncoderInput
    readings: tuple[frozenset[int], ...]
    spans: tuple[LabelledSpan, ...]
    has_roles: bool
    decoding: DecodingExample | None = None


class ExampleMaker:
    """Makes the examples of all tables; what belongs to one table is built once. `words`: what the decoder can write."""

    def __init__(self, schemas: Mapping[str, Schema], tokenizer: "Tokenizer", words: tuple[str, ...]) -> None:
        self.schemas = schemas
        self._tokenizer = tokenizer
        self._words = words
        self._targets: dict[str, TargetMaker] = {}
        self._linkers: dict[str, Linker] = {}
        self._readers: dict[str, SurfaceReader] = {}
        self._item_words: dict[str, ItemWords] = {}
        self.items = {name: items_of(schema) for name, schema in schemas.items()}

    def examples(self, dialogues: Iterable[CorpusDialogue]) -> Iterator[MessageExample]:
        """Every message after the fair readings of the turns before."""
        known = list(dialogues)
        marked = {one.author for one in known if any(turn.roles for turn in one.turns)}
        return (self._example(one, one.dialogue.author in marked) for one in forced_turns(known, self.schemas))

    def templates(self, pairs: Iterable[tuple[str, "TrainingPair"]], rng: random.Random) -> Iterator[MessageExample]:
        """Filled templates, each with the name of its table; what follows on a turn gets the words of one that is drawn."""
        for table, pair in pairs:
            linker, _ = self._of_table(table)
            parse = grammar_of(self.schemas[table]).read_if_valid(pair.parse)
            if parse is None:
                continue
            ingredients = ingredients_of(parse)
            follows = ingredients & {"previous rows", "previous operation", "follow up"}
            tokens = tokenise(pair.utterance)
            mentions = linker.mentions(tokens)
            read = encoder_input(self._tokenizer, pair.utterance, tokens, mentions, rng.choice(BEFORE) if follows else ALONE)
            reading = frozenset(INGREDIENTS.index(one) for one in ingredients if one != OTHER)
            known = () if OTHER in ingredients else (reading,)
            decoding = self._targets[table].of_parses([parse], tokens, mentions)
            yield MessageExample("template", table, read, known, (), False, decoding)

    def _example(self, replayed: ReplayedTurn, has_roles: bool) -> MessageExample:
        table, turn, context = replayed.dialogue.table, replayed.turn, replayed.context
        linker, items = self._of_table(table)
        tokens = tokenise(turn.utterance)
        mentions = linker.mentions(tokens)
        before = state_words(context.parse, context.utterance, context.question)
        read = encoder_input(self._tokenizer, turn.utterance, tokens, mentions, before)
        keys = frozenset(item.key for item in items)
        spans = []
        for role in turn.roles:
            label, bounds = span_label(role, keys), _tokens_of(role.text, turn.utterance, tokens)
            if label is not None and bounds is not None:
                spans.append(LabelledSpan(*bounds, label, table, self._item_words[table].lexical(tokens[slice(*bounds)])))
        wanted = _readings(turn, readings(turn, self._readers[table]), _before(context.rows))
        decoding = self._targets[table].of_turn(turn, tokens, mentions, context)
        return MessageExample(replayed.dialogue.id, table, read, wanted, tuple(spans), has_roles, decoding)

    def _of_table(self, table: str) -> tuple[Linker, tuple[SchemaItem, ...]]:
        if table not in self._linkers:
            self._linkers[table] = Linker(self.schemas[table])
            self._readers[table] = SurfaceReader(self.schemas[table])
            self._targets[table] = TargetMaker(self.schemas[table], self._words)
            self._item_words[table] = ItemWords(self.items[table])
        return self._linkers[table], self.items[table]


class EpochExamples:
    """The examples of each epoch: each conversation of the corpus as it is, or as it can be said about another table.

    `others` are examples beside the corpus, the same in each epoch.
    """

    def __init__(self, maker: ExampleMaker, dialogues: Sequence[CorpusDialogue], others: Sequence[MessageExample]) -> None:
        self._maker = maker
        self._transplants = Transplants(dialogues, maker.schemas)
        authors = {one.author for one in dialogues if any(turn.roles for turn in one.turns)}
        self._marked = [one for one in dialogues if one.author in authors]
        self.fixed = [*maker.examples(dialogues), *others]

    def __call__(self, rng: random.Random) -> list[MessageExample]:
        drawn = [dialogue for dialogue in self._marked if rng.random() < MOVED]
        moved = {dialogue.id: self._transplants.moved(dialogue, rng) for dialogue in drawn}
        about_others = {name: one for name, one in moved.items() if one is not None}
        stayed = [one for one in self.fixed if one.dialogue not in about_others]
        return [*stayed, *self._maker.examples(about_others.values())]


def _readings(turn: CorpusTurn, parses: list[Parse], conditions: frozenset[str]) -> tuple[frozenset[int], ...]:
    if turn.chats or turn.refuses or not parses:
        verdict = "chat" if turn.chats else "refuse" if turn.refuses else "ask"
        return (frozenset({INGREDIENTS.index(verdict)}),)
    collected = []
    for parse in parses:
        named = set(ingredients_of(parse))
        if not named <= set(INGREDIENTS):  # an operation or a score that no ingredient stands for
            continue
        if conditions & _conditions(parse) and "previous rows" not in named:
            named.add("keep")
        collected.append(frozenset(INGREDIENTS.index(name) for name in named))
    return tuple(dict.fromkeys(collected))


def _conditions(parse: Parse) -> frozenset[str]:
    """The surfaces of what picks or changes rows."""
    words = ("filter", "labelfilter", "predictionfilter", "probabilityfilter", "change", "instance")
    return frozenset(text for _, text in parse.items() if text.split(" ", 1)[0] in words)


def _before(rows: RowState | None) -> frozenset[str]:
    """The surfaces of what picked or changed the rows of the turn before."""
    if rows is None:
        return frozenset()
    case = (rows.instance,) if rows.instance is not None else ()
    return frozenset(surface(one) for one in (*rows.conditions, *rows.changes, *case))


def _tokens_of(text: str, utterance: str, tokens: list[UtteranceToken]) -> tuple[int, int] | None:
    """The tokens that a piece of the message covers, at its first index where it begins and ends with words."""
    index = utterance.find(text)
    while index >= 0:
        end = index + len(text)
        inside = [at for at, token in enumerate(tokens) if token.start < end and token.end > index]
        if inside and tokens[inside[0]].start >= index and tokens[inside[-1]].end <= end:
            return inside[0], inside[-1] + 1
        index = utterance.find(text, index + 1)
    return None
