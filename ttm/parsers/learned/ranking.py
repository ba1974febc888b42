"""How probable each reading is, from its evidence: the fitted model, which lies beside the weights of the encoder.

The readings of a message compete with each other and with "none of them is meant" (a conditional logit, McFadden 1974); how
the probability of the best one has to be corrected is fitted on top of it (Platt 1999).
"""

import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ttm.parsers.learned.evidence import FEATURES, MESSAGE_FEATURES

Array = npt.NDArray[np.float64]


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
    """`readings` scores each reading, `none` that no reading is meant; `slope` and `offset` calibrate the result."""

    readings: LinearScore
    none: LinearScore
    slope: float = 1.0
    offset: float = 0.0

    def probabilities(self, features: Array, message: Array) -> Array:
        """The probability of each reading (n,) of one message that it is a fair one."""
        shares = self.shares(features, message)
        odds = np.log(np.clip(shares, 1e-6, 1 - 1e-6)) - np.log1p(-np.clip(shares, 1e-6, 1 - 1e-6))
        return np.asarray(1 / (1 + np.exp(-(self.slope * odds + self.offset))))

    def shares(self, features: Array, message: Array) -> Array:
        """The same before calibration: with the share of "none" they add up to 1."""
        scores = np.append(self.readings.of(features), self.none.of(message))
        exponents = np.exp(scores - scores.max())
        return np.asarray((exponents / exponents.sum())[:-1])


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
        _score(stored["readings"], FEATURES), _score(stored["none"], MESSAGE_FEATURES), stored["slope"], stored["offset"]
    )


def _score(stored: dict[str, Any], names: tuple[str, ...]) -> LinearScore:
    rows = [stored["features"][name] for name in names]
    mean, scale, own = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    return LinearScore(mean, scale, own, float(stored["bias"]))


def write_ranking(path: Path, fitted: ReadingRanking) -> None:
    stored = {
        "slope": round(fitted.slope, 5),
        "offset": round(fitted.offset, 5),
        "readings": _stored(fitted.readings, FEATURES),
        "none": _stored(fitted.none, MESSAGE_FEATURES),
    }
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def _stored(score: LinearScore, names: tuple[str, ...]) -> dict[str, Any]:
    rows = zip(names, score.mean, score.scale, score.weights, strict=True)
    features = {name: [round(float(value), 5) for value in values] for name, *values in rows}
    return {"bias": round(score.bias, 5), "features": features}
