"""Words, tables and figures for how columns go together."""

from collections.abc import Callable
from typing import Any

from backend.text.words import capitalised
from ttm.operations.columns.render import token_of
from ttm.operations.correlation.run import Association, Correlations
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    label_of,
    onward,
    opening,
    percent,
    quoted,
    scale_of,
    title_of,
    value_text,
)
from ttm.operations.rendering.figures import bars
from ttm.operations.rendering.marks import features_clickable
from ttm.tabular.data.schema import Schema

MAX_ASSOCIATIONS = 15
STRENGTHS = ((0.1, "hardly any"), (0.3, "a weak"), (0.5, "a moderate"), (0.7, "a strong"), (1.01, "a very strong"))
MEASURES = {"pearson": "Pearson's r", "correlation_ratio": "correlation ratio", "cramers_v": "Cramér's V"}


def correlations(result: Correlations, schema: Schema) -> Answer:
    if result.with_everything:
        return _with_everything(result, schema)
    return _one(result.associations[0], result, schema)


def _one(association: Association, result: Correlations, schema: Schema) -> Answer:
    names = f"{label_of(association.column, schema)} and {_other(association, schema)}"
    token, other = token_of(association.column, schema), token_of(association.other, schema)
    follow = onward(result.group, f"correlate {token}", f"distribution {other}")
    if association.strength is None:
        reason = "too few rows have both" if association.rows < 3 else "one of the two is the same for all of them"
        return Answer(f"{opening(result.group)}, a connection of {names} cannot be measured: {reason}.", next_parses=follow)
    text = (
        f"{opening(result.group)}, there is **{_strength(association)} connection** between {names} ({_numbers(association)})."
    )
    text += _direction(association, schema)
    if association.rows < result.group.rows:
        text += f" Both are known for {association.rows:,} rows."
    return Answer(text, next_parses=follow)


def _other(association: Association, schema: Schema) -> str:
    return label_of(association.other, schema)


def _strength(association: Association) -> str:
    return next(words for bound, words in STRENGTHS if (association.strength or 0.0) < bound)


def _numbers(association: Association) -> str:
    if association.pearson is None:
        return f"{MEASURES[association.measure]} {association.strength:.2f}"
    spearman = "" if association.spearman is None else f", Spearman's rank correlation {association.spearman:.2f}"
    return f"Pearson's r {association.pearson:.2f}{spearman}"


def _direction(association: Association, schema: Schema) -> str:
    if association.means and association.numeric:
        ends = sorted(association.means.items(), key=lambda item: item[1])
        low, high = ends[0], ends[-1]
        group = (
            _other(association, schema) if association.numeric == association.column else label_of(association.column, schema)
        )
        (value, text), numeric = _mean_words(association.numeric, schema), capitalised(label_of(association.numeric, schema))
        return (
            f" {numeric} is {value}{text(high[1])} where {group} is {quoted(high[0])}, "
            f"and {value}{text(low[1])} where it is {quoted(low[0])}."
        )
    if association.pearson is None or abs(association.pearson) < STRENGTHS[0][0]:
        return ""
    way = "higher" if association.pearson > 0 else "lower"
    return f" Where {label_of(association.column, schema)} is higher, {_other(association, schema)} tends to be {way}."


def _mean_words(column: str, schema: Schema) -> tuple[str, Callable[[float], str]]:
    """How the mean of a column is said: `36.2 on average`, or `"yes" for 36.2%` where it has two values."""
    feature = schema.by_name.get(column)
    values = schema.target.classes if feature is None else feature.values
    if len(values) != 2:
        return "", lambda mean: f"{scale_of(column, schema).fine(mean)} on average"
    second = values[1] if feature is None else value_text(values[1], feature)
    return f"{quoted(second)} for ", percent


def _with_everything(result: Correlations, schema: Schema) -> Answer:
    name, known = label_of(result.column, schema), [a for a in result.associations if a.strength is not None]
    follow = onward(
        result.group, f"effect {token_of(result.column, schema)}", f"distribution {token_of(result.column, schema)}"
    )
    if not known:
        return Answer(f"{opening(result.group)}, no connection of {name} with anything can be measured.")
    shown = known[:MAX_ASSOCIATIONS]
    best = [f"{_other(a, schema)} ({strength_text(a)})" for a in shown[:3]]
    text = f"{opening(result.group)}, {name} goes most closely with {', '.join(best)}."
    if len({a.measure for a in shown}) > 1:
        text += " Different kinds of columns take different measures, so small differences in the order mean little."
    rows = tuple((_plain_other(a, schema), strength_text(a), MEASURES[a.measure], f"{a.rows:,}") for a in shown)
    cut = f", the {len(shown)} strongest of {len(known)}" if len(shown) < len(known) else ""
    title = f"{schema.by_name[result.column].label} and the rest{cut}"
    figure = bars(
        [_plain_other(a, schema) for a in shown], {"strength": [a.strength for a in shown]}, title, "strength (0 to 1)"
    )
    features_clickable(figure, [a.other for a in shown], schema)
    return Answer(text, (AnswerTable("", ("with", "strength", "measure", "rows"), rows),), figure, follow)


def strength_text(association: Association) -> str:
    return f"{association.strength if association.pearson is None else association.pearson:.2f}"


def _plain_other(association: Association, schema: Schema) -> str:
    return title_of(association.other, schema)


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    Correlations: correlations,
}
