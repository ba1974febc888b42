"""The numbers for comparisons, rankings, correlations, effects and similar rows, by pandas alone (and scipy's chi-squared)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency
from scipy.stats.contingency import crosstab
from sklearn import metrics

from .expected_fairness import fairness
from .oracle import predicted
from .view import REFUSED, Expected, View, main_output, records, shares

LEAST_ROWS = 3  # fewer do not make a correlation


def compare(words: str, view: View) -> Expected:
    """Categories by size; numbers by quarters, or value by value where there are few; the unknown last."""
    name = view.world.columns[words.split()[1]]
    column = view.frame[name].reset_index(drop=True)
    if column.nunique(dropna=False) < 2:
        return REFUSED
    unknown = [column.index[column.isna()]] if column.isna().any() else []
    rest = [_compared(view, part) | {"value": None, "low": None} for part in unknown]
    found: Expected = {"type": "Comparison", "column": name}
    if view.world.kinds[name] in ("yes/no", "text"):
        return found | {"groups": lambda got: _by_value(got, view, column) + rest}
    numbers = view.world.numbers(column)

    def by_number(got: Expected) -> list[Expected]:
        bounds = [(one["low"], one["high"]) for one in got["groups"] if one["low"] is not None]
        parts = [numbers.index[numbers.between(low, high)] for low, high in bounds]
        assert sorted(place for part in parts + unknown for place in part) == list(numbers.index), "groups divide the rows"
        return [_compared(view, part) for part in parts] + rest

    quartiles = numbers.quantile([0, 0.25, 0.5, 0.75, 1])
    if numbers.nunique() <= 10 or quartiles.duplicated().any():
        return found | {"groups": by_number}
    quarters = [
        _compared(view, part.index) | {"low": part.min(), "high": part.max()}
        for _, part in numbers.groupby(pd.qcut(numbers, 4), observed=True)
    ]
    return found | {"groups": quarters + rest}


def _by_value(got: Expected, view: View, column: pd.Series) -> list[Expected]:
    """By size; values that occur equally often may come in any order."""
    order = [one["value"] for one in got["groups"] if one["value"] is not None]
    sizes = column.value_counts()
    assert sorted(map(str, order)) == sorted(map(str, sizes.index))
    assert [int(sizes[value]) for value in order] == sorted(sizes, reverse=True)
    return [_compared(view, column.index[column == value]) for value in order]


def _compared(view: View, places: pd.Index) -> Expected:
    truth, guess, outputs = view.truth[places], view.predictions[places], view.outputs[places]
    known = view.world.known(truth)
    found: Expected = {"rows": len(places)}
    if not view.world.classes:
        off = (guess - truth)[known]
        return found | {"mean_prediction": guess.mean(), "mean_label": truth[known].mean() if known.any() else None,
                        "mae": np.abs(off).mean() if known.any() else None}  # fmt: skip
    return found | {
        "predicted_shares": shares(view.class_counts(guess)),
        "mean_probability": view.by_class(outputs.mean(axis=0)),
        "label_shares": shares(view.class_counts(truth)) if known.any() else None,
        "accuracy": metrics.accuracy_score(truth[known], guess[known]) if known.any() else None,
    }


def ranked(words: str, view: View) -> Expected:
    end, count, token = words.split()
    if token == "target":
        return _ranked_truth(end, int(count), view)
    name = "probability" if token == "probability" else view.world.columns[token]
    if view.world.kinds.get(name) in ("yes/no", "text"):
        return REFUSED  # they have no order
    column = pd.Series(view.main_output) if name == "probability" else view.frame[name].reset_index(drop=True)
    order = column.dropna().sort_values(ascending=end == "lowest", kind="stable").index[: int(count)]
    rows = [{"id": view.ids[place], "value": _plain(column[place]), "output": view.main_output[place],
             "prediction": view.predicted_class(view.predictions[place]), "label": view.outcome(view.truth[place])}
            for place in order]  # fmt: skip
    return {"type": "RankedRows", "lowest": end == "lowest", "rows": rows, "unknown": int(column.isna().sum())}


def _ranked_truth(end: str, count: int, view: View) -> Expected:
    """The rows with the highest or lowest true quantity; classes have no order."""
    if view.world.classes or view.truth is None or np.isnan(view.truth.astype(float)).all():
        return REFUSED
    known = [index for index in range(len(view.truth)) if not np.isnan(view.truth[index])]
    order = sorted(known, key=lambda index: view.truth[index] if end == "lowest" else -view.truth[index])[:count]
    rows = [{"id": view.ids[index], "value": float(view.truth[index]), "output": view.main_output[index],
             "prediction": None, "label": float(view.truth[index])} for index in order]  # fmt: skip
    return {"type": "RankedRows", "lowest": end == "lowest", "rows": rows, "unknown": len(view.truth) - len(known)}


def _plain(value: Any) -> Any:
    return str(value.date()) if isinstance(value, pd.Timestamp) else value


# --- correlations --------------------------------------------------------------------------------------------------------


def correlate(words: str, view: View) -> Expected:
    """A coefficient that fits the kinds of both columns; yes and no, and two classes, count as 0 and 1."""
    _, token, *other = words.split()
    if len(view.frame) < LEAST_ROWS or (other == ["target"] and not view.known.any()):
        return REFUSED
    name = view.world.columns[token]
    found: Expected = {"type": "Correlations", "column": name, "with_everything": not other}
    if other:
        against = "target" if other == ["target"] else view.world.columns[other[0]]
        one, another = (_comparable(view, each) for each in (name, against))
        return found | {"associations": [_association(one, another) | {"column": name}]}
    columns = {each: _comparable(view, each) for each in (*view.frame.columns, *["target"] * bool(view.known.any()))}

    def strongest_first(got: Expected) -> list[Expected]:
        order = [one["other"] if one["other"] in view.frame else "target" for one in got["associations"]]
        assert sorted(order) == sorted(set(columns) - {name})
        associations = [_association(columns[name], columns[one]) for one in order]
        strengths = [one["strength"] or 0 for one in associations]
        falling = all(strengths[place] >= strengths[place + 1] - 1e-9 for place in range(len(strengths) - 1))
        assert falling, f"the strongest come first: {dict(zip(order, strengths, strict=True))}"
        return associations

    return found | {"associations": strongest_first}


def _comparable(view: View, name: str) -> pd.Series:
    """Numbers, or text for categories; of a column, or of the target where no column is called so."""
    if name not in view.frame:
        return _target(view)
    column = view.frame[name].reset_index(drop=True)
    return column if view.world.kinds[name] == "text" else view.world.numbers(column)


def _target(view: View) -> pd.Series:
    told = pd.Series(view.truth, dtype=float).where(view.known)
    return (
        told if len(view.world.classes) <= 2 else told.map(lambda number: view.world.classes[int(number)], na_action="ignore")
    )


def _association(one: pd.Series, other: pd.Series) -> Expected:
    known = one.notna() & other.notna()  # a third of the time of a frame of both without its gaps
    pair = {"one": one[known], "other": other[known]}
    texts = [name for name, column in pair.items() if not pd.api.types.is_numeric_dtype(column)]
    rows = len(pair["one"])
    found: Expected = {"rows": rows}
    if rows < LEAST_ROWS or pair["one"].nunique() < 2 or pair["other"].nunique() < 2:
        return found | {"strength": None, "pearson": None, "spearman": None}
    if not texts:
        pearson = pair["one"].corr(pair["other"])
        return found | {"measure": "pearson", "pearson": pearson, "strength": abs(pearson),
                        "spearman": pair["one"].corr(pair["other"], method="spearman")}  # fmt: skip
    number = next((name for name in ("one", "other") if name not in texts), None)
    if number is None or set(one.dropna().unique()) <= {0, 1} or set(other.dropna().unique()) <= {0, 1}:
        table = crosstab(pair["one"].to_numpy(), pair["other"].to_numpy()).count
        value = chi2_contingency(table, correction=False).statistic / (rows * (min(table.shape) - 1))
        return found | {"measure": "cramers_v", "cramers_v": float(np.sqrt(value)), "strength": float(np.sqrt(value))}
    groups = pair[number].groupby(pair[texts[0]])
    between = (groups.size() * (groups.mean() - pair[number].mean()) ** 2).sum()
    eta = float(np.sqrt(between / ((pair[number] - pair[number].mean()) ** 2).sum()))
    return found | {"measure": "correlation_ratio", "correlation_ratio": eta, "strength": eta, "means": groups.mean().to_dict()}


# --- effects and neighbours ----------------------------------------------------------------------------------------------


def effect(words: str, view: View) -> Expected:
    """The mean output when a column takes each value of the answer's grid in every row."""
    name = view.world.columns[words.split()[1]]

    def means(got: Expected) -> dict[str, list[float]]:
        grid = [pd.Timestamp(value) if view.world.kinds[name] == "date" else value for value in got["grid"]]
        columns = np.array([view.world.output(view.frame.assign(**{name: value})).mean(axis=0) for value in grid]).T.tolist()
        return view.by_class(columns) if view.world.classes else {"prediction": columns[0]}

    return {"type": "PartialDependence", "column": name, "mean": means, "rows": len(view.frame), "sampled": False}


def similar(words: str, view: View) -> Expected:
    """The nearest rows by Gower's distance: the mean over columns of the difference in parts of the range that occurs."""
    if not view.is_single:
        return REFUSED
    world = view.world
    distance = pd.DataFrame({name: _apart(view, name) for name in world.frame.columns}).mean(axis=1)
    if not view.rows.made_up:
        distance = distance.drop(view.ids[0])
    nearest = distance.sort_values(kind="stable")[: int(words.split()[1])]

    def rows(got: Expected) -> list[Expected]:
        """Rows at the same distance may come in any order."""
        ids = [one["id"] for one in got["rows"]]
        assert len(set(ids)) == len(ids)
        assert np.allclose(distance[ids], nearest, atol=1e-9, rtol=0)
        places = world.frame.index.get_indexer(ids)
        guess = predicted(world, world.outputs, view.threshold)[places]
        return [{"id": id_, "distance": distance[id_], "prediction": view.predicted_class(guess[number]),
                 "output": main_output(world.outputs)[places[number]], "label": view.outcome(world.truth[places[number]])}
                for number, id_ in enumerate(ids)]  # fmt: skip

    def values(got: Expected) -> list[Expected]:
        others = world.frame.loc[[one["id"] for one in got["rows"]]]
        return records(view, view.frame) + records(view, others)

    return {"type": "SimilarRows", "id": view.ids[0], "prediction": view.predicted_class(view.predictions[0]),
            "output": view.main_output[0], "rows": rows, "values": values}  # fmt: skip


def _apart(view: View, name: str) -> pd.Series:
    column, value = view.world.frame[name], view.frame[name]
    if view.world.kinds[name] in ("number", "date"):
        column, value = view.world.numbers(column), view.world.numbers(value)
        span = np.ptp(view.world.numbers(view.world.everything[name]))
        part = (column - value.iloc[0]).abs() / span
    else:
        part = (column != value.iloc[0]).astype(float)
    both = column.isna() & value.isna().iloc[0]
    return part.clip(upper=1).mask(column.isna() | value.isna().iloc[0], 1.0).mask(both, 0.0)


OPERATIONS: dict[str, Callable[[str, View], Expected]] = {
    "compare": compare, "fairness": fairness, "highest": ranked, "lowest": ranked, "correlate": correlate, "effect": effect,
    "similar": similar,
    "explain": lambda words, view: {}, "important": lambda words, view: {}, "interact": lambda words, view: {},
}  # fmt: skip
