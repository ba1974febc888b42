"""The default parser: names and numbers by rule, everything else as learned; a new data set needs no training."""

from dataclasses import dataclass
from pathlib import Path

from ttm.language.grammar import grammar_of
from ttm.parsers.learned.compose import Composer
from ttm.parsers.learned.decide import decide
from ttm.parsers.learned.decisions import Decisions
from ttm.parsers.learned.network import LEARNED, network, table_vectors
from ttm.parsers.learned.readings import Reading, readings_of
from ttm.parsers.learned.state_words import state_words
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.understanding import ALONE, DialogueContext, ParseCandidate, Understanding
from ttm.tabular.data.schema import Schema

MOST_CANDIDATES = 5


@dataclass(frozen=True)
class Evidence:
    """All that a decision to answer or ask back rests on."""

    decisions: Decisions
    readings: tuple[Reading, ...]


class LearnedParser:
    """Parses messages about one data set. Build once per schema; may be used from several threads."""

    def __init__(self, schema: Schema, weights: Path = LEARNED) -> None:
        self._schema = schema
        self._weights = weights
        self._linker = Linker(schema)
        self._grammar = grammar_of(schema)
        self._composer = Composer(schema)
        self._vectors = table_vectors(self._composer.items)

    def evidence(self, utterance: str, context: DialogueContext = ALONE) -> Evidence:
        tokens = tokenise(utterance)
        before = state_words(context.parse, context.utterance, context.question)
        decisions = decide(network(self._weights), self._vectors, self._composer.items, utterance, tokens,
                           self._linker.mentions(tokens), before)  # fmt: skip
        return Evidence(decisions, tuple(readings_of(decisions, self._composer, self._grammar, context)))

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding:
        evidence = self.evidence(utterance, context)
        candidates = tuple(ParseCandidate(one.parse, 0.5) for one in evidence.readings[:MOST_CANDIDATES])
        return Understanding(utterance, candidates, True)
