"""Words, tables and figures for figures by group."""

from collections.abc import Callable, Sequence
from typing import Any

from backend.text.words import listed
from ttm.language.describe_parse import METRIC_NAMES
from ttm.operations.breakdowns.run import CrossTable, MeansByGroup, ScoresByGroup
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    Scale,
    escape,
    label_of,
    onward,
    opening,
    percent,
    scale_of,
    title_of,
)
from ttm.operations.rendering.figures import bars
from ttm.operations.rendering.marks import both, rows_clickable
from ttm.operations.scores.estimates import FEW_ROWS, ScoreEstimate
from ttm.operations.scores.render import score_text
from ttm.operations.versus.render import difference_text
from ttm.tabular.data.schema import Schema

CLEAR = 0.05
PERCENT = 100


def p_text(p: float) -> str:
    """A p-value as a person reads it: "p < 0.001", "p = 0.03"."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.{2 if p >= 0.1 else 3}f}"


def verdict(p: float) -> str:
    """Whether a test finds a difference, with its p-value."""
    return f"{p_text(p)}: {'a difference beyond chance' if p < CLEAR else 'no clear difference'}"


def means_by_group(result: MeansByGroup, schema: Schema) -> Answer:
    scale, title = scale_of(result.column, schema), title_of(result.column, schema)
    known = [index for index, one in enumerate(result.summaries) if one.count]
    start = f"{opening(result.group)}, grouped by {escape(result.by)}"
    if not known:
        return Answer(f"{start}, no value of {label_of(result.column, schema)} is known.")
    high, low = (end(known, key=lambda index: result.summaries[index].mean) for end in (max, min))
    ends = [f"**{scale.fine(result.summaries[i].mean)}**{scale.unit_text} for {escape(result.names[i])}" for i in (high, low)]
    text = f"{start}: the mean {label_of(result.column, schema)} is highest, {ends[0]}, and lowest, {ends[1]}"
    if result.p is None:
        text += (
            ". Whether that is beyond chance cannot be tested: a group has fewer than two known values, or all are the same."
        )
    else:
        text += f" (all means the same, {verdict(result.p)})." + _few(min(result.summaries[i].count for i in known))
    text += _medians(result, known, scale)
    header = (result.by, "rows", f"mean {title}", "standard deviation", "median", "smallest", "largest")
    rows = tuple(
        (name, f"{s.count:,}", scale.fine(s.mean), scale.fine(s.std), *(scale.text(v) for v in (s.median, s.min, s.max)))
        for name, s in zip(result.names, result.summaries, strict=True)
    )
    series = {title: [s.mean if s.count else None for s in result.summaries]}
    figure = None if scale.is_date else bars(result.names, series, f"Mean {title} by {result.by}", title)
    if figure is not None:
        rows_clickable(figure, result.group, [result.filters])
    return Answer(text, (AnswerTable("", header, rows),), figure, onward(result.group, "significant"))


def _medians(result: MeansByGroup, known: Sequence[int], scale: Scale) -> str:
    """The highest and the lowest median, each with all the groups that have it."""
    groups: dict[str, list[str]] = {}
    for index in sorted(known, key=lambda index: result.summaries[index].median):
        groups.setdefault(scale.text(result.summaries[index].median), []).append(escape(result.names[index]))
    (low, last), *_ = groups.items()
    *_, (high, first) = groups.items()
    if len(groups) == 1:
        return f" The median is {low}{scale.unit_text} for each." if len(known) > 1 else ""
    ends = [f"{value}{scale.unit_text} for {listed(names)}" for value, names in ((high, first), (low, last))]
    return f" The median is highest, {ends[0]}, and lowest, {ends[1]}."


def _few(rows: int) -> str:
    return f" A group of fewer than {FEW_ROWS} rows says little." if rows < FEW_ROWS else ""


def score_value(metric: str, value: float | None, schema: Schema) -> str:
    """A score of either kind of target as a person reads it."""
    if schema.target.is_classification:
        return score_text(metric, value)
    if metric == "r2":
        return "undefined" if value is None else f"{value:.3f}"
    return Scale(schema.target.precision).fine(value)


def scores_by_group(result: ScoresByGroup, schema: Schema) -> Answer:
    name = METRIC_NAMES["roc" if result.metric == "roc_auc" else result.metric]
    values = [score_value(result.metric, one.value, schema) for one in result.estimates]
    start = f"{opening(result.group)}, grouped by {escape(result.by)}"
    if result.gap is None:
        known = [value for value, one in zip(values, result.estimates, strict=True) if one.value is not None]
        same = f"the same for all groups where it is known ({known[0]})" if len(known) > 1 else "not known for two groups"
        text = f"{start}, the model's {name} is {same}."
    else:
        ends = [f"{escape(result.names[i])} (**{values[i]}**)" for i in (result.gap.first, result.gap.second)]
        text = f"{start}: the model's {name} is highest for {ends[0]} and lowest for {ends[1]}{_gap(result, schema)}"
        text += _few(min(one.rows for one in result.estimates if one.value is not None))
    rows = tuple(
        (group, f"{one.rows:,}", value, _interval(result.metric, one, schema))
        for group, one, value in zip(result.names, result.estimates, values, strict=True)
    )
    is_share = schema.target.is_classification and result.metric != "roc_auc"
    figure = bars(result.names, {name: [one.value for one in result.estimates]}, f"{name} by {result.by}", "", percent=is_share)
    rows_clickable(figure, result.group, [result.filters])
    table = AnswerTable("", (result.by, "rows it rests on", name, "95% interval"), rows)
    return Answer(text, (table,), figure, onward(result.group, "significant", "mistake typical"))


def _gap(result: ScoresByGroup, schema: Schema) -> str:
    assert result.gap is not None
    corrected = f" corrected for {result.gap.tests} pairs" if result.gap.tests > 1 and result.gap.p is not None else ""
    if schema.target.is_classification and result.metric != "roc_auc":
        return difference_text(result.gap, "+.1f", PERCENT, " points", corrected)
    decimals = 3 if result.metric in ("roc_auc", "r2") else schema.target.precision + 1
    return difference_text(result.gap, f"+,.{decimals}f", corrected=corrected)


def _interval(metric: str, one: ScoreEstimate, schema: Schema) -> str:
    if one.low is None or one.high is None:
        return "unknown"
    return f"{score_value(metric, one.low, schema)} to {score_value(metric, one.high, schema)}"


def cross_table(result: CrossTable, schema: Schema) -> Answer:
    totals = [sum(row) for row in result.counts]
    if result.across is None:
        return _counts(result, totals)
    text = f"{opening(result.group)}, by {escape(result.by)} and {escape(result.across)}: {_largest_gap(result, totals)}"
    if result.p is None:
        text += " One of the two is the same for all of them, so there is no connection to test."
    else:
        text += f" The two are {'connected' if result.p < CLEAR else 'not clearly connected'} ({p_text(result.p)}, "
        text += f"Cramér's V {result.cramers_v:.2f})."
        text += " Some cells expect fewer than five rows, so the test says little." if result.sparse else ""
    header = (result.by, *result.columns, "rows")
    rows = tuple(
        (name, *(_cell(count, total) for count in row), f"{total:,}")
        for name, row, total in zip(result.names, result.counts, totals, strict=True)
    )
    sums = [sum(row[index] for row in result.counts) for index in range(len(result.columns))]
    rows = (*rows, ("all", *(_cell(count, sum(totals)) for count in sums), f"{sum(totals):,}"))
    series = {
        name: [_share(row[index], total) for row, total in zip(result.counts, totals, strict=True)]
        for index, name in enumerate(result.columns)
    }
    figure = bars(result.names, series, f"{result.across} by {result.by}", "", stacked=True, percent=True)
    rows_clickable(figure, result.group, [[both(one, other) for one in result.filters] for other in result.across_filters])
    table = AnswerTable("Rows, and their share in the line", header, rows)
    return Answer(text, (table,), figure, onward(result.group, "significant"))


def _counts(result: CrossTable, totals: list[int]) -> Answer:
    order = sorted(range(len(totals)), key=lambda index: -totals[index])
    parts = [f"**{totals[i]:,}** for {escape(result.names[i])} ({percent(_share(totals[i], sum(totals)))})" for i in order]
    shown = ", ".join(parts[:6]) + (f" and {len(parts) - 6} more groups" if len(parts) > 6 else "")
    text = f"{opening(result.group)}, the number of rows by {escape(result.by)} is {shown}."
    rows = tuple((n, f"{t:,}", percent(_share(t, sum(totals)))) for n, t in zip(result.names, totals, strict=True))
    figure = bars(result.names, {"rows": totals}, f"Rows by {result.by}", "rows")
    rows_clickable(figure, result.group, [result.filters])
    return Answer(text, (AnswerTable("", (result.by, "rows", "share"), rows),), figure, onward(result.group, "predict"))


def _share(count: int, total: int) -> float | None:
    return count / total if total else None


def _cell(count: int, total: int) -> str:
    return f"{count:,} ({percent(_share(count, total))})" if total else "0"


def _largest_gap(result: CrossTable, totals: list[int]) -> str:
    """The column whose share differs most between two groups, and these groups."""
    known = [index for index, total in enumerate(totals) if total]
    shares = {column: {row: result.counts[row][column] / totals[row] for row in known} for column in range(len(result.columns))}
    spread = {column: max(of.values()) - min(of.values()) for column, of in shares.items()}
    # Of two columns the shares mirror each other, and the second is the one that says yes.
    column = len(spread) - 1 if len(spread) == 2 else max(spread, key=spread.__getitem__)
    of = shares[column]
    high, low = max(of, key=of.__getitem__), min(of, key=of.__getitem__)
    name = f"{escape(result.columns[column])} ({escape(result.across)})"
    return (
        f"{name} is most frequent for {escape(result.names[high])} (**{percent(of[high])}**) and least for "
        f"{escape(result.names[low])} (**{percent(of[low])}**)."
    )


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {
    MeansByGroup: means_by_group,
    ScoresByGroup: scores_by_group,
    CrossTable: cross_table,
}
