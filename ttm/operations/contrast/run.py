"""How one row differs from all others, from those with its value of a feature, or from those predicted to be of a class."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from backend.errors import ExecutionError
from ttm.language.operations.groups import Contrast
from ttm.language.parse import surface
from ttm.operations.comparison.run import group_masks
from ttm.operations.exploration.run import numbers_of
from ttm.operations.predictions.run import row_id
from ttm.operations.results import Result
from ttm.operations.rows.context import Context, model_outputs
from ttm.operations.rows.selection import Mask
from ttm.tabular.data.schema import Feature, FeatureKind


@dataclass(frozen=True)
class ContrastedFeature:
    """A feature of the row beside the others: its `value`, and what is `typical`: their median, or most frequent value.

    `as_far` is the share of the others that lie at least as far from their median, or whose value is at most as frequent;
    the smaller, the more unusual the row. `below` is the share of them with a lower number, None for other kinds.
    """

    column: str
    value: Any
    typical: Any
    as_far: float
    below: float | None


@dataclass(frozen=True)
class Contrasted(Result):
    """One row (`id`) beside `others`, of whom there are `rows`; its features from the most unusual on.

    `output` is the model's for the row as in `Context.outputs`, `mean_output` the mean of the same over the others, `of_class`
    the class that these are probabilities of, None for a quantity.
    """

    id: Any
    others: str
    rows: int
    features: tuple[ContrastedFeature, ...]
    output: float
    mean_output: float
    of_class: str | None


def contrast(step: Contrast, context: Context) -> Contrasted:
    if not context.is_single:
        raise ExecutionError(
            f"One row is set beside the others, and this is about {len(context.rows):,}; name its id. Two groups are set "
            f"side by "
            'side with "versus".'
        )
    mask, words = _others(step, context)
    if not context.rows.is_made_up:
        mask[context.rows.positions[0]] = False
    if not mask.any():
        raise ExecutionError(f"There is nobody to set it beside: no other row is among {words}.")
    frame = context.subject.dataset.frame[mask]
    features = [_feature(feature, context, frame[feature.name]) for feature in context.schema.features]
    known = sorted((one for one in features if one is not None), key=lambda one: one.as_far)
    outputs, own, of_class = _outputs(context)
    return Contrasted(
        surface(step), context.group, row_id(context), words, int(mask.sum()), tuple(known), own, float(outputs[mask].mean()),
        of_class,
    )  # fmt: skip


def _outputs(context: Context) -> tuple[np.ndarray, float, str | None]:
    """What the model says of all rows and of this one: of several classes, for the one that it predicts here."""
    subject, target = context.subject, context.schema.target
    if not target.is_classification:
        return subject.predictions, float(context.outputs[0]), None
    if len(target.classes) == 2:
        return model_outputs(subject.probabilities), float(context.outputs[0]), target.classes[1]
    number = int(context.predictions[0])
    return subject.probabilities[:, number], float(context.probabilities[0, number]), target.classes[number]


def _others(step: Contrast, context: Context) -> tuple[Mask, str]:
    """The rows (n,) to set the row beside, and who they are in words."""
    frame, entity = context.subject.dataset.frame, context.schema.entity
    if step.class_number is not None:
        name = context.schema.target.classes[step.class_number]
        return context.subject.predictions == step.class_number, f'{entity} predicted to be "{name}"'
    if step.feature is None:
        return np.ones(len(frame), dtype=bool), f"all other {entity}"
    feature = context.schema.by_token[step.feature]
    column = frame[feature.name]
    own = context.rows.column(feature.name).iloc[0]
    if pd.isna(own):
        raise ExecutionError(f"This row has no value of {feature.label}, so there is no group with the same.")
    if feature.kind in (FeatureKind.NUMERIC, FeatureKind.DATE):
        number = float(numbers_of(context.rows.column(feature.name), feature)[0])
        bounds = [(g, g.low, g.high) for g in group_masks(column, feature) if g.low is not None and g.high is not None]
        nearest = min(bounds, key=lambda part: max(part[1] - number, number - part[2], 0.0))
        return nearest[0].mask.copy(), f"other {entity} with a similar {feature.label}"
    mask = (column == own).to_numpy(dtype=bool, na_value=False)
    return mask.copy(), f"other {entity} with the same {feature.label}"


def _feature(feature: Feature, context: Context, others: pd.Series) -> ContrastedFeature | None:
    """The row's value beside those of the others; None where either has none."""
    value, known = context.rows.column(feature.name).iloc[0], others.dropna()
    if pd.isna(value) or not len(known):
        return None
    if feature.kind in (FeatureKind.CATEGORICAL, FeatureKind.BOOLEAN):
        counts = known.value_counts()
        rarer = counts[counts <= counts.get(value, 0)].sum()
        return ContrastedFeature(feature.name, value, counts.index[0], float(rarer / len(known)), None)
    numbers = numbers_of(known, feature)
    own = float(numbers_of(context.rows.column(feature.name), feature)[0])
    middle = float(np.median(numbers))
    typical = pd.Timestamp.fromordinal(int(middle)) if feature.kind is FeatureKind.DATE else middle
    as_far = float((np.abs(numbers - middle) >= abs(own - middle)).mean())
    return ContrastedFeature(feature.name, value, typical, as_far, float((numbers < own).mean()))


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Contrast: contrast}
