"""Words, tables and figures for two models side by side."""

from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from backend.text.words import listed
from ttm.language.describe_parse import METRIC_NAMES
from ttm.operations.breakdowns.render import score_value, verdict
from ttm.operations.mistakes.render import criterion_words, rule_filter
from ttm.operations.mistakes.run import FoundRule
from ttm.operations.models.run import BothPredictions, ModelsSideBySide, PairedScores, RowUnderModels
from ttm.operations.rendering.answer import Answer, AnswerTable, escape, id_text, onward, opening, percent, quoted, scale_of
from ttm.operations.rendering.figures import bars
from ttm.operations.rendering.marks import features_clickable
from ttm.operations.scores.estimates import ScoreEstimate
from ttm.operations.scores.render import few_rows
from ttm.tabular.data.schema import Schema
from ttm.tabular.model.other_models import model_words

SHOWN = ("accuracy", "precision", "recall", "f1", "roc_auc")
OF_VALUES = ("mae", "rmse", "r2")
OWN = "this model"
MOST_FEATURES = 10
MOST_RULES = 2
CLEAR = 0.05


def one_row(result: RowUnderModels, schema: Schema) -> Answer:
    row, other = result.row, model_words(result.other, schema)
    if row.probabilities is None:
        scale = scale_of("", schema)
        text = f"{opening(result.group)}, this model predicts **{_value(row.own, schema)}**{scale.unit_text}, and "
        text += f"{escape(other)} {_value(row.other, schema)}{scale.unit_text}."
        return Answer(text + _truth(row, schema), next_parses=_onward_of_row(result))
    own, others = (f"({percent(p)})" for p in row.probabilities)
    if row.own == row.other:
        text = (
            f"{opening(result.group)}, both models predict **{quoted(row.own)}**: this model {own}, {escape(other)} {others}."
        )
    else:
        text = f"{opening(result.group)}, this model predicts **{quoted(row.own)}** {own}, and {escape(other)} "
        text += f"**{quoted(row.other)}** {others}."
    table = AnswerTable(
        "Probabilities", ("class", OWN, other), tuple((name, *map(percent, both)) for name, both in result.classes.items())
    )
    series = {OWN: [both[0] for both in result.classes.values()], other: [both[1] for both in result.classes.values()]}
    figure = bars(list(result.classes), series, "Probability of each class", "", percent=True)
    return Answer(text + _truth(row, schema), (table,), figure, _onward_of_row(result))


def _onward_of_row(result: RowUnderModels) -> tuple[str, ...]:
    return onward(result.group, "explain features", "explain cfe")


def _truth(row: BothPredictions, schema: Schema) -> str:
    if row.truth is None:
        return ""
    if row.probabilities is None:
        return f" The true value is {_value(row.truth, schema)}."
    return f" The true outcome is {quoted(row.truth)}."


def _value(value: Any, schema: Schema) -> str:
    return scale_of("", schema).fine(float(value))


def side_by_side(result: ModelsSideBySide, schema: Schema) -> Answer:
    other = model_words(result.other, schema)
    text = f"{opening(result.group)}, {_better(result.scores, other, schema)} {_apart(result, schema)}"
    lines = [f"- {_where(rule, schema)}" for rule in result.rules[:MOST_RULES]]
    if lines:
        text += "\n\nThey differ most often:\n\n" + "\n".join(lines)
    tables = [table for table in (_score_table(result, other, schema), _example_table(result, other, schema)) if table]
    closer = [parse for rule in result.rules[:1] if (parse := rule_filter(rule, schema))]
    rows = [f"filter id {id_text(result.examples[0].id)} and models {result.other}"] if result.examples else []
    follow = (*rows, *onward(result.group, *[f"{parse} and models {result.other}" for parse in closer], "important all"))
    return Answer(text, tuple(tables), _importance_figure(result, other, schema), follow)


def _better(scores: PairedScores | None, other: str, schema: Schema) -> str:
    """Which of the two is better, and how sure that is."""
    if scores is None:
        return f"no true outcome is known, so it cannot be said whether this model or {escape(other)} is better."
    metric = "accuracy" if schema.target.is_classification else "mae"
    own, others = (score_value(metric, of[metric].value, schema) for of in (scores.own, scores.other))
    text = f"this model's {METRIC_NAMES[metric]} is **{own}**, and that of {escape(other)} **{others}** "
    text += f"({_gain(scores, schema)})."
    return text + _judged(scores) + few_rows(scores.rows)


def _gain(scores: PairedScores, schema: Schema) -> str:
    nearer = "right" if schema.target.is_classification else "nearer to the truth"
    counts = f"{scores.own_better:,} rows are {nearer} under this model alone, {scores.other_better:,} under the other alone"
    if scores.low is None or scores.high is None:
        return f"{counts}, {verdict(scores.p)}"
    if schema.target.is_classification:
        ends = f"{100 * scores.low:+.1f} to {100 * scores.high:+.1f} points"
    else:
        scale = scale_of("", schema)
        ends = f"{scale.fine(scores.low)} to {scale.fine(scores.high)}{scale.unit_text} less error"
    return f"95% interval of the difference {ends}; {counts}, {verdict(scores.p)}"


def _judged(scores: PairedScores) -> str:
    if not scores.unseen:
        return " At least one of them was trained on these very rows, so it looks better than it is."
    if scores.folds:
        return f" Both were judged in {scores.folds} folds, on rows that they had not been trained on."
    return ""


def _apart(result: ModelsSideBySide, schema: Schema) -> str:
    if result.differing is None or result.estimate is None:
        scale = scale_of("", schema)
        return f"Their predictions are **{scale.fine(result.gap)}**{scale.unit_text} apart on average."
    if not result.differing:
        return "They predict the same class for every one of these rows."
    text = f"They disagree on **{result.differing:,}** of {result.group.rows:,} ({percent(result.estimate.value)}): "
    pairs = [
        f"{count:,} {quoted(own)} here and {quoted(theirs)} there"
        for own, row in result.predicted.items()
        for theirs, count in row.items()
        if own != theirs and count
    ]
    return text + listed(pairs, most=4) + "."


def _where(rule: FoundRule, schema: Schema) -> str:
    who = listed([escape(criterion_words(criterion, schema)) for criterion in rule.criteria])
    how, there = (percent(v) if rule.errors is not None else _value(v, schema) for v in (rule.error, rule.elsewhere))
    return f"with {who}: about **{how}**, elsewhere {there} (over rows that the pattern was not found on)"


def _score_table(result: ModelsSideBySide, other: str, schema: Schema) -> AnswerTable | None:
    if result.scores is None:
        return None
    own, others = result.scores.own, result.scores.other
    names = [name for name in (SHOWN if schema.target.is_classification else OF_VALUES) if name in own]
    rows = tuple((_score_name(name), _sure(name, own[name], schema), _sure(name, others[name], schema)) for name in names)
    return AnswerTable(f"Scores on {result.scores.rows:,} rows, with 95% intervals", ("score", OWN, other), rows)


def _score_name(name: str) -> str:
    return "area under the ROC curve" if name == "roc_auc" else METRIC_NAMES[name]


def _sure(name: str, estimate: ScoreEstimate, schema: Schema) -> str:
    text = score_value(name, estimate.value, schema)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} ({score_value(name, estimate.low, schema)} to {score_value(name, estimate.high, schema)})"


def _example_table(result: ModelsSideBySide, other: str, schema: Schema) -> AnswerTable | None:
    if not result.examples:
        return None
    rows = tuple((str(row.id), *_predictions(row, schema)) for row in result.examples)
    return AnswerTable("Where they are furthest apart", ("id", OWN, other, "truth"), rows)


def _predictions(row: BothPredictions, schema: Schema) -> tuple[str, str, str]:
    if row.probabilities is None:
        truth = "unknown" if row.truth is None else _value(row.truth, schema)
        return _value(row.own, schema), _value(row.other, schema), truth
    own, others = (f"{name} ({percent(p)})" for name, p in zip((row.own, row.other), row.probabilities, strict=True))
    return own, others, "unknown" if row.truth is None else str(row.truth)


def _importance_figure(result: ModelsSideBySide, other: str, schema: Schema) -> go.Figure | None:
    """What both rest on: the features that matter most to either."""
    if not result.importance:
        return None
    most = sorted(result.importance, key=lambda one: -max(one.own, one.other))[:MOST_FEATURES]
    kept = [one for one in result.importance if one in most]
    is_class = schema.target.is_classification
    what = "accuracy lost when shuffled" if is_class else "mean absolute error gained when shuffled"
    labels = [schema.by_name[one.feature].label for one in kept]
    series = {OWN: [one.own for one in kept], other: [one.other for one in kept]}
    figure = bars(labels, series, "What both models rest on", what, percent=is_class)
    return features_clickable(figure, [one.feature for one in kept], schema)


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {RowUnderModels: one_row, ModelsSideBySide: side_by_side}
