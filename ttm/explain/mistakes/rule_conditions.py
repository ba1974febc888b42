"""The conditions that rules about a model's errors are made of, and which rows they select."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ttm.explain.coding import Coding, Matrix

SMALLEST_RULE = 8
MOST_VALUES = 20  # of a category that a rule may single out

Errors = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Path = tuple["RuleCondition", ...]


@dataclass(frozen=True)
class RuleCondition:
    """One condition of a rule on a feature, in codes: above `low` and at most `high` for a measure, else is or is not `value`.

    A row without a value for the feature satisfies a clause only if `or_unknown`.
    """

    feature: str
    low: float | None = None
    high: float | None = None
    value: float | None = None
    negated: bool = False
    or_unknown: bool = False


@dataclass(frozen=True)
class RuleQuestion:
    """One column that rules may be about: a measure, or whether a feature has a certain value."""

    index: int
    value: float | None = None


@dataclass(frozen=True)
class ErrorNode:
    """A rule as it was found: the clauses that lead to it, and the `evidence` that its error is above that of other rows."""

    path: Path
    evidence: float


def mask_of(coding: Coding, rows: Matrix, clauses: Path) -> Mask:
    """Which encoded rows (m, d) satisfy all clauses."""
    mask = np.ones(len(rows), dtype=bool)
    for clause in clauses:
        column = rows[:, coding.names.index(clause.feature)]
        known = ~np.isnan(column)
        holds = known.copy()
        if clause.value is not None:
            holds &= (column == clause.value) != clause.negated
        if clause.low is not None:
            holds &= column > clause.low
        if clause.high is not None:
            holds &= column <= clause.high
        mask &= holds | (~known & clause.or_unknown)
    return mask


def rule_questions(coding: Coding, rows: Matrix) -> list[RuleQuestion]:
    """What rules about encoded rows (m, d) may ask: each measure, and the most frequent values of each category."""
    questions: list[RuleQuestion] = []
    for index in range(coding.width):
        if not coding.discrete[index]:
            questions.append(RuleQuestion(index))
            continue
        known = rows[~np.isnan(rows[:, index]), index]
        values, counts = np.unique(known, return_counts=True)
        often = values[np.argsort(-counts, kind="stable")[:MOST_VALUES]]
        questions += [RuleQuestion(index, float(value)) for value in (often[-1:] if len(values) == 2 else often)]
    return questions


def smallest_rule(rows: int) -> int:
    """How many rows a rule must have at least, of so many that are searched."""
    return max(SMALLEST_RULE, rows // 40)


def evidence(
    sums: npt.NDArray[np.float64], counts: npt.NDArray[np.float64], errors: Errors, is_rate: bool
) -> npt.NDArray[np.float64]:
    """Twice the log of how much likelier errors (n,) are with a mean of their own inside of a rule and outside, than with one.

    `sums` and `counts` are of the errors inside, for any number of rules; 0 where these err less than others. Rates are
    binomial (Wilks' G), quantities normal.
    """
    rows, total = len(errors), float(errors.sum())
    inside = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
    outside = np.divide(total - sums, rows - counts, out=np.zeros_like(sums), where=counts < rows)
    if is_rate:
        own = _binomial(sums, counts) + _binomial(total - sums, rows - counts)
        ratio = 2 * (own - _binomial(np.array(total), np.array(float(rows))))
    else:
        spread = float(((errors - total / rows) ** 2).sum())
        between = counts * (inside - total / rows) ** 2 + (rows - counts) * (outside - total / rows) ** 2
        ratio = rows * np.log(spread / np.maximum(spread - between, 1e-9 * spread))
    return np.where((inside > outside) & (counts > 0) & (counts < rows), ratio, 0.0)


def _binomial(wrong: npt.NDArray[np.float64], rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The highest log-likelihood of so many wrong ones of some rows: all are whole numbers, of which each log is taken once."""
    most = int(rows.max(initial=0)) + 1
    numbers = np.arange(most)
    products = numbers * np.log(np.maximum(numbers, 1))
    parts = (np.rint(part).astype(np.intp) for part in (wrong, rows - wrong, rows))
    first, second, whole = (products[np.clip(part, 0, most - 1)] for part in parts)
    return np.asarray(first + second - whole)
