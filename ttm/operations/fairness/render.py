"""Words, a table and a figure for how a classifier treats groups."""

from collections.abc import Callable
from typing import Any

from backend.text.words import listed
from ttm.language.describe_parse import METRIC_NAMES
from ttm.operations.columns.render import token_of
from ttm.operations.comparison.render import group_name
from ttm.operations.fairness.run import RATES, FairnessByGroup, RateGap
from ttm.operations.fairness.thresholds import GroupThresholds
from ttm.operations.rendering.answer import (
    Answer,
    AnswerTable,
    escape,
    label_of,
    onward,
    opening,
    percent,
    points,
    quoted,
)
from ttm.operations.rendering.figures import bars
from ttm.operations.rendering.marks import of_group, rows_clickable
from ttm.operations.scores.estimates import FEW_ROWS, ScoreEstimate
from ttm.operations.scores.render import interval_text
from ttm.operations.versus.render import difference_text
from ttm.tabular.data.schema import Schema

NAMES = METRIC_NAMES | {"recall": "true positive rate", "ppv": "positive predictive value"}
CRITERIA = {"selection": "demographic parity", "recall": "equal opportunity", "ppv": "predictive parity"}
LIMITS = (
    "No such measure shows why the groups differ or whether the recorded outcomes are themselves fair; and where base "
    "rates differ, no model but a perfect one can make all of them equal."
)


def fairness(result: FairnessByGroup, schema: Schema) -> Answer:
    names = [group_name(group.value, group.low, group.high, result.column, schema) for group in result.groups]
    token, label = token_of(result.column, schema), label_of(result.column, schema)
    text = "\n".join(
        [
            f"{opening(result.group)}, grouped by {label}, being predicted to be {quoted(result.positive)}:",
            "",
            *(f"- {_gap_text(gap, names, result)}" for gap in result.gaps),
            "",
            " ".join(_remarks(result, names)),
        ]
    )
    columns = (schema.by_name[result.column].label, "rows", *(NAMES[rate] for rate in RATES))
    rows = [
        (name, f"{g.rows:,}", *(rate_cell(g.rates[rate]) for rate in RATES))
        for name, g in zip(names, result.groups, strict=True)
    ]
    series = {NAMES[rate]: [group.rates[rate].value for group in result.groups] for rate in RATES}
    known = {name: values for name, values in series.items() if any(value is not None for value in values)}
    title = f'Rates of "{result.positive}" by {schema.by_name[result.column].label}'
    figure = bars(names, known, title, "", percent=True)
    filters = [of_group(schema.by_name[result.column], one.value, one.low, one.high) for one in result.groups]
    rows_clickable(figure, result.group, [filters] * len(figure.data))
    tables = [AnswerTable("Rates with 95% intervals", columns, tuple(rows))]
    if result.own_thresholds:
        text += (
            "\n\n" + " ".join(_own_thresholds_text(one) for one in result.own_thresholds) + " They treat people by their group."
        )
        tables.append(_own_thresholds(result, names, schema.by_name[result.column].label))
    return Answer(text, tuple(tables), figure, onward(result.group, f"compare {token}", "score fpr", "mistake typical"))


def _own_thresholds_text(one: GroupThresholds) -> str:
    """What a threshold for each group would cost: "What if the true positive rates were alike ..."."""
    text = f"What if thresholds by group made the {NAMES[one.criterion]}s alike ({percent(one.wanted)})?"
    if one.accuracy is None or one.before is None:
        return text + " They are in the table."
    return text + f" Accuracy would be **{percent(one.accuracy)}** instead of {percent(one.before)}."


def _own_thresholds(result: FairnessByGroup, names: list[str], label: str) -> AnswerTable:
    header = [f"threshold for the same {NAMES[one.criterion]}" for one in result.own_thresholds]
    cells = [[_at(one, index) for one in result.own_thresholds] for index in range(len(names))]
    rows = tuple((name, *own) for name, own in zip(names, cells, strict=True))
    return AnswerTable("What if each group had a threshold of its own", (label, *header), rows)


def _at(one: GroupThresholds, index: int) -> str:
    threshold = one.thresholds[index]
    return "" if threshold is None else f"{threshold:.2f} ({percent(one.rates[index])})"


def rate_cell(rate: ScoreEstimate) -> str:
    return "undefined" if rate.value is None else f"{percent(rate.value)} ({interval_text('', rate)})"


def _gap_text(gap: RateGap, names: list[str], result: FairnessByGroup) -> str:
    criterion = f" ({CRITERIA[gap.rate]})" if gap.rate in CRITERIA else ""
    high, low = (result.groups[index].rates[gap.rate].value or 0.0 for index in (gap.highest, gap.lowest))
    first, second = (escape(names[index]) for index in (gap.highest, gap.lowest))
    text = (
        f"**{NAMES[gap.rate].capitalize()}**{criterion}: {percent(high)} for {first} against {percent(low)} for {second}, "
        f"{points(high - low)}{difference_text(gap.difference, '+.1f', 100, ' points')}"
    )
    if gap.rate == "selection" and gap.ratio is not None:
        kept = "at least" if result.four_fifths else "below"
        text += f" The ratio is {gap.ratio:.2f}, {kept} the 0.8 of the four-fifths rule."
    return text


def _remarks(result: FairnessByGroup, names: list[str]) -> list[str]:
    remarks = []
    if result.equalized_odds is not None:
        wide = f"{100 * result.equalized_odds:.1f} points"
        remarks.append(f"Equalized odds, the wider gap of true and false positive rates, is missed by **{wide}**.")
    tests = max((gap.difference.tests for gap in result.gaps), default=1)
    if tests > 1:
        remarks.append(f"All p-values are corrected (Holm) for the {tests} comparisons made.")
    few = [escape(name) for name, group in zip(names, result.groups, strict=True) if group.rows < FEW_ROWS]
    if few:
        remarks.append(f"Fewer than {FEW_ROWS} rows say little: {listed(few, 5)}.")
    if result.left_out:
        remarks.append(f"The {result.left_out} smallest groups are left out.")
    if len(result.gaps) < len(RATES):
        missing = [NAMES[rate] for rate in RATES if rate not in {gap.rate for gap in result.gaps}]
        remarks.append(f"Not known for two groups: {listed(missing)}.")
    elif result.unlabelled:
        remarks.append(f"{result.unlabelled:,} rows without a known outcome count for the selection rate alone.")
    if result.changed:
        remarks.append("The predictions are for the changed rows; the true outcomes are those of the rows as they were.")
    return [*remarks, LIMITS]


RENDERERS: dict[type, Callable[[Any, Schema], Answer]] = {FairnessByGroup: fairness}
