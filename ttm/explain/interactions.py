"""Which features work together: how much the effect of one depends on the value of another.

Strength of a pair follows Greenwell et al.: the partial dependence of one feature is taken with the other held at each of its
values; how much its spread varies over these, averaged over both directions, is the strength. It is 0 when the features act
independently. Friedman's H is given beside it as a check: the part (0 to 1, as a root of squares) of the pair's joint effect
that their single effects do not explain.

Source: Greenwell, Boehmke and McCarthy, "A Simple and Effective Model-Based Variable Importance Measure"; Friedman and Popescu,
"Predictive Learning via Rule Ensembles".
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ttm.explain.attribution import Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.importance import evenly
from ttm.explain.scoring import Scorer

GRID = 8
ROWS = 60
MOST_FEATURES = 8
SMALLEST = 1e-9


@dataclass(frozen=True)
class FeaturePair:
    """Two features by name; `strength` in units of the model's output, `h` is Friedman's H."""

    first: str
    second: str
    strength: float
    h: float


@dataclass(frozen=True)
class Surface:
    """Mean output of the model with two features set to each pair of values: `outputs` (first values, second values).

    Values are codes: numbers, ordinal days, or places in a feature's values.
    """

    first: str
    second: str
    first_values: Vector
    second_values: Vector
    outputs: Matrix


@dataclass(frozen=True)
class Interactions:
    """Pairs from strongest to weakest, with the surface of the strongest.

    `considered` are the features among which pairs were looked for: those that move the output most. `rows` of `total` rows
    were used, spread evenly. `column` is the output that was looked at.
    """

    pairs: tuple[FeaturePair, ...]
    surface: Surface
    considered: tuple[str, ...]
    column: int
    rows: int
    total: int


def interactions(
    frame_rows: Matrix, column: int, scorer: Scorer, features: tuple[int, int] | None = None
) -> Interactions | None:
    """Interactions over encoded rows (m, d), of two given features or of those that matter most.

    None if there are fewer than two features with at least two known values.
    """
    coding = scorer.coding
    rows = frame_rows[evenly(len(frame_rows), ROWS)]
    grids = [grid(coding, index) for index in range(coding.width)]
    if features is None:
        places = _moving(rows, grids, column, scorer)
    else:
        places = [index for index in features if len(grids[index]) > 1]
    if len(places) < 2:
        return None
    pairs = []
    for one, other in combinations(sorted(places), 2):
        surface = _surface(rows, one, other, grids, column, scorer)
        first, second = coding.names[one], coding.names[other]
        pair = FeaturePair(first, second, _strength(coding, one, other, surface), friedman_h(surface))
        pairs.append((pair, Surface(first, second, grids[one], grids[other], surface)))
    pairs.sort(key=lambda item: -item[0].strength)
    considered = tuple(coding.names[index] for index in places)
    return Interactions(tuple(pair for pair, _ in pairs), pairs[0][1], considered, column, len(rows), len(frame_rows))


def grid(coding: Coding, index: int) -> Vector:
    """At most GRID known values of a feature: quantiles of a measure, the most frequent values of any other."""
    if coding.discrete[index]:
        shares = coding.frequencies[index]
        often = np.argsort(-shares, kind="stable")[:GRID]
        return np.sort(often[shares[often] > 0]).astype(float)
    column = coding.train[:, index]
    known = column[~np.isnan(column)]
    if not len(known):
        return known
    return np.unique(np.quantile(known, np.linspace(0.05, 0.95, GRID), method="nearest"))


def _moving(rows: Matrix, grids: list[Vector], column: int, scorer: Scorer) -> list[int]:
    """Places of the features that move the output most, row by row, whatever their effect is on average."""
    moved = np.zeros(len(grids))
    for index, values in enumerate(grids):
        if len(values) > 1:
            copies = np.repeat(rows[:, None, :], len(values), axis=1)
            copies[:, :, index] = values
            outputs = scorer.scores(copies.reshape(-1, rows.shape[1]), column).reshape(len(rows), -1)
            moved[index] = outputs.std(axis=1).mean()
    order = np.argsort(-moved, kind="stable")[:MOST_FEATURES]
    return [int(index) for index in order if moved[index] > SMALLEST]


def _surface(rows: Matrix, one: int, other: int, grids: list[Vector], column: int, scorer: Scorer) -> Matrix:
    first, second = grids[one], grids[other]
    copies = np.broadcast_to(rows, (len(first), len(second), *rows.shape)).copy()
    copies[..., one] = first[:, None, None]
    copies[..., other] = second[None, :, None]
    outputs = scorer.scores(copies.reshape(-1, rows.shape[1]), column)
    return np.asarray(outputs.reshape(len(first), len(second), len(rows)).mean(axis=2))


def _strength(coding: Coding, one: int, other: int, surface: Matrix) -> float:
    by_first = _spread(surface, bool(coding.discrete[one]))  # effect of the first for each value of the second
    by_second = _spread(surface.T, bool(coding.discrete[other]))
    return float((by_first.std(ddof=1) + by_second.std(ddof=1)) / 2)


def _spread(outputs: Matrix, discrete: bool) -> Vector:
    """Importance of a partial dependence down each column: a quarter of its range for categories, else its deviation."""
    if discrete:
        return np.asarray((outputs.max(axis=0) - outputs.min(axis=0)) / 4)
    return np.asarray(outputs.std(axis=0, ddof=1))


def friedman_h(surface: Matrix) -> float:
    """Friedman's H of a partial dependence surface over an evenly weighted grid; 0 where it is flat."""
    joint = surface - surface.mean()
    single = joint.mean(axis=1, keepdims=True) + joint.mean(axis=0, keepdims=True)
    total = float((joint**2).sum())
    return float(np.sqrt(((joint - single) ** 2).sum() / total)) if total > SMALLEST**2 else 0.0
