"""What would have to be different for another prediction: for one row, and most often over a group."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backend.errors import ExecutionError
from backend.text.words import listed
from ttm.explain.counterfactuals.goal import Wanted
from ttm.explain.counterfactuals.moves import ChangeLimits
from ttm.explain.counterfactuals.results import CounterfactualRow as FoundCounterfactual
from ttm.explain.counterfactuals.results import Flips
from ttm.language.operations.explanations import ChangeBound
from ttm.language.parse import Comparator, Counterfactual, surface
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.tabular.data.schema import Feature, FeatureKind

COUNTERFACTUALS = 3
MOST_COUNTERFACTUALS = 10


@dataclass(frozen=True)
class Alternatives(Result):
    """What would have to be different for one row, cheapest first.

    `prediction` is the present class name or value; `wanted` what was asked for: a class name, bounds of a value (None is
    open), or nothing; `limits` which changes are allowed. `already` tells that the row is predicted so. If fewer were found
    than asked, `reason` says why.
    """

    id: Any
    prediction: str | float
    outputs: dict[str, float]
    wanted: str | tuple[float | None, float | None] | None
    already: bool
    found: tuple[FoundCounterfactual, ...]
    reason: str
    limits: ChangeLimits


@dataclass(frozen=True)
class FlipsFrom:
    """`flips` for the rows that are now predicted as `prediction`; None for all rows together."""

    prediction: str | None
    flips: Flips


@dataclass(frozen=True)
class FlipSummary(Result):
    """What most often flips the prediction over a group, by present prediction."""

    wanted: str | tuple[float | None, float | None] | None
    parts: tuple[FlipsFrom, ...]


def counterfactual(step: Counterfactual, context: Context) -> Result:
    wanted, limits = _wanted(step, context), _limits(step, context)
    if not context.is_single:
        return FlipSummary(surface(step), context.group, _named(wanted, context), _flips(wanted, limits, context))
    count = min(step.count or COUNTERFACTUALS, MOST_COUNTERFACTUALS)
    method = "random" if step.dice else None
    answer = context.explainer.counterfactuals(context.rows.frame, count, wanted, context.threshold, method, limits)
    classes = context.schema.target.classes
    prediction = context.predictions[0]
    names = classes or (context.schema.target.name,)
    return Alternatives(
        surface(step),
        context.group,
        id=context.group.ids[0] if context.group.ids else None,
        prediction=classes[int(prediction)] if classes else float(prediction),
        outputs=dict(zip(names, answer.outputs.tolist(), strict=True)),
        wanted=_named(wanted, context),
        already=answer.already,
        found=answer.rows,
        reason=answer.reason,
        limits=limits,
    )


def _limits(step: Counterfactual, context: Context) -> ChangeLimits:
    """What may change. Raises ExecutionError where nothing is left that may."""
    features = context.schema.by_token
    fixed = [features[token].label for token in step.only if not features[token].mutable]
    if step.only and len(fixed) == len(step.only):
        raise ExecutionError(f"Nothing could change: {listed(fixed)} is marked as what a person cannot change.")
    both = [features[token].label for token in step.keep if token in step.only]
    if both:
        raise ExecutionError(f"{listed(both)} cannot both stay as it is and be what changes.")
    keep, only = (tuple(features[token].name for token in tokens) for tokens in (step.keep, step.only))
    return ChangeLimits(keep, only, step.most, tuple(_bounds(one, features[one.feature]) for one in step.within))


def _bounds(bound: ChangeBound, feature: Feature) -> tuple[str, float | None, float | None]:
    """The lowest and highest value that a bound leaves, in steps of the column's precision."""
    if feature.kind is not FeatureKind.NUMERIC:
        raise ExecutionError(f"Only a number can be kept above or below a value, and {feature.label} is none.")
    tick = 10.0**-feature.precision
    match bound.comparator:
        case Comparator.GREATER:
            return feature.name, bound.value + tick, None
        case Comparator.GREATER_EQUAL:
            return feature.name, bound.value, None
        case Comparator.LESS:
            return feature.name, None, bound.value - tick
        case Comparator.LESS_EQUAL:
            return feature.name, None, bound.value
    raise ExecutionError(f"Say above or below which value {feature.label} has to stay.")


def _wanted(step: Counterfactual, context: Context) -> Wanted:
    """What was asked for. Raises ExecutionError where it does not fit the model."""
    target = context.schema.target
    if step.class_number is not None:
        if not target.is_classification:
            raise ExecutionError("This model predicts a number, not classes; name a range, such as greater than 20.")
        if not 0 <= step.class_number < len(target.classes):
            raise ExecutionError(f"There is no class {step.class_number}; classes go from 0 to {len(target.classes) - 1}.")
        return Wanted(step.class_number)
    if step.comparator is None or step.value is None:
        return Wanted()
    if target.is_classification:
        raise ExecutionError("This model predicts classes, not a number; name the class that is wanted.")
    half = 0.5 * 10.0**-target.precision
    match step.comparator:
        case Comparator.GREATER:
            return Wanted(low=float(np.nextafter(step.value, np.inf)))
        case Comparator.GREATER_EQUAL:
            return Wanted(low=step.value)
        case Comparator.LESS:
            return Wanted(high=float(np.nextafter(step.value, -np.inf)))
        case Comparator.LESS_EQUAL:
            return Wanted(high=step.value)
        case Comparator.EQUAL:
            return Wanted(low=step.value - half, high=step.value + half)
    raise ExecutionError(
        "A wanted value must be above, below or equal to a number; anything but a number is too little to go by."
    )


def _named(wanted: Wanted, context: Context) -> str | tuple[float | None, float | None] | None:
    if wanted.class_number is not None:
        return context.schema.target.classes[wanted.class_number]
    return None if wanted.low is None and wanted.high is None else (wanted.low, wanted.high)


def _flips(wanted: Wanted, limits: ChangeLimits, context: Context) -> tuple[FlipsFrom, ...]:
    frame, classes = context.rows.frame, context.schema.target.classes
    if not classes:
        return (FlipsFrom(None, context.explainer.flips(frame, wanted, context.threshold, limits)),)
    parts = []
    for number, name in enumerate(classes):
        rows = frame[context.predictions == number]
        if len(rows) and number != wanted.class_number:
            parts.append(FlipsFrom(name, context.explainer.flips(rows, wanted, context.threshold, limits)))
    return tuple(sorted(parts, key=lambda part: -part.flips.total))


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Counterfactual: counterfactual}
