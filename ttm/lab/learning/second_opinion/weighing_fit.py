"""Fits how the ranking of the evidence and the language model are weighed, on whole authors whom neither has read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from backend.models.boosted_trees import Array, BoostedTrees, fit_trees
from ttm.lab.learning.corpus import CorpusDialogue
from ttm.lab.learning.ranking.fitting import platt
from ttm.lab.learning.replay import ReplayedTurn, own_turns
from ttm.parsers.learned.answering import POLICY_OF_TWO
from ttm.parsers.learned.assumption import assuming, spelled_out
from ttm.parsers.learned.learned_parser import LearnedParser
from ttm.parsers.learned.second_opinion.second_reader import SecondOpinion, SecondReader
from ttm.parsers.learned.second_opinion.weighing import OpinionWeighing, weighing_file
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
    """The readings of one message of `author`: `features` (n, FEATURES) of both opinions, and which of them are fair (n,)."""

    author: str
    features: Array
    fair: Array


class _RememberingReader(SecondReader):
    """Asked again what it was asked last, it does not ask the model again."""

    _last: tuple[object, SecondOpinion | None] = (None, None)

    def opinion(self, utterance: str, context: DialogueContext, readings: Sequence[Sequence[str]]) -> SecondOpinion | None:
        asked = (utterance, context, [list(forms) for forms in readings])
        if self._last[0] != asked:
            self._last = asked, super().opinion(utterance, context, readings)
        return self._last[1]


def weighed_opinions(
    dialogues: Iterable[CorpusDialogue], schemas: Mapping[str, Schema], weights: Path
) -> Iterator[WeighedOpinions]:
    """Every message after what the parser itself made of those before: as it is in use where both opinions were weighed
    before, else by the ranking alone."""
    parsers: dict[str, LearnedParser] = {}
    living: dict[str, LearnedParser] = {}
    is_weighed = weighing_file(weights).is_file()

    def understand(table: str, utterance: str, context: DialogueContext) -> Understanding:
        if table not in parsers:
            reader = _RememberingReader(schemas[table], weights)
            parsers[table] = LearnedParser(schemas[table], weights, POLICY_OF_TWO, second=reader)
            living[table] = parsers[table] if is_weighed else LearnedParser(schemas[table], weights)
        return living[table].understand(utterance, context)

    for one, _ in own_turns(dialogues, schemas, understand):
        row = _opinions(one, parsers[one.dialogue.table])
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
    return WeighedOpinions(one.dialogue.author, both.features, np.array(fair, np.float64))


def fit_weighing(turns: Sequence[WeighedOpinions], calibrating: Iterable[str]) -> OpinionWeighing:
    """Trees fitted on all messages, and calibrated on the authors `calibrating`, on each by trees that have not seen it."""
    odds, fair = list[float](), list[float]()
    for author in calibrating:
        left = _trees([one for one in turns if one.author != author])
        for one in turns:
            if one.author == author:
                own = left.of(one.features)
                odds.append(float(own.max()))
                fair.append(float(one.fair[int(own.argmax())]))
    slope, offset = platt(np.array(odds), np.array(fair))
    return OpinionWeighing(_trees(turns), slope, offset)


def _trees(turns: Sequence[WeighedOpinions]) -> BoostedTrees:
    return fit_trees(np.vstack([one.features for one in turns]), np.concatenate([one.fair for one in turns]), **TREES)
