"""The readings that the decoder writes about one message, as parses."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ttm.language.grammar import Grammar
from ttm.language.parse import Change, CountData, Instance, Parse, Predict, Selection
from ttm.parsers.learned.composition.contradictions import each_once
from ttm.parsers.learned.decoder.parse_decoder import DecoderInput, ParseDecoder
from ttm.parsers.learned.decoder.symbols import LISTED, VERDICTS, symbol_table, written_items
from ttm.parsers.learned.encoder.item_words import ItemWords
from ttm.parsers.learned.encoder.network import MessageStates, TableVectors
from ttm.parsers.learned.encoder.schema_items import SchemaItem
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.parsers.understanding import DialogueContext

LAST = frozenset({"last", "bottom"})


@dataclass(frozen=True)
class DecodedReadings:
    """Parses with their log-probabilities, best first; of each verdict the log-probability, where it was near enough."""

    parses: tuple[tuple[Parse, float], ...] = ()
    verdicts: tuple[tuple[str, float], ...] = ()


class DecodedReader:
    """Has a decoder write about one data set."""

    def __init__(self, items: Sequence[SchemaItem], words: ItemWords, vectors: TableVectors, grammar: Grammar) -> None:
        self._items = written_items(items)
        self._vectors = vectors.vectors[: len(self._items)]
        self._words = words
        self._grammar = grammar

    def readings(
        self,
        decoder: ParseDecoder,
        states: MessageStates,
        tokens: Sequence[UtteranceToken],
        mentions: Sequence[SchemaMention],
        context: DialogueContext,
    ) -> DecodedReadings:
        """What the grammar of the data set allows of what the decoder wrote."""
        table = symbol_table(decoder.words, self._items, tokens, context)
        relations = self._words.relations(tokens, mentions)[:, : len(self._items)]
        read = DecoderInput(states.pieces, states.segments, states.words, self._vectors, relations)
        parses: dict[str, tuple[Parse, float]] = {}
        verdicts = []
        for one in decoder.readings(read, table):
            if one.text in VERDICTS:
                verdicts.append((one.text, one.log_probability))
                continue
            text = with_listed(one.text, tokens, context.listed)
            parse = self._grammar.read_if_valid(text) if text is not None else None
            if parse is None or not parse.steps:
                continue
            parse = each_once(with_request(parse))
            known = parses.get(str(parse), (parse, -math.inf))
            parses[str(parse)] = parse, float(np.logaddexp(known[1], one.log_probability))
        return DecodedReadings(tuple(sorted(parses.values(), key=lambda one: -one[1])), tuple(verdicts))


def with_request(parse: Parse) -> Parse:
    """The parse with what it asks for in words: a change or a case alone is predicted, conditions alone are counted."""
    if isinstance(parse.steps[-1], (Change, Instance)):
        return Parse((*parse.steps, Predict()))
    return Parse((*parse.steps, CountData())) if isinstance(parse.steps[-1], Selection) else parse


def with_listed(text: str, tokens: Sequence[UtteranceToken], listed: Sequence[str]) -> str | None:
    """A text with the ids of the rows that the message counts in the list that was shown; None where there are none."""
    numbers = [int(token.value) for token in tokens if token.kind is TokenKind.NUMBER and token.form == "ordinal"]
    if any(token.text in LAST for token in tokens):
        numbers.append(len(listed))
    for number in [*numbers, *[1] * text.count(LISTED)]:
        if LISTED not in text:
            break
        if not 0 < number <= len(listed):
            return None
        text = text.replace(LISTED, listed[number - 1], 1)
    return text
