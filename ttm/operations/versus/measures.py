"""The numbers by which several groups can be set side by side, for each type of result."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ttm.language.describe_parse import METRIC_NAMES
from ttm.operations.columns.run import CategoryStatistic, NumericStatistic
from ttm.operations.data.run import RowCount, TrueClass, TrueClasses, TrueValue, TrueValues
from ttm.operations.explanations.run import FeatureImportance, RankedFeatures
from ttm.operations.exploration.render import distributed
from ttm.operations.exploration.run import PROBABILITY, CategoryDistribution, NumberDistribution
from ttm.operations.mistakes.run import MistakeCount
from ttm.operations.predictions.run import (
    AskedProbability,
    ClassProbabilities,
    MeanProbabilities,
    PredictedClass,
    PredictedClasses,
    PredictedValue,
    PredictedValues,
)
from ttm.operations.rendering.answer import escape, label_of, percent, scale_of, title_of, value_text
from ttm.operations.rendering.marks import WHOLE, of_group
from ttm.operations.scores.estimates import ScoreEstimate, share
from ttm.operations.scores.render import NAMES, TABLE_ORDER, score_text
from ttm.operations.scores.run import ClassScores, ValueScores
from ttm.tabular.data.schema import Schema

COUNT = "rows"


@dataclass(frozen=True)
class Measure:
    """One number of a group. `name` is escaped Markdown that stands in "NAME is 62.1% for A"; `is_share` lies in 0 to 1.

    `plain` is the same as a table shows it, `text` how the value is written, `unit` (escaped) follows it. `larger` and
    `smaller` complete "62 against 50: 12 ...". `estimate` says how sure it is, None where that is not asked. `rows` is the
    mark of the rows that it speaks of: a filter within the group, where it is the share that these have.
    """

    name: str
    plain: str
    value: float
    text: str
    is_share: bool = False
    unit: str = ""
    larger: str = "more"
    smaller: str = "less"
    estimate: ScoreEstimate | None = None
    rows: str = WHOLE


def _share(name: str, value: float | None, estimate: ScoreEstimate | None = None, rows: str = WHOLE) -> Measure:
    """`name` is plain text."""
    return Measure(escape(name), name, math.nan if value is None else value, percent(value), True, estimate=estimate, rows=rows)


def _number(name: str, value: float | None, column: str, schema: Schema, fine: bool = True) -> Measure:
    scale = scale_of(column, schema)
    text = scale.fine(value) if fine else scale.text(value)
    return Measure(escape(name), name, math.nan if value is None else value, text, unit=scale.unit_text)


Measures = list[Measure]


def _row_count(result: RowCount, schema: Schema) -> Measures:
    return [
        Measure("the number of rows", COUNT, result.count, f"{result.count:,}", smaller="fewer"),
        _share("share of all rows", result.share),
    ]


def _by_class(
    what: str, shares: dict[str, float], schema: Schema, counts: dict[str, int] | None = None, chosen_by: str = ""
) -> Measures:
    """The positive class of two; of more, every class. `counts` are those of the rows that the shares are of.

    `chosen_by` is the filter that chooses the rows of a class by its number.
    """
    classes = schema.target.classes
    names = classes[-1:] if len(shares) == 2 else classes
    sure = {} if counts is None else {name: share(counts[name], sum(counts.values())) for name in names}
    rows = {name: f"{chosen_by} {classes.index(name)}" if chosen_by else WHOLE for name in names}
    return [_share(f'{what} "{name}"', shares[name], sure.get(name), rows[name]) for name in names]


def _true_values(result: TrueValues, schema: Schema) -> Measures:
    name = schema.target.label
    return [
        _number(f"mean true {name}", result.summary.mean, "", schema),
        _number(f"median true {name}", result.summary.median, "", schema),
    ]


def _predicted_values(result: PredictedValues, schema: Schema) -> Measures:
    name = schema.target.label
    return [
        _number(f"mean predicted {name}", result.summary.mean, "", schema),
        _number(f"median predicted {name}", result.summary.median, "", schema),
    ]


def _mean_probabilities(result: MeanProbabilities, schema: Schema) -> Measures:
    measures = _by_class("mean predicted probability of", result.mean, schema)
    if len(result.mean) == 2:
        measures.append(_share("median probability", result.distribution.median))
    return measures


def _class_scores(result: ClassScores, schema: Schema) -> Measures:
    if result.metric == "calibration":
        return [_share("calibration error", result.calibration_error)]
    first = {"default": "accuracy", "confusion": "accuracy", "roc": "roc_auc"}.get(result.metric, result.metric)
    names = [first, *(n for n in TABLE_ORDER if n != first and n in result.scores)] if result.metric == "default" else [first]
    measures = []
    for name in names:
        value = result.scores[name]
        words = NAMES.get(name, name)
        measures.append(Measure(f"the {words}", words, math.nan if value is None else value, score_text(name, value),
                                is_share=name != "roc_auc", estimate=result.estimates[name]))  # fmt: skip
    return measures


def _value_scores(result: ValueScores, schema: Schema) -> Measures:
    names = [result.metric] if result.metric in result.scores else list(result.scores)
    measures = []
    for name in names:
        value = result.scores[name]
        if name == "r2":
            text = "undefined" if value is None else f"{value:.3f}"
            measures.append(Measure("R²", "R²", math.nan if value is None else value, text))
        else:
            measures.append(_number(METRIC_NAMES[name], value, "", schema))
        measures[-1] = replace(measures[-1], estimate=result.estimates[name])
    return measures


def _mistake_count(result: MistakeCount, schema: Schema) -> Measures:
    counted = Measure("the number of wrong predictions", "wrong predictions", result.wrong, f"{result.wrong:,}")
    return [_share("share of wrong predictions", result.share, result.estimate), counted]


def _ranks(result: RankedFeatures, schema: Schema) -> Measures:
    """The rank of the feature that was asked about, or of all of them, in the order of the data."""
    by_name = {one.feature: one for one in result.features}
    ranks = {name: one.rank for name, one in by_name.items()}
    asked = [f for f in schema.features if f.name in ranks and result.feature in (None, f.name, f.token)]
    return [
        Measure(
            f"the rank of {escape(f.label)} among {len(ranks)} features",
            f.label,
            ranks[f.name],
            _rank_text(by_name[f.name], result),
            larger="further down",
            smaller="further up",
        )
        for f in asked
    ]


def _rank_text(one: FeatureImportance, result: RankedFeatures) -> str:
    """A rank, with its 95 % interval where not all rows of the group were explained."""
    return f"{one.rank} ({one.rank_low} to {one.rank_high})" if result.is_estimated else str(one.rank)


def _numeric_statistic(result: NumericStatistic, schema: Schema) -> Measures:
    name, column = label_of(result.column, schema), result.column
    plain = title_of(column, schema)
    first = _number(f"mean {plain}", result.mean, column, schema)
    return [
        Measure(f"mean {name}", first.plain, first.value, first.text, unit=first.unit),
        _number("standard deviation", result.std, column, schema),
        _number("smallest", result.min, column, schema, fine=False),
        _number("median", result.median, column, schema, fine=False),
        _number("largest", result.max, column, schema, fine=False),
    ]


def _number_distribution(result: NumberDistribution, schema: Schema) -> Measures:
    """The median, which says most about a skewed number too, then the other numbers; none for dates, of which none is more."""
    summary, (name, title) = result.summary, distributed(result, schema)
    if result.is_date:
        return []
    others = {
        "smallest": summary.min, "lower quartile": summary.lower_quartile, "upper quartile": summary.upper_quartile,
        "largest": summary.max, "mean": summary.mean,
    }  # fmt: skip
    if result.is_probability:
        first = Measure(f"median of {name}", f"median {title}", summary.median, percent(summary.median), True)
        return [first, *(_share(which, value) for which, value in others.items())]
    column = "" if result.column == PROBABILITY else result.column
    first = _number(f"median {title}", summary.median, column, schema, fine=False)
    rest = [_number(which, value, column, schema, fine=which == "mean") for which, value in others.items()]
    return [replace(first, name=f"median of {name}"), *rest]


def _categories(result: CategoryStatistic | CategoryDistribution, schema: Schema) -> Measures:
    feature = schema.by_name.get(result.column)
    if feature is None:
        return _by_class("share of true", result.shares, schema, result.counts, "labelfilter")
    values = feature.values[1:] if len(feature.values) == 2 else feature.values[:15]
    return [
        _share(f"share with {feature.label} = {value_text(v, feature)}", result.shares.get(v, 0.0),
               share(result.counts.get(v, 0), sum(result.counts.values())), of_group(feature, v, None, None)) for v in values
    ]  # fmt: skip


# Result types whose numbers can be set side by side, with these numbers, the one that matters most first.
MEASURES: dict[type, Callable[[Any, Schema], Measures]] = {
    RowCount: _row_count,
    TrueClasses: lambda r, schema: _by_class("share of true", r.shares, schema, r.counts, "labelfilter"),
    TrueValue: lambda r, schema: [_number(f"true {schema.target.label}", r.value, "", schema)],
    TrueClass: lambda r, schema: _by_class(
        "share of true", {name: float(name == r.label) for name in schema.target.classes}, schema
    ),
    TrueValues: _true_values,
    PredictedClass: lambda r, schema: _by_class("predicted probability of", r.probabilities, schema),
    PredictedClasses: lambda r, schema: _by_class("share predicted to be", r.shares, schema, r.counts, "predictionfilter"),
    PredictedValue: lambda r, schema: [_number(f"predicted {schema.target.label}", r.prediction, "", schema)],
    PredictedValues: _predicted_values,
    ClassProbabilities: lambda r, schema: _by_class("predicted probability of", r.probabilities, schema),
    MeanProbabilities: _mean_probabilities,
    AskedProbability: lambda r, schema: [_share(f'predicted probability of "{r.asked}"', r.probability)],
    ClassScores: _class_scores,
    ValueScores: _value_scores,
    MistakeCount: _mistake_count,
    NumericStatistic: _numeric_statistic,
    RankedFeatures: _ranks,
    NumberDistribution: _number_distribution,
    CategoryStatistic: _categories,
    CategoryDistribution: _categories,
}
