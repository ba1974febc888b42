"""What if each group had a decision threshold of its own, so that a rate is the same for all of them?

Source: Hardt, Price and Srebro (2016), "Equality of opportunity in supervised learning": thresholds by group that equalise a
rate, without the randomisation that makes it exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ttm.operations.comparison.run import GroupMask
from ttm.operations.rows.context import Context
from ttm.operations.scores.metrics import Array

CRITERIA = ("selection", "recall")
STEPS = np.round(np.arange(0.01, 1.0, 0.01), 2)  # thresholds that are tried


@dataclass(frozen=True)
class GroupThresholds:
    """A threshold for each group, None where it has no rows that count, with which its rate is nearest to `wanted`.

    `criterion` is the rate: selection (demographic parity) or recall (equal opportunity); `wanted` is that of all groups
    together as they are predicted now, `rates` what each group gets. `accuracy` is that of all labelled rows then, `before` as
    they are predicted now, both None without any.
    """

    criterion: str
    wanted: float
    thresholds: tuple[float | None, ...]
    rates: tuple[float | None, ...]
    accuracy: float | None
    before: float | None


def group_thresholds(groups: Sequence[GroupMask], positive: int, context: Context) -> tuple[GroupThresholds, ...]:
    """Thresholds by group for each of CRITERIA, for two classes."""
    if len(context.schema.target.classes) != 2:
        return ()
    scores = context.probabilities[:, positive]
    truth = np.full(len(scores), -1) if context.rows.labels is None else np.where(
        context.rows.labelled, (context.rows.labels == positive).astype(int), -1)  # fmt: skip
    selected = context.predictions == positive
    counted = {"selection": np.ones(len(scores), dtype=bool), "recall": truth == 1}
    each = (_equalised(name, [group.mask for group in groups], counted[name], scores, selected, truth) for name in CRITERIA)
    return tuple(one for one in each if one is not None)


def _equalised(
    criterion: str, masks: list[Array], counts: Array, scores: Array, selected: Array, truth: Array
) -> GroupThresholds | None:
    together = np.logical_or.reduce(masks)
    if not (counts & together).any():
        return None
    wanted = float(selected[counts & together].mean())
    thresholds, rates, then = list[float | None](), list[float | None](), selected.copy()
    for mask in masks:
        own = scores[mask & counts]
        if not len(own):
            thresholds.append(None)
            rates.append(None)
            continue
        shares = (own[:, None] >= STEPS).mean(axis=0)
        best = int(np.lexsort((np.abs(STEPS - 0.5), np.abs(shares - wanted)))[0])
        thresholds.append(float(STEPS[best]))
        rates.append(float(shares[best]))
        then[mask] = scores[mask] >= STEPS[best]
    known = together & (truth >= 0)
    right = [float((own[known] == truth[known]).mean()) if known.any() else None for own in (then, selected)]
    return GroupThresholds(criterion, wanted, tuple(thresholds), tuple(rates), right[0], right[1])
