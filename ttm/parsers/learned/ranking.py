"""The fitted model that turns evidence into the probability of a reading; it lies beside the weights of the encoder."""

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np

from ttm.parsers.learned.evidence import FEATURES, LogisticModel, ReadingRanking

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
            stored = json.loads(path.read_text(encoding="utf-8"))
            _KNOWN[key] = ReadingRanking(_model(stored["complete"]), _model(stored["other"]))
        return _KNOWN[key]


def _model(stored: dict[str, Any]) -> LogisticModel:
    rows = [stored["features"][name] for name in FEATURES]
    mean, scale, own = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    return LogisticModel(mean, scale, own, float(stored["bias"]))


def write_ranking(weights: Path, fitted: ReadingRanking) -> None:
    stored = {"complete": _stored(fitted.complete), "other": _stored(fitted.other)}
    ranking_file(weights).write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def _stored(model: LogisticModel) -> dict[str, Any]:
    rows = zip(FEATURES, model.mean, model.scale, model.weights, strict=True)
    features = {name: [round(float(value), 5) for value in values] for name, *values in rows}
    return {"bias": round(model.bias, 5), "features": features}
