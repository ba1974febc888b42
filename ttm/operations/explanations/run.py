"""Why the model predicts what it does: reasons for one row, importance over a group, features that work together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backend.errors import ExecutionError
from ttm.explain.attribution import Explanation, ExplanationCandidate, HiddenFeatures, Importance, Vector, technique_name
from ttm.explain.coding import Coding
from ttm.explain.interactions import FeaturePair, Surface
from ttm.language.parse import Explain, Important, Interact, Method, surface
from ttm.operations.counterfactuals.run import OPERATIONS as COUNTERFACTUALS
from ttm.operations.mistakes.run import OPERATIONS as MISTAKES
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.tabular.data.dataset import python_value
from ttm.tabular.data.schema import Feature

CLEAR_SHARE = 0.25  # of the largest mean weight, from which on a feature counts as highly important
SMALL_SHARE = 0.05


@dataclass(frozen=True)
class Weighing:
    """What one technique says of one row: weights by feature name, largest first, towards `Reasons.towards`."""

    technique: str
    weights: dict[str, float]
    base: float
    fidelity: float
    stability: float | None


@dataclass(frozen=True)
class Reasons(Result):
    """Why the model predicts what it does for one row.

    `prediction` is a class name or value. Weights are signed towards the class `towards`, of which `output` is the probability;
    for regression `towards` is None and `output` the prediction. `reason` says how `chosen` was chosen among the `candidates`:
    "fidelity", "tie" (nothing is clearly better than SHAP), "stability" (a tie, for `paper`) or "asked". `hidden` says what
    hiding its highest features does. `unknown` are features without a value, which weigh nothing. `moving` is given where
    every fidelity by equation 1 is 0: the features of which a small change alone would move the output, if any.
    """

    asked: str
    prediction: str | float
    towards: str | None
    output: float
    values: dict[str, Any]
    chosen: Weighing
    candidates: tuple[Weighing, ...]
    reason: str
    unknown: tuple[str, ...]
    samples: int
    rows_evaluated: int
    moving: tuple[str, ...] | None = None
    hidden: HiddenFeatures | None = None


@dataclass(frozen=True)
class FeatureImportance:
    """One feature over a group. `rank` is its place by `mean_absolute`, 1 the most important.

    `mean_absolute` (the mean absolute weight, in probability or in units of the target) has a 95 % interval from `absolute_low`
    to `absolute_high`, `mean_rank` one from `low` to `high`, `rank` one from `rank_low` to `rank_high`: where all rows were
    explained, `rank` itself. `shuffled` is the accuracy lost, or the mean absolute error added, when its values are shuffled
    among the rows; None where that is not known.
    """

    feature: str
    rank: int
    rank_low: int
    rank_high: int
    mean_rank: float
    low: float
    high: float
    mean_absolute: float
    absolute_low: float
    absolute_high: float
    mean_weight: float
    level: str
    shuffled: float | None


@dataclass(frozen=True)
class RankedFeatures(Result):
    """All features from most to least important: by SHAP, or by LIME where that was `asked`.

    `explained` rows of the group were looked at, spread evenly. `technique` names what weighed them; `is_scaled` where exact
    Shapley values of the log odds were scaled to the probability; `fidelity` is the mean where it was measured. `feature`,
    `count` and `least` are what was asked about.
    """

    asked: str
    features: tuple[FeatureImportance, ...]
    explained: int
    technique: str
    is_scaled: bool
    fidelity: float | None
    feature: str | None = None
    count: int | None = None
    least: bool = False

    @property
    def is_estimated(self) -> bool:
        """Whether not all rows of the group were explained."""
        return self.explained < self.group.rows


@dataclass(frozen=True)
class ComparedRankings(Result):
    """The same group by LIME and by SHAP."""

    rankings: tuple[RankedFeatures, ...]


@dataclass(frozen=True)
class PairSurface:
    """Mean model output (first values, second values) with two features set to each pair of values, as in the data."""

    first: str
    second: str
    first_values: tuple[Any, ...]
    second_values: tuple[Any, ...]
    outputs: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class WorkingTogether(Result):
    """Pairs of features from strongest interaction to weakest, and the surface of the strongest.

    `towards` is the class that the model's output is the probability of, None for regression.
    """

    pairs: tuple[FeaturePair, ...]
    surface: PairSurface
    towards: str | None
    asked: bool
    considered: tuple[str, ...]
    used: int


# --- reasons -------------------------------------------------------------------------------------------------------------


def explain(step: Explain, context: Context) -> Result:
    if context.is_single:
        return _reasons(step, context)
    if step.method is Method.COMPARE:
        methods = (Method.SHAP, Method.LIME)
        return ComparedRankings(
            surface(step), context.group, tuple(_ranked(surface(step), context, method) for method in methods)
        )
    return _ranked(surface(step), context, step.method)


def _reasons(step: Explain, context: Context) -> Reasons:
    frame = context.rows.frame
    explanation: Explanation = context.explainer.explain(frame, step.method)
    classes = context.schema.target.classes
    names = [feature.name for feature in context.schema.features]
    prediction = context.predictions[0]
    return Reasons(
        surface(step),
        context.group,
        asked=step.method.value,
        prediction=classes[int(prediction)] if classes else float(prediction),
        towards=None if explanation.class_number is None else classes[explanation.class_number],
        output=explanation.score,
        values={name: python_value(frame[name].iloc[0]) for name in names},
        chosen=_weighing(explanation.chosen, names),
        candidates=tuple(_weighing(candidate, names) for candidate in explanation.candidates),
        reason=explanation.reason,
        unknown=explanation.unknown,
        samples=explanation.samples,
        rows_evaluated=explanation.rows_evaluated,
        moving=explanation.moving,
        hidden=explanation.hidden,
    )


def _weighing(candidate: ExplanationCandidate, names: list[str]) -> Weighing:
    order = np.argsort(-np.abs(candidate.weights), kind="stable")
    weights = {names[index]: float(candidate.weights[index]) for index in order}
    return Weighing(candidate.label, weights, candidate.base, candidate.fidelity, candidate.stability)


# --- importance ----------------------------------------------------------------------------------------------------------


def important(step: Important, context: Context) -> RankedFeatures:
    name = None if step.feature is None else context.schema.by_token[step.feature].name
    return _ranked(surface(step), context, Method.FEATURES, name, step.count, step.least)


def _ranked(
    operation: str, context: Context, method: Method, feature: str | None = None, count: int | None = None,
    least: bool = False,
) -> RankedFeatures:  # fmt: skip
    importance: Importance = context.explainer.importance(context.rows.frame, method)
    lost = None if method is Method.LIME else _shuffled(context)
    features = tuple(
        FeatureImportance(
            importance.features[index],
            rank,
            min(rank, int(importance.first[index])),
            max(rank, int(importance.last[index])),
            float(importance.mean_rank[index]),
            float(importance.low[index]),
            float(importance.high[index]),
            float(importance.mean_absolute[index]),
            float(importance.absolute_low[index]),
            float(importance.absolute_high[index]),
            float(importance.mean_weight[index]),
            _level(importance, int(index)),
            None if lost is None else float(lost[index]),
        )
        for rank, index in enumerate(importance.order, start=1)
    )
    return RankedFeatures(
        operation, context.group, method.value, features, importance.rows, technique_name(importance.by), importance.is_scaled,
        importance.fidelity, feature, count, least,
    )  # fmt: skip


def _shuffled(context: Context) -> Vector | None:
    """What each feature's shuffling costs, on the rows with a known outcome as they are."""
    labels, known = context.rows.labels, context.rows.labelled
    if labels is None or context.is_changed or context.threshold is not None or not known.any():
        return None
    return context.explainer.permutation_importance(context.rows.frame[known], labels[known])


def _level(importance: Importance, index: int) -> str:
    """ "highly", "moderately" or "slightly" by its share of the largest mean absolute weight."""
    largest = float(importance.mean_absolute.max())
    share = float(importance.mean_absolute[index]) / largest if largest else 0.0
    if share >= CLEAR_SHARE:
        return "highly"
    return "slightly" if share < SMALL_SHARE else "moderately"


# --- interactions --------------------------------------------------------------------------------------------------------


def interact(step: Interact, context: Context) -> WorkingTogether:
    names = None
    if step.features is not None:
        first, second = (context.schema.by_token[token] for token in step.features)
        _check_pair(first, second)
        names = (first.name, second.name)
    pairs = context.explainer.interactions(context.rows.frame, names)
    classes = context.schema.target.classes
    return WorkingTogether(
        surface(step), context.group, pairs.pairs, _surface(pairs.surface, context.explainer.coding),
        classes[pairs.column] if classes else None, names is not None, pairs.considered, pairs.rows,
    )  # fmt: skip


def _surface(surface: Surface, coding: Coding) -> PairSurface:
    first, second = coding.names.index(surface.first), coding.names.index(surface.second)
    return PairSurface(
        surface.first,
        surface.second,
        tuple(coding.value(first, code) for code in surface.first_values),
        tuple(coding.value(second, code) for code in surface.second_values),
        tuple(map(tuple, surface.outputs.tolist())),
    )


def _check_pair(first: Feature, second: Feature) -> None:
    if first == second:
        raise ExecutionError(f"Name two different features; {first.label} cannot work together with itself.")


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = (
    COUNTERFACTUALS
    | MISTAKES
    | {
        Explain: explain,
        Important: important,
        Interact: interact,
    }
)
