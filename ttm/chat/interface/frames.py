"""Results as data frames with unrounded numbers, one function for each type of result; others are tables as they are shown."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from ttm.operations.comparison.run import Comparison
from ttm.operations.counterfactuals.run import Alternatives, FlipSummary
from ttm.operations.data.run import ShownRows
from ttm.operations.explanations.run import RankedFeatures, Reasons
from ttm.operations.exploration.run import RankedRows
from ttm.operations.fairness.run import FairnessByGroup
from ttm.operations.mistakes.run import MistakeSample
from ttm.operations.neighbours.run import SimilarRows
from ttm.operations.rendering.answer import AnswerTable
from ttm.operations.results import Result, as_json
from ttm.operations.second_table.run import OutlyingRows, TableDrift
from ttm.tabular.data.dataset import Dataset


def result_frame(result: Result, dataset: Dataset) -> pd.DataFrame | None:
    """The numbers of a result about these data as a frame, None where it is no table."""
    if isinstance(result, Alternatives):
        return _alternatives(result, dataset)
    make = FRAMES.get(type(result))
    return None if make is None else make(result)


def shown_frame(table: AnswerTable) -> pd.DataFrame:
    """A table as it is shown, with a column of nothing but plain numbers as numbers."""
    frame = pd.DataFrame(list(table.rows), columns=list(table.columns))
    for name in frame.columns[~frame.columns.duplicated(keep=False)]:
        plain = frame[name].str.fullmatch(r"-?\d[\d,]*(\.\d+)?")
        if len(frame) and plain.all():
            frame[name] = pd.to_numeric(frame[name].str.replace(",", ""))
    return frame


def _reasons(result: Reasons) -> pd.DataFrame:
    """Index: feature; `value` in the row, `weight` towards the class or value that is explained, largest first."""
    weights = result.chosen.weights
    rows = [{"feature": name, "value": result.values.get(name), "weight": weight} for name, weight in weights.items()]
    return pd.DataFrame(rows).set_index("feature")


def _ranked(result: RankedFeatures) -> pd.DataFrame:
    """Index: feature; mean absolute weight with its 95 % interval, mean signed weight, what shuffling it loses."""
    columns = {
        "importance": "mean_absolute", "low": "absolute_low", "high": "absolute_high", "mean_weight": "mean_weight",
        "shuffled": "shuffled", "rank": "rank",
    }  # fmt: skip
    rows = [{"feature": one.feature} | {to: getattr(one, name) for to, name in columns.items()} for one in result.features]
    return pd.DataFrame(rows).set_index("feature")


def _alternatives(result: Alternatives, dataset: Dataset) -> pd.DataFrame:
    """As DiCE gives them: a row for each counterfactual with all features and the outcome, then what it took.

    Features and outcome have the names, the order and the types of the table.
    """
    target = dataset.schema.target
    rows = []
    for number, row in enumerate(result.found, 1):
        outputs = dict(zip(result.outputs, as_json(row.outputs), strict=True))
        predicted = {target.name: target.class_values[list(outputs).index(_class(result, outputs))]} if target.classes else {}
        changed = ", ".join(one.feature for one in row.changes)
        rows.append({"counterfactual": number, **row.values, **predicted, **_outcome(outputs), "changed": changed,
                     "cost": row.cost, "holds": row.holds})  # fmt: skip
    if not rows:
        return pd.DataFrame(columns=["counterfactual", "changed", "cost", "holds"]).set_index("counterfactual")
    frame = pd.DataFrame(rows).set_index("counterfactual")
    counted = [name for name in dataset.frame.select_dtypes("integer") if (frame[name] % 1 == 0).all()]
    return frame.astype({name: dataset.frame[name].dtype for name in counted})


def _class(result: Alternatives, outputs: dict[str, float]) -> str:
    """The class of a counterfactual: the one wanted, of two the other, else the likeliest that is not the present one."""
    if isinstance(result.wanted, str):
        return result.wanted
    return max((name for name in outputs if name != result.prediction), key=outputs.__getitem__)


def _outcome(outputs: dict[str, float]) -> dict[str, float]:
    return {f"p({name})": value for name, value in outputs.items()} if len(outputs) > 1 else dict(outputs)


def _flips(result: FlipSummary) -> pd.DataFrame:
    """For each present prediction and feature: in how many rows it belongs to the cheapest counterfactual."""
    rows = [
        {"prediction": part.prediction or "any", "feature": feature, "rows": count, "of": part.flips.flipped,
         "median_change": change, "alone": alone}
        for part in result.parts
        for feature, count, change, alone in zip(
            part.flips.features, part.flips.counts, part.flips.median_change, part.flips.alone, strict=True
        )
    ]  # fmt: skip
    return pd.DataFrame(rows)


def _fairness(result: FairnessByGroup) -> pd.DataFrame:
    """As Fairlearn's `MetricFrame.by_group`: a row a group, a column a rate; `error_rate` with its 95 % interval."""
    rows = []
    for group in result.groups:
        accuracy = group.rates["accuracy"]
        interval = (None, None) if accuracy.interval is None else (1 - accuracy.interval[1], 1 - accuracy.interval[0])
        rows.append({
            result.column: group_name(group), "rows": group.rows,
            "error_rate": None if accuracy.value is None else 1 - accuracy.value, "low": interval[0], "high": interval[1],
            "accuracy": accuracy.value, "selection_rate": group.rates["selection"].value,
            "base_rate": group.rates["baserate"].value, "true_positive_rate": group.rates["recall"].value,
            "false_positive_rate": group.rates["fpr"].value, "precision": group.rates["ppv"].value,
        })  # fmt: skip
    return pd.DataFrame(rows).set_index(result.column)


def _drift(result: TableDrift) -> pd.DataFrame:
    """Index: column; the `size` of its drift with the adjusted `p`, and what it was `before` and `after`."""
    names = ("size", "p", "value", "before", "after", "missing_before", "missing_after", "missing_p", "outside")
    rows = [{"column": one.column} | {name: getattr(one, name) for name in names} for one in result.columns]
    return pd.DataFrame(rows).set_index("column")


def _outlying(result: OutlyingRows) -> pd.DataFrame:
    """Index: id; the `distance` from the training rows, and the share `p` of these that are as far from the others."""
    columns = ["id", "distance", "p"]
    return pd.DataFrame([{name: getattr(row, name) for name in columns} for row in result.listed], columns=columns).set_index(
        "id"
    )


def _compared(result: Comparison) -> pd.DataFrame:
    """A row a group: the share that is wrong, or for a quantity the mean absolute error."""
    rows = []
    for group in result.groups:
        row: dict[str, Any] = {result.column: group_name(group), "rows": group.rows}
        if group.accuracy is not None or group.mae is None:
            row |= {"error_rate": None if group.accuracy is None else 1 - group.accuracy, "accuracy": group.accuracy}
        else:
            row |= {"mean_absolute_error": group.mae, "mean_label": group.mean_label, "mean_prediction": group.mean_prediction}
        rows.append(row)
    return pd.DataFrame(rows).set_index(result.column)


def group_name(group: Any) -> Any:
    """What a group is called: its value, its bounds, or that it has none."""
    if group.value is not None:
        return group.value
    if group.low is None:
        return "unknown"
    return group.low if group.low == group.high else f"{group.low:g} to {group.high:g}"


def _records(rows: Any) -> pd.DataFrame:
    return pd.DataFrame([as_json(row) for row in rows])


FRAMES: dict[type, Callable[[Any], pd.DataFrame]] = {
    Comparison: _compared,
    FairnessByGroup: _fairness,
    FlipSummary: _flips,
    OutlyingRows: _outlying,
    MistakeSample: lambda result: _records(result.examples),
    RankedFeatures: _ranked,
    RankedRows: lambda result: _records(result.rows),
    Reasons: _reasons,
    ShownRows: lambda result: result.rows.copy(),
    SimilarRows: lambda result: _records(result.rows),
    TableDrift: _drift,
}
