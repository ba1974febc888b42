"""A second look at the likeliest readings: boosted trees over what speaks for each, fitted on questions of people.

A log-linear score guides the search, so it has to add up piece by piece. Which of the readings that are found is meant, and how
sure that is, is decided by trees (Friedman 2001), which weigh evidence in the light of other evidence.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from backend.models.boosted_trees import NO_TREES, Array, BoostedTrees, read_trees
from inspired.parsers.query_graphs.ranking.features import FEATURES

FITTED = Path(__file__).with_name("second_look.json")
COMPARED = 8  # readings that are looked at again
# By how much more probable another reading has to be than the first by score: a little, or by far where it leaves out more.
CLEARLY, BY_FAR = 0.05, 0.2
_LEFT_OUT = [FEATURES.index(each) for each in ("unexplained_names", "unexplained_kinds", "unused_superlative", "unused_value")]
_LEAST = 1e-6  # share below which differences say nothing


@dataclass(frozen=True)
class SecondLook:
    """`slope` and `offset` put the log-odds of the trees right (Platt 1999)."""

    trees: BoostedTrees = NO_TREES
    slope: float = 1.0
    offset: float = 0.0

    def probabilities(self, rows: Array) -> Array:
        """How probable it is of each reading (n,) that it is meant, for its row of `compared`."""
        return np.asarray(1 / (1 + np.exp(-(self.slope * self.trees.of(rows) + self.offset))))

    def save(self, path: Path) -> None:
        stored = {"slope": round(self.slope, 5), "offset": round(self.offset, 5), "trees": self.trees.stored()}
        path.write_text(f"{json.dumps(stored)}\n", encoding="utf-8")


def compared(rows: Sequence[Mapping[str, float]], scores: Sequence[float]) -> Array:
    """What the trees look at (n, f) for the first COMPARED readings, the likeliest first.

    All that speaks for each, the same less that of the first, and how they compete by their scores.
    """
    values = np.array([[row.get(name, 0.0) for name in FEATURES] for row in rows[:COMPARED]])
    exponents = [math.exp(each - scores[0]) for each in scores]
    shares = np.log(np.maximum(np.array(exponents[:COMPARED]) / sum(exponents), _LEAST))
    gaps = np.array(scores[:COMPARED]) - scores[0]
    if len(gaps) > 1:
        gaps[0] = -gaps[1]
    return np.column_stack([values, values - values[0], gaps, shares, np.arange(len(values))])


def first_reading(probabilities: Array, rows: Array) -> int:
    """The index of the reading that is answered, of readings with their `probabilities` (n,) and rows of `compared` (n, f).

    The first by score, unless another is clearly more probable; by far, if of the names, kinds, superlatives and values of the
    question it leaves out more.
    """
    left_out = rows[:, _LEFT_OUT]
    margins = np.where((left_out > left_out[0]).any(axis=1), BY_FAR, CLEARLY)
    margins[0] = 0.0
    return int((probabilities - margins).argmax())


@cache
def second_look() -> SecondLook | None:
    """The one that ships with Parley; None where the file is missing."""
    if not FITTED.exists():
        return None
    stored = json.loads(FITTED.read_text(encoding="utf-8"))
    return SecondLook(read_trees(stored["trees"]), stored["slope"], stored["offset"])
