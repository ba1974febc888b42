"""The numbers for predictions, scores, thresholds and mistakes, by pandas and scikit-learn alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn import metrics

from .expected_sureness import share, sure_quantities, sure_scores
from .oracle import predicted
from .view import REFUSED, Expected, View, shares, summary

METRIC_NAMES = {"default": "accuracy", "confusion": "accuracy", "roc": "roc_auc"}


# --- predictions ---------------------------------------------------------------------------------------------------------


def predict(words: str, view: View) -> Expected:
    if not view.world.classes:
        return _quantities(view, asked_likelihood=False)
    names, changed = view.world.classes, view.rows.changed
    if view.is_single:
        return {"type": "PredictedClass", "id": view.ids[0], "prediction": names[view.predictions[0]],
                "probabilities": view.by_class(view.outputs[0]),
                "prediction_before": names[view.predictions_before[0]] if changed else None,
                "probabilities_before": view.by_class(view.outputs_before[0]) if changed else None}  # fmt: skip
    counts = view.class_counts(view.predictions)
    found: Expected = {"type": "PredictedClasses", "counts": counts, "shares": shares(counts), "counts_before": None}
    if changed:
        before = view.class_counts(view.predictions_before)
        pairs = pd.Series(list(zip(view.predictions_before, view.predictions, strict=True))).value_counts()
        flips = {(names[old], names[new]): int(count) for (old, new), count in pairs.items() if old != new}
        found |= {"counts_before": before, "shares_before": shares(before), "flips": lambda got: _flips(flips, got),
                  "flipped": sum(flips.values())}  # fmt: skip
    return found


def _flips(flips: dict[tuple[str, str], int], got: Expected) -> list[Expected]:
    """In the order of the answer."""
    order = [(flip["before"], flip["after"]) for flip in got["flips"]]
    found = sorted(flips.items(), key=lambda flip: order.index(flip[0]) if flip[0] in order else len(order))
    return [{"before": before, "after": after, "count": count} for (before, after), count in found]


def _quantities(view: View, asked_likelihood: bool) -> Expected:
    changed, now, before = view.rows.changed, view.predictions, view.predictions_before
    found: Expected = {"asked_likelihood": asked_likelihood}
    if view.is_single:
        return found | {"type": "PredictedValue", "id": view.ids[0], "prediction": now[0],
                        "prediction_before": before[0] if changed else None}  # fmt: skip
    return found | {"type": "PredictedValues", "summary": summary(now), "before": summary(before) if changed else None,
                    "increased": int((now > before).sum()) if changed else None,
                    "decreased": int((now < before).sum()) if changed else None,
                    "histogram": lambda got: np.histogram(now, got["edges"])[0].tolist()}  # fmt: skip


def likelihood(words: str, view: View) -> Expected:
    if not view.world.classes:
        return _quantities(view, asked_likelihood=True)
    changed, now, before = view.rows.changed, view.outputs, view.outputs_before
    if view.is_single:
        return {"type": "ClassProbabilities", "id": view.ids[0], "probabilities": view.by_class(now[0]),
                "before": view.by_class(before[0]) if changed else None}  # fmt: skip
    shown = view.world.classes.index
    found: Expected = {"type": "MeanProbabilities", "mean": view.by_class(now.mean(axis=0)), "before": None,
                       "distribution": lambda got: summary(now[:, shown(got["shown"])]),
                       "histogram": lambda got: _twentieths(now[:, shown(got["shown"])])}  # fmt: skip
    if len(view.world.classes) == 2:
        found["shown"] = view.world.classes[1]
    if changed:
        found |= {
            "before": view.by_class(before.mean(axis=0)),
            "before_distribution": lambda got: summary(before[:, shown(got["shown"])]),
            "histogram_before": lambda got: _twentieths(before[:, shown(got["shown"])]),
        }
    return found


def _twentieths(probability: np.ndarray) -> list[int]:
    return [int(count) for count in np.histogram(probability, bins=20, range=(0, 1))[0]]


# --- scores --------------------------------------------------------------------------------------------------------------


def score(words: str, view: View) -> Expected:
    """Over the rows whose outcome is known."""
    metric, truth, predictions, outputs = (
        words.split()[1],
        view.known_truth,
        view.predictions[view.known],
        view.outputs[view.known],
    )
    found: Expected = {
        "metric": metric,
        "rows": len(truth),
        "unlabelled": int((~view.known).sum()),
        "changed": view.rows.changed,
    }
    if not view.world.classes:
        return found | _quantity_scores(metric, truth, predictions)
    if metric == "roc" and len(set(truth)) < 2:
        return REFUSED
    names, is_binary = view.world.classes, len(view.world.classes) == 2
    if metric in ("selection", "baserate") and not is_binary:
        return REFUSED
    scores = _scores(truth, predictions) if is_binary else _macro_scores(truth, predictions, len(names))
    scores["roc_auc"] = _area(truth, outputs)
    if is_binary:
        scores |= {"selection": float(np.mean(predictions == 1)), "baserate": float(np.mean(truth == 1))}
    table = metrics.confusion_matrix(truth, predictions, labels=range(len(names)))
    found |= {"type": "ClassScores", "scores": scores, "threshold": view.threshold,
              "estimates": sure_scores(truth, predictions, outputs),
              "averaging": "binary" if is_binary else "macro",
              "confusion": view.by_class([view.by_class(row.tolist()) for row in table]),
              "majority_share": max(np.bincount(truth)) / len(truth)}  # fmt: skip
    if metric == "calibration":
        return found | _calibration(view, truth, predictions, outputs)
    return found | _curves(metric, truth, outputs) | {"value": scores[METRIC_NAMES.get(metric, metric)]}


def _quantity_scores(metric: str, truth: np.ndarray, predictions: np.ndarray) -> Expected:
    varied = len(truth) > 1 and truth.std() > 0
    scores = {
        "mae": metrics.mean_absolute_error(truth, predictions),
        "rmse": metrics.root_mean_squared_error(truth, predictions),
        "r2": metrics.r2_score(truth, predictions) if varied else None,
    }
    return {
        "type": "ValueScores",
        "scores": scores,
        "estimates": sure_quantities(truth, predictions),
        "value": scores["mae" if metric == "default" else metric],
    }


def _scores(truth: np.ndarray, predictions: np.ndarray) -> dict[str, float | None]:
    """The scores of two classes that need only predictions; undefined ones are None."""
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(truth, predictions, labels=[0, 1], zero_division=np.nan)
    pairs = {
        "accuracy": metrics.accuracy_score(truth, predictions),
        "balanced": metrics.balanced_accuracy_score(truth, predictions) if len(set(truth)) > 1 else np.nan,
        "precision": precision[1],
        "ppv": precision[1],
        "npv": precision[0],
        "recall": recall[1],
        "sensitivity": recall[1],
        "specificity": recall[0],
        "f1": f1[1],
        "fpr": 1 - recall[0],
        "fnr": 1 - recall[1],
    }
    return {name: None if np.isnan(value) else float(value) for name, value in pairs.items()}


def _macro_scores(truth: np.ndarray, predictions: np.ndarray, classes: int) -> dict[str, float | None]:
    """Each class against the rest, and the mean over those for which a score is defined."""
    single = pd.DataFrame(
        [_scores((truth == number).astype(int), (predictions == number).astype(int)) for number in range(classes)]
    )
    mean = single.astype(float).mean()
    told = {str(name): None if np.isnan(value) else float(value) for name, value in mean.items()}
    balanced = metrics.recall_score(truth, predictions, labels=np.unique(truth), average="macro")
    return told | {"accuracy": metrics.accuracy_score(truth, predictions), "balanced": float(balanced)}


def _area(truth: np.ndarray, outputs: np.ndarray) -> float | None:
    if outputs.shape[1] == 2:
        return float(metrics.roc_auc_score(truth, outputs[:, 1])) if len(set(truth)) > 1 else None
    each = [metrics.roc_auc_score(truth == number, outputs[:, number]) for number in range(outputs.shape[1])
            if 0 < (truth == number).sum() < len(truth)]  # fmt: skip
    return float(np.mean(each)) if each else None


def _curves(metric: str, truth: np.ndarray, outputs: np.ndarray) -> Expected:
    if len(set(truth)) < 2 or outputs.shape[1] > 2:
        return {"roc": None, "precision_recall": None}
    false, true, _ = metrics.roc_curve(truth, outputs[:, 1], drop_intermediate=False)
    precision, recall, _ = metrics.precision_recall_curve(truth, outputs[:, 1])
    return {
        "roc": _curve("roc", false, true, metric == "roc"),
        "precision_recall": _curve("precision_recall", recall, precision, metric == "precision"),
    }


def _curve(name: str, x: np.ndarray, y: np.ndarray, wanted: bool) -> Callable[[Expected], Expected | None]:
    """The nearest points of the curve to the answer's points, which may be fewer; none where no curve was `wanted`."""

    def points(got: Expected) -> Expected | None:
        if got[name] is None and not wanted:
            return None
        mine, theirs = np.column_stack([x, y]), np.column_stack([got[name]["x"], got[name]["y"]])
        nearest = mine[np.abs(mine[None] - theirs[:, None]).sum(axis=2).argmin(axis=1)]
        return {"x": nearest[:, 0].tolist(), "y": nearest[:, 1].tolist()}

    return points


def _calibration(view: View, truth: np.ndarray, predictions: np.ndarray, outputs: np.ndarray) -> Expected:
    """Tenths of the probability of the second class, or of the predicted one of several: how many rows, and what came true."""
    right = truth == 1 if outputs.shape[1] == 2 else truth == predictions
    table = pd.DataFrame({"p": outputs[:, 1] if outputs.shape[1] == 2 else outputs.max(axis=1), "y": right})
    table["tenth"] = pd.cut(table["p"], np.linspace(0, 1, 11), right=False).cat.codes
    bins = [{"low": tenth / 10, "high": (tenth + 1) / 10, "rows": len(part), "mean_predicted": part["p"].mean(),
             "observed": part["y"].mean()} for tenth, part in table.groupby("tenth")]  # fmt: skip
    error = sum(one["rows"] * abs(one["mean_predicted"] - one["observed"]) for one in bins) / len(truth)
    return {"calibration": bins, "calibration_error": error, "value": error}


def threshold(words: str, view: View) -> Expected:
    if len(view.world.classes) != 2:
        return REFUSED
    probability, truth = view.outputs[view.known, 1], view.known_truth

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
        best = {
            "best_youden": ((true - false).max(), lambda one: one["recall"] + one["specificity"] - 1),
            "best_f1": (f1.max(), lambda one: one["f1"]),
        }
        found |= {name: _best(at, value, measure, name) for name, (value, measure) in best.items()}
    return found


def _best(at: Callable[[float], Expected], best: float, measure: Callable[[Expected], float], name: str) -> Any:
    """Several thresholds may be best: the answer's own has the scores that it says, and none does better."""

    def scores(got: Expected) -> Expected:
        chosen = at(got[name]["threshold"])
        assert abs(measure(chosen) - best) < 1e-9, f"{name} is {measure(chosen)}, but {best} can be had"
        return chosen

    return scores


# --- mistakes ------------------------------------------------------------------------------------------------------------


def mistake(words: str, view: View) -> Expected:
    """Wrong rows, those that the model is surest of first; of one row, whether it is right; for quantities how far off."""
    if words == "mistake typical":
        return {"type": "TypicalMistakes"}
    table = pd.DataFrame({"id": view.ids, "truth": view.truth, "guess": view.predictions})[view.known]
    table["label"] = [view.outcome(value) for value in table["truth"]]
    table["prediction"] = [view.outcome(value) for value in table["guess"]]
    table["probability"] = None
    if view.world.classes:
        table["probability"] = view.outputs[view.known, table["guess"].astype(int)]
    told = ["id", "label", "prediction", "probability"]
    off = table["guess"] - table["truth"]
    if view.is_single:
        quantity = not view.world.classes
        return {"type": "Judged", "row": table[told].to_dict("records")[0], "residual": off.iloc[0] if quantity else None,
                "correct": None if quantity else bool(off.iloc[0] == 0)}  # fmt: skip
    if words == "mistake count":
        return _count_quantities(off) if not view.world.classes else _count(view, table)
    wrong = table[off != 0].sort_values("probability", ascending=False, kind="stable") if view.world.classes else table.loc[
        off.abs().sort_values(ascending=False, kind="stable").index]  # fmt: skip
    return {
        "type": "MistakeSample",
        "wrong": len(wrong) if view.world.classes else None,
        "rows": len(table),
        "examples": lambda got: wrong[told][: max(len(got["examples"]), min(len(wrong), 5))].to_dict("records"),
    }


def _count(view: View, table: pd.DataFrame) -> Expected:
    wrong = table[table["guess"] != table["truth"]]
    by_truth = [[int((wrong["label"] == name).sum()), int((table["label"] == name).sum())] for name in view.world.classes]
    others = ~view.rows.mask & view.world.known(view.world.truth)
    elsewhere = predicted(view.world, view.world.outputs, view.threshold)[others] != view.world.truth[others]
    comparable = others.any() and not view.rows.changed
    sure = share((table["guess"] != table["truth"]).to_numpy(), np.ones(len(table), dtype=bool))
    return {"type": "MistakeCount", "wrong": len(wrong), "rows": len(table), "share": len(wrong) / len(table),
            "estimate": sure,
            "by_truth": view.by_class(by_truth), "elsewhere": elsewhere.mean() if comparable else None}  # fmt: skip


def _count_quantities(off: pd.Series) -> Expected:
    return {"type": "ResidualSummary", "rows": len(off), "mean_absolute": off.abs().mean(), "bias": off.mean(),
            "median_absolute": off.abs().median(), "root_mean_square": float(np.sqrt((off**2).mean())),
            "largest": off.abs().max()}  # fmt: skip


OPERATIONS: dict[str, Callable[[str, View], Expected]] = {
    "predict": predict, "likelihood": likelihood, "score": score, "threshold": threshold, "mistake": mistake,
}  # fmt: skip
