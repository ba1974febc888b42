"""How probable each reading is in the light of both opinions: a logistic regression on what the ranking of the evidence states
and on what the language model thinks of the readings, beside each other and beside "no parse is meant"."""

import json
import threading
from pathlib import Path

import numpy as np

from backend.models.boosted_trees import Array
from ttm.parsers.learned.ranking import LinearScore, read_score, stored_score
from ttm.parsers.learned.second_opinion.second_reader import SecondOpinion

FEATURES = (
    "stated", "share", "by model", "by model above others", "of all by model", "first by model", "first stated",
    "stated below first", "goes on", "verdict by model", "first stated at all", "only by model",
)  # fmt: skip
ASKED_ABOUT = 12  # readings, by their share in the ranking
LEAST, MOST = 0.002, 0.995  # probabilities beyond which the ranking says nothing more
LEAST_SHARE = 1e-4


def opinion_features(stated: Array, shares: Array, opinion: SecondOpinion, goes_on: bool) -> Array:
    """Evidence (readings, FEATURES) for the readings that both were asked about, and last for the one that the model wrote, if
    it did. `stated` and `shares` (n,) are those of the ranking; `goes_on`: something was said before."""
    alone = opinion.written is not None
    stated, shares = (np.append(values, 0.0) if alone else values for values in (stated, shares))
    scores = np.array([*opinion.readings, *([opinion.written_log_probability] if alone else [])])
    verdicts = np.array(list(opinion.verdicts.values()))
    everything = np.concatenate([scores, verdicts])
    total = np.logaddexp.reduce(everything)
    first = stated.max()
    rows = []
    for at, score in enumerate(scores):
        others = np.delete(everything, at).max()
        rows.append([
            _log_odds(stated[at]), np.log(max(shares[at], LEAST_SHARE)), max(score, -12.0), np.clip(score - others, -8, 8),
            max(score - total, -8.0), float(score >= everything.max()), float(stated[at] == first and first > 0),
            _log_odds(stated[at]) - _log_odds(first), float(goes_on), max(verdicts.max() - total, -8.0), _log_odds(first),
            float(alone and at == len(scores) - 1),
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


def probabilities(score: LinearScore, features: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-score.of(features))))


_LOCK = threading.Lock()
_KNOWN: dict[tuple[Path, int], LinearScore] = {}


def weighing_file(weights: Path) -> Path:
    return weights.with_name(f"{weights.stem}_opinions.json")


def weighing(weights: Path) -> LinearScore:
    """The regression that belongs to a file of weights, read again when its own has changed."""
    path = weighing_file(weights)
    key = (path, path.stat().st_mtime_ns)
    with _LOCK:
        if key not in _KNOWN:
            _KNOWN.clear()
            _KNOWN[key] = read_score(json.loads(path.read_text(encoding="utf-8")), FEATURES)
        return _KNOWN[key]


def write_weighing(path: Path, score: LinearScore) -> None:
    path.write_text(json.dumps(stored_score(score, FEATURES), indent=1) + "\n", encoding="utf-8")
