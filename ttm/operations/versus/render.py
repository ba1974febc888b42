"""Several groups side by side: comparable numbers in one table, and one sentence that states the difference."""

import math
from collections.abc import Callable
from typing import Any

from backend.text.words import capitalised, listed
from ttm.operations.data.run import RowCount
from ttm.operations.explanations.run import RankedFeatures
from ttm.operations.exploration.render import distributed
from ttm.operations.exploration.run import NumberDistribution
from ttm.operations.predictions.run import PredictedClass
from ttm.operations.rendering.answer import Answer, AnswerTable, escape, points, quoted, size_text
from ttm.operations.rendering.figures import bars, boxes, plot_text
from ttm.operations.rendering.marks import groups_clickable, of_one_group
from ttm.operations.results import Empty, Group, Refused, Result
from ttm.operations.scores.estimates import FEW_ROWS
from ttm.operations.versus.differences import Difference, difference_of
from ttm.operations.versus.measures import COUNT, MEASURES, Measure, Measures
from ttm.tabular.data.schema import Schema, readable

LONGEST_NAME = 60


def side_by_side(
    results: tuple[Result, ...], shared: int, schema: Schema, render: Callable[[Result, Schema], Answer]
) -> Answer:
    """One answer for the same operation on several groups, which have `shared` rows in common; `render` makes that for one.

    Measures are matched by name, since groups may lack some (a class that does not occur); without one in common the answers
    stand one after another.
    """
    numbered = [(index, result) for index, result in enumerate(results) if not isinstance(result, Empty | Refused)]
    answerable = [result for _, result in numbered]
    failed = [f"{_name(r.group)}: {render(r, schema).text}" for r in results if isinstance(r, Empty | Refused)]
    common, picked = _in_common([_measured(result, schema) for result in answerable])
    if len(answerable) < 2 or not common:
        return _one_after_another(results, schema, render)
    table = _table(answerable, picked, common)
    ranked = isinstance(answerable[0], RankedFeatures) and len(common) > 1
    text = _most_important(answerable) if ranked else _difference(answerable, [column[0] for column in picked], shared)
    text += _estimated(answerable)
    predicted = [f"{quoted(r.prediction)} for {_name(r.group)}" for r in answerable if isinstance(r, PredictedClass)]
    if len(predicted) == len(answerable):
        text += f" Predicted: {', '.join(predicted)}."
    spread = isinstance(answerable[0], NumberDistribution)
    figure = _spread(answerable, schema) if spread else _figure(numbered, picked, common)
    return Answer("\n\n".join([text, *failed]), (table,), figure, render(answerable[0], schema).next_parses[:2])


def _in_common(columns: list[Measures]) -> tuple[list[str], list[Measures]]:
    """The names that the measures of all groups have, and of each group those measures, in the order of the first."""
    by_name = [{measure.plain: measure for measure in reversed(column)} for column in columns]
    common = [measure.plain for measure in columns[0] if all(measure.plain in one for one in by_name)] if columns else []
    return common, [[one[name] for name in common] for one in by_name]


def _measured(result: Result, schema: Schema) -> Measures:
    measures = MEASURES.get(type(result))
    return measures(result, schema) if measures else []


def _one_after_another(results: tuple[Result, ...], schema: Schema, render: Callable[[Result, Schema], Answer]) -> Answer:
    if len(reasons := {result.reason if isinstance(result, Refused) else "" for result in results}) == 1 and all(reasons):
        return render(results[0], schema)  # what no group can be asked is said once
    parts = [render(result, schema) for result in results]
    texts = [
        part.text if escape(r.group.words) in part.text else f"**{capitalised(_name(r.group))}**: {part.text}"
        for r, part in zip(results, parts, strict=True)
    ]
    tables = [
        AnswerTable(f"{_plain(r.group)}: {table.title}".removesuffix(": "), table.columns, table.rows)
        for r, part in zip(results, parts, strict=True)
        for table in part.tables
    ]
    figures = (_figure_of_one(part.figure, i, results[i].group) for i, part in enumerate(parts) if part.figure is not None)
    return Answer("\n\n".join(texts), tuple(tables), next(figures, None), parts[0].next_parses)


def _figure_of_one(figure: Any, index: int, group: Group) -> Any:
    """The figure of the first group that has one says whose it is."""
    title = ": ".join(filter(None, (figure.layout.title.text, plot_text(_plain(group), LONGEST_NAME))))
    return of_one_group(figure, index).update_layout(title_text=title)


def _plain(group: Group) -> str:
    what_if = f" if {group.changes}" if group.changes else ""
    return f"{group.words}{what_if}"


def _name(group: Group, sized: bool = True) -> str:
    what_if = f" if {escape(group.changes)}" if group.changes else ""
    return f"{escape(group.words)}{size_text(group) if sized else ''}{what_if}"


def _table(results: list[Result], columns: list[Measures], names: list[str]) -> AnswerTable:
    rows = [(name, *(column[index].text for column in columns)) for index, name in enumerate(names)]
    if not isinstance(results[0], RowCount):
        rows.append(("rows", *(f"{result.group.rows:,}" for result in results)))
    return AnswerTable("", ("", *(_plain(result.group) for result in results)), tuple(rows))


def _difference(results: list[Result], measures: Measures, shared: int) -> str:
    """The sentence about the measure that matters most."""
    name = measures[0].name if measures[0].name.startswith(("the ", "R²")) else f"the {measures[0].name}"
    known = [(m, r) for m, r in zip(measures, results, strict=True) if math.isfinite(m.value)]
    if len(known) < len(measures):
        parts = [f"{m.text} for {_name(r.group)}" for m, r in zip(measures, results, strict=True)]
        return f"{capitalised(name)} is {', '.join(parts)}."
    if len(known) == 2:
        (first, _), (second, _) = known
        sized = first.plain != COUNT
        values = [f"**{m.text}**{m.unit} for {_name(r.group, sized)}" for m, r in known]
        return f"{capitalised(name)} is {' against '.join(values)}: {_gap(first, second)}{_chance(measures, 0, 1, shared)}"
    ends = [end(range(len(known)), key=lambda index: known[index][0].value) for end in (max, min)]
    high, low = (known[index] for index in ends)
    return (
        f"{capitalised(name)} is highest for {_name(high[1].group)} (**{high[0].text}**{high[0].unit}) and lowest for "
        f"{_name(low[1].group)} (**{low[0].text}**{low[0].unit}): {_gap(high[0], low[0])}"
        f"{_chance(measures, ends[0], ends[1], shared)}"
    )


def _chance(measures: Measures, first: int, second: int, shared: int) -> str:
    """The end of the sentence: the interval of the difference, and whether it is more than chance would make."""
    estimates = [measure.estimate for measure in measures if measure.estimate is not None]
    if len(estimates) < len(measures) or first == second:
        return "."
    if shared:
        rows = "One row is" if shared == 1 else f"{shared:,} rows are"
        return f". {rows} in more than one of these groups, so whether that is beyond chance cannot be tested."
    difference = difference_of(estimates, first, second)
    if difference.low is None or difference.high is None:
        return ". There are too few rows to say whether that is beyond chance."
    few = f" A group of fewer than {FEW_ROWS} rows says little." if difference.few else ""
    corrected = f" corrected for {difference.tests} pairs" if difference.tests > 1 and difference.p is not None else ""
    if measures[first].is_share:
        return difference_text(difference, "+.1f", 100, " points", corrected) + few
    decimals = len(measures[first].text.partition(".")[2])
    return difference_text(difference, f"+,.{decimals}f", corrected=corrected) + few


def difference_text(difference: Difference, form: str, times: float = 1, unit: str = "", corrected: str = "") -> str:
    """The end of a sentence about a difference: " (95% interval -1.4 to +11.5 points, p = 0.12): no clear difference."."""
    if difference.low is None or difference.high is None:
        return "."
    p = ""
    if difference.p is not None:
        p = ", p < 0.001" if difference.p < 0.001 else f", p = {difference.p:.{2 if difference.p >= 0.1 else 3}f}"
    verdict = "a difference beyond chance" if difference.is_clear else "no clear difference"
    ends = " to ".join(format(times * end, form) for end in (difference.low, difference.high))
    return f" (95% interval {ends}{unit}{p}{corrected}): {verdict}."


def _gap(first: Measure, second: Measure) -> str:
    difference = first.value - second.value
    if difference == 0:
        return "no difference"
    if first.is_share:
        return points(difference)
    decimals = len(first.text.partition(".")[2])
    return f"{abs(difference):,.{decimals}f} {first.larger if difference > 0 else first.smaller}"


def _most_important(results: list[Result]) -> str:
    """The sentence in place of a difference where all features were asked about."""
    parts = []
    for result in results:
        assert isinstance(result, RankedFeatures)
        ordered = sorted(result.features, key=lambda one: one.rank, reverse=result.least)
        names = [f"**{escape(readable(one.feature))}**" for one in ordered[: result.count or 3]]
        parts.append(f"{listed(names)} for {_name(result.group)}")
    end = "Least" if any(isinstance(r, RankedFeatures) and r.least for r in results) else "Most"
    return f"{end} important: {'; '.join(parts)}. The table gives the rank of each feature, 1 being the most important."


def _estimated(results: list[Result]) -> str:
    """From how many rows the ranks of each group are estimated, where these are not all of it."""
    estimated = [one for one in results if isinstance(one, RankedFeatures) and one.is_estimated]
    if not estimated:
        return ""
    parts = [f"{one.explained:,} of the {one.group.rows:,} rows of {_name(one.group, sized=False)}" for one in estimated]
    return f" Ranks are estimated from {listed(parts)}; in brackets, their 95% intervals."


def _spread(results: list[Result], schema: Schema) -> Any:
    """A box for each group: groups of different sizes are counted in bins of different widths, so bars would not compare."""
    known = [one for one in results if isinstance(one, NumberDistribution) and one.summary.count]
    if not known:
        return None
    spreads = [
        (f"{_plain(one.group)} ({one.group.rows:,})", (s.min, s.lower_quartile, s.median, s.upper_quartile, s.max))
        for one in known for s in [one.summary]
    ]  # fmt: skip
    return boxes(spreads, distributed(known[0], schema)[1], percent=known[0].is_probability)


def _figure(results: list[tuple[int, Result]], columns: list[Measures], names: list[str]) -> Any:
    """Bars for shares; other numbers have scales too different to share an axis. Each bar can be asked about."""
    shares = [index for index in range(len(names)) if columns[0][index].is_share]
    if not shares or not math.isfinite(columns[0][shares[0]].value):
        return None
    groups = [_plain(result.group)[:LONGEST_NAME] for _, result in results]
    named = [name if groups.count(name) == 1 else f"{name} ({i})" for i, name in enumerate(groups, start=1)]
    series = {name: [column[index].value for index in shares] for name, column in zip(named, columns, strict=True)}
    title = names[shares[0]] if len(shares) == 1 else "The groups side by side"
    figure = bars([names[index] for index in shares], series, title, "", percent=True)
    marks = [[column[index].rows for index in shares] for column in columns]
    return groups_clickable(figure, [(index, result.group) for index, result in results], marks)
