"""How probable each reading is, from its evidence: the fitted model, which lies beside the weights of the encoder.

The readings of a message compete with each other and with "none of them is meant" (a conditional logit, McFadden 1974). The
likeliest are looked at again by boosted trees (Friedman 2001), which weigh evidence in the light of other evidence: what two
sources agree on is surer than either. How their log-odds have to be corrected is fitted on top of it (Platt 1999).
"""

import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from backend.models.boosted_trees import Array, BoostedTrees, Indexes, read_trees
from ttm.parsers.learned.evidence import FEATURES, MESSAGE_FEATURES

COMPARED = 6  # readings that the trees look at
LEAST = 1e-6  # share below which differences say nothing


@dataclass(frozen=True)
class LinearScore:
    """Standardised features (f,), weights (f,) and bias."""

    mean: Array
    scale: Array
    weights: Array
    bias: float = 0.0

    def of(self, features: Array) -> Array:
        return np.asarray(((features - self.mean) / self.scale) @ self.weights + self.bias)


@dataclass(frozen=True)
class ReadingRanking:
    """`readings` scores each reading, `none` that no reading is meant; `trees` look again at the likeliest; `slope` and
    `offset` calibrate the result."""

    readings: LinearScore
    none: LinearScore
    trees: BoostedTrees
    slope: float = 1.0
    offset: float = 0.0

    def probabilities(self, features: Array, message: Array) -> Array:
        """The probability of each reading (n,) of one message that it is a fair one; 0 beyond the first COMPARED."""
        order, rows = compared(features, message, self.shares(features, message))
        probabilities = np.zeros(len(features))
        probabilities[order] = 1 / (1 + np.exp(-(self.slope * self.trees.of(rows) + self.offset)))
        return probabilities

    def shares(self, features: Array, message: Array) -> Array:
        """What each reading has of the competition (n,): with the share of "none" they add up to 1."""
        scores = np.append(self.readings.of(features), self.none.of(message))
        exponents = np.exp(scores - scores.max())
        return np.asarray((exponents / exponents.sum())[:-1])


def compared(features: Array, message: Array, shares: Array) -> tuple[Indexes, Array]:
    """The likeliest readings of one message, and what the trees look at for each: all evidence, and how they compete."""
    order = np.argsort(-shares)[:COMPARED]
    logs = np.log(np.clip(shares[order], LEAST, 1))
    none = np.log(max(1 - shares.sum(), LEAST))
    gaps = logs - logs[0]
    if len(order) > 1:
        gaps[0] = logs[0] - logs[1]
    own = np.stack([logs, np.arange(len(order)), gaps, np.full(len(order), none)], axis=1)
    return order, np.hstack([features[order], np.tile(message, (len(order), 1)), own])


_LOCK = threading.Lock()
_KNOWN: dict[tuple[Path, int], ReadingRanking] = {}


def ranking_file(weights: Path) -> Path:
    return weights.with_name(f"{weights.stem}_ranking.json")


def ranking(weights: Path) -> ReadingRanking:
    """The ranking that belongs to a file of weights, read again when the file has changed."""
    path = ranking_file(weights)
    key = (path, path.stat().st_mtime_ns)
    with _LOCK:
        if key not in _KNOWN:
            _KNOWN.clear()
            _KNOWN[key] = read_ranking(path)
        return _KNOWN[key]


def read_ranking(path: Path) -> ReadingRanking:
    stored = json.loads(path.read_text(encoding="utf-8"))
    return ReadingRanking(
        read_score(stored["readings"], FEATURES), read_score(stored["none"], MESSAGE_FEATURES), read_trees(stored["trees"]),
        stored["slope"], stored["offset"],
    )  # fmt: skip


def read_score(stored: dict[str, Any], names: tuple[str, ...]) -> LinearScore:
    """A score from what `stored_score` made of it; the names of its features in their order."""
    rows = [stored["features"][name] for name in names]
    mean, scale, own = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    return LinearScore(mean, scale, own, float(stored["bias"]))


def write_ranking(path: Path, fitted: ReadingRanking) -> None:
    stored = {
        "slope": round(fitted.slope, 5),
        "offset": round(fitted.offset, 5),
        "readings": stored_score(fitted.readings, FEATURES),
        "none": stored_score(fitted.none, MESSAGE_FEATURES),
    }
    text = f'{json.dumps(stored, indent=1)[:-2]},\n "trees": {json.dumps(fitted.trees.stored())}\n}}\n'
    path.write_text(text, encoding="utf-8")


def stored_score(score: LinearScore, names: tuple[str, ...]) -> dict[str, Any]:
    rows = zip(names, score.mean, score.scale, score.weights, strict=True)
    features = {name: [round(float(value), 5) for value in values] for name, *values in rows}
    return {"bias": round(score.bias, 5), "features": features}
