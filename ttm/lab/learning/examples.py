"""Lines of the corpus as training examples: what the encoder reads, and what it should decide."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ttm.lab.learning.corpus import CorpusDialogue, CorpusTurn, SurfaceReader, readings
from ttm.lab.learning.span_labels import SpanLabel, span_label
from ttm.language.parse import Parse, PreviousFilter, Selection, surface
from ttm.parsers.learned.encoder.encoder_input import EncoderInput, encoder_input
from ttm.parsers.learned.encoder.roles import INGREDIENTS, ingredients_of
from ttm.parsers.learned.encoder.schema_items import SchemaItem, items_of, lexical_features
from ttm.parsers.learned.encoder.state_words import state_words
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.tokens import UtteranceToken, tokenise
from ttm.tabular.data.schema import Schema

if TYPE_CHECKING:
    from tokenizers import Tokenizer


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
    `spans` its mentions with their roles."""

    dialogue: str
    table: str
    input: EncoderInput
    readings: tuple[frozenset[int], ...]
    spans: tuple[LabelledSpan, ...]
    has_roles: bool


class ExampleMaker:
    """Makes the examples of all tables; what belongs to one table is built once."""

    def __init__(self, schemas: Mapping[str, Schema], tokenizer: "Tokenizer") -> None:
        self.schemas = schemas
        self._tokenizer = tokenizer
        self._linkers: dict[str, Linker] = {}
        self._readers: dict[str, SurfaceReader] = {}
        self.items: dict[str, tuple[SchemaItem, ...]] = {}

    def examples(self, dialogues: Iterable[CorpusDialogue]) -> Iterator[MessageExample]:
        for dialogue in dialogues:
            reader = self._readers.setdefault(dialogue.table, SurfaceReader(self.schemas[dialogue.table]))
            parse, conditions, uttered, asked = None, frozenset[str](), "", ""
            for turn in dialogue.turns:
                parses = readings(turn, reader)
                yield self._example(dialogue, turn, parses, conditions, state_words(parse, uttered, asked))
                uttered, asked = turn.utterance, turn.asked
                if parses:
                    parse, conditions = parses[0], resolved(parses[0], conditions)

    def _example(
        self, dialogue: CorpusDialogue, turn: CorpusTurn, parses: list[Parse], conditions: frozenset[str], context: str
    ) -> MessageExample:
        table = dialogue.table
        linker, items = self._of_table(table)
        tokens = tokenise(turn.utterance)
        read = encoder_input(self._tokenizer, turn.utterance, tokens, linker.mentions(tokens), context)
        keys = frozenset(item.key for item in items)
        spans = []
        for role in turn.roles:
            label, bounds = span_label(role, keys), _tokens_of(role.text, turn.utterance, tokens)
            if label is not None and bounds is not None:
                spans.append(LabelledSpan(*bounds, label, table, lexical_features(tokens[slice(*bounds)], items)))
        return MessageExample(dialogue.id, table, read, _readings(turn, parses, conditions), tuple(spans), True)

    def _of_table(self, table: str) -> tuple[Linker, tuple[SchemaItem, ...]]:
        if table not in self._linkers:
            self._linkers[table] = Linker(self.schemas[table])
            self.items[table] = items_of(self.schemas[table])
        return self._linkers[table], self.items[table]


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


def resolved(parse: Parse, before: frozenset[str]) -> frozenset[str]:
    """The conditions that a parse leaves for the next turn."""
    refers = any(
        isinstance(condition, PreviousFilter)
        for step in parse.steps if isinstance(step, Selection)
        for group in step.groups for alternative in group for condition in alternative
    )  # fmt: skip
    own = _conditions(parse)
    return own | before if refers else own or before


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


__all__ = ["ExampleMaker", "MessageExample", "resolved", "surface"]
