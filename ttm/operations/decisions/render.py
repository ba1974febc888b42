"""Words, tables and figures for acting on predictions."""

from collections.abc import Callable
from typing import Any

from ttm.language.operations.predictions import cost_words
from ttm.language.operations.scores import METRIC_NAMES
from ttm.language.selection import number_text
from ttm.operations.decisions.run import CheapestThreshold, CostOfThreshold, CumulativeGain, ReachingThreshold
from ttm.operations.rendering.answer import Answer, AnswerTable, number, onward, opening, percent, quoted
from ttm.operations.rendering.figures import curve, lines
from ttm.operations.scores.render import few_rows, score_text, sureness, threshold_cells
from ttm.tabular.data.schema import Schema

PER = 100
WEIGHED = {  # what a score is had at the cost of
    "recall": ("precision", "specificity"),
    "precision": ("recall", "specificity"),
    "specificity": ("recall", "precision"),
}


def cheapest_threshold(result: CheapestThreshold, schema: Schema) -> Answer:
    best, name = result.best, quoted(result.positive)
    text = (
        f"{opening(result.group)}: if {cost_words(result.ratio)}, it is cheapest to predict {name} from a probability of "
        f"**{number(best.at.threshold, 2)}** on: {_errors(best)}, {_per_row(best.cost, result)} false alarms' worth per "
        f"100 rows. "
        f"From {number(result.default.at.threshold, 2)} on it is {_errors(result.default)}, "
        f"{_per_row(result.default.cost, result)}."
    )
    if best.cost >= result.never:
        text += f" Never predicting {name} costs no more."
    elif best.cost >= result.always:
        text += f" Predicting {name} for everybody costs no more."
    text += (
        f" If the probabilities are well calibrated, {number(result.by_rule, 2)} is best; the threshold found on these "
        f"rows is a "
        f"little too good for others.{few_rows(result.rows)}"
    )
    rows = tuple(_cells(label, one, result) for label, one in (("cheapest here", best), ("default", result.default)))
    rows += (("never", "", "", "", _per_row(result.never, result)), ("always", "", "", "", _per_row(result.always, result)))
    header = ("threshold", "from", "misses", "false alarms", "cost per 100 rows")
    series = {"cost per 100 rows": result.costs}
    figure = lines(result.thresholds, series, "Cost by threshold", "threshold", "cost per 100 rows, in false alarms")
    follow = f"threshold {number(best.at.threshold, 2)} and score confusion"
    return Answer(text, (AnswerTable("", header, rows),), figure, onward(result.group, follow, "threshold"))


def _errors(one: CostOfThreshold) -> str:
    misses = f"{one.misses:,} {'miss' if one.misses == 1 else 'misses'}"
    return f"{misses} and {one.alarms:,} false {'alarm' if one.alarms == 1 else 'alarms'}"


def _per_row(cost: float, result: CheapestThreshold) -> str:
    return number(PER * cost / result.rows, 1)


def _cells(label: str, one: CostOfThreshold, result: CheapestThreshold) -> tuple[str, ...]:
    return label, number(one.at.threshold, 2), f"{one.misses:,}", f"{one.alarms:,}", _per_row(one.cost, result)


def reaching_threshold(result: ReachingThreshold, schema: Schema) -> Answer:
    chosen, metric, name = result.chosen, result.metric, quoted(result.positive)
    value, least = f"**{number_text(chosen.threshold)}**", percent(result.least)
    if result.is_reached:
        most = "highest" if metric == "recall" else "lowest"
        text = f"{opening(result.group)}, the {most} threshold with a {METRIC_NAMES[metric]} of at least {least} is {value}"
    else:
        text = (
            f"{opening(result.group)}, predicting {name} for some rows has no {METRIC_NAMES[metric]} of {least}, whatever the "
            f"threshold; it is highest at {value}"
        )
    others = [other for other in WEIGHED[metric] if getattr(chosen, other) is not None]
    beside = " and ".join(f"{METRIC_NAMES[other]} {score_text('', getattr(chosen, other))}" for other in others)
    text += (
        f": from there on, {METRIC_NAMES[metric]} is **{score_text('', result.estimate.value)}** "
        f"({sureness(metric, result.estimate)}), {beside}, and {name} is predicted for {chosen.predicted:,} of "
        f"{result.rows:,} rows. From {result.default.threshold:g} on (default), {METRIC_NAMES[metric]} is "
        f"{score_text('', getattr(result.default, metric))}. A threshold chosen on the same rows looks better there than it "
        f"will be elsewhere.{few_rows(result.estimate.rows)}"
    )
    columns = ("", f"from {number_text(chosen.threshold)} on", f"from {result.default.threshold:g} on (default)")
    pairs = zip(threshold_cells(chosen), threshold_cells(result.default), strict=True)
    rows = tuple((label, new, old) for (label, new), (_, old) in pairs)
    follow = f"threshold {number_text(chosen.threshold)} and score confusion"
    return Answer(text, (AnswerTable("", columns, rows),), None, onward(result.group, follow, "threshold"))


def cumulative_gain(result: CumulativeGain, schema: Schema) -> Answer:
    first, second = result.asked or result.tenths[0], result.tenths[min(1, len(result.tenths) - 1)]
    name, rows_taken = quoted(result.positive), f" ({first.rows:,} of {result.rows:,} rows)" if result.asked else ""
    text = (
        f"{opening(result.group)}, the {percent(first.share)}{rows_taken} with the highest predicted probability of {name} "
        f"hold **{percent(first.gain)}** of all that truly are: {number(first.lift, 2)} times as many as by chance (lift). "
    )
    if result.asked is None:
        text += f"The highest {percent(second.share)} hold {percent(second.gain)} (lift {number(second.lift, 2)}). "
    text += f"{percent(result.base_rate)} of the {result.rows:,} rows are truly {name}.{few_rows(result.rows)}"
    header = ("highest", "rows", f'truly "{result.positive}"', "share of all of them (gain)", "lift", "from a probability of")
    rows = tuple(
        (percent(t.share), f"{t.rows:,}", number(t.hits, 0 if t.hits == round(t.hits) else 1), percent(t.gain),
         number(t.lift, 2), percent(t.lowest))
        for t in ((result.asked,) if result.asked else ()) + result.tenths
    )  # fmt: skip
    figure = curve(result.x, result.y, f'Cumulative gain of "{result.positive}"', "share of rows taken",
                   "share of the class found", ((0, 1), (0, 1)))  # fmt: skip
    return Answer(text, (AnswerTable("", header, rows),), figure, onward(result.group, "score roc", "threshold"))


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    CheapestThreshold: cheapest_threshold,
    ReachingThreshold: reaching_threshold,
    CumulativeGain: cumulative_gain,
}
