"""Where the model is wrong: examples, typical cases, how often. For a number that is predicted: how far off it is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ttm.explain.coding import Coding
from ttm.explain.mistakes.typical_mistakes import RuleCondition, Typical
from ttm.language.parse import Mistake
from ttm.operations.data.run import labelled
from ttm.operations.results import Result
from ttm.operations.rows.context import Context
from ttm.operations.scores.estimates import ScoreEstimate, share
from ttm.tabular.data.dataset import python_value

SAMPLE = 10


@dataclass(frozen=True)
class Mistaken:
    """One row: true and predicted class name with the latter's probability, or true and predicted value and None."""

    id: Any
    label: str | float
    prediction: str | float
    probability: float | None


@dataclass(frozen=True)
class Judged(Result):
    """Whether the model is right about one row; `residual` is prediction minus truth for regression, else None."""

    row: Mistaken
    correct: bool | None
    residual: float | None


@dataclass(frozen=True)
class MistakeSample(Result):
    """Examples of wrong predictions, those the model was surest of first; for regression those that are furthest off.

    `wrong` of `rows` rows with a known outcome are wrong; None for regression.
    """

    examples: tuple[Mistaken, ...]
    wrong: int | None
    rows: int


@dataclass(frozen=True)
class MistakeCount(Result):
    """How often the model is wrong: `wrong` of `rows` rows with a known outcome, `share` of them (0 to 1), as `estimate`.

    `by_truth` counts wrong rows and all rows by true class name. `elsewhere` is the share in the rows outside the group, None
    where there are none.
    """

    wrong: int
    rows: int
    share: float
    by_truth: dict[str, tuple[int, int]]
    elsewhere: float | None
    estimate: ScoreEstimate


@dataclass(frozen=True)
class ResidualSummary(Result):
    """How far off predicted numbers are over `rows` rows with a known outcome; `bias` is the mean of prediction minus truth."""

    rows: int
    mean_absolute: float
    median_absolute: float
    root_mean_square: float
    largest: float
    bias: float


@dataclass(frozen=True)
class Criterion:
    """One condition of a rule, in values as they stand in the data: above `low` and at most `high`, or is (not) `value`.

    A row without a value for the feature satisfies it only if `or_unknown`.
    """

    feature: str
    low: Any
    high: Any
    value: Any
    negated: bool
    or_unknown: bool


@dataclass(frozen=True)
class FoundRule:
    """`rows` rows that satisfy all criteria, of which `errors` are wrong (None for regression), with the error `here`.

    `error` (share that is wrong, or mean absolute residual), with a 95 % interval from `low` to `high`, is what to expect of
    other such rows, and `elsewhere` of rows that are not such: from rows that were not used to find the rule.
    """

    criteria: tuple[Criterion, ...]
    rows: int
    here: float
    error: float
    low: float
    high: float
    elsewhere: float
    errors: int | None


@dataclass(frozen=True)
class FoundBranch:
    """A node of a tree of where the errors lie: the place of its parent and its criterion, both None at the root."""

    parent: int | None
    criterion: Criterion | None
    rows: int
    error: float


@dataclass(frozen=True)
class TypicalMistakes(Result):
    """Rules for where the model is wrong more often than chance would have it, worst first; none for the stated `reason`.

    `error` is that of all `rows` rows with a known outcome, `errors` counts the wrong ones (None for regression). Where the
    model is wrong about all rows of the group, `rows` are all that are truly of one of its classes, `truths`, else empty.
    """

    rules: tuple[FoundRule, ...]
    rows: int
    error: float
    errors: int | None
    reason: str
    branches: tuple[FoundBranch, ...]
    truths: tuple[str, ...] = ()


def mistake(step: Mistake, context: Context) -> Result:
    labels = labelled(context)
    if context.is_single and step.kind != "typical":
        return _judged(f"mistake {step.kind}", context, labels)
    return KINDS[step.kind](context, labels)


def _judged(operation: str, context: Context, labels: npt.NDArray[Any]) -> Judged:
    row = _mistaken(context, labels, 0)
    classes = context.schema.target.classes
    residual = None if classes else float(context.predictions[0] - labels[0])
    correct = bool(context.predictions[0] == labels[0]) if classes else None
    return Judged(operation, context.group, row, correct, residual)


def _mistaken(context: Context, labels: npt.NDArray[Any], index: int) -> Mistaken:
    classes = context.schema.target.classes
    prediction, id = context.predictions[index], python_value(context.rows.frame.index[index])
    if not classes:
        return Mistaken(id, float(labels[index]), float(prediction), None)
    probability = float(context.probabilities[index, int(prediction)])
    return Mistaken(id, classes[int(labels[index])], classes[int(prediction)], probability)


def _sample(context: Context, labels: npt.NDArray[Any]) -> MistakeSample:
    known = np.flatnonzero(context.rows.labelled)
    if not context.schema.target.is_classification:
        worst = known[np.argsort(-np.abs(context.predictions[known] - labels[known]), kind="stable")]
        examples = tuple(_mistaken(context, labels, int(index)) for index in worst[:SAMPLE])
        return MistakeSample("mistake sample", context.group, examples, None, len(known))
    wrong = known[context.predictions[known] != labels[known]]
    surety = context.probabilities[wrong, context.predictions[wrong].astype(int)]
    surest = wrong[np.argsort(-surety, kind="stable")][:SAMPLE]
    examples = tuple(_mistaken(context, labels, int(index)) for index in surest)
    return MistakeSample("mistake sample", context.group, examples, len(wrong), len(known))


def _count(context: Context, labels: npt.NDArray[Any]) -> Result:
    known = context.rows.labelled
    if not context.schema.target.is_classification:
        return _residuals(context, labels)
    wrong = context.predictions[known] != labels[known]
    classes = context.schema.target.classes
    truth = labels[known]
    by_truth = {name: (int(wrong[truth == n].sum()), int((truth == n).sum())) for n, name in enumerate(classes)}
    return MistakeCount(
        "mistake count", context.group, int(wrong.sum()), len(wrong), float(wrong.mean()), by_truth, _elsewhere(context),
        share(int(wrong.sum()), len(wrong)),
    )  # fmt: skip


def _elsewhere(context: Context) -> float | None:
    """The error rate of the unchanged rows outside the group, under the same decision threshold."""
    outside = np.ones(len(context.subject.dataset.frame), dtype=bool)
    outside[context.rows.positions] = False
    labels = context.subject.dataset.labels
    if context.is_changed or labels is None:
        return None
    outside &= labels >= 0
    return float(_wrong(context, labels)[outside].mean()) if outside.any() else None


def _wrong(context: Context, labels: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Whether the prediction of each row of the data (n,), as it is, is another class than its label."""
    if context.threshold is None:
        return np.asarray(context.subject.predictions != labels)
    return np.asarray((context.subject.probabilities[:, 1] >= context.threshold) != labels)


def _residuals(context: Context, labels: npt.NDArray[Any]) -> ResidualSummary:
    known = context.rows.labelled
    residuals = context.predictions[known] - labels[known]
    absolute = np.abs(residuals)
    return ResidualSummary(
        "mistake count", context.group, len(residuals), float(absolute.mean()), float(np.median(absolute)),
        float(np.sqrt((residuals**2).mean())), float(absolute.max()), float(residuals.mean()),
    )  # fmt: skip


def _typical(context: Context, labels: npt.NDArray[Any]) -> TypicalMistakes:
    known = context.rows.labelled
    rows, truths = context.rows.frame[known], tuple[str, ...]()
    if context.schema.target.is_classification:
        errors = (context.predictions[known] != labels[known]).astype(float)
        if errors.size and errors.all() and not context.is_changed:
            rows, errors, truths = _truly_so(context, np.unique(labels[known]))
    else:
        errors = np.abs(context.predictions[known] - labels[known])
    typical: Typical = context.explainer.typical_mistakes(rows, errors)
    coding, rules = context.explainer.coding, rules_in_values(typical, context.explainer.coding)
    branches = tuple(
        FoundBranch(b.parent, None if b.clause is None else _criterion(b.clause, coding), b.rows, b.error)
        for b in typical.branches
    )
    return TypicalMistakes(
        "mistake typical", context.group, rules, typical.rows, typical.error, typical.errors, typical.reason, branches, truths
    )


def _truly_so(context: Context, classes: npt.NDArray[Any]) -> tuple[pd.DataFrame, npt.NDArray[np.float64], tuple[str, ...]]:
    """All rows (n, d) that are truly of some classes, 1 for each that the model is wrong about (n,), and the classes' names.

    Rows picked because the model is wrong about them tell by themselves nothing of where it is wrong.
    """
    labels = context.subject.dataset.labels
    assert labels is not None
    among = np.isin(labels, classes)
    names = tuple(context.schema.target.classes[int(number)] for number in classes)
    return context.subject.dataset.frame[among], _wrong(context, labels)[among].astype(float), names


def rules_in_values(typical: Typical, coding: Coding) -> tuple[FoundRule, ...]:
    """Write rules with the values that stand in the data in place of codes."""
    return tuple(
        FoundRule(
            tuple(_criterion(c, coding) for c in r.clauses), r.rows, r.here, r.error, r.low, r.high, r.elsewhere, r.errors
        )
        for r in typical.rules
    )


def _criterion(clause: RuleCondition, coding: Coding) -> Criterion:
    index = coding.names.index(clause.feature)
    low, high, value = (None if c is None else coding.value(index, c) for c in (clause.low, clause.high, clause.value))
    return Criterion(clause.feature, low, high, value, clause.negated, clause.or_unknown)


KINDS: dict[str, Callable[[Context, npt.NDArray[Any]], Result]] = {
    "sample": _sample,
    "count": _count,
    "typical": _typical,
}
OPERATIONS: dict[type, Callable[[Any, Context], Result]] = {Mistake: mistake}
