"""Words, a table and a figure for where the prediction tips."""

from collections.abc import Callable
from typing import Any

from ttm.operations.crossing.run import ClassChange, CrossingPoints
from ttm.operations.rendering.answer import Answer, AnswerTable, escape, onward, opening, percent, quoted, value_text
from ttm.operations.rendering.figures import lines
from ttm.tabular.data.schema import Feature, Schema


def crossing(result: CrossingPoints, schema: Schema) -> Answer:
    feature = schema.by_name[result.column]
    single = result.group.rows == 1
    text = _single_text(result, feature) if single else _group_text(result, feature)
    if result.sampled:
        text += f" This was computed on a random sample of {result.rows:,} of these {result.group.rows:,} rows."
    header = ("from", "to", "at" if single else "median", *(() if single else ("middle half", "times")))
    rows = tuple(_cells(change, feature, single) for change in result.changes)
    table = (AnswerTable("Where the prediction changes", header, rows),) if len(rows) > 1 else ()
    shown = dict(list(result.probability.items())[-1:]) if len(result.probability) == 2 else result.probability
    figure = lines(result.grid, shown, f"Predicted probability by {feature.label}", feature.label, "", percent=True)
    return Answer(text, table, figure, onward(result.group, f"effect {feature.token}", "explain cfe"))


def _range(result: CrossingPoints, feature: Feature) -> str:
    unit = f" {escape(feature.unit)}" if feature.unit else ""
    return f"{value_text(result.low, feature)} and {value_text(result.high, feature)}{unit}"


def _single_text(result: CrossingPoints, feature: Feature) -> str:
    label, start = escape(feature.label), opening(result.group)
    if not result.changes:
        steady = next(name for name, count in result.steady.items() if count)
        return (
            f"{start}, the prediction is **{quoted(steady)}** whatever {label} is between {_range(result, feature)}, all "
            "else as it is."
        )
    first = result.changes[0]
    parts = [f"{quoted(first.lower)} at first"]
    parts += [f"**{quoted(one.higher)}** from **{value_text(one.median, feature)}** on" for one in result.changes]
    own = "" if result.own is None else f" Here it is {value_text(result.own, feature)}."
    return (
        f"{start}, as {label} grows between {_range(result, feature)} and all else stays as it is, the prediction is "
        f"{', '.join(parts)}.{own}"
    )


def _group_text(result: CrossingPoints, feature: Feature) -> str:
    label, kept = escape(feature.label), sum(result.steady.values())
    steady = [f"{percent(count / result.rows)} are {quoted(name)}" for name, count in result.steady.items() if count]
    text = (
        f"{opening(result.group)}, the prediction changes with {label} alone in **{percent(1 - kept / result.rows)}** of "
        f"the rows, when it goes through all values between {_range(result, feature)}."
    )
    for change in result.changes[:2]:
        low, middle, high = (value_text(v, feature) for v in (change.lower_quartile, change.median, change.upper_quartile))
        text += (
            f" It turns from {quoted(change.lower)} to {quoted(change.higher)} at **{middle}** in the middle row; for half of "
            f"them between {low} and {high}."
        )
    return text + (f" Whatever it is, {' and '.join(steady)}." if steady else "")


def _cells(change: ClassChange, feature: Feature, single: bool) -> tuple[str, ...]:
    start = (change.lower, change.higher, value_text(change.median, feature))
    if single:
        return start
    half = f"{value_text(change.lower_quartile, feature)} to {value_text(change.upper_quartile, feature)}"
    return (*start, half, f"{change.count:,}")


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {CrossingPoints: crossing}
