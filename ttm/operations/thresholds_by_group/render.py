"""Words, a table and a figure for a decision threshold for each of some groups."""

from collections.abc import Callable
from typing import Any

from backend.text.words import listed
from ttm.operations.fairness.render import NAMES, rate_cell
from ttm.operations.fairness.run import RATES, RateGap
from ttm.operations.rendering.answer import Answer, AnswerTable, escape, number, percent, points, quoted, size_text
from ttm.operations.rendering.figures import bars
from ttm.operations.scores.estimates import FEW_ROWS
from ttm.operations.thresholds_by_group.run import GroupAtThreshold, ThresholdsByGroup
from ttm.operations.versus.render import difference_text
from ttm.tabular.data.schema import Schema

TOLD = ("selection", "recall", "fpr", "ppv")  # what a threshold moves; the base rate stays


def thresholds_by_group(result: ThresholdsByGroup, schema: Schema) -> Answer:
    names = [one.group.words for one in result.groups]
    asked = [f"{_from(one)} on for {escape(one.group.words)}{size_text(one.group)}" for one in result.groups]
    now = {gap.rate: gap for gap in result.gaps_now}
    text = "\n".join(
        [
            f"If {quoted(result.positive)} were predicted from {listed(asked)}, {result.turned:,} "
            f"{'prediction' if result.turned == 1 else 'predictions'} would turn.{_accuracy(result)}",
            "",
            *(f"- {_gap_text(gap, now.get(gap.rate), names, result)}" for gap in result.gaps if gap.rate in TOLD),
            "",
            " ".join(_remarks(result)),
        ]
    )
    header = ("", "threshold", "rows", *(NAMES[rate] for rate in RATES))
    rows = [row for one, name in zip(result.groups, names, strict=True) for row in _rows(one, name)]
    together = [(f"together, {when}", "", f"{result.group.rows:,}", *(rate_cell(rates[rate]) for rate in RATES))
                for when, rates in (("then", result.together), ("now", result.together_now))]  # fmt: skip
    table = AnswerTable("Rates with 95% intervals", header, (*rows, *together))
    return Answer(text, (table,), _figure(result, names), ("previousfilter and score fpr", "threshold"))


def _from(one: GroupAtThreshold) -> str:
    return f"a probability of **{number(one.threshold, 2)}**"


def _accuracy(result: ThresholdsByGroup) -> str:
    then, now = result.together["accuracy"].value, result.together_now["accuracy"].value
    if then is None or now is None:
        return ""
    return f" Accuracy over all of them would be **{percent(then)}** instead of {percent(now)}, {points(then - now)}."


def _gap_text(gap: RateGap, before: RateGap | None, names: list[str], result: ThresholdsByGroup) -> str:
    high, low = (result.groups[index].then.rates[gap.rate].value or 0.0 for index in (gap.highest, gap.lowest))
    text = (
        f"**{NAMES[gap.rate].capitalize()}**: {percent(high)} for {escape(names[gap.highest])} against {percent(low)} for "
        f"{escape(names[gap.lowest])}, {points(high - low)}{difference_text(gap.difference, '+.1f', 100, ' points')}"
    )
    if before is None:
        return text
    wide = 100 * abs(before.difference.value or 0.0)
    return f"{text} Now the gap is {wide:.1f} points, the higher rate that of {escape(names[before.highest])}."


def _remarks(result: ThresholdsByGroup) -> list[str]:
    remarks = []
    tests = max((gap.difference.tests for gap in result.gaps), default=1)
    if tests > 1:
        remarks.append(f"All p-values are corrected (Holm) for the {tests} comparisons made.")
    few = [escape(one.group.words) for one in result.groups if one.group.rows < FEW_ROWS]
    if few:
        remarks.append(f"Fewer than {FEW_ROWS} rows say little: {listed(few, 5)}.")
    if result.unlabelled:
        remarks.append(f"{result.unlabelled:,} rows without a known outcome count for the selection rate alone.")
    return [*remarks, "Thresholds by group treat people by their group."]


def _rows(one: GroupAtThreshold, name: str) -> list[tuple[str, ...]]:
    then = (name, number(one.threshold, 2), f"{one.group.rows:,}", *(rate_cell(one.then.rates[rate]) for rate in RATES))
    return [then, (f"{name}, now", "", f"{one.group.rows:,}", *(rate_cell(one.now.rates[rate]) for rate in RATES))]


def _figure(result: ThresholdsByGroup, names: list[str]) -> Any:
    labels = [f"{name}, {when}" for name in names for when in ("now", "then")]
    treated = [rates for one in result.groups for rates in (one.now.rates, one.then.rates)]
    series = {NAMES[rate]: [rates[rate].value for rates in treated] for rate in TOLD}
    known = {name: values for name, values in series.items() if any(value is not None for value in values)}
    return bars(labels, known, f'Rates of "{result.positive}" by threshold', "", percent=True)


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {ThresholdsByGroup: thresholds_by_group}
