"""What follows from acting on predictions of two classes: which threshold to take, and whom to take first."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backend.errors import ExecutionError
from ttm.language.operations.predictions import ThresholdCost, ThresholdReaching
from ttm.language.operations.scores import Gain
from ttm.language.parse import surface
from ttm.operations.data.run import labelled
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.operations.scores.estimates import ScoreEstimate, binary_estimates
from ttm.operations.scores.metrics import Array, confusion_matrix
from ttm.operations.scores.run import DEFAULT_THRESHOLD, AtThreshold, at_threshold

TENTHS = 10
HIGHEST_RATIO = 1e6
POINTS = 200
ROUNDING = 1e-12


@dataclass(frozen=True)
class CostOfThreshold:
    """What a threshold costs: false alarms plus `ratio` times misses, in the price of one false alarm, for all rows."""

    at: AtThreshold
    misses: int
    alarms: int
    cost: float


@dataclass(frozen=True)
class CheapestThreshold(Result):
    """The threshold with the lowest cost on these very rows, beside the default one, where a miss costs `ratio` false alarms.

    `never` and `always` are the costs of predicting `positive` for none and for all rows, `by_rule` is 1 / (1 + ratio), from
    which probabilities that are calibrated are best acted on (Elkan, 2001, "The foundations of cost-sensitive learning").
    `thresholds` and `costs` are the curve, per 100 rows.
    """

    positive: str
    ratio: float
    rows: int
    best: CostOfThreshold
    default: CostOfThreshold
    by_rule: float
    never: float
    always: float
    thresholds: tuple[float, ...]
    costs: tuple[float, ...]


@dataclass(frozen=True)
class ReachingThreshold(Result):
    """The threshold from which predicting `positive` has a score, `metric`, of at least `least` on these very rows.

    `chosen` is the highest such threshold for recall, the lowest for precision and specificity: that with the least loss of
    what they are weighed against. `estimate` is the score there. Where predicting `positive` for some rows never has it,
    `is_reached` is False and `chosen` the threshold with the highest score. `default` is at a threshold of 0.5.
    """

    metric: str
    least: float
    positive: str
    rows: int
    is_reached: bool
    chosen: AtThreshold
    estimate: ScoreEstimate
    default: AtThreshold


@dataclass(frozen=True)
class TakenTenth:
    """The rows down to the `share` with the highest probability: how many, how many of them are truly of the class, which
    share of all such rows that is (`gain`), and how many times as many as by chance (`lift`); `lowest` is the last
    probability."""

    share: float
    rows: int
    hits: float
    gain: float
    lift: float
    lowest: float


@dataclass(frozen=True)
class CumulativeGain(Result):
    """Taking the rows with the highest predicted probability of `positive` first, by tenths of all `rows`.

    `asked` is the amount that the question named, if it did. `base_rate` is the share truly of the class. Rows of equal
    probability count as taken in random order, on average. `x` and `y` are the curve: shares of rows and of the class.
    """

    positive: str
    rows: int
    base_rate: float
    tenths: tuple[TakenTenth, ...]
    asked: TakenTenth | None
    x: tuple[float, ...]
    y: tuple[float, ...]


def _known(context: Context) -> tuple[Array, Array]:
    """The true classes (m,) and the probabilities (m, 2) of the rows with a known outcome."""
    classes = len(context.schema.target.classes)
    if classes != 2:
        what = f"there are {classes} classes here" if classes else "this model predicts a number"
        raise ExecutionError(f"Misses, alarms and gains are about one class against the other, but {what}.")
    labels, known = labelled(context), context.rows.labelled
    truth = labels[known].astype(int)
    if len(np.unique(truth)) < 2:
        name = context.schema.target.classes[truth[0]]
        raise ExecutionError(f'All of these rows are truly "{name}", so there is nothing to weigh. Take a larger group.')
    return truth, context.probabilities[known]


def threshold_cost(step: ThresholdCost, context: Context) -> CheapestThreshold:
    if not 0 < step.ratio <= HIGHEST_RATIO:
        raise ExecutionError(
            f"A miss has to cost more than nothing, as many times a false alarm as you say: {step.ratio:g} is no such number."
        )
    truth, probabilities = _known(context)
    order = np.argsort(-probabilities[:, 1], kind="stable")
    values, hits = probabilities[order, 1], np.cumsum(truth[order])
    last = np.append(values[1:] != values[:-1], True)  # rows of equal probability cross a threshold together
    values, hits, taken = values[last], hits[last], (np.arange(len(values)) + 1)[last]
    costs = step.ratio * (truth.sum() - hits) + (taken - hits)
    never = float(step.ratio * truth.sum())
    best = 1.0 if never < costs.min() else float(values[np.flatnonzero(costs <= costs.min() + 1e-9)[0]])
    shown = np.unique(np.linspace(0, len(values) - 1, min(POINTS, len(values))).astype(int))
    return CheapestThreshold(
        surface(step), context.group, context.schema.target.classes[-1], step.ratio, len(truth),
        _cost(truth, probabilities, best, step.ratio), _cost(truth, probabilities, DEFAULT_THRESHOLD, step.ratio),
        1 / (1 + step.ratio), never, float((1 - truth).sum()), tuple(values[shown].tolist()),
        tuple((100 * costs[shown] / len(truth)).tolist()),
    )  # fmt: skip


def _cost(truth: Array, probabilities: Array, threshold: float, ratio: float) -> CostOfThreshold:
    predicted = probabilities[:, 1] >= threshold
    misses, alarms = int((truth.astype(bool) & ~predicted).sum()), int((~truth.astype(bool) & predicted).sum())
    return CostOfThreshold(at_threshold(truth, probabilities, threshold), misses, alarms, ratio * misses + alarms)


def threshold_reaching(step: ThresholdReaching, context: Context) -> ReachingThreshold:
    if not 0 < step.least <= 1:
        raise ExecutionError(
            f"A {step.metric} is a share above 0 and at most 1, such as 0.9 for 90 percent; {step.least:g} is none."
        )
    truth, probabilities = _known(context)
    values, counts = np.unique(probabilities[:, 1], return_counts=True)  # each may be the threshold, lowest first
    order = np.argsort(probabilities[:, 1], kind="stable")
    taken = counts[::-1].cumsum()[::-1]  # rows at or above each value, and how many of them are truly of the class
    hits, total = truth[order][::-1].cumsum()[taken - 1], int(truth.sum())
    scores = {
        "recall": hits / total,
        "precision": hits / taken,
        "specificity": 1 - (taken - hits) / (len(truth) - total),
    }[step.metric]
    reached = np.flatnonzero(scores >= step.least - ROUNDING)
    best = np.flatnonzero(scores >= scores.max() - ROUNDING)
    index = int((reached if len(reached) else best)[-1 if step.metric == "recall" else 0])
    value = shortest_between(float(values[index - 1]) if index else 0.0, float(values[index]))
    matrix = confusion_matrix(truth, (probabilities[:, 1] >= value).astype(int), 2)
    return ReachingThreshold(
        surface(step), context.group, step.metric, step.least, context.schema.target.classes[-1], len(truth),
        len(reached) > 0, at_threshold(truth, probabilities, value), binary_estimates(matrix)[step.metric],
        at_threshold(truth, probabilities, DEFAULT_THRESHOLD),
    )  # fmt: skip


def shortest_between(below: float, highest: float) -> float:
    """The number with the fewest decimals, two at least, that is above `below` and at most `highest`.

    Between two predicted probabilities that follow each other every threshold predicts the same, so a short one is stated.
    """
    for decimals in range(2, 16):
        scale = 10.0**decimals
        short = math.floor(highest * scale) / scale
        if below < short <= highest:
            return short
    return highest


def gain(step: Gain, context: Context) -> CumulativeGain:
    truth, probabilities = _known(context)
    order = np.argsort(-probabilities[:, 1], kind="stable")
    values = probabilities[order, 1]
    _, tied = np.unique(-values, return_inverse=True)
    expected = (np.bincount(tied, weights=truth[order]) / np.bincount(tied))[tied]
    captured, total = np.append(0.0, np.cumsum(expected)), float(truth.sum())
    shares = np.arange(len(truth) + 1) / len(truth)

    def taken(share: float, rows: int) -> TakenTenth:
        hits = float(captured[rows])
        return TakenTenth(share, rows, hits, hits / total, hits / rows / (total / len(truth)), float(values[rows - 1]))

    counts = [(number / TENTHS, round(number * len(truth) / TENTHS)) for number in range(1, TENTHS + 1)]
    asked = None if step.amount is None else _amount(step, len(truth))
    shown = np.unique(np.linspace(0, len(truth), min(POINTS, len(truth) + 1)).astype(int))
    return CumulativeGain(
        surface(step), context.group, context.schema.target.classes[-1], len(truth), total / len(truth),
        tuple(taken(*count) for count in counts if count[1]), None if asked is None else taken(*asked),
        tuple(shares[shown].tolist()), tuple((captured[shown] / total).tolist()),
    )  # fmt: skip


def _amount(step: Gain, rows: int) -> tuple[float, int]:
    """The share of rows to take, and how many rows those are."""
    amount = step.amount or 0.0
    count = round(rows * amount / 100) if step.percent else round(amount)
    if not 1 <= count <= rows:
        limits = f"1 to {rows:,} rows, or from {100 / rows:.2g} to 100 percent"
        raise ExecutionError(f"Of these {rows:,} rows with a known outcome, {limits} can be taken first.")
    return (amount / 100 if step.percent else count / rows), count


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    ThresholdCost: threshold_cost,
    ThresholdReaching: threshold_reaching,
    Gain: gain,
}
