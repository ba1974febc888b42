"""Fitting what decides between readings: a logistic model of their evidence, on authors that the encoder has not read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ttm.lab.learning.corpus import CorpusDialogue
from ttm.lab.learning.replay import forced_turns
from ttm.parsers.learned.evidence import LogisticModel, ReadingRanking, features_of, is_complete
from ttm.parsers.learned.learned_parser import LearnedParser
from ttm.tabular.data.schema import Schema

COMPLETE_WEIGHT = 0.15
SAME = 1e-3  # spread below which a feature says nothing
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
    collected = []
    for one in forced_turns(dialogues, schemas):
        table = one.dialogue.table
        if table not in parsers:
            parsers[table] = LearnedParser(schemas[table], weights)
        proposals = parsers[table].proposals(one.turn.utterance, one.context)
        if proposals.proposed:
            answerable = one.turn.patterns and not (one.turn.chats or one.turn.refuses)
            fair = [bool(answerable) and one.is_fair(each.parse) for each in proposals.proposed]
            collected.append(
                WeighedTurn(
                    features_of(proposals.decisions, proposals.proposed, not one.context.utterance), np.array(fair, np.float64)
                )
            )
    return collected


def fit_ranking(turns: Sequence[WeighedTurn], complete: Sequence[WeighedTurn] = ()) -> ReadingRanking:
    """Fit both models. `complete` are full questions about whose parse there is no doubt; they weigh less among the others,
    since people in a conversation hardly ever speak so."""
    weighed = [(turn, 1.0) for turn in turns] + [(turn, COMPLETE_WEIGHT) for turn in complete]
    full = [(turn, 1.0) for turn, _ in weighed if is_complete(turn.features)]
    return ReadingRanking(_fit(full), _fit([(turn, weight) for turn, weight in weighed if not is_complete(turn.features)]))


def _fit(turns: Sequence[tuple[WeighedTurn, float]]) -> LogisticModel:
    """A logistic regression over readings; every message counts by the root of the number of its readings."""
    from sklearn.linear_model import LogisticRegression

    features = np.concatenate([turn.features for turn, _ in turns])
    fair = np.concatenate([turn.fair for turn, _ in turns])
    counts = np.concatenate([np.full(len(turn.fair), weight * len(turn.fair) ** -0.5) for turn, weight in turns])
    mean, spread = features.mean(axis=0), features.std(axis=0)
    scale = np.where(spread > SAME, spread, 1.0)
    model = LogisticRegression(C=STRENGTH, max_iter=3000).fit((features - mean) / scale, fair, sample_weight=counts)
    return LogisticModel(mean, scale, np.asarray(model.coef_[0]), float(model.intercept_[0]))


def complete_questions(folder: Path, schemas: Mapping[str, Schema], weights: Path) -> list[WeighedTurn]:
    """Questions with one parse each, from files of lines `schema <tab> utterance <tab> parse`."""
    parsers: dict[str, LearnedParser] = {}
    collected = []
    for path in sorted(folder.glob("*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            name, utterance, wanted = line.split("\t")
            parser = parsers.setdefault(name, LearnedParser(schemas[name], weights)) if name not in parsers else parsers[name]
            proposals = parser.proposals(utterance)
            if proposals.proposed:
                fair = [_same(str(one.parse), wanted) for one in proposals.proposed]
                features = features_of(proposals.decisions, proposals.proposed, alone=True)
                collected.append(WeighedTurn(features, np.array(fair, np.float64)))
    return collected


def _same(parse: str, wanted: str) -> bool:
    return "".join(parse.removesuffix("[e]").lower().split()) == "".join(wanted.removesuffix("[e]").lower().split())
