"""The numbers that each operation must give, by pandas and scikit-learn alone.

An expectation is the part of an answer's JSON that is determined: a dictionary whose entries must all be found in the
answer. An entry may be a function of the answer, where only the answer says how something was cut (the edges of a histogram).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn import metrics

from .oracle import ABOUT_NO_ROWS, Asked, Rows, predicted
from .world import World

Expected = dict[str, Any]
SHOWN = 20
METRIC_NAMES = {"default": "accuracy", "confusion": "accuracy", "roc": "roc_auc"}


@dataclass(frozen=True)
class View:
    """The rows of one group, cut out: what there is before and after the changes, and what the model says about both."""

    world: World
    rows: Rows
    threshold: float | None

    @cached_property
    def frame(self) -> pd.DataFrame:
        return self.rows.table[self.rows.mask]

    @cached_property
    def original(self) -> pd.DataFrame:
        return self.rows.original[self.rows.mask]

    @property
    def ids(self) -> list[Any]:
        """The ids; a made-up row has none."""
        return [None] if self.rows.made_up else self.frame.index.tolist()

    @cached_property
    def truth(self) -> np.ndarray:
        return self.world.truth[self.rows.mask]

    @cached_property
    def probabilities(self) -> np.ndarray:
        return self.world.probability(self.frame)

    @cached_property
    def probabilities_before(self) -> np.ndarray:
        return self.world.probability(self.original)

    @property
    def predictions(self) -> np.ndarray:
        return predicted(self.probabilities, self.threshold)

    @property
    def predictions_before(self) -> np.ndarray:
        return predicted(self.probabilities_before, self.threshold)

    def by_class(self, values: Any) -> dict[str, Any]:
        return dict(zip(self.world.classes, values, strict=True))

    def class_counts(self, numbers: np.ndarray) -> dict[str, int]:
        return self.by_class([int((numbers == number).sum()) for number in range(len(self.world.classes))])


def expected(asked: Asked, world: World) -> Expected:
    """What the answer to one operation must hold."""
    word = asked.words.split()[0]
    if word in ABOUT_NO_ROWS:
        return {"operation": asked.words} | TALK.get(word, nothing)(asked.words, View(world, asked.groups[0], None))
    answers = [_for_group(asked, View(world, rows, asked.threshold)) for rows in asked.groups]
    return answers[0] if len(answers) == 1 else {"type": "Versus", "operation": asked.words, "results": answers}


def _for_group(asked: Asked, view: View) -> Expected:
    word = asked.words.split()[0]
    count = len(view.frame)
    group = {"rows": count, "total": len(view.world.frame)}
    if not view.rows.made_up:
        group["ids"] = view.ids[:SHOWN]
    if not count and word != "countdata":
        return {"type": "Empty", "operation": asked.words, "group": group}
    if view.rows.made_up and word in ("label", "score", "mistake", "threshold"):
        return {"type": "Refused"}
    return {"operation": asked.words, "group": group} | OPERATIONS[word](asked.words, view)


def nothing(words: str, view: View) -> Expected:
    return {}


# --- data ----------------------------------------------------------------------------------------------------------------


def countdata(words: str, view: View) -> Expected:
    return {"type": "RowCount", "count": len(view.frame), "share": len(view.frame) / len(view.world.frame)}


def show(words: str, view: View, first: int = 0) -> Expected:
    page = slice(first, first + SHOWN)
    found: Expected = {"type": "ShownRows", "first": first, "count": len(view.frame), "rows": _records(view, view.frame[page])}
    if not view.rows.made_up:
        found["original"] = _records(view, view.original[page]) if view.rows.changed else None
        found["outcomes"] = [view.world.classes[number] for number in view.truth[page]]
    return found


def _records(view: View, frame: pd.DataFrame) -> list[dict[str, Any]]:
    return (frame if view.rows.made_up else frame.reset_index()).to_dict(orient="records")


def label(words: str, view: View) -> Expected:
    if len(view.frame) == 1:
        return {"type": "TrueClass", "id": view.ids[0], "label": view.world.classes[view.truth[0]]}
    counts = view.class_counts(view.truth)
    return {"type": "TrueClasses", "counts": counts, "shares": _shares(counts), "unlabelled": 0}


def statistic(words: str, view: View) -> Expected:
    token = words.split()[1]
    if token == "target":
        if view.rows.made_up:
            return {"type": "Refused"}
        counts = view.class_counts(view.truth)
        return {"type": "CategoryStatistic", "count": len(view.truth), "missing": 0, "counts": counts,
                "shares": _shares(counts)}  # fmt: skip
    column = view.frame[view.world.columns[token]]
    if not view.world.is_yes_no(str(column.name)):
        return {"type": "NumericStatistic", "column": column.name} | _summary(column)
    counts = _value_counts(column)
    return {"type": "CategoryStatistic", "column": column.name, "count": int(column.count()),
            "missing": int(column.isna().sum()), "counts": counts, "shares": _shares(counts)}  # fmt: skip


def _value_counts(column: pd.Series) -> dict[str, int]:
    return {str(int(value)): int(count) for value, count in column.value_counts().items() if count}


def _shares(counts: dict[str, int]) -> dict[str, float | None]:
    total = sum(counts.values())
    return {name: count / total if total else None for name, count in counts.items()}


def _summary(values: Any) -> Expected:
    """What pandas' `describe` says of some numbers."""
    column = pd.Series(values, dtype=float)
    told = column.describe()
    return {"count": int(column.count()), "missing": int(column.isna().sum()), "mean": told["mean"], "std": told["std"],
            "min": told["min"], "lower_quartile": told["25%"], "median": told["50%"], "upper_quartile": told["75%"],
            "max": told["max"]}  # fmt: skip


def distribution(words: str, view: View) -> Expected:
    token = words.split()[1]
    if token == "target" and view.rows.made_up:
        return {"type": "Refused"}
    by_class = {} if view.rows.made_up else view.by_class(range(len(view.world.classes)))
    if token == "target":
        counts = view.class_counts(view.truth)
        return {"type": "CategoryDistribution", "counts": counts, "shares": _shares(counts), "missing": 0}
    if token == "probability":
        name, column = "probability", pd.Series(view.probabilities[:, -1], index=view.frame.index)
    else:
        name = view.world.columns[token]
        column = view.frame[name]
    if not column.notna().any():
        return {"type": "Refused"}
    parts = {label: column[view.truth == number] for label, number in by_class.items()}
    if name in view.world.frame and view.world.is_yes_no(name):
        return {"type": "CategoryDistribution", "column": name, "counts": _value_counts(column),
                "shares": _shares(_value_counts(column)), "missing": int(column.isna().sum()),
                "by_class": lambda got: {label: {value: int((part == int(value)).sum()) for value in got["by_class"][label]}
                                         for label, part in parts.items()}}  # fmt: skip
    return {"type": "NumberDistribution", "column": name, "is_date": False, "summary": _summary(column), "counts": _histogram(column),
            "by_class": lambda got: {label: _histogram(part)(got) for label, part in parts.items()}}  # fmt: skip


def _histogram(column: pd.Series) -> Callable[[Expected], list[int]]:
    """Counts between the edges that the answer chose; these must span the numbers."""

    def counts(got: Expected) -> list[int]:
        edges, known = np.array(got["edges"]), column.dropna().to_numpy(dtype=float)
        assert (np.diff(edges) > 0).all()
        assert not len(known) or (edges[0] <= known.min() and known.max() <= edges[-1])
        return [int(count) for count in np.histogram(known, edges)[0]]

    return counts


# --- the model -----------------------------------------------------------------------------------------------------------


def predict(words: str, view: View) -> Expected:
    names, changed = view.world.classes, view.rows.changed
    if len(view.frame) == 1:
        now, before = view.by_class(view.probabilities[0]), None
        if changed:
            before = view.by_class(view.probabilities_before[0])
        return {"type": "PredictedClass", "id": view.ids[0], "prediction": names[view.predictions[0]], "probabilities": now,
                "prediction_before": names[view.predictions_before[0]] if changed else None,
                "probabilities_before": before}  # fmt: skip
    counts = view.class_counts(view.predictions)
    found: Expected = {"type": "PredictedClasses", "counts": counts, "shares": _shares(counts), "counts_before": None}
    if changed:
        before = view.class_counts(view.predictions_before)
        pairs = pd.Series(list(zip(view.predictions_before, view.predictions, strict=True))).value_counts()
        flips = {(names[old], names[new]): int(count) for (old, new), count in pairs.items() if old != new}
        found |= {"counts_before": before, "shares_before": _shares(before), "flips": lambda got: _flips(flips, got),
                  "flipped": sum(flips.values())}  # fmt: skip
    return found


def _flips(flips: dict[tuple[str, str], int], got: Expected) -> list[Expected]:
    """In the order of the answer."""
    order = [(flip["before"], flip["after"]) for flip in got["flips"]]
    found = sorted(flips.items(), key=lambda flip: order.index(flip[0]) if flip[0] in order else len(order))
    return [{"before": before, "after": after, "count": count} for (before, after), count in found]


def likelihood(words: str, view: View) -> Expected:
    changed = view.rows.changed
    if len(view.frame) == 1:
        return {"type": "ClassProbabilities", "id": view.ids[0], "probabilities": view.by_class(view.probabilities[0]),
                "before": view.by_class(view.probabilities_before[0]) if changed else None}  # fmt: skip
    found: Expected = {"type": "MeanProbabilities", "mean": view.by_class(view.probabilities.mean(axis=0)),
                       "shown": view.world.classes[-1], "distribution": _summary(view.probabilities[:, -1]),
                       "histogram": _twentieths(view.probabilities), "before": None}  # fmt: skip
    if changed:
        found |= {"before": view.by_class(view.probabilities_before.mean(axis=0)),
                  "before_distribution": _summary(view.probabilities_before[:, -1]),
                  "histogram_before": _twentieths(view.probabilities_before)}  # fmt: skip
    return found


def _twentieths(probabilities: np.ndarray) -> list[int]:
    return [int(count) for count in np.histogram(probabilities[:, -1], bins=20, range=(0, 1))[0]]


def score(words: str, view: View) -> Expected:
    metric, truth = words.split()[1], view.truth
    if metric == "roc" and len(set(truth)) < 2:
        return {"type": "Refused"}
    scores = _scores(truth, view.predictions)
    scores["roc_auc"] = metrics.roc_auc_score(truth, view.probabilities[:, -1]) if len(set(truth)) > 1 else None
    table = metrics.confusion_matrix(truth, view.predictions, labels=[0, 1])
    found: Expected = {
        "type": "ClassScores", "metric": metric, "rows": len(truth), "unlabelled": 0, "scores": scores,
        "positive": view.world.classes[-1], "threshold": view.threshold, "changed": view.rows.changed, "averaging": "binary",
        "confusion": view.by_class([view.by_class(row.tolist()) for row in table]),
        "majority_share": max(np.bincount(truth)) / len(truth),
    }  # fmt: skip
    if metric == "calibration":
        bins = _calibration(view)
        error = sum(one["rows"] * abs(one["mean_predicted"] - one["observed"]) for one in bins) / len(truth)
        return found | {"calibration": bins, "calibration_error": error, "value": error}
    asked = METRIC_NAMES.get(metric, metric)
    curves: Expected = {"roc": None, "precision_recall": None}
    if len(set(truth)) > 1:
        false, true, _ = metrics.roc_curve(truth, view.probabilities[:, -1], drop_intermediate=False)
        precision, recall, _ = metrics.precision_recall_curve(truth, view.probabilities[:, -1])
        curves = {"roc": _curve("roc", false, true, metric == "roc"),
                  "precision_recall": _curve("precision_recall", recall, precision, metric == "precision")}  # fmt: skip
    return found | curves | {"value": scores[asked]}


def _curve(name: str, x: np.ndarray, y: np.ndarray, wanted: bool) -> Callable[[Expected], Expected | None]:
    """The nearest points of the curve to the answer's points, which may be fewer; none where no curve was `wanted`."""

    def points(got: Expected) -> Expected | None:
        if got[name] is None and not wanted:
            return None
        mine, theirs = np.column_stack([x, y]), np.column_stack([got[name]["x"], got[name]["y"]])
        nearest = mine[np.abs(mine[None] - theirs[:, None]).sum(axis=2).argmin(axis=1)]
        return {"x": nearest[:, 0].tolist(), "y": nearest[:, 1].tolist()}

    return points


def _scores(truth: np.ndarray, predictions: np.ndarray) -> dict[str, float | None]:
    """The scores of two classes that need only predictions; undefined ones are None."""
    rest: dict[str, Any] = {"zero_division": np.nan}
    pairs = {
        "accuracy": metrics.accuracy_score(truth, predictions),
        "precision": metrics.precision_score(truth, predictions, **rest),
        "ppv": metrics.precision_score(truth, predictions, **rest),
        "npv": metrics.precision_score(truth, predictions, pos_label=0, **rest),
        "recall": metrics.recall_score(truth, predictions, **rest),
        "sensitivity": metrics.recall_score(truth, predictions, **rest),
        "specificity": metrics.recall_score(truth, predictions, pos_label=0, **rest),
        "f1": metrics.f1_score(truth, predictions, **rest),
    }
    return {name: None if np.isnan(value) else float(value) for name, value in pairs.items()}


def _calibration(view: View) -> list[Expected]:
    """Tenths of the probability of the positive class: how many rows, what was predicted and what came true."""
    table = pd.DataFrame({"p": view.probabilities[:, -1], "y": view.truth == len(view.world.classes) - 1})
    table["tenth"] = pd.cut(table["p"], np.linspace(0, 1, 11), right=False).cat.codes
    return [{"low": tenth / 10, "high": (tenth + 1) / 10, "rows": len(part), "mean_predicted": part["p"].mean(),
             "observed": part["y"].mean()} for tenth, part in table.groupby("tenth")]  # fmt: skip


def threshold(words: str, view: View) -> Expected:
    probability, truth = view.probabilities[:, -1], view.truth

    def at(value: float) -> Expected:
        scores = _scores(truth, (probability >= value).astype(int))
        chosen = {name: scores[name] for name in ("accuracy", "precision", "recall", "specificity", "f1")}
        return {"threshold": value, "predicted": int((probability >= value).sum())} | chosen

    if words != "threshold":
        return {"type": "ThresholdScores", "rows": len(truth), "chosen": at(float(words.split()[1])), "default": at(0.5)}
    found: Expected = {"type": "ThresholdTable", "rows": len(truth), "current": view.threshold or 0.5,
                       "table": [at(round(0.05 * step, 2)) for step in range(1, 20)]}  # fmt: skip
    if len(set(truth)) > 1:
        false, true, _ = metrics.roc_curve(truth, probability)
        precision, recall, _ = metrics.precision_recall_curve(truth, probability)
        f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-300)
        best = {"best_youden": ((true - false).max(), lambda one: one["recall"] + one["specificity"] - 1),
                "best_f1": (f1.max(), lambda one: one["f1"])}  # fmt: skip
        found |= {name: _best(at, value, measure, name) for name, (value, measure) in best.items()}
    return found


def _best(at: Callable[[float], Expected], best: float, measure: Callable[[Expected], float], name: str) -> Any:
    """Several thresholds may be best: the answer's own has the scores that it says, and none does better."""

    def scores(got: Expected) -> Expected:
        chosen = at(got[name]["threshold"])
        assert abs(measure(chosen) - best) < 1e-9, f"{name} is {measure(chosen)}, but {best} can be had"
        return chosen

    return scores


def mistake(words: str, view: View) -> Expected:
    """Wrong rows, those that the model is surest of first; of one row, whether it is right."""
    names, truth, predictions = view.world.classes, view.truth, view.predictions
    probability = view.probabilities[np.arange(len(truth)), predictions]
    table = pd.DataFrame({"id": view.ids, "label": np.take(names, truth), "prediction": np.take(names, predictions),
                          "probability": probability})  # fmt: skip
    if len(table) == 1:
        return {"type": "Judged", "row": table.to_dict("records")[0], "correct": bool(truth[0] == predictions[0])}
    wrong = table[truth != predictions]
    if words == "mistake count":
        by_truth = [[int((wrong["label"] == name).sum()), int((table["label"] == name).sum())] for name in names]
        others = ~view.rows.mask
        elsewhere = predicted(view.world.probabilities, view.threshold)[others] != view.world.truth[others]
        comparable = others.any() and not view.rows.changed
        return {"type": "MistakeCount", "wrong": len(wrong), "rows": len(table), "share": len(wrong) / len(table),
                "by_truth": view.by_class(by_truth), "elsewhere": elsewhere.mean() if comparable else None}  # fmt: skip
    surest = wrong.sort_values("probability", ascending=False, kind="stable")
    return {"type": "MistakeSample", "wrong": len(wrong), "rows": len(table),
            "examples": lambda got: surest[: max(len(got["examples"]), min(len(surest), 5))].to_dict("records")}  # fmt: skip


# --- comparisons ---------------------------------------------------------------------------------------------------------


def compare(words: str, view: View) -> Expected:
    """Yes and no by size; numbers by quarters, or value by value where there are few; the unknown last."""
    name = view.world.columns[words.split()[1]]
    column = view.frame[name].reset_index(drop=True)
    if column.nunique(dropna=False) < 2:
        return {"type": "Refused"}
    unknown = [column.index[column.isna()]] if column.isna().any() else []
    if view.world.is_yes_no(name):
        values = column.value_counts().index
        groups = [_compared(view, column.index[column == value]) | {"value": value} for value in values]
        return {"type": "Comparison", "column": name, "groups": groups + [_compared(view, part) for part in unknown]}

    def by_number(got: Expected) -> list[Expected]:
        bounds = [(one["low"], one["high"]) for one in got["groups"] if one["low"] is not None]
        parts = [column.index[column.between(low, high)] for low, high in bounds]
        assert sorted(place for part in parts + unknown for place in part) == list(column.index), "groups must divide the rows"
        return [_compared(view, part) for part in parts + unknown]

    quartiles = column.quantile([0, 0.25, 0.5, 0.75, 1])
    if column.nunique() <= 10 or quartiles.duplicated().any():
        return {"type": "Comparison", "column": name, "groups": by_number}
    quarters = [_compared(view, part.index) | {"low": part.min(), "high": part.max()}
                for _, part in column.groupby(pd.qcut(column, 4), observed=True)]  # fmt: skip
    return {"type": "Comparison", "column": name, "groups": quarters + [_compared(view, part) for part in unknown]}


def _compared(view: View, places: pd.Index) -> Expected:
    truth, predictions = view.truth[places] if not view.rows.made_up else None, view.predictions[places]
    found: Expected = {"rows": len(places), "predicted_shares": _shares(view.class_counts(predictions)),
                       "mean_probability": view.by_class(view.probabilities[places].mean(axis=0))}  # fmt: skip
    if truth is not None:
        found |= {"label_shares": _shares(view.class_counts(truth)),
                  "accuracy": metrics.accuracy_score(truth, predictions)}  # fmt: skip
    return found


def ranked(words: str, view: View) -> Expected:
    end, count, token = words.split()
    by_output = token == "probability"
    if not by_output and view.world.is_yes_no(view.world.columns[token]):
        return {"type": "Refused"}  # yes and no have no order
    column = pd.Series(view.probabilities[:, -1]) if by_output else view.frame[view.world.columns[token]]
    column = column.reset_index(drop=True).astype(float)
    order = column.dropna().sort_values(ascending=end == "lowest", kind="stable").index[: int(count)]
    rows = []
    for place in order:
        truth = None if view.rows.made_up else view.world.classes[view.truth[place]]
        rows.append({"id": view.ids[place], "value": column[place], "output": view.probabilities[place, -1],
                     "prediction": view.world.classes[view.predictions[place]], "label": truth})  # fmt: skip
    return {"type": "RankedRows", "lowest": end == "lowest", "rows": rows, "unknown": int(column.isna().sum())}


def correlate(words: str, view: View) -> Expected:
    """Pearson's and Spearman's coefficients by pandas; yes and no, and two classes, count as 1 and 0."""
    _, token, *other = words.split()
    name = view.world.columns[token]
    table = view.frame.astype(float).reset_index(drop=True)
    if not view.rows.made_up:
        table["target"] = view.truth
    if len(view.frame) < 3:
        return {"type": "Refused"}

    def association(against: str) -> Expected:
        pair = pd.DataFrame({"one": table[name], "other": table[against]}).dropna()
        flat = len(pair) < 3 or pair["one"].nunique() < 2 or pair["other"].nunique() < 2
        pearson = None if flat else pair["one"].corr(pair["other"])
        spearman = None if flat else pair["one"].corr(pair["other"], method="spearman")
        strength = None if pearson is None else abs(pearson)
        return {"rows": len(pair), "pearson": pearson, "spearman": spearman, "strength": strength, "column": name}

    found: Expected = {"type": "Correlations", "column": name, "with_everything": not other}
    if other:
        against = "target" if other == ["target"] else view.world.columns[other[0]]
        return found | {"associations": [association(against)]}

    def strongest_first(got: Expected) -> list[Expected]:
        against = [one["other"] if one["other"] in view.frame else "target" for one in got["associations"]]
        assert sorted(against) == sorted(set(table.columns) - {name})
        strengths = [association(other)["strength"] or 0 for other in against]
        assert all(strengths[place] >= strengths[place + 1] - 1e-9 for place in range(len(strengths) - 1))
        return [association(other) for other in against]

    return found | {"associations": strongest_first}


def effect(words: str, view: View) -> Expected:
    """The mean probability when a column takes each value of the answer's grid in every row."""
    name = view.world.columns[words.split()[1]]

    def means(got: Expected) -> dict[str, list[float]]:
        columns = [view.world.probability(view.frame.assign(**{name: value})).mean(axis=0) for value in got["grid"]]
        return view.by_class(np.array(columns).T.tolist())

    return {"type": "PartialDependence", "column": name, "mean": means, "rows": len(view.frame), "sampled": False}


def similar(words: str, view: View) -> Expected:
    """The nearest rows by Gower's distance: the mean over columns of the difference in parts of the range that occurs."""
    if len(view.frame) != 1:
        return {"type": "Refused"}
    world, row = view.world, view.frame.iloc[0]
    parts = {}
    for name, column in world.frame.items():
        known = pd.concat([column, world.train[name]])
        part = (column - row[name]).abs() / (known.max() - known.min())
        if world.is_yes_no(name):
            part = (column != row[name]).astype(float)
        both = column.isna() & pd.isna(row[name])
        either = column.isna() | pd.isna(row[name])
        parts[name] = part.clip(upper=1).mask(either, 1.0).mask(both, 0.0)
    distance = pd.DataFrame(parts).mean(axis=1)
    if not view.rows.made_up:
        distance = distance.drop(view.ids[0])
    nearest = distance.sort_values(kind="stable")[: int(words.split()[1])]

    def rows(got: Expected) -> list[Expected]:
        """Rows at the same distance may come in any order."""
        ids = [one["id"] for one in got["rows"]]
        assert len(set(ids)) == len(ids)
        assert np.allclose(distance[ids], nearest, atol=1e-9, rtol=0)
        places = world.frame.index.get_indexer(ids)
        guess = predicted(world.probabilities, view.threshold)[places]
        return [{"id": id_, "distance": distance[id_], "prediction": world.classes[guess[number]],
                 "output": world.probabilities[places[number], -1], "label": world.classes[world.truth[places[number]]]}
                for number, id_ in enumerate(ids)]  # fmt: skip

    def values(got: Expected) -> list[Expected]:
        return _records(view, view.frame) + world.frame.loc[[one["id"] for one in got["rows"]]].to_dict(orient="records")

    return {"type": "SimilarRows", "id": view.ids[0], "prediction": world.classes[view.predictions[0]],
            "output": view.probabilities[0, -1], "rows": rows, "values": values}  # fmt: skip


def data(words: str, view: View) -> Expected:
    world = view.world
    missing = world.frame.isna().sum()
    return {"type": "DataDescription", "rows": len(world.frame), "train_rows": len(world.train), "trained_on_same": False,
            "missing": {name: int(count) for name, count in missing.items() if count},
            "class_counts": view.class_counts(world.truth),
            "features": [_facts(name, view) for name in world.frame.columns]}  # fmt: skip


def define(words: str, view: View) -> Expected:
    token = words.split()[1]
    if token == "target":
        return {"type": "Definition", "facts": {"values": list(view.world.classes)}}
    return {"type": "Definition", "facts": _facts(view.world.columns[token], view)}


def _facts(name: str, view: View) -> Expected:
    """Bounds are over all rows that are known, those for training too."""
    world = view.world
    facts: Expected = {"column": name, "mutable": name not in world.immutable}
    if not world.is_yes_no(name):
        column = pd.concat([world.frame[name], world.train[name]])
        facts |= {"kind": "numeric", "low": column.min(), "high": column.max()}
    return facts


def model(words: str, view: View) -> Expected:
    world = view.world
    return {"type": "ModelFacts", "classes": list(world.classes), "features": world.frame.shape[1],
            "train_rows": len(world.train)}  # fmt: skip


TALK: dict[str, Callable[[str, View], Expected]] = {"data": data, "define": define, "model": model}
OPERATIONS: dict[str, Callable[[str, View], Expected]] = {
    "countdata": countdata, "show": show, "label": label, "statistic": statistic, "distribution": distribution,
    "predict": predict, "likelihood": likelihood, "score": score, "threshold": threshold, "mistake": mistake,
    "compare": compare, "highest": ranked, "lowest": ranked, "correlate": correlate, "effect": effect,
    "similar": similar, "explain": nothing, "important": nothing, "interact": nothing,
}  # fmt: skip
