"""Talking about the conversation and the system: what can be asked, what the model is, and more on the last answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from backend.errors import ExecutionError
from ttm.language.operations.dialogue import NameRows
from ttm.language.parse import (
    AboutSystem,
    Capabilities,
    Compare,
    Correlate,
    CountData,
    Counterfactual,
    DataSummary,
    Define,
    Distribution,
    Effect,
    Explain,
    Fairness,
    FollowUp,
    Important,
    Interact,
    Label,
    Likelihood,
    Mistake,
    ModelDescription,
    Operation,
    Predict,
    Ranked,
    Score,
    Show,
    Similar,
    Statistic,
    surface,
)
from ttm.operations.data.run import ShownRows, next_page
from ttm.operations.results import Result
from ttm.operations.rows.context import Context, Memory

MORE_COUNTERFACTUALS = 5
MORE_ROWS = 10


@dataclass(frozen=True)
class SystemCapabilities(Result):
    """What can be asked of this model and data set."""

    classification: bool
    labelled: bool


@dataclass(frozen=True)
class NamedRows(Result):
    """Rows that got a name."""

    name: str


@dataclass(frozen=True)
class SystemDescription(Result):
    """What answers here."""


@dataclass(frozen=True)
class ModelFacts(Result):
    """What the model is. `scores` are cross-validated means, known only for a model trained here; `baseline` likewise.

    `baseline` is the accuracy of always saying the most frequent class, or the mean absolute error of always saying the
    median.
    """

    name: str
    description: str
    objective: str
    classes: tuple[str, ...]
    features: int
    train_rows: int
    folds: int | None
    scores: Mapping[str, float] | None
    deviations: Mapping[str, float] | None
    baseline: float | None


@dataclass(frozen=True)
class NothingMore(Result):
    """There is nothing to add to the last answer; `first` when there was none."""

    first: bool


def capabilities(step: Capabilities, context: Context) -> SystemCapabilities:
    labels = context.subject.dataset.labels is not None
    return SystemCapabilities("function", context.group, context.schema.target.is_classification, labels)


def about(step: AboutSystem, context: Context) -> SystemDescription:
    return SystemDescription("self", context.group)


def describe_model(step: ModelDescription, context: Context) -> ModelFacts:
    model, dataset, schema = context.subject.model, context.subject.dataset, context.schema
    scores = model.scores
    return ModelFacts(
        "model", context.group, model.name, model.description, schema.objective, schema.target.classes,
        len(schema.features), len(dataset.train_frame), *((scores.folds, scores.means, scores.deviations, scores.baseline)
                                                          if scores else (None, None, None, None)),
    )  # fmt: skip


def follow_up(step: FollowUp, context: Context) -> Result:
    """The next rows of a list that was cut off; every other way to go on was found by `continuation`."""
    results = context.memory.results
    last = results[-1] if results else None
    if isinstance(last, ShownRows) and last.left:
        return next_page(last, context)
    return NothingMore("followup", context.group, first=not results)


# What says more about the answer to an operation. Operations that are not named here have nothing to add.
MORE: dict[type, Callable[[Any], Operation]] = {
    Predict: lambda last: Explain(),
    Likelihood: lambda last: Explain(),
    Explain: lambda last: Counterfactual(),
    Important: lambda last: Interact() if last == Important() else Important(),
    Effect: lambda last: Important(feature=last.feature),
    Mistake: lambda last: Mistake("sample" if last.kind == "typical" else "typical"),
    Score: lambda last: Mistake("typical"),
    Show: lambda last: Predict(),
    Label: lambda last: Predict(),
    CountData: lambda last: Show(),
    Statistic: lambda last: Distribution(last.feature),
    Distribution: lambda last: Statistic(last.feature) if last.feature != "probability" else Score("calibration"),
    Define: lambda last: Statistic(last.feature),
    Compare: lambda last: Effect(last.feature),
    Fairness: lambda last: Compare(last.feature),
    Ranked: lambda last: Ranked(last.count + MORE_ROWS, last.by, last.lowest),
    Similar: lambda last: Similar(last.count + MORE_ROWS),
    DataSummary: lambda last: Statistic("target"),
    ModelDescription: lambda last: Score(),
    AboutSystem: lambda last: Capabilities(),
}


def continuation(memory: Memory) -> Operation:
    """What "yes", "more" or "why?" asks for after a turn; FollowUp itself for the next page, or when nothing is left."""
    last = memory.results[-1] if memory.results else None
    operation = memory.operations[-1] if memory.operations else None
    if last is None or operation is None or (isinstance(last, ShownRows) and last.left):
        return FollowUp()
    if isinstance(operation, Counterfactual):
        return _more_counterfactuals(operation)
    if isinstance(operation, Correlate) and operation.other is not None:
        return Correlate(operation.feature)
    more = MORE.get(type(operation))
    return FollowUp() if more is None else more(operation)


def _more_counterfactuals(last: Counterfactual) -> Operation:
    if last.count is not None and last.count >= MORE_COUNTERFACTUALS:
        return FollowUp()
    return replace(last, count=MORE_COUNTERFACTUALS)


def name_rows(step: NameRows, context: Context) -> NamedRows:
    """Nothing is computed: the conversation keeps the name with what selects the rows."""
    if context.is_changed or context.rows.is_made_up:
        raise ExecutionError("A name is kept for rows as they are, not for a made-up case or changed values.")
    if len(context.rows) == len(context.subject.dataset.frame):
        raise ExecutionError(f"These are all {context.schema.entity}. Ask about some of them first, and then name these.")
    return NamedRows(surface(step), context.group, step.name)


OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {
    Capabilities: capabilities,
    AboutSystem: about,
    ModelDescription: describe_model,
    NameRows: name_rows,
    FollowUp: follow_up,
}
