"""What the model predicts for rows, and how likely it finds each class; before and after a change."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttm.language.operations.predictions import ClassLikelihood
from ttm.language.parse import Likelihood, Predict
from ttm.operations.column_summary import NumberSummary, class_counts, class_means, shares_of, summarise
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.tabular.subject import Subject

BINS = 20


@dataclass(frozen=True)
class PredictedClass(Result):
    """One row: the class predicted and the probabilities by class name; `before` holds the same without the changes."""

    id: Any
    prediction: str
    probabilities: dict[str, float]
    prediction_before: str | None
    probabilities_before: dict[str, float] | None


@dataclass(frozen=True)
class Flip:
    """`count` rows whose predicted class the changes turn from one into another."""

    before: str
    after: str
    count: int


@dataclass(frozen=True)
class PredictedClasses(Result):
    """Several rows: how many are predicted to be of each class, by name; the same and the flips without the changes."""

    counts: dict[str, int]
    shares: dict[str, float]
    counts_before: dict[str, int] | None
    shares_before: dict[str, float] | None
    flips: tuple[Flip, ...] | None
    flipped: int | None


@dataclass(frozen=True)
class PredictedValue(Result):
    """One row of a regression model. `asked_likelihood`: a probability was asked for, which such a model does not have;
    `usual_error`: by how much the model is then off on average, on rows that it had not seen where that is known."""

    id: Any
    prediction: float
    prediction_before: float | None
    asked_likelihood: bool = False
    usual_error: float | None = None


@dataclass(frozen=True)
class PredictedValues(Result):
    """Several rows of a regression model; `increased` and `decreased` count predictions that the changes move.

    `histogram` has the counts between consecutive `edges`.
    """

    summary: NumberSummary
    before: NumberSummary | None
    increased: int | None
    decreased: int | None
    edges: tuple[float, ...]
    histogram: tuple[int, ...]
    asked_likelihood: bool = False


@dataclass(frozen=True)
class ClassProbabilities(Result):
    """One row: predicted probabilities by class name; `before` without the changes."""

    id: Any
    probabilities: dict[str, float]
    before: dict[str, float] | None


@dataclass(frozen=True)
class MeanProbabilities(Result):
    """Several rows: the mean predicted probability by class name, and how that of class `shown` is distributed.

    `before` and `before_distribution` hold the same without the changes. `histogram` counts probabilities of `shown` in 20
    bins of equal width from 0 to 1, `histogram_before` without the changes.
    """

    mean: dict[str, float]
    shown: str
    distribution: NumberSummary
    histogram: tuple[int, ...]
    before: dict[str, float] | None
    before_distribution: NumberSummary | None
    histogram_before: tuple[int, ...] | None


@dataclass(frozen=True)
class AskedProbability(Result):
    """The predicted probability of the class that was asked for: of one row (`id`), or the mean over several.

    `others` has the other classes by name; `before` is the same without the changes. Of several rows `distribution` sums up
    the probabilities, `histogram` counts them in 20 bins from 0 to 1, and `predicted` is the share predicted to be of the
    class; of one row the first two are None and `predicted` is 0 or 1.
    """

    asked: str
    id: Any
    probability: float
    others: dict[str, float]
    before: float | None
    predicted: float
    distribution: NumberSummary | None
    histogram: tuple[int, ...]


def predict(step: Predict, context: Context) -> Result:
    if not context.schema.target.is_classification:
        return _values(context, "predict", asked_likelihood=False)
    if context.is_single:
        return _one_class(context)
    counts = class_counts(context.predictions, context.schema)
    if not context.is_changed:
        return PredictedClasses("predict", context.group, counts, shares_of(counts), None, None, None, None)
    before = class_counts(context.original_predictions, context.schema)
    flips = _flips(context.original_predictions, context.predictions, context.schema.target.classes)
    flipped = sum(flip.count for flip in flips)
    return PredictedClasses("predict", context.group, counts, shares_of(counts), before, shares_of(before), flips, flipped)


def _one_class(context: Context) -> PredictedClass:
    classes = context.schema.target.classes
    prediction, probabilities = classes[int(context.predictions[0])], _first(context)
    if not context.is_changed:
        return PredictedClass("predict", context.group, row_id(context), prediction, probabilities, None, None)
    before = classes[int(context.original_predictions[0])]
    return PredictedClass("predict", context.group, row_id(context), prediction, probabilities, before, _first(context.before))


def _first(context: Context) -> dict[str, float]:
    return class_means(context.probabilities[:1], context.schema)


def row_id(context: Context) -> Any:
    """The id of a single row; None for a made-up one."""
    return None if context.rows.is_made_up else context.group.ids[0]


def _flips(before: np.ndarray, after: np.ndarray, classes: tuple[str, ...]) -> tuple[Flip, ...]:
    """Flips in the order of the classes."""
    pairs, counts = np.unique(before * len(classes) + after, return_counts=True)
    ways = [(*divmod(pair, len(classes)), n) for pair, n in zip(pairs.tolist(), counts.tolist(), strict=True)]
    return tuple(Flip(classes[old], classes[new], n) for old, new, n in ways if old != new)


def _values(context: Context, operation: str, asked_likelihood: bool) -> Result:
    values, before = context.predictions, context.original_predictions if context.is_changed else None
    if context.is_single:
        earlier = None if before is None else float(before[0])
        off = _usual_error(context.subject) if asked_likelihood else None
        return PredictedValue(operation, context.group, row_id(context), float(values[0]), earlier, asked_likelihood, off)
    counts, edges = np.histogram(values, bins=BINS)
    up = None if before is None else int((values > before).sum())
    down = None if before is None else int((values < before).sum())
    return PredictedValues(
        operation, context.group, summarise(values), None if before is None else summarise(before), up, down,
        tuple(edges.tolist()), tuple(counts.tolist()), asked_likelihood,
    )  # fmt: skip


def _usual_error(subject: Subject) -> float | None:
    """The mean absolute error of a model of quantities: by cross-validation, else on the rows whose outcome is known."""
    if subject.model.scores is not None:
        return subject.model.scores.means["mean_absolute_error"]
    if subject.dataset.labels is None:
        return None
    errors = np.abs(subject.predictions - subject.dataset.labels)
    return float(np.nanmean(errors)) if np.isfinite(errors).any() else None


def likelihood(step: Likelihood, context: Context) -> Result:
    if not context.schema.target.is_classification:
        return _values(context, "likelihood", asked_likelihood=True)
    if context.is_single:
        before = _first(context.before) if context.is_changed else None
        return ClassProbabilities("likelihood", context.group, row_id(context), _first(context), before)
    shown = _shown_class(context)
    now, earlier = context.probabilities, context.original_probabilities if context.is_changed else None
    return MeanProbabilities(
        "likelihood",
        context.group,
        class_means(now, context.schema),
        context.schema.target.classes[shown],
        summarise(now[:, shown]),
        _histogram(now[:, shown]),
        None if earlier is None else class_means(earlier, context.schema),
        None if earlier is None else summarise(earlier[:, shown]),
        None if earlier is None else _histogram(earlier[:, shown]),
    )


def class_likelihood(step: ClassLikelihood, context: Context) -> AskedProbability:
    asked, number = context.schema.target.classes[step.class_number], step.class_number
    means = class_means(context.probabilities, context.schema)
    before = float(context.original_probabilities[:, number].mean()) if context.is_changed else None
    values = context.probabilities[:, number]
    return AskedProbability(
        f"likelihood class {number}", context.group, asked, row_id(context) if context.is_single else None, means.pop(asked),
        means, before, float((context.predictions == number).mean()), None if context.is_single else summarise(values),
        _histogram(values),
    )  # fmt: skip


def _shown_class(context: Context) -> int:
    """The positive one of two classes; of more, the one that is likeliest on average."""
    target = context.schema.target
    return target.positive if len(target.classes) == 2 else int(context.probabilities.mean(axis=0).argmax())


def _histogram(probabilities: np.ndarray) -> tuple[int, ...]:
    return tuple(np.histogram(probabilities, bins=BINS, range=(0, 1))[0].tolist())


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    Predict: predict,
    Likelihood: likelihood,
    ClassLikelihood: class_likelihood,
}
