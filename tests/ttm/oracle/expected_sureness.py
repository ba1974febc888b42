"""How sure scores are, by scipy's intervals and from the definitions, pair by pair."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.stats import binomtest, norm, sem
from sklearn import metrics

from .view import Expected


def share(chosen: np.ndarray, among: np.ndarray) -> Expected:
    """The share of rows `among` (m,) that are `chosen` (m,), with Wilson's interval."""
    hits, rows = int((chosen & among).sum()), int(among.sum())
    if not rows:
        return {"value": None, "low": None, "high": None, "rows": 0}
    low, high = _wilson(hits, rows)
    return {"value": hits / rows, "low": low, "high": high, "rows": rows, "hits": hits}


@cache
def _wilson(hits: int, rows: int) -> tuple[float, float]:
    """Wilson's interval by scipy, kept, as it is asked for often.

    The p-value that scipy works out first, and nobody asks for, takes it longest for any other share than that of the hits.
    """
    bounds = binomtest(hits, rows, hits / rows).proportion_ci(method="wilson")
    return bounds.low, bounds.high


def sure_shares(truth: np.ndarray, predictions: np.ndarray) -> dict[str, Expected]:
    """The scores of two classes (m,), true or false, that are shares of rows."""
    everybody = np.ones(len(truth), dtype=bool)
    recall, precision = share(predictions, truth), share(truth, predictions)
    return {"accuracy": share(truth == predictions, everybody), "precision": precision, "ppv": precision, "recall": recall,
            "sensitivity": recall, "specificity": share(~predictions, ~truth), "npv": share(~truth, ~predictions),
            "fpr": share(predictions, ~truth), "fnr": share(~predictions, truth), "selection": share(predictions, everybody),
            "baserate": share(truth, everybody)}  # fmt: skip


def sure_scores(truth: np.ndarray, predictions: np.ndarray, outputs: np.ndarray) -> dict[str, Expected]:
    """Of class numbers (m,) and probabilities (m, k); means over several classes are only held to lie in their interval."""
    if outputs.shape[1] == 2:
        jaccard = share((truth == 1) & (predictions == 1), (truth == 1) | (predictions == 1))
        bounds = {end: None if jaccard[end] is None else 2 * jaccard[end] / (1 + jaccard[end]) for end in ("low", "high")}
        f1 = {"rows": jaccard["rows"], "value": metrics.f1_score(truth, predictions) if jaccard["rows"] else None} | bounds
        shares = sure_shares(truth == 1, predictions == 1)
        balanced = _half_of_both(shares["recall"], shares["specificity"])
        return shares | {"balanced": balanced, "f1": f1, "roc_auc": _area(truth, outputs)}
    names = ("balanced", "precision", "recall", "sensitivity", "specificity", "ppv", "npv", "f1", "fpr", "fnr", "roc_auc")
    inside = {"rows": len(truth), "value": _inside}
    return {"accuracy": share(truth == predictions, np.ones(len(truth), dtype=bool))} | dict.fromkeys(names, inside)


def _half_of_both(one: Expected, other: Expected) -> Expected:
    """The mean of two shares of different rows; each bound as far away as both bounds of the shares are, at right angles."""
    rows = one["rows"] + other["rows"]
    if one["value"] is None or other["value"] is None:
        return {"value": None, "low": None, "high": None, "rows": rows}
    mean = (one["value"] + other["value"]) / 2
    below, above = (math.dist((one["value"], other["value"]), (one[end], other[end])) / 2 for end in ("low", "high"))
    return {"value": mean, "low": mean - below, "high": mean + above, "rows": rows}


def _inside(got: Expected) -> Any:
    assert got["value"] is None or got["low"] <= got["value"] <= got["high"], f"{got['low']} to {got['high']}"
    return got["value"]


def _area(truth: np.ndarray, outputs: np.ndarray) -> Expected:
    """DeLong's interval on the log odds, from each pair of a row of the class with one that is not."""
    scores, positive = outputs[:, 1], truth == 1
    if positive.all() or not positive.any():
        return {"value": None, "low": None, "high": None, "rows": len(truth)}
    apart = scores[positive][:, None] - scores[~positive][None, :]
    wins = (apart > 0) + 0.5 * (apart == 0)
    area, sides = wins.mean(), [wins.mean(axis=1), wins.mean(axis=0)]
    error = math.sqrt(sum(side.var(ddof=1) / len(side) if len(side) > 1 else 0.0 for side in sides))
    if not 0 < area < 1 or not error:
        fewest = min(len(side) for side in sides)
        low, high = _wilson(round(area * fewest), fewest)
        return {"value": area, "low": low, "high": high, "rows": len(truth)}
    logit = norm(math.log(area / (1 - area)), error / (area * (1 - area)))
    low, high = (1 / (1 + math.exp(-end)) for end in logit.interval(0.95))
    return {"value": area, "low": low, "high": high, "rows": len(truth)}


def sure_quantities(truth: np.ndarray, predictions: np.ndarray) -> dict[str, Expected]:
    off, rows = truth - predictions, len(truth)
    if rows < 2:
        return {name: {"low": None, "high": None, "rows": rows} for name in ("mae", "rmse", "r2")}
    mae, mse = np.abs(off), off**2
    return {
        "mae": {"rows": rows, "value": mae.mean()} | _normal(mae, lambda end: max(end, 0.0)),
        "rmse": {"rows": rows, "value": math.sqrt(mse.mean())} | _normal(mse, lambda end: math.sqrt(max(end, 0.0))),
        "r2": {"rows": rows, "value": _inside},
    }


def _normal(values: np.ndarray, scaled: Callable[[float], float]) -> Expected:
    if not values.std():
        return {"low": scaled(values.mean()), "high": scaled(values.mean())}
    low, high = norm.interval(0.95, values.mean(), sem(values))
    return {"low": scaled(low), "high": scaled(high)}
