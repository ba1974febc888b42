"""What the decoder should write for a message: its fair readings as symbols, or a verdict."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn, expand
from ttm.lab.learning.replay import forced_turns
from ttm.language.grammar import Grammar, grammar_of
from ttm.language.parse import Parse, number_text
from ttm.parsers.learned.decoder.symbols import ASKS, CHATS, LISTED, REFUSES, SPECIAL, SymbolTable, symbol_table, written_items
from ttm.parsers.learned.encoder.item_words import ItemWords
from ttm.parsers.learned.encoder.schema_items import SchemaItem, items_of
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken, tokenise
from ttm.parsers.understanding import ALONE, DialogueContext
from ttm.tabular.data.schema import Schema

if TYPE_CHECKING:
    from ttm.parsers.templates.generate import TrainingPair

MOST_TARGETS = 8
MOST_EXPANDED = 40
LONGEST = 40
RARE = 6  # words that so few messages need are not learned
ANY_ROW = "5000005"


@dataclass(frozen=True)
class DecodingExample:
    """What may be written about one message: symbols of `table`, the best reading first. `relations` as in `ItemWords`."""

    table: SymbolTable
    relations: npt.NDArray[np.float16]
    targets: tuple[tuple[int, ...], ...]


class TargetMaker:
    """Makes the targets for one data set; `words` are all that the decoder can write beside pointers."""

    def __init__(self, schema: Schema, words: tuple[str, ...]) -> None:
        self.items: tuple[SchemaItem, ...] = written_items(items_of(schema))
        self._words = words
        self._item_words = ItemWords(self.items)
        self._grammar = grammar_of(schema)

    def of_turn(
        self, turn: CorpusTurn, tokens: Sequence[UtteranceToken], mentions: Sequence[SchemaMention], context: DialogueContext
    ) -> DecodingExample | None:
        """The example of a message; None where no fair reading can be written."""
        parses = fair_parses(turn, tokens, self._grammar)
        if turn.chats or turn.refuses or not parses:
            table = symbol_table(self._words, self.items, tokens, context)
            verdict = CHATS if turn.chats else REFUSES if turn.refuses else ASKS
            return self._example(table, tokens, mentions, [table.verdict(verdict)])
        return self.of_parses(parses, tokens, mentions, context)

    def of_parses(
        self,
        parses: Iterable[Parse],
        tokens: Sequence[UtteranceToken],
        mentions: Sequence[SchemaMention],
        context: DialogueContext = ALONE,
    ) -> DecodingExample | None:
        """The same for parses that are known."""
        table = symbol_table(self._words, self.items, tokens, context)
        symbols = [table.symbols(*_parts(parse)) for parse in parses]
        written = list(dict.fromkeys(tuple(one) for one in symbols if one is not None and len(one) <= LONGEST))
        return self._example(table, tokens, mentions, written[:MOST_TARGETS]) if written else None

    def _example(
        self,
        table: SymbolTable,
        tokens: Sequence[UtteranceToken],
        mentions: Sequence[SchemaMention],
        targets: Sequence[Sequence[int]],
    ) -> DecodingExample:
        relations = self._item_words.relations(tokens, mentions).astype(np.float16)
        return DecodingExample(table, relations, tuple(map(tuple, targets)))


def fair_parses(turn: CorpusTurn, tokens: Sequence[UtteranceToken], grammar: Grammar) -> list[Parse]:
    """The fair readings, those without an open number first; an id that is left open is that of a listed row."""
    numbers = [number_text(token.value) for token in tokens if token.kind is TokenKind.NUMBER]
    texts = [text.replace("filter id *", f"filter id {ANY_ROW}") for pattern in turn.patterns for text in expand(pattern)]
    filled = [text.replace("*", numbers[0] if numbers else "5") for text in sorted(texts, key=lambda text: "*" in text)]
    parses = (grammar.read_if_valid(text) for text in filled[:MOST_EXPANDED])
    return [parse for parse in parses if parse is not None]


def _parts(parse: Parse) -> tuple[list[str], list[str]]:
    items = parse.items()
    return [text.replace(f"filter id {ANY_ROW}", f"filter id {LISTED}") for _, text in items], [
        str(one) for one, _ in items[1:]
    ]


def words_of_corpus(
    dialogues: Iterable[CorpusDialogue], pairs: Iterable[tuple[str, "TrainingPair"]], schemas: Mapping[str, Schema]
) -> tuple[str, ...]:
    """The words of the parse language that enough first readings of a corpus and of filled templates need, END first."""
    counts: Counter[str] = Counter()
    items = {name: written_items(items_of(schema)) for name, schema in schemas.items()}
    for one in forced_turns(dialogues, schemas):
        tokens = tokenise(one.turn.utterance)
        table = symbol_table((), items[one.dialogue.table], tokens, one.context)
        for parse in fair_parses(one.turn, tokens, grammar_of(schemas[one.dialogue.table]))[:1]:
            counts.update({word for text in _parts(parse)[0] for word in table.unknown(text)})
    for name, pair in pairs:
        read = grammar_of(schemas[name]).read_if_valid(pair.parse)
        if read is not None:
            table = symbol_table((), items[name], tokenise(pair.utterance), ALONE)
            counts.update({word for text in _parts(read)[0] for word in table.unknown(text)})
    return (*SPECIAL, *sorted(word for word, count in counts.items() if count >= RARE and word not in SPECIAL))
