"""How probable each reading is in the light of both opinions: boosted trees (Friedman 2001) over what the ranking of the
evidence states and what the language model thinks of the readings, beside each other and beside "no parse is meant"."""

import json
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from backend.models.boosted_trees import Array, BoostedTrees, read_trees
from ttm.parsers.learned.second_opinion.second_reader import SecondOpinion
from ttm.parsers.understanding import DialogueContext

FEATURES = (
    "stated", "share", "by model", "by model above others", "of all by model", "first by model", "first stated",
    "stated below first", "goes on", "verdict by model", "first stated at all", "only by model", "trust", "answers a question",
    "words", "rank by model", "rank stated", "rank by share", "readings", "asks by model", "refuses by model", "chats by model",
)  # fmt: skip
ASKED_ABOUT = 12  # readings, by their share in the ranking
LEAST_ASKED = 0.002  # share below which a reading is not asked about, unless it is the first
SURE = 0.8  # probability from which the ranking needs no second opinion
LEAST, MOST = 0.002, 0.995  # probabilities beyond which the ranking says nothing more
LEAST_SHARE = 1e-4
LEAST_TRUST = 0.02


def asked_about(shares: Array) -> list[int]:
    """The indexes of the readings (n,) that a second opinion is asked about, by their shares in the ranking."""
    order = [int(at) for at in np.argsort(-shares, kind="stable")[:ASKED_ABOUT]]
    return [at for rank, at in enumerate(order) if rank == 0 or shares[at] >= LEAST_ASKED]


def opinion_features(stated: Array, shares: Array, opinion: SecondOpinion, context: DialogueContext, words: int) -> Array:
    """Evidence (readings, FEATURES) for the readings that both were asked about, and last for the one that the model wrote, if
    it did. `stated` and `shares` (n,) are those of the ranking; `words`: how many the message has."""
    alone = opinion.written is not None
    stated, shares = (np.append(values, 0.0) if alone else values for values in (stated, shares))
    scores = np.array([*opinion.readings, *([opinion.written_log_probability] if alone else [])])
    verdicts = np.array(list(opinion.verdicts.values()))
    everything = np.concatenate([scores, verdicts])
    total = np.logaddexp.reduce(everything)
    first = stated.max()
    goes_on = bool(context.utterance)
    trust = np.log(max(context.trust, LEAST_TRUST)) if goes_on else 0.0
    of_message = [trust, float(bool(context.question)), np.log(max(words, 1))]
    ranks = [np.argsort(np.argsort(-values, kind="stable"), kind="stable") for values in (scores, stated)]
    of_verdicts = np.maximum(verdicts - total, -10.0)
    rows = []
    for at, score in enumerate(scores):
        others = np.delete(everything, at).max()
        rows.append([
            _log_odds(stated[at]), np.log(max(shares[at], LEAST_SHARE)), max(score, -12.0), np.clip(score - others, -8, 8),
            max(score - total, -8.0), float(score >= everything.max()), float(stated[at] == first and first > 0),
            _log_odds(stated[at]) - _log_odds(first), float(goes_on), max(verdicts.max() - total, -8.0), _log_odds(first),
            float(alone and at == len(scores) - 1), *of_message, ranks[0][at], ranks[1][at], at, len(scores), *of_verdicts,
        ])  # fmt: skip
    return np.array(rows, np.float64).reshape(len(rows), len(FEATURES))


def verdict_log_odds(opinion: SecondOpinion) -> dict[str, float]:
    """Of each verdict, by what the model thinks of all that it could write."""
    written = () if opinion.written is None else (opinion.written_log_probability,)
    everything = np.array([*opinion.readings, *written, *opinion.verdicts.values()])
    shares = {name: np.exp(score - np.logaddexp.reduce(everything)) for name, score in opinion.verdicts.items()}
    return {name.strip("<>"): _log_odds(share) for name, share in shares.items()}


def _log_odds(probability: float) -> float:
    bounded = min(max(float(probability), LEAST), MOST)
    return float(np.log(bounded / (1 - bounded)))


@dataclass(frozen=True)
class OpinionWeighing:
    """`trees` give log-odds, which `slope` and `offset` put right (Platt 1999)."""

    trees: BoostedTrees
    slope: float = 1.0
    offset: float = 0.0

    def probabilities(self, features: Array) -> Array:
        """How probable each reading (n,) is, from its row of `opinion_features`."""
        return np.asarray(1 / (1 + np.exp(-(self.slope * self.trees.of(features) + self.offset))))


_LOCK = threading.Lock()
_KNOWN: dict[tuple[Path, int], OpinionWeighing] = {}


def weighing_file(weights: Path) -> Path:
    return weights.with_name(f"{weights.stem}_opinions.json")


def weighing(weights: Path) -> OpinionWeighing:
    """The weighing that belongs to a file of weights, read again when its own has changed."""
    path = weighing_file(weights)
    key = (path, path.stat().st_mtime_ns)
    with _LOCK:
        if key not in _KNOWN:
            _KNOWN.clear()
            stored = json.loads(path.read_text(encoding="utf-8"))
            _KNOWN[key] = OpinionWeighing(read_trees(stored["trees"]), stored["slope"], stored["offset"])
        return _KNOWN[key]


def write_weighing(path: Path, fitted: OpinionWeighing) -> None:
    stored = {"slope": round(fitted.slope, 5), "offset": round(fitted.offset, 5), "trees": fitted.trees.stored()}
    path.write_text(json.dumps(stored) + "\n", encoding="utf-8")
