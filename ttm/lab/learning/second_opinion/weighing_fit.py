"""Fits how the ranking of the evidence and the language model are weighed, on whole authors whom neither has read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from backend.models.boosted_trees import Array, BoostedTrees, fit_trees
from ttm.lab.learning.corpus import CorpusDialogue
from ttm.lab.learning.replay import ReplayedTurn, own_turns
from ttm.parsers.learned.assumption import assuming, spelled_out
from ttm.parsers.learned.learned_parser import LearnedParser
from ttm.parsers.learned.second_opinion.second_reader import SecondReader
from ttm.parsers.understanding import DialogueContext, Understanding
from ttm.tabular.data.schema import Schema

TREES: dict[str, Any] = {
    "max_iter": 150,
    "learning_rate": 0.06,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 60,
    "l2_regularization": 5.0,
}


@dataclass(frozen=True)
class WeighedOpinions:
    """The readings of one message: `features` (n, FEATURES) of both opinions, and which of them are fair (n,)."""

    features: Array
    fair: Array


def weighed_opinions(
    dialogues: Iterable[CorpusDialogue], schemas: Mapping[str, Schema], weights: Path
) -> Iterator[WeighedOpinions]:
    """Every message after what the parser itself made of those before, as it is in use."""
    parsers: dict[str, LearnedParser] = {}

    def parser_of(table: str) -> LearnedParser:
        if table not in parsers:
            parsers[table] = LearnedParser(schemas[table], weights, second=SecondReader(schemas[table], weights))
        return parsers[table]

    def understand(table: str, utterance: str, context: DialogueContext) -> Understanding:
        return parser_of(table).understand(utterance, context)

    for one, _ in own_turns(dialogues, schemas, understand):
        row = _opinions(one, parser_of(one.dialogue.table))
        if row is not None:
            yield row


def _opinions(one: ReplayedTurn, parser: LearnedParser) -> WeighedOpinions | None:
    turn, context = one.turn, assuming(one.context)
    proposals = parser.proposals(turn.utterance, context)
    both = parser.opinions(proposals, context, *parser.stated(proposals, context))
    if both is None or not both.parses:
        return None
    answers = bool(turn.patterns) and not (turn.chats or turn.refuses)
    fair = [answers and one.is_fair(spelled_out(parse, context)) for parse in both.parses]
    return WeighedOpinions(both.features, np.array(fair, np.float64))


def fit_weighing(turns: Iterable[WeighedOpinions]) -> BoostedTrees:
    """The trees that say how probable it is that a reading is fair."""
    known = list(turns)
    return fit_trees(np.vstack([one.features for one in known]), np.concatenate([one.fair for one in known]), **TREES)
