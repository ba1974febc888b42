"""Confidence that means what it says: raw scores of a parser, turned into probabilities of being right.

Platt's scaling (Platt 1999): the log-odds of a score, times a slope, plus a shift. Of the candidates of one utterance the
best has a map of its own, since the same score says more of it than of the others. The numbers stand in `calibration.toml`;
`python -m ttm calibrate` finds them for one's own utterances and models.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

BINS = 10
_FILE = Path(__file__).with_name("calibration.toml")
_FLATTEST = 0.01  # slope of scores that tell nothing
_LEAST = 1e-4  # scores are kept this far from 0 and 1, so that their log-odds are finite


@dataclass(frozen=True)
class Scaling:
    """`slope` over 0 keeps the order of scores; slope 1 and shift 0 leave a score as it is."""

    slope: float = 1.0
    shift: float = 0.0

    def __call__(self, score: float) -> float:
        return 1 / (1 + math.exp(-(self.slope * log_odds(score) + self.shift)))


@dataclass(frozen=True)
class Calibration:
    """For the best candidate, and for those after it. Without `bounded` scores pass as they are, to be calibrated."""

    best: Scaling = Scaling()
    others: Scaling = Scaling()
    bounded: bool = True

    def confidences(self, scores: Sequence[float]) -> tuple[float, ...]:
        """Probabilities, 0 to 1, of candidates given best first; never rising, and together not over 1."""
        if not self.bounded:
            return tuple(scores)
        confidences: list[float] = []
        left = least = 1.0
        for index, score in enumerate(scores):
            least = min((self.others if index else self.best)(score), least, left)
            confidences.append(round(least, 4))
            left = max(0.0, left - least)
        return tuple(confidences)

    def as_table(self) -> dict[str, dict[str, float]]:
        return {name: {"slope": one.slope, "shift": one.shift} for name, one in (("best", self.best), ("others", self.others))}


AS_IS = Calibration()
RAW = Calibration(bounded=False)


def log_odds(score: float) -> float:
    kept = min(max(score, _LEAST), 1 - _LEAST)
    return math.log(kept / (1 - kept))


def calibration_from(table: Mapping[str, Any]) -> Calibration:
    """The inverse of `as_table`. Raises KeyError, TypeError or ValueError for another table."""
    best, others = (Scaling(float(table[name]["slope"]), float(table[name]["shift"])) for name in ("best", "others"))
    return Calibration(best, others)


@cache
def _known() -> dict[str, Calibration]:
    tables = tomllib.loads(_FILE.read_text("utf-8"))
    return {name: calibration_from(table) for name, table in tables.items()}


def calibration_of(parser: str) -> Calibration:
    """What was found for a parser that comes with Parley; scores of any other are left as they are."""
    return _known().get(parser, AS_IS)


def calibrated(parser: str, scores: Sequence[float]) -> tuple[float, ...]:
    """Confidences of candidates, best first, from the raw scores that a parser of this name gave them."""
    return calibration_of(parser).confidences(scores)


def fit_scaling(scores: Sequence[float], right: Sequence[bool], least: int = 20) -> Scaling:
    """The scaling under which what was observed is most probable; as it is where there is too little to learn from.

    Needs `least` observations, and both kinds; the targets are Platt's, which keep a perfect separation finite.
    """
    import numpy as np
    from scipy.optimize import minimize

    hits = sum(right)
    if len(scores) < least or hits in (0, len(scores)):
        return Scaling()
    x = np.array([log_odds(score) for score in scores])
    high, low = (hits + 1) / (hits + 2), 1 / (len(scores) - hits + 2)
    wanted = np.where(np.array(right), high, low)

    def loss(parameters: Any) -> float:
        z = math.exp(parameters[0]) * x + parameters[1]
        return float(np.sum(np.logaddexp(0, z) - wanted * z))

    optimum = minimize(loss, (0.0, 0.0), method="Nelder-Mead", options={"maxiter": 2000})
    return Scaling(round(max(math.exp(optimum.x[0]), _FLATTEST), 4), round(float(optimum.x[1]), 4))


def calibration_error(confidences: Sequence[float], right: Sequence[bool], bins: int = BINS) -> float:
    """Expected calibration error: mean gap between stated and observed share, over groups of equal size (Naeini et al. 2015,
    with groups of equal size instead of equal width)."""
    order = sorted(range(len(confidences)), key=lambda index: confidences[index])
    count = min(bins, len(order))
    groups = [order[len(order) * number // count : len(order) * (number + 1) // count] for number in range(count)]
    gaps = [abs(sum(confidences[index] - right[index] for index in group)) for group in groups]
    return sum(gaps) / len(order) if order else 0.0
