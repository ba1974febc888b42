"""Fits how the ranking of the evidence and the language model are weighed, on whole authors whom neither has read."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from backend.models.boosted_trees import Array
from ttm.lab.learning.corpus import CorpusDialogue
from ttm.lab.learning.replay import ReplayedTurn, own_turns
from ttm.parsers.learned.assumption import assuming, spelled_out
from ttm.parsers.learned.learned_parser import LearnedParser
from ttm.parsers.learned.ranking import LinearScore
from ttm.parsers.learned.second_opinion.second_reader import SecondReader
from ttm.parsers.understanding import DialogueContext, Understanding
from ttm.tabular.data.schema import Schema

STEADY = 1.0  # inverse strength of the penalty on large weights


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


def fit_weighing(turns: Iterable[WeighedOpinions]) -> LinearScore:
    """The regression that says how probable it is that a reading is fair."""
    from sklearn.linear_model import LogisticRegression

    known = list(turns)
    features, fair = np.vstack([one.features for one in known]), np.concatenate([one.fair for one in known])
    mean, scale = features.mean(axis=0), features.std(axis=0)
    scale[scale == 0] = 1
    fitted = LogisticRegression(C=STEADY, max_iter=5000).fit((features - mean) / scale, fair)
    return LinearScore(mean, scale, fitted.coef_[0], float(fitted.intercept_[0]))
