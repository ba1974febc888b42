"""Why the model predicts what it does: reasons for one row, importance over a group, features that work together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backend.errors import ExecutionError
from ttm.explain.attribution import TECHNIQUES, Explanation, ExplanationCandidate, Importance
from ttm.explain.coding import Coding
from ttm.explain.interactions import FeaturePair, Surface
from ttm.language.parse import Explain, Important, Interact, Method, surface
from ttm.operations.counterfactuals.run import OPERATIONS as COUNTERFACTUALS
from ttm.operations.mistakes.run import OPERATIONS as MISTAKES
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.tabular.data.schema import Feature

CLEAR_SHARE = 0.25  # of the largest mean weight, below which no feature counts as highly important
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
    "fidelity", "stability" (a tie in fidelity) or "asked". `unknown` are features without a value, which weigh nothing.
    `moving` is given where every fidelity is 0: the features of which a small change alone would move the output, if any.
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


@dataclass(frozen=True)
class FeatureImportance:
    """One feature over a group. `rank` is its place, 1 the most important; `mean_rank` has a 95 % interval, low to high."""

    feature: str
    rank: int
    mean_rank: float
    low: float
    high: float
    mean_absolute: float
    mean_weight: float
    level: str


@dataclass(frozen=True)
class RankedFeatures(Result):
    """All features from most to least important, by `asked` ("features" is the most faithful technique for each row).

    `explained` rows of the group were looked at, spread evenly. `techniques` counts how often each was chosen; `fidelity` is
    the mean. `feature`, `count` and `least` are what was asked about.
    """

    asked: str
    features: tuple[FeatureImportance, ...]
    explained: int
    techniques: dict[str, int]
    fidelity: float
    feature: str | None = None
    count: int | None = None
    least: bool = False


@dataclass(frozen=True)
class ComparedRankings(Result):
    """The same group by the most faithful technique of each row, by LIME and by SHAP."""

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
        methods = (Method.FEATURES, Method.LIME, Method.SHAP)
        return ComparedRankings(
            surface(step), context.group, tuple(_ranked(surface(step), context, method) for method in methods)
        )
    return _ranked(surface(step), context, step.method)


def _reasons(step: Explain, context: Context) -> Reasons:
    frame = context.rows.frame
    found: Explanation = context.explainer.explain(frame, step.method)
    classes = context.schema.target.classes
    names = [feature.name for feature in context.schema.features]
    prediction = context.predictions[0]
    return Reasons(
        surface(step),
        context.group,
        asked=step.method.value,
        prediction=classes[int(prediction)] if classes else float(prediction),
        towards=None if found.class_number is None else classes[found.class_number],
        output=found.score,
        values={name: _plain(frame[name].iloc[0]) for name in names},
        chosen=_weighing(found.chosen, names),
        candidates=tuple(_weighing(candidate, names) for candidate in found.candidates),
        reason=found.reason,
        unknown=found.unknown,
        samples=found.samples,
        rows_evaluated=found.rows_evaluated,
        moving=found.moving,
    )


def _weighing(candidate: ExplanationCandidate, names: list[str]) -> Weighing:
    order = np.argsort(-np.abs(candidate.weights), kind="stable")
    weights = {names[place]: float(candidate.weights[place]) for place in order}
    return Weighing(candidate.label, weights, candidate.base, candidate.fidelity, candidate.stability)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


# --- importance ----------------------------------------------------------------------------------------------------------


def important(step: Important, context: Context) -> RankedFeatures:
    name = None if step.feature is None else context.schema.by_token[step.feature].name
    return _ranked(surface(step), context, Method.FEATURES, name, step.count, step.least)


def _ranked(
    operation: str, context: Context, method: Method, feature: str | None = None, count: int | None = None,
    least: bool = False,
) -> RankedFeatures:  # fmt: skip
    found: Importance = context.explainer.importance(context.rows.frame, method)
    features = tuple(
        FeatureImportance(
            found.features[place],
            rank,
            float(found.mean_rank[place]),
            float(found.low[place]),
            float(found.high[place]),
            float(found.mean_absolute[place]),
            float(found.mean_weight[place]),
            _level(found, int(place)),
        )
        for rank, place in enumerate(found.order, start=1)
    )
    techniques = {TECHNIQUES[key].label: number for key, number in found.methods.items()}
    return RankedFeatures(
        operation, context.group, method.value, features, found.rows, techniques, found.fidelity, feature, count, least
    )


def _level(found: Importance, place: int) -> str:
    """ "highly", "moderately" or "slightly" by the third of the ranks it falls in, unless its weight belies that."""
    largest = float(found.mean_absolute.max())
    share = float(found.mean_absolute[place]) / largest if largest else 0.0
    third = (len(found.features) - 1) / 3
    if found.mean_rank[place] <= 1 + third and share >= CLEAR_SHARE:
        return "highly"
    if found.mean_rank[place] > 1 + 2 * third or share < SMALL_SHARE:
        return "slightly"
    return "moderately"


# --- interactions --------------------------------------------------------------------------------------------------------


def interact(step: Interact, context: Context) -> WorkingTogether:
    names = None
    if step.features is not None:
        first, second = (context.schema.by_token[token] for token in step.features)
        _check_pair(first, second)
        names = (first.name, second.name)
    found = context.explainer.interactions(context.rows.frame, names)
    classes = context.schema.target.classes
    return WorkingTogether(
        surface(step), context.group, found.pairs, _surface(found.surface, context.explainer.coding),
        classes[found.column] if classes else None, names is not None, found.considered, found.rows,
    )  # fmt: skip


def _surface(found: Surface, coding: Coding) -> PairSurface:
    first, second = coding.names.index(found.first), coding.names.index(found.second)
    return PairSurface(
        found.first, found.second,
        tuple(coding.value(first, code) for code in found.first_values),
        tuple(coding.value(second, code) for code in found.second_values),
        tuple(map(tuple, found.outputs.tolist())),
    )  # fmt: skip


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
