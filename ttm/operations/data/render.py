"""Words and tables for the rows themselves: counts, values, true outcomes."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from ttm.operations.data.run import RowCount, ShownRows, TrueClass, TrueClasses, TrueValue, TrueValues
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    label_of,
    onward,
    percent,
    quoted,
    scale_of,
    shares_text,
    size_text,
    value_text,
)
from ttm.operations.results import Result
from ttm.tabular.data.schema import Feature, Schema

MAX_COLUMNS = 40


def count(result: RowCount, schema: Schema) -> Answer:
    group, entity = result.group, escape(schema.entity)
    words = escape(group.words)
    if result.count == 0:
        return Answer(f"**None.** {escape(group.empty)}")
    if group.words.startswith("all "):
        return Answer(f"There are **{result.count:,} {entity}** in the data.", next_parses=("data", "show", "predict"))
    if group.words.startswith("a made-up "):
        return Answer(f"**One**: {words}.", next_parses=onward(group, "predict", "similar 5"))
    follow = onward(group, "predict", "score default", "show")
    if result.count == 1:
        return Answer(f"There is **one**: {words}{size_text(group)}.", next_parses=follow)
    if group.words.startswith(f"{schema.entity} "):
        text = f"There are **{result.count:,}** {words}, out of {group.total:,} ({percent(result.share)})."
    else:
        text = f"There are **{result.count:,}** ({percent(result.share)} of all {group.total:,}): {words}."
    return Answer(text, next_parses=follow)


# --- values --------------------------------------------------------------------------------------------------------------


def shown_rows(result: ShownRows, schema: Schema) -> Answer:
    if result.count == 1:
        return _one_row(result, schema)
    features = schema.features[:MAX_COLUMNS]
    shown = len(result.rows)
    what_if = f" If {escape(result.group.changes)}: changed values are shown as before → after." if result.group.changes else ""
    numbers = "" if shown == result.count else f", numbers {result.first + 1:,} to {result.first + shown:,}"
    who = "" if result.group.words.startswith("all ") else f": {escape(result.group.words)}"
    text = f"Here are **{shown:,} of {result.count:,}** {escape(schema.entity)}{who}{numbers}.{what_if}"
    if len(features) < len(schema.features):
        text += f" The first {len(features)} of {len(schema.features)} features are shown."
    if result.left:
        text += f" {result.left:,} more can be shown."
    columns = [schema.id_name or "id", *(feature.label for feature in features)]
    outcomes = result.outcomes
    columns += ["true outcome"] if outcomes is not None else []
    rows = []
    for place_number, id in enumerate(result.rows.index):
        cells = [str(id), *(_cell(result, place_number, feature) for feature in features)]
        rows.append((*cells, _outcome(outcomes[place_number], schema)) if outcomes is not None else tuple(cells))
    more = ("followup",) if result.left else ()
    return Answer(
        text, (AnswerTable("", tuple(columns), tuple(rows)),), None, (*more, *onward(result.group, "predict", "label"))
    )


def _one_row(result: ShownRows, schema: Schema) -> Answer:
    group, features = result.group, schema.features
    what_if = f" if {escape(group.changes)}" if group.changes else ""
    text = f"These are the values of {escape(group.words)}{size_text(group)}{what_if}."
    outcome = result.outcomes[0] if result.outcomes else None
    if outcome is not None:
        words = quoted(outcome) if schema.target.is_classification else _outcome(outcome, schema)
        text += f" The true outcome is {words}."
    rows = tuple((_with_unit(feature), _cell(result, 0, feature)) for feature in features)
    return Answer(text, (AnswerTable("", ("feature", "value"), rows),), None, onward(group, "predict", "explain features"))


def _with_unit(feature: Feature) -> str:
    return f"{feature.label} ({feature.unit})" if feature.unit else feature.label


def _cell(result: ShownRows, index: int, feature: Feature) -> str:
    value = result.rows[feature.name].iloc[index]
    text = value_text(value, feature)
    if result.original is None:
        return text
    before = result.original[feature.name].iloc[index]
    same = (pd.isna(value) and pd.isna(before)) or value == before
    return text if same else f"{value_text(before, feature)} → {text}"


def _outcome(outcome: Any, schema: Schema) -> str:
    if outcome is None:
        return "unknown"
    return str(outcome) if schema.target.is_classification else scale_of("", schema).text(float(outcome))


# --- true outcomes -------------------------------------------------------------------------------------------------------


def _truth_note(result: Result) -> str:
    return " (what was recorded; a change does not alter it)" if result.group.changes else ""


def true_class(result: TrueClass, schema: Schema) -> Answer:
    text = f"The true outcome of {escape(result.group.words)}{size_text(result.group)} is **{quoted(result.label)}**"
    return Answer(f"{text}{_truth_note(result)}.", next_parses=onward(result.group, "predict", "explain features"))


def true_value(result: TrueValue, schema: Schema) -> Answer:
    scale, name = scale_of("", schema), label_of(schema.target.name, schema)
    text = f"The true {name} of {escape(result.group.words)}{size_text(result.group)} is **{scale.text(result.value)}**"
    return Answer(f"{text}{scale.unit_text}{_truth_note(result)}.", next_parses=onward(result.group, "predict"))


def true_classes(result: TrueClasses, schema: Schema) -> Answer:
    text = f"{_scope(result)}, the true outcome is {shares_text(result.counts, result.shares)}{_truth_note(result)}."
    if result.unlabelled:
        text += f" For {result.unlabelled:,} more it is not known."
    return Answer(text, next_parses=onward(result.group, "predict", "score default"))


def true_values(result: TrueValues, schema: Schema) -> Answer:
    scale, name, summary = scale_of("", schema), label_of(schema.target.name, schema), result.summary
    text = (
        f"{_scope(result)}, the true {name} is **{scale.fine(summary.mean)}**{scale.unit_text} on average "
        f"(median {scale.text(summary.median)}, from {scale.text(summary.min)} to {scale.text(summary.max)})"
        f"{_truth_note(result)}."
    )
    if summary.missing:
        text += f" For {summary.missing:,} rows it is not known."
    return Answer(text, next_parses=onward(result.group, "predict", "distribution target"))


def _scope(result: Result) -> str:
    """The group without its changes, which true outcomes do not depend on."""
    return f"For {escape(result.group.words)}{size_text(result.group)}"


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    RowCount: count,
    ShownRows: shown_rows,
    TrueClass: true_class,
    TrueValue: true_value,
    TrueClasses: true_classes,
    TrueValues: true_values,
}
