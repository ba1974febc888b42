"""Words, tables and figures for columns: summary statistics, definitions, the data set as a whole."""

from collections.abc import Callable
from typing import Any

from backend.text.words import listed
from ttm.operations.columns.run import (
    CategoryStatistic,
    ColumnFacts,
    DataDescription,
    DateStatistic,
    Definition,
    NumericStatistic,
)
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    feature_scale,
    label_of,
    onward,
    opening,
    percent,
    scale_of,
    shares_text,
    title_of,
    value_text,
)
from ttm.tabular.data.schema import Feature, Schema

IN_TEXT = 4
IN_TABLE = 25


def token_of(column: str, schema: Schema) -> str:
    """What stands for a column in the parse language."""
    feature = schema.by_name.get(column)
    return feature.token if feature else "target"


def _unknown(missing: int) -> str:
    if not missing:
        return ""
    return f" For {missing:,} {'row' if missing == 1 else 'rows'} the value is missing."


def _next(result: Any, schema: Schema) -> tuple[str, ...]:
    token = token_of(result.column, schema)
    if token == "target":
        return onward(result.group, "distribution target", "predict")
    return onward(result.group, f"distribution {token}", f"correlate {token} target", f"effect {token}")


def numeric_statistic(result: NumericStatistic, schema: Schema) -> Answer:
    scale, name = scale_of(result.column, schema), label_of(result.column, schema)
    if not result.count:
        return Answer(f"{opening(result.group)}, no value of {name} is known.")
    if result.group.rows == 1:
        return Answer(
            f"{opening(result.group)}, {name} is **{scale.text(result.mean)}**{scale.unit_text}.",
            next_parses=_next(result, schema),
        )
    spread = "" if result.count == 1 else f", with a standard deviation of {scale.fine(result.std)}"
    text = (
        f"{opening(result.group)}, {name} is **{scale.fine(result.mean)}**{scale.unit_text} on average{spread}. "
        f"It goes from {scale.text(result.min)} to {scale.text(result.max)}; the median is {scale.text(result.median)}, and "
        f"the middle half lies between {scale.text(result.lower_quartile)} and {scale.text(result.upper_quartile)}."
    )
    return Answer(text + _unknown(result.missing), next_parses=_next(result, schema))


def category_statistic(result: CategoryStatistic, schema: Schema) -> Answer:
    feature, name = schema.by_name.get(result.column), label_of(result.column, schema)
    if not result.count:
        return Answer(f"{opening(result.group)}, no value of {name} is known.")
    counts = {_value(value, feature): count for value, count in result.counts.items()}
    shares = {_value(value, feature): share for value, share in result.shares.items()}
    if result.group.rows == 1:
        value = next(value for value, count in counts.items() if count)
        return Answer(f"{opening(result.group)}, {name} is **{escape(value)}**.", next_parses=_next(result, schema))
    order = sorted(counts, key=lambda value: -counts[value])
    top = {value: counts[value] for value in order[:IN_TEXT]}
    more = len(order) - IN_TEXT
    text = f"{opening(result.group)}, {name} is {shares_text(top, shares)}"
    text += f"; {more} more value{'s follow' if more > 1 else ' follows'}." if more > 0 else "."
    rows = tuple((value, f"{counts[value]:,}", percent(shares[value])) for value in order[:IN_TABLE])
    cut = f", the {IN_TABLE} most frequent of {len(order)} values" if len(order) > IN_TABLE else ""
    title = f"{title_of(result.column, schema)}{cut}"
    tables = (AnswerTable(title, ("value", "rows", "share"), rows),) if more > 0 else ()
    return Answer(text + _unknown(result.missing), tables, None, _next(result, schema))


def _value(value: Any, feature: Feature | None) -> str:
    return value_text(value, feature) if feature else str(value)


def date_statistic(result: DateStatistic, schema: Schema) -> Answer:
    name = label_of(result.column, schema)
    if result.first is None or result.median is None or result.last is None:
        return Answer(f"{opening(result.group)}, no value of {name} is known.")
    if result.group.rows == 1:
        return Answer(f"{opening(result.group)}, {name} is **{result.first:%Y-%m-%d}**.", next_parses=_next(result, schema))
    text = (
        f"{opening(result.group)}, {name} goes from **{result.first:%Y-%m-%d}** to **{result.last:%Y-%m-%d}**; half of the "
        f"rows lie before {result.median:%Y-%m-%d}."
    )
    return Answer(text + _unknown(result.missing), next_parses=_next(result, schema))


# --- definitions ---------------------------------------------------------------------------------------------------------


def definition(result: Definition, schema: Schema) -> Answer:
    facts = result.facts
    if facts.mutable is None:
        return _target_definition(facts, schema)
    name = label_of(facts.column, schema)
    unit = f", in {escape(facts.unit)}" if facts.unit else ""
    known = facts.definition and "definition" not in facts.inferred
    text = f"**{name[:1].upper()}{name[1:]}** is {escape(facts.definition)}{unit}." if known else _undescribed(name, unit)
    text += f" {_observed(facts, schema)}"
    if not facts.mutable:
        text += " It is taken as something that a person cannot change."
    if facts.synonyms:
        text += f" Also called: {escape(', '.join(facts.synonyms))}."
    token = token_of(facts.column, schema)
    return Answer(text, next_parses=(f"statistic {token}", f"important {token}", f"distribution {token}"))


def _undescribed(name: str, unit: str) -> str:
    return f"Nobody described **{name}**, so I know only what its column holds{unit}."


def _target_definition(facts: ColumnFacts, schema: Schema) -> Answer:
    text = f"The outcome (column **{escape(facts.column)}**) is what the model predicts: {escape(schema.objective)}."
    if facts.values:
        text += f" It is one of {listed([f'**{escape(value)}**' for value in facts.values])}."
    else:
        text += f" {_observed(facts, schema)}"
    return Answer(text, next_parses=("statistic target", "distribution target", "model"))


def _observed(facts: ColumnFacts, schema: Schema) -> str:
    if facts.kind == "boolean":
        return "It is yes or no."
    if facts.values:
        return f"It is one of {listed([escape(value) for value in facts.values], most=12)}."
    if facts.low is None or facts.high is None:
        return ""
    scale = scale_of(facts.column, schema)
    low, high = (escape(v) if isinstance(v, str) else scale.text(v) for v in (facts.low, facts.high))
    return f"In the data it goes from {low} to {high}{scale.unit_text if not isinstance(facts.low, str) else ''}."


def data_description(result: DataDescription, schema: Schema) -> Answer:
    entity = escape(schema.entity)
    text = (
        f"The data set **{escape(result.title)}** holds **{result.rows:,} {entity}** with **{len(result.features)} features**; "
        f"the model predicts {escape(result.objective)}. The table has what each feature means and its values."
    )
    if result.class_counts:
        known = sum(result.class_counts.values())
        shares = {name: count / known for name, count in result.class_counts.items()}
        text += f" The true outcome is {shares_text(result.class_counts, shares)}."
    if result.labels is not None:
        scale = scale_of("", schema)
        low, high = scale.text(result.labels.min), scale.text(result.labels.max)
        text += f" The true {escape(schema.target.label)} goes from {low} to {high}{scale.unit_text}."
    if result.trained_on_same:
        text += " The model was trained on these same rows, so scores on them flatter it."
    else:
        text += f" The model was trained on {result.train_rows:,} other {entity}."
    if result.missing:
        text += f" {_missing_text(result, schema)}"
    text += "".join(f"\n\n*Note: {escape(note)}*" for note in result.notes)
    columns = ("feature", "meaning", "values")
    rows = tuple(_fact_row(facts, schema) for facts in result.features)
    follow = ("statistic target", "model", f"define {schema.features[0].token}")
    return Answer(text, (AnswerTable("Features", columns, rows),), None, follow)


def _missing_text(result: DataDescription, schema: Schema) -> str:
    worst = sorted(result.missing, key=lambda name: -result.missing[name])
    parts = [f"{label_of(name, schema)} ({percent(result.missing[name] / result.rows)})" for name in worst]
    return f"Values are missing in {listed(parts, most=5)}."


def _fact_row(facts: ColumnFacts, schema: Schema) -> tuple[str, str, str]:
    feature = schema.by_name[facts.column]
    if facts.kind == "boolean":
        values = "yes or no"
    elif facts.values:
        values = listed(list(facts.values), most=6)
    elif isinstance(facts.low, str) or isinstance(facts.high, str):
        values = f"{facts.low} to {facts.high}"
    else:
        scale = feature_scale(feature)
        values = f"{scale.text(facts.low)} to {scale.text(facts.high)} {facts.unit}".strip()
    return feature.label, facts.definition or feature.label, values


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    NumericStatistic: numeric_statistic,
    CategoryStatistic: category_statistic,
    DateStatistic: date_statistic,
    Definition: definition,
    DataDescription: data_description,
}
