"""What if each of some groups had a decision threshold of its own: the rates then and as they are predicted now.

Source: Hardt, Price and Srebro (2016), "Equality of opportunity in supervised learning", where predictions are derived from
scores by a threshold for each group.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from backend.errors import ExecutionError
from ttm.language.operations.fairness import ThresholdByGroup
from ttm.language.parse import surface
from ttm.operations.comparison.run import GroupMask
from ttm.operations.fairness.run import RateGap, TreatedGroup, rate_gaps, treated_group
from ttm.operations.results import Group, Result
from ttm.operations.rows.context import Context
from ttm.operations.rows.selection import check_threshold
from ttm.operations.scores.estimates import ScoreEstimate, binary_estimates, share
from ttm.operations.scores.metrics import Array, confusion_matrix


@dataclass(frozen=True)
class GroupAtThreshold:
    """One of the groups: its rates for predictions of the positive class from `threshold` on, and as predicted `now`."""

    group: Group
    threshold: float
    then: TreatedGroup
    now: TreatedGroup


@dataclass(frozen=True)
class ThresholdsByGroup(Result):
    """A threshold for each group. `gaps` are the widest gaps between groups then, `gaps_now` as they are predicted now.

    `together` and `together_now` are rates of all these rows, each under the threshold of its group; `turned` counts rows whose
    prediction the thresholds turn.
    """

    positive: str
    groups: tuple[GroupAtThreshold, ...]
    gaps: tuple[RateGap, ...]
    gaps_now: tuple[RateGap, ...]
    together: dict[str, ScoreEstimate]
    together_now: dict[str, ScoreEstimate]
    turned: int
    unlabelled: int


def check_thresholds(step: ThresholdByGroup, groups: int, context: Context) -> None:
    """Raises ExecutionError where the thresholds are no probabilities, or not as many as the groups side by side."""
    for value in step.values:
        check_threshold(value, context.schema)
    if groups != len(step.values):
        sides = "is one group" if groups == 1 else f"are {groups} groups"
        raise ExecutionError(
            f"{len(step.values)} thresholds need as many groups side by side, but there {sides}. Name a group for each, as in "
            '"a threshold of 0.3 for those under 30 and 0.6 for those over 30".'
        )


def thresholds_by_group(step: ThresholdByGroup, contexts: Sequence[Context]) -> ThresholdsByGroup:
    """The what-if over the contexts of the groups, whose own threshold is that of now."""
    check_thresholds(step, len(contexts), contexts[0])
    positions = np.concatenate([context.rows.positions for context in contexts])
    if len(np.unique(positions)) < len(positions):
        twice = len(positions) - len(np.unique(positions))
        raise ExecutionError(f"A row can have one threshold only, but {twice:,} of these rows are in several of the groups.")
    then = [replace(context, threshold=value) for context, value in zip(contexts, step.values, strict=True)]
    positive = len(contexts[0].schema.target.classes) - 1
    pairs = zip(contexts, then, step.values, strict=True)
    groups = tuple(
        GroupAtThreshold(now.group, value, _treated(own, positive), _treated(now, positive)) for now, own, value in pairs
    )
    words = " and ".join(context.group.words for context in contexts)
    whole = Group(words, len(positions), contexts[0].group.total)
    turned = sum(int((own.predictions != now.predictions).sum()) for own, now in zip(then, contexts, strict=True))
    return ThresholdsByGroup(
        surface(step), whole, contexts[0].schema.target.classes[positive], groups,
        rate_gaps(tuple(one.then for one in groups)), rate_gaps(tuple(one.now for one in groups)),
        _together(then, positive), _together(contexts, positive), turned,
        sum(int((~context.rows.labelled).sum()) for context in contexts),
    )  # fmt: skip


def _treated(context: Context, positive: int) -> TreatedGroup:
    return treated_group(GroupMask(np.ones(len(context.rows), dtype=bool)), positive, context)


def _together(contexts: Sequence[Context], positive: int) -> dict[str, ScoreEstimate]:
    matrix: Array = np.zeros((2, 2), dtype=int)
    for context in contexts:
        known, labels = context.rows.labelled, context.rows.labels
        if labels is not None:
            truth, predicted = labels[known] == positive, context.predictions[known] == positive
            matrix = matrix + confusion_matrix(truth.astype(int), predicted.astype(int), 2)
    selected = [context.predictions == positive for context in contexts]
    hits, rows = sum(int(one.sum()) for one in selected), sum(len(one) for one in selected)
    return binary_estimates(matrix) | {"selection": share(hits, rows)}


def _of_one_group(step: ThresholdByGroup, context: Context) -> Result:
    return thresholds_by_group(step, [context])


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {ThresholdByGroup: _of_one_group}
