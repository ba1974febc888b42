"""Fitting what decides between readings: a logistic model of their evidence, on authors that the encoder has not read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ttm.lab.learning.corpus import CorpusDialogue
from ttm.lab.learning.replay import forced_turns
from ttm.parsers.learned.evidence import Ranking, features_of
from ttm.parsers.learned.learned_parser import LearnedParser
from ttm.tabular.data.schema import Schema

STRENGTH = 0.5  # inverse of the regularisation
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WeighedTurn:
    """The evidence (n, f) for each reading that was proposed for one message, and which of them (n,) are fair."""

    features: Array
    fair: Array


def weighed_turns(dialogues: Iterable[CorpusDialogue], schemas: Mapping[str, Schema], weights: Path) -> list[WeighedTurn]:
    """Propose readings for every turn and judge them; where nothing can be answered, no reading is fair."""
    parsers: dict[str, LearnedParser] = {}
    found = []
    for one in forced_turns(dialogues, schemas):
        table = one.dialogue.table
        if table not in parsers:
            parsers[table] = LearnedParser(schemas[table], weights)
        proposals = parsers[table].proposals(one.turn.utterance, one.context)
        if proposals.proposed:
            answerable = one.turn.patterns and not (one.turn.chats or one.turn.refuses)
            fair = [bool(answerable) and one.is_fair(each.parse) for each in proposals.proposed]
            found.append(WeighedTurn(features_of(proposals.decisions, proposals.proposed), np.array(fair, np.float64)))
    return found


def fit_ranking(turns: Iterable[WeighedTurn]) -> Ranking:
    """Fit; every message counts by the root of the number of its readings."""
    from sklearn.linear_model import LogisticRegression

    turns = list(turns)
    features = np.concatenate([turn.features for turn in turns])
    fair = np.concatenate([turn.fair for turn in turns])
    counts = np.concatenate([np.full(len(turn.fair), len(turn.fair) ** -0.5) for turn in turns])
    mean, scale = features.mean(axis=0), features.std(axis=0) + 1e-6
    model = LogisticRegression(C=STRENGTH, max_iter=3000).fit((features - mean) / scale, fair, sample_weight=counts)
    return Ranking(mean, scale, np.asarray(model.coef_[0]), float(model.intercept_[0]))
