"""How a classifier treats the groups that a feature makes: rates by group, and how far apart they are.

Sources: Hardt, Price and Srebro (2016), "Equality of opportunity in supervised learning" (equal opportunity, equalized
odds); Feldman et al. (2015), "Certifying and removing disparate impact" (the four-fifths rule); Chouldechova (2017), "Fair
prediction with disparate impact" (predictive parity, and that not all can hold at once).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backend.errors import ExecutionError
from ttm.language.parse import Fairness, surface
from ttm.operations.comparison.run import GroupMask, group_masks
from ttm.operations.fairness.thresholds import GroupThresholds, group_thresholds
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.operations.scores.estimates import ScoreEstimate, binary_estimates, share
from ttm.operations.scores.metrics import Array, confusion_matrix
from ttm.operations.versus.differences import Difference, all_differences, turned

# What is measured of each group: the share truly of the class, the share predicted to be of it (demographic parity), the true
# positive rate (equal opportunity; with the next, equalized odds), the false positive rate, the share of those predicted to
# be of the class that are (predictive parity), the share that is predicted rightly.
RATES = ("baserate", "selection", "recall", "fpr", "ppv", "accuracy")
FOUR_FIFTHS = 0.8
MOST_GROUPS = 10


@dataclass(frozen=True)
class TreatedGroup:
    """One group: `value` of a category, or `low` to `high` of a number; all None for rows without a value.

    `rates` has an estimate for each of RATES. `rows` are all rows; all rates but the selection rate rest on those with a
    known outcome.
    """

    value: Any
    low: float | None
    high: float | None
    rows: int
    rates: dict[str, ScoreEstimate]


@dataclass(frozen=True)
class RateGap:
    """How far apart the groups with the highest and the lowest of a rate are: places in `FairnessByGroup.groups`.

    `ratio` is the lowest divided by the highest, None where both are 0. `difference` is tested as one of all pairs of groups in
    all rates.
    """

    rate: str
    highest: int
    lowest: int
    ratio: float | None
    difference: Difference


@dataclass(frozen=True)
class FairnessByGroup(Result):
    """Rates by group for predictions of the class `positive`, and the widest gap in each rate that two groups have.

    `equalized_odds` is the wider of the gaps in the true and the false positive rate; `four_fifths` whether the lowest
    selection rate is at least 0.8 of the highest. Both are None where they are undefined. Of more than MOST_GROUPS groups the
    largest are taken, and `left_out` counts the others. `own_thresholds` are the what-if of a threshold for each group, for two
    classes.
    """

    column: str
    positive: str
    groups: tuple[TreatedGroup, ...]
    gaps: tuple[RateGap, ...]
    equalized_odds: float | None
    four_fifths: bool | None
    unlabelled: int
    left_out: int
    threshold: float | None
    changed: bool
    own_thresholds: tuple[GroupThresholds, ...] = ()


def fairness(step: Fairness, context: Context) -> FairnessByGroup:
    feature, positive = context.schema.by_token[step.feature], _positive(step, context)
    masks = group_masks(context.rows.column(feature.name), feature)
    if len(masks) < 2:
        raise ExecutionError(f"There are no groups to compare: {feature.label} is the same for {context.group.words}.")
    kept = sorted(sorted(range(len(masks)), key=lambda index: -int(masks[index].mask.sum()))[:MOST_GROUPS])
    groups = tuple(treated_group(masks[index], positive, context) for index in kept)
    gaps = rate_gaps(groups)
    known = {gap.rate: gap for gap in gaps}
    odds = [known[rate].difference.value or 0.0 for rate in ("recall", "fpr") if rate in known]
    ratio = known["selection"].ratio if "selection" in known else None
    return FairnessByGroup(
        surface(step), context.group, feature.name, context.schema.target.classes[positive], groups, gaps,
        max(odds) if len(odds) == 2 else None, None if ratio is None else ratio >= FOUR_FIFTHS,
        int((~context.rows.labelled).sum()), len(masks) - len(kept), context.threshold, context.is_changed,
        group_thresholds([masks[index] for index in kept], positive, context),
    )  # fmt: skip


def _positive(step: Fairness, context: Context) -> int:
    classes = context.schema.target.classes
    if not classes:
        raise ExecutionError(
            "This model predicts a number, so there are no rates of right and wrong predictions. Compare the groups by "
            f"{context.schema.by_token[step.feature].label} to see their mean predictions and errors."
        )
    if step.class_number is None and len(classes) > 2:
        names = ", ".join(f'"{name}"' for name in classes)
        raise ExecutionError(f"Fairness is about being predicted to be of one class. Name it: {names}.")
    return len(classes) - 1 if step.class_number is None else step.class_number


def treated_group(group: GroupMask, positive: int, context: Context) -> TreatedGroup:
    """The rates of one group as it is predicted under the threshold of its context."""
    selected, mask = context.predictions == positive, group.mask
    known, labels = mask & context.rows.labelled, context.rows.labels
    truth = np.zeros(0, dtype=int) if labels is None else (labels[known] == positive).astype(int)
    matrix: Array = confusion_matrix(truth, selected[known][: len(truth)].astype(int), 2)
    rates = binary_estimates(matrix) | {"selection": share(int(selected[mask].sum()), int(mask.sum()))}
    return TreatedGroup(group.value, group.low, group.high, int(mask.sum()), {name: rates[name] for name in RATES})


def rate_gaps(groups: tuple[TreatedGroup, ...]) -> tuple[RateGap, ...]:
    """The widest gap of each rate that is known for two groups or more, in the order of RATES."""
    differences = all_differences([[group.rates[rate] for group in groups] for rate in RATES])
    gaps = (_gap(rate, groups, pairs) for rate, pairs in zip(RATES, differences, strict=True))
    return tuple(gap for gap in gaps if gap is not None)


def _gap(rate: str, groups: tuple[TreatedGroup, ...], differences: list[Difference]) -> RateGap | None:
    values = {index: value for index, group in enumerate(groups) if (value := group.rates[rate].value) is not None}
    if len(values) < 2:
        return None
    highest = max(values, key=values.__getitem__)
    lowest = min((index for index in values if index != highest), key=values.__getitem__)
    pair = next(one for one in differences if {one.first, one.second} == {highest, lowest})
    ratio = values[lowest] / values[highest] if values[highest] else None
    return RateGap(rate, highest, lowest, ratio, pair if pair.first == highest else turned(pair))


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Fairness: fairness}
