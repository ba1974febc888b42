"""Words, tables and figures for scores and decision thresholds."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from backend.text.words import listed
from ttm.language.describe_parse import METRIC_NAMES
from ttm.language.parse import number_text
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    Scale,
    label_of,
    onward,
    opening,
    percent,
    points,
    quoted,
    scale_of,
)
from ttm.operations.rendering.figures import confusion, curve, lines
from ttm.operations.rendering.marks import both, rows_clickable
from ttm.operations.scores.estimates import FEW_ROWS, ScoreEstimate
from ttm.operations.scores.run import AtThreshold, ClassScores, ThresholdScores, ThresholdTable, ValueScores
from ttm.tabular.data.schema import Schema

TABLE_ORDER = (
    "accuracy", "balanced", "precision", "recall", "specificity", "npv", "f1", "roc_auc", "fpr", "fnr", "selection", "baserate",
)  # fmt: skip
NAMES = METRIC_NAMES | {
    "roc_auc": "area under the ROC curve",
    "recall": "recall (sensitivity)",
    "precision": "precision (positive predictive value)",
    "npv": "negative predictive value",
}
SCORE_COLUMNS = ("score", "value", "95% interval", "rows")
IN_TABLE = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}


def score_text(name: str, value: float | None) -> str:
    """A score as a person reads it: a percentage, but a number for the area under the ROC curve."""
    if value is None:
        return "undefined"
    return f"{value:.3f}" if name in ("roc", "roc_auc") else percent(value)


def sureness(name: str, estimate: ScoreEstimate) -> str:
    """How sure a score is: "95% interval 70.1% to 78.0%, n = 308"."""
    size = f"n = {estimate.rows:,}"
    if estimate.low is None or estimate.high is None:
        return size
    return f"95% interval {interval_text(name, estimate)}, {size}"


def interval_text(name: str, estimate: ScoreEstimate) -> str:
    """The bounds of a score: "70.1% to 78.0%"."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{score_text(name, estimate.low)} to {score_text(name, estimate.high)}"


def few_rows(rows: int) -> str:
    """A warning where a score rests on few rows."""
    if rows >= FEW_ROWS:
        return ""
    return f" That rests on only {rows:,} {'row' if rows == 1 else 'rows'}, too few to say much."


def class_scores(result: ClassScores, schema: Schema) -> Answer:
    text = _headline(result) + _caveats(result)
    tables: tuple[AnswerTable, ...] = ()
    figure = None
    if result.metric == "default":
        tables, figure = (_score_table(result),), _matrix(result, schema)
    elif result.metric in ("confusion", "accuracy", "balanced", "fpr", "fnr", "selection", "baserate"):
        figure = _matrix(result, schema)
    elif result.metric == "calibration":
        figure = _calibration_figure(result)
    elif result.metric == "roc" and result.roc:
        figure = curve(result.roc.x, result.roc.y, f'ROC curve of "{result.positive}"', "false positive rate",
                       "true positive rate", ((0, 1), (0, 1)))  # fmt: skip
    elif result.precision_recall:
        base = sum(result.confusion[result.positive].values()) / result.rows
        figure = curve(result.precision_recall.x, result.precision_recall.y, f'Precision and recall of "{result.positive}"',
                       "recall", "precision", ((0, 1), (base, base)))  # fmt: skip
    follow = ["score default"] if result.metric != "default" else ["score roc"]
    return Answer(text, tables, figure, onward(result.group, "mistake typical", "score confusion", *follow))


def _matrix(result: ClassScores, schema: Schema) -> go.Figure:
    """The confusion matrix; each cell is the rows of one true class that are predicted to be of another."""
    figure = confusion(result.confusion, "True and predicted classes")
    numbers = range(len(schema.target.classes))
    cells = [both(f"labelfilter {true}", _predicted(number, result)) for true in numbers for number in numbers]
    return rows_clickable(figure, result.group, [cells])


def _predicted(number: int, result: ClassScores) -> str:
    """The filter of rows that are predicted to be of a class, under the threshold that the scores are of."""
    if result.threshold is None:
        return f"predictionfilter {number}"
    return f"probabilityfilter 1 {'greater equal' if number else 'less'} than {number_text(result.threshold)}"


def _headline(result: ClassScores) -> str:
    scope = opening(result.group)
    if result.metric == "calibration":
        return _calibration_text(result, scope)
    metric = "accuracy" if result.metric in ("default", "confusion") else result.metric
    if result.value is None:
        return f"{scope}, the model's {METRIC_NAMES[metric]} is **undefined**: {_why_undefined(metric, result)}."
    estimate = result.estimates["roc_auc" if metric == "roc" else metric]
    text = f"{scope}, the model's {METRIC_NAMES[metric]} is **{score_text(metric, result.value)}**"
    if metric == "baserate":
        text = f"{scope}, the base rate of {quoted(result.positive)} is **{score_text(metric, result.value)}**"
    return f"{text} ({sureness(metric, estimate)}): {_meaning(metric, result)}.{few_rows(estimate.rows)}"


def _counts(result: ClassScores) -> tuple[int, int, int, int]:
    """True positives, false negatives, false positives and true negatives of the positive class of two."""
    negative = next(name for name in result.confusion if name != result.positive)
    yes, no = result.confusion[result.positive], result.confusion[negative]
    return yes[result.positive], yes[negative], no[result.positive], no[negative]


def _meaning(metric: str, result: ClassScores) -> str:
    right = sum(result.confusion[name][name] for name in result.confusion)
    if metric == "accuracy":
        return (
            f"it is right for {right:,} of {result.rows:,} rows. Always saying the most frequent class would be right for "
            f"{percent(result.majority_share)}"
        )
    if metric == "balanced":
        return (
            "the mean over the classes of the share of rows truly of a class that it is right for. Always saying the same "
            f"class would have {percent(1 / len(result.confusion))}"
        )
    if result.averaging == "macro":
        return f"the mean over the {len(result.confusion)} classes, each against the rest and counted alike"
    name, other = quoted(result.positive), quoted(next(n for n in result.confusion if n != result.positive))
    hit, missed, false, rejected = _counts(result)
    meanings = {
        "precision": f"of the {hit + false:,} rows predicted to be {name}, {hit:,} truly are",
        "recall": f"of the {hit + missed:,} rows that truly are {name}, it finds {hit:,}",
        "specificity": f"of the {rejected + false:,} rows that truly are {other}, it recognises {rejected:,}",
        "npv": f"of the {rejected + missed:,} rows predicted to be {other}, {rejected:,} truly are",
        "fpr": f"of the {rejected + false:,} rows that truly are {other}, {false:,} are wrongly predicted to be {name}",
        "fnr": f"of the {hit + missed:,} rows that truly are {name}, {missed:,} are wrongly predicted to be {other}",
        "selection": f"of {result.rows:,} rows, {hit + false:,} are predicted to be {name}",
        "baserate": f"of {result.rows:,} rows, {hit + missed:,} truly are {name}",
        "f1": f"the harmonic mean of precision ({score_text('', result.scores['precision'])}) and recall "
        f"({score_text('', result.scores['recall'])}) for {name}",
        "roc": f"the chance that a row that truly is {name} gets a higher probability of it than a row that is not; guessing "
        "gives 0.5, a perfect model 1",
    }
    return meanings[{"sensitivity": "recall", "ppv": "precision"}.get(metric, metric)]


def _why_undefined(metric: str, result: ClassScores) -> str:
    name = quoted(result.positive)
    reasons = {
        "precision": f"the model predicts {name} for none of these rows",
        "ppv": f"the model predicts {name} for none of these rows",
        "recall": f"none of these rows is truly {name}",
        "sensitivity": f"none of these rows is truly {name}",
        "specificity": f"all of these rows are truly {name}",
        "npv": f"the model predicts {name} for all of these rows",
        "fpr": f"all of these rows are truly {name}",
        "fnr": f"none of these rows is truly {name}",
        "f1": f"none of these rows is or is predicted to be {name}",
        "balanced": "all of these rows are truly of one class",
    }
    return reasons.get(metric, "there are too few classes among these rows")


def _caveats(result: ClassScores) -> str:
    text = ""
    names = ("balanced", "f1", "precision", "recall", "specificity", "npv", "fpr", "fnr")
    asked = names if result.metric == "default" else (result.metric,)
    left_out = {name: classes for name, classes in result.undefined.items() if name in asked}
    if left_out and result.value is not None:
        parts = [f"{METRIC_NAMES[name]} for {listed([quoted(c) for c in classes], 5)}" for name, classes in left_out.items()]
        text += f" Left out of the means, being undefined: {listed(parts)}."
    if result.metric == "default" and result.averaging == "macro":
        text += " The other scores are means over the classes."
    if result.unlabelled:
        text += f" {result.unlabelled:,} rows without a known outcome are left out."
    if result.changed:
        text += " The predictions are for the changed rows; the true outcomes are those of the rows as they were."
    return text


def _score_table(result: ClassScores) -> AnswerTable:
    about = f'about "{result.positive}"' if result.averaging == "binary" else "means over the classes"
    return AnswerTable(f"Scores ({about})", SCORE_COLUMNS, tuple(_score_row(name, NAMES[name], result) for name in TABLE_ORDER
                                                                 if name in result.scores))  # fmt: skip


def _score_row(name: str, words: str, result: ClassScores) -> tuple[str, ...]:
    estimate = result.estimates[name]
    return words, score_text(name, result.scores[name]), interval_text(name, estimate), f"{estimate.rows:,}"


def _calibration_text(result: ClassScores, scope: str) -> str:
    what = f"of {quoted(result.positive)}" if result.averaging == "binary" else "of the predicted class"
    worst = max(result.calibration, key=lambda one: one.rows * abs(one.mean_predicted - one.observed))
    return (
        f"{scope}, predicted probabilities {what} are off by **{(result.calibration_error or 0) * 100:.1f} points** on "
        f"average from what came true. The largest share of that comes from predictions between {percent(worst.low)} and "
        f"{percent(worst.high)}: on average {percent(worst.mean_predicted)} was predicted, and {percent(worst.observed)} "
        f"came true ({worst.rows:,} rows)."
    )


def _calibration_figure(result: ClassScores) -> go.Figure:
    predicted, observed = zip(*((one.mean_predicted, one.observed) for one in result.calibration), strict=True)
    return curve(predicted, observed, "Calibration: predicted and observed", "mean predicted probability",
                 "share that came true", ((0, 1), (0, 1)), markers=True)  # fmt: skip


def value_scores(result: ValueScores, schema: Schema) -> Answer:
    scale, name = scale_of("", schema), label_of(schema.target.name, schema)
    meanings = {
        "mae": f"its predictions of {name} are off by so much on average",
        "rmse": "like the mean error, but large errors weigh more",
        "r2": "1 is perfect, 0 no better than always saying the mean"
        if result.value is not None
        else f"{name} is the same for all of these rows",
    }
    asked = "mae" if result.metric == "default" else result.metric
    unit, estimate = "" if asked == "r2" else scale.unit_text, result.estimates[asked]
    text = f"{opening(result.group)}, the model's {METRIC_NAMES[asked]} is **{_quantity(asked, result.scores[asked], scale)}**"
    bounds = f"95% interval {_bounds(asked, estimate, scale)}, " if estimate.interval else ""
    text += f"{unit} ({bounds}n = {estimate.rows:,}): {meanings[asked]}.{few_rows(estimate.rows)}"
    if result.unlabelled:
        text += f" {result.unlabelled:,} rows without a known value are left out."
    if result.changed:
        text += " The predictions are for the changed rows; the true values are those of the rows as they were."
    bounded = {key: _bounds(key, estimate, scale) for key, estimate in result.estimates.items()}
    rows = tuple(
        (METRIC_NAMES[key], _quantity(key, value, scale), bounded[key], f"{result.rows:,}")
        for key, value in result.scores.items()
    )
    tables = (AnswerTable("Scores", SCORE_COLUMNS, rows),) if result.metric == "default" else ()
    return Answer(text, tables, None, onward(result.group, "mistake typical", "distribution probability"))


def _quantity(name: str, value: float | None, scale: Scale) -> str:
    if name == "r2":
        return "undefined" if value is None else f"{value:.3f}"
    return scale.fine(value)


def _bounds(name: str, estimate: ScoreEstimate, scale: Scale) -> str:
    if estimate.interval is None:
        return ""
    return " to ".join(_quantity(name, bound, scale) for bound in estimate.interval)


# --- thresholds ----------------------------------------------------------------------------------------------------------


def threshold_scores(result: ThresholdScores, schema: Schema) -> Answer:
    chosen, default = result.chosen, result.default
    text = (
        f"{opening(result.group)}, predicting {quoted(result.positive)} from a probability of {chosen.threshold:g} on would "
        f"do so for **{chosen.predicted:,}** instead of {default.predicted:,} of {result.rows:,} rows. "
    )
    if chosen.accuracy is not None and default.accuracy is not None:
        text += f"Accuracy would be **{percent(chosen.accuracy)}** ({points(chosen.accuracy - default.accuracy)}), "
    text += f"recall {score_text('', chosen.recall)} instead of {score_text('', default.recall)}, "
    text += f"precision {score_text('', chosen.precision)} instead of {score_text('', default.precision)}."
    columns = ("", f"from {chosen.threshold:g} on", f"from {default.threshold:g} on (default)")
    pairs = zip(threshold_cells(chosen), threshold_cells(default), strict=True)
    rows = tuple((name, new, old) for (name, new), (_, old) in pairs)
    return Answer(text, (AnswerTable("", columns, rows),), None, onward(result.group, "threshold", "score roc"))


def threshold_cells(at: AtThreshold) -> list[tuple[str, str]]:
    """The scores at a threshold, each with its name."""
    scores = ("accuracy", "precision", "recall", "specificity", "f1")
    cells = [(METRIC_NAMES[name], score_text(name, getattr(at, name))) for name in scores]
    return [*cells, ("rows predicted so", f"{at.predicted:,}")]


def threshold_table(result: ThresholdTable, schema: Schema) -> Answer:
    name = quoted(result.positive)
    text = f"{opening(result.group)}, the model predicts {name} from a probability of **{result.current:g}** on."
    if result.best_youden is not None and result.best_f1 is not None:
        youden, f1 = result.best_youden, result.best_f1
        text += (
            f" Recall and specificity are best together from **{youden.threshold:.3f}** on (recall "
            f"{score_text('', youden.recall)}, specificity {score_text('', youden.specificity)}); the F1 score is best from "
            f"**{f1.threshold:.3f}** on ({score_text('', f1.f1)}). A threshold chosen on the same rows looks better there "
            "than it will be elsewhere."
        )
    else:
        text += " All of these rows are truly of one class, so no threshold can be said to be best."
    header = ("from", "accuracy", "precision", "recall", "specificity", "F1 score", "rows predicted so")
    rows = [
        (f"{at.threshold:g}", *(cell for _, cell in threshold_cells(at))) for at in result.table if at.threshold in IN_TABLE
    ]
    names = ("precision", "recall", "accuracy")
    series = {name: [getattr(at, name) for at in result.table] for name in names}
    figure = lines([at.threshold for at in result.table], series, f'Scores by threshold for "{result.positive}"',
                   "threshold", "", percent=True)  # fmt: skip
    best = result.best_youden
    follow = [f"threshold {max(0.01, best.threshold):.2f}"] if best else []
    return Answer(text, (AnswerTable("", header, tuple(rows)),), figure, onward(result.group, *follow, "score roc"))


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    ClassScores: class_scores,
    ValueScores: value_scores,
    ThresholdScores: threshold_scores,
    ThresholdTable: threshold_table,
}
