"""The groups that a column, the true outcome or the predicted one makes of rows, with the names that a person reads."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.operations.breakdowns import PREDICTION, grouping_words
from ttm.operations.comparison.render import MISSING, group_name
from ttm.operations.comparison.run import GroupMask, group_masks
from ttm.operations.rendering.marks import of_group, within
from ttm.operations.rows.context import Context
from ttm.operations.rows.selection import Mask
from ttm.tabular.data.schema import Feature, FeatureKind

TARGET = "target"
MOST_GROUPS = 20


@dataclass(frozen=True)
class NamedGroup:
    """The rows (m,) of one group, its name in plain text (of a value in the data, that value), and filters that select it."""

    name: str
    mask: Mask
    filters: str = ""


def named_groups(token: str, context: Context) -> list[NamedGroup]:
    """The groups by a feature, "target" or "prediction", of which there must be two; of many the largest MOST_GROUPS."""
    groups = _by_outcome(token, context) if token in (TARGET, PREDICTION) else _by_feature(token, context)
    if len(groups) < 2:
        raise ExecutionError(
            f"There are no groups to tell apart: {grouping_words(token, context.schema)} is the same for {context.group.words}."
        )
    largest = sorted(range(len(groups)), key=lambda index: -int(groups[index].mask.sum()))[:MOST_GROUPS]
    return [groups[index] for index in sorted(largest)]


def group_context(group: NamedGroup, context: Context) -> Context:
    """What an operation sees of one group alone."""
    return replace(context, rows=replace(context.rows, positions=context.rows.positions[group.mask]))


def _by_feature(token: str, context: Context) -> list[NamedGroup]:
    feature = context.schema.by_token[token]
    masks = group_masks(context.rows.column(feature.name), feature)
    if feature.kind in (FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN):
        masks.sort(key=lambda group: _order(group, feature))
    return [
        NamedGroup(
            group_name(g.value, g.low, g.high, feature.name, context.schema), g.mask, of_group(feature, g.value, g.low, g.high)
        )
        for g in masks
    ]


def _order(group: GroupMask, feature: Feature) -> int:
    """The position of a value among those of its feature; rows without one come last."""
    return feature.values.index(group.value) if group.value in feature.values else len(feature.values)


def _by_outcome(token: str, context: Context) -> list[NamedGroup]:
    target, is_true = context.schema.target, token == TARGET
    values = context.predictions.astype(float)
    if is_true:
        labels, known = context.rows.labels, context.rows.labelled
        if labels is None or not known.any():
            raise ExecutionError(f"No true outcome is known for {context.group.words}; group by the prediction instead.")
        values = np.where(known, labels, np.nan).astype(float)
    if not target.is_classification:
        feature = Feature(target.name, TARGET, FeatureKind.NUMERIC)
        word = "labelfilter" if is_true else "predictionfilter"
        return [_quarter(group, target.precision, word) for group in group_masks(pd.Series(values), feature)]
    word = "labelfilter" if is_true else "" if context.threshold is not None else "predictionfilter"
    groups = [NamedGroup(name, values == number, word and f"{word} {number}") for number, name in enumerate(target.classes)]
    missing = np.isnan(values)
    kept = [group for group in groups if group.mask.any()]
    return kept + ([NamedGroup(MISSING, missing)] if missing.any() else [])


def _quarter(group: GroupMask, precision: int, word: str) -> NamedGroup:
    if group.low is None or group.high is None:
        return NamedGroup(MISSING, group.mask)
    low, high = (f"{end:,.{precision}f}" for end in (group.low, group.high))
    filters = within(word, group.low, group.high, with_high=True)
    return NamedGroup(low if low == high else f"{low} to {high}", group.mask, filters)
