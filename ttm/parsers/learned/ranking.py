"""The fitted model that turns evidence into the probability of a reading; it lies beside the weights of the encoder."""

import json
import threading
from pathlib import Path

import numpy as np

from ttm.parsers.learned.evidence import FEATURES, Ranking

_LOCK = threading.Lock()
_KNOWN: dict[tuple[Path, int], Ranking] = {}


def ranking_file(weights: Path) -> Path:
    return weights.with_name(f"{weights.stem}_ranking.json")


def ranking(weights: Path) -> Ranking:
    """The ranking that belongs to a file of weights, read again when the file has changed."""
    path = ranking_file(weights)
    key = (path, path.stat().st_mtime_ns)
    with _LOCK:
        if key not in _KNOWN:
            stored = json.loads(path.read_text(encoding="utf-8"))
            rows = [stored["features"][name] for name in FEATURES]
            mean, scale, own = (np.array(column, np.float64) for column in zip(*rows, strict=True))
            _KNOWN[key] = Ranking(mean, scale, own, float(stored["bias"]))
        return _KNOWN[key]


def write_ranking(weights: Path, fitted: Ranking) -> None:
    rows = zip(FEATURES, fitted.mean, fitted.scale, fitted.weights, strict=True)
    features = {name: [round(float(value), 5) for value in values] for name, *values in rows}
    text = json.dumps({"bias": round(fitted.bias, 5), "features": features}, indent=1)
    ranking_file(weights).write_text(text + "\n", encoding="utf-8")
