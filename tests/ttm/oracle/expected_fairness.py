"""How groups are treated, by counting rows, with scipy's tests."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency, fisher_exact

from .expected_sureness import sure_shares
from .view import REFUSED, Expected, View, once

MOST = 10
RATES = ("baserate", "selection", "recall", "fpr", "ppv", "accuracy")


def fairness(words: str, view: View) -> Expected:
    """Rates by group, and for each rate the groups with the highest and the lowest of it."""
    _, token, *named = words.split()
    name = view.world.columns[token]
    column, classes = view.frame[name].reset_index(drop=True), view.world.classes
    if column.nunique(dropna=False) < 2 or not classes or (len(classes) > 2 and not named):
        return REFUSED
    positive = int(named[1]) if named else len(classes) - 1

    @once
    def groups(got: Expected) -> list[Expected]:
        return [_treated(view, part, positive) for part in _parts(view, name, column, got["groups"])]

    @once
    def gaps(got: Expected) -> list[Expected]:
        return list(_gaps(groups(got), got["gaps"]))

    def gap(got: Expected, rate: str) -> Expected | None:
        return next((one for one in gaps(got) if one["rate"] == rate), None)

    def odds(got: Expected) -> float | None:
        wide = [gap(got, rate) for rate in ("recall", "fpr")]
        return max(one["difference"]["value"] for one in wide if one) if all(wide) else None

    def four_fifths(got: Expected) -> bool | None:
        found = gap(got, "selection")
        return None if found is None or found["ratio"] is None else found["ratio"] >= 0.8

    values = column.nunique() + int(column.isna().any())
    is_category = view.world.kinds[name] in ("yes/no", "text")
    return {"type": "FairnessByGroup", "column": name, "positive": classes[positive], "groups": groups, "gaps": gaps,
            "equalized_odds": odds, "four_fifths": four_fifths, "unlabelled": int((~view.known).sum()),
            "left_out": max(0, values - MOST) if is_category else 0, "threshold": view.threshold}  # fmt: skip


def _parts(view: View, name: str, column: pd.Series, got: list[Expected]) -> list[np.ndarray]:
    """The rows (m,) of each group: the unknown, those of a value, or those within its bounds."""
    if view.world.kinds[name] in ("yes/no", "text"):
        masks = [(column.isna() if one["value"] is None else column == one["value"]).to_numpy(dtype=bool) for one in got]
    else:
        numbers = view.world.numbers(column)
        masks = [(numbers.isna() if one["low"] is None else numbers.between(one["low"], one["high"])).to_numpy() for one in got]
    assert np.sum(masks, axis=0).max() == 1, "no row is in two groups"
    assert len(got) == MOST or np.sum(masks, axis=0).min() == 1, "every row is in a group"
    return masks


def _treated(view: View, mask: np.ndarray, positive: int) -> Expected:
    known = mask & view.known
    rates = sure_shares(view.truth[known] == positive, view.predictions[known] == positive)
    chosen = view.predictions[mask] == positive
    rates["selection"] = sure_shares(chosen, chosen)["selection"]
    return {"rows": int(mask.sum()), "rates": {rate: rates[rate] for rate in RATES}}


def _gaps(groups: list[Expected], got: list[Expected]) -> Iterator[Expected]:
    """Groups of equal rates may be named in any order."""
    tests = [(rate, pair, p) for rate in RATES for pair in combinations(range(len(groups)), 2)
             if (p := _p(*(_counts(groups[place]["rates"][rate]) for place in pair))) is not None]  # fmt: skip
    asked = iter(got)
    for rate in RATES:
        values = {
            place: one["rates"][rate]["value"] for place, one in enumerate(groups) if one["rates"][rate]["value"] is not None
        }
        if len(values) < 2:
            continue
        found = next(asked)
        high, low = found["highest"], found["lowest"]
        assert high != low
        assert (values[high], values[low]) == (max(values.values()), min(values.values()))
        adjusted = _holm([p for _, _, p in tests])
        p = next(a for (r, pair, _), a in zip(tests, adjusted, strict=True) if r == rate and set(pair) == {high, low})
        one, other = (groups[place]["rates"][rate] for place in (high, low))
        below = np.hypot(one["value"] - one["low"], other["high"] - other["value"])
        above = np.hypot(one["high"] - one["value"], other["value"] - other["low"])
        gap = values[high] - values[low]
        difference = {"first": high, "second": low, "value": gap, "low": gap - below, "high": gap + above, "p": p,
                      "tests": len(tests), "is_clear": bool(gap - below > 0 and p < 0.05),
                      "few": min(one["rows"], other["rows"]) < 30}  # fmt: skip
        yield {"rate": rate, "highest": high, "lowest": low, "difference": difference,
               "ratio": values[low] / values[high] if values[high] else None}  # fmt: skip


def _counts(rate: Expected) -> tuple[int, int]:
    """The rows that a rate counts, and the others that it is over."""
    return rate.get("hits", 0), rate["rows"] - rate.get("hits", 0)


@cache
def _p(one: tuple[int, int], other: tuple[int, int]) -> float | None:
    if not sum(one) or not sum(other):
        return None
    table = np.array([one, other])
    if not table.sum(axis=0).all():
        return 1.0
    result = chi2_contingency(table, correction=False)
    return float(fisher_exact(table).pvalue if result.expected_freq.min() < 5 else result.pvalue)


def _holm(p_values: list[float]) -> list[float]:
    """Each p-value times the number of those that are not smaller, never below that of a smaller one."""
    values = np.array(p_values)
    times = {p: len(values) - int((values < p).sum()) for p in p_values}
    return [min(1.0, max(times[q] * q for q in p_values if q <= p)) for p in p_values]
