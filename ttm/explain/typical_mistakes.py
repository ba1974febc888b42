"""Where a model is typically wrong: short rules that describe rows with many errors.

A small decision tree is grown on "wrong or not" (for quantities: on the absolute residual). Each branch with clearly more
errors than elsewhere becomes a rule, from which every condition is dropped that it can do without. Thresholds are values that
occur in the data, so a rule selects exactly the rows that it counts.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ttm.explain.coding import Coding, Matrix

DEPTH = 3
LEAVES = 7
FEWEST_ROWS = 30
FEWEST_ERRORS = 5
SMALLEST_RULE = 8
CLEARLY = 1.25  # times the error rate elsewhere
MOST_RULES = 4
OVERLAP = 0.5  # of the rows of either rule, from which on one of two says too little that is new
MOST_VALUES = 20  # of a category that the tree may single out
CHANCE = 0.05

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
class Rule:
    """Rows with many errors: `rows` of them, with `error` (rate 0 to 1, or mean absolute residual) and `elsewhere` in the rest.

    `errors` is the number of wrong rows, None for quantities.
    """

    clauses: tuple[RuleCondition, ...]
    rows: int
    error: float
    elsewhere: float
    errors: int | None


@dataclass(frozen=True)
class Branch:
    """A node of the tree: its own clause (None for the root), its place among the branches' parents, rows and error."""

    parent: int | None
    clause: RuleCondition | None
    rows: int
    error: float


@dataclass(frozen=True)
class Typical:
    """Rules from the highest error on; none where nothing sets the errors apart, for the stated `reason`.

    No rule describes mostly rows of another. `branches` is the tree that they were found with, parents first.
    """

    rules: tuple[Rule, ...]
    rows: int
    error: float
    errors: int | None
    branches: tuple[Branch, ...] = ()
    reason: str = ""


def typical(coding: Coding, rows: Matrix, errors: Errors, is_rate: bool) -> Typical:
    """Rules over encoded rows (m, d) with their errors (m,): 1 where wrong and 0 where right, or absolute residuals."""
    wrong = int(errors.sum()) if is_rate else None
    overall = float(errors.mean())
    if len(rows) < FEWEST_ROWS:
        return Typical((), len(rows), overall, wrong, (), f"{len(rows)} rows are too few to look for a pattern.")
    if wrong is not None and wrong < FEWEST_ERRORS:
        return Typical((), len(rows), overall, wrong, (), "There are too few mistakes to look for a pattern.")
    paths = _paths(coding, rows, errors, is_rate)
    found = [_shortened(coding, rows, errors, path, is_rate) for path in paths if path]
    rules = _distinct(coding, rows, [rule for rule in found if rule is not None], overall)
    reason = "" if rules else "Nothing in the features clearly sets the mistakes apart."
    branches = tuple(_branch(coding, rows, errors, paths, path) for path in paths)
    return Typical(tuple(rules), len(rows), overall, wrong, branches, reason)


def _branch(coding: Coding, rows: Matrix, errors: Errors, paths: list[Path], path: Path) -> Branch:
    inside = errors[mask_of(coding, rows, path)]
    parent = paths.index(path[:-1]) if path else None
    clause = _without_idle_words(coding, rows, path)[-1] if path else None
    return Branch(parent, clause, len(inside), float(inside.mean()) if len(inside) else 0.0)


def _distinct(coding: Coding, rows: Matrix, rules: list[Rule], overall: float) -> list[Rule]:
    """The rules that stand out most from the usual error for their size, without what mostly repeats them; worst first."""
    chosen: list[Rule] = []
    masks: list[Mask] = []
    for rule in sorted(rules, key=lambda rule: -(rule.rows**0.5) * (rule.error - overall)):
        mask = mask_of(coding, rows, rule.clauses)
        covered = np.logical_or.reduce([*masks, np.zeros(len(rows), dtype=bool)])
        repeats = (mask & covered).sum() > OVERLAP * mask.sum() or any((mask & m).sum() > OVERLAP * m.sum() for m in masks)
        if len(chosen) < MOST_RULES and not repeats:
            chosen.append(rule)
            masks.append(mask)
    return sorted(chosen, key=lambda rule: -rule.error)


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


# --- from tree to rules --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Question:
    """One column that the tree may split: a measure, or whether a feature has a certain value."""

    place: int
    value: float | None = None


def _paths(coding: Coding, rows: Matrix, errors: Errors, is_rate: bool) -> list[Path]:
    """The clauses that lead to each node of a tree grown on the errors, parents first."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    questions = _questions(coding, rows)
    columns = [_asked(question, rows) for question in questions]
    smallest = max(SMALLEST_RULE, len(rows) // 40)
    settings = {"max_depth": DEPTH, "max_leaf_nodes": LEAVES, "min_samples_leaf": smallest, "random_state": 0}
    learner = DecisionTreeClassifier(**settings) if is_rate else DecisionTreeRegressor(**settings)
    tree = learner.fit(np.column_stack(columns), errors.astype(int) if is_rate else errors).tree_
    return _walk(tree, 0, (), questions, columns, coding)


def _questions(coding: Coding, rows: Matrix) -> list[_Question]:
    questions: list[_Question] = []
    for place in range(coding.width):
        if not coding.discrete[place]:
            questions.append(_Question(place))
            continue
        known = rows[~np.isnan(rows[:, place]), place]
        values, counts = np.unique(known, return_counts=True)
        often = values[np.argsort(-counts, kind="stable")[:MOST_VALUES]]
        questions += [_Question(place, float(value)) for value in (often[-1:] if len(values) == 2 else often)]
    return questions


def _asked(question: _Question, rows: Matrix) -> npt.NDArray[np.float64]:
    column = rows[:, question.place]
    if question.value is None:
        return column
    return np.where(np.isnan(column), np.nan, column == question.value)


def _walk(tree: Any, node: int, path: Path, questions: list[_Question], columns: list[Any], coding: Coding) -> list[Path]:
    if tree.children_left[node] == -1:
        return [path]
    question, column = questions[tree.feature[node]], columns[tree.feature[node]]
    below = column[column <= tree.threshold[node]]
    bound = float(below.max()) if len(below) else float(tree.threshold[node])
    gaps = bool(np.isnan(column).any())
    goes_left = bool(tree.missing_go_to_left[node])
    left, right = _clauses(coding.names[question.place], question.value, bound, gaps and goes_left, gaps and not goes_left)
    return [
        path,
        *_walk(tree, tree.children_left[node], (*path, left), questions, columns, coding),
        *_walk(tree, tree.children_right[node], (*path, right), questions, columns, coding),
    ]


def _clauses(
    name: str, value: float | None, bound: float, left_unknown: bool, right_unknown: bool
) -> tuple[RuleCondition, RuleCondition]:
    """The two answers to a question of the tree."""
    if value is None:
        return RuleCondition(name, high=bound, or_unknown=left_unknown), RuleCondition(
            name, low=bound, or_unknown=right_unknown
        )
    left = RuleCondition(name, value=value, negated=True, or_unknown=left_unknown)
    return left, RuleCondition(name, value=value, or_unknown=right_unknown)


def _shortened(coding: Coding, rows: Matrix, errors: Errors, path: Path, is_rate: bool) -> Rule | None:
    """The rule without the conditions that do not raise its error; None if what is left is not clearly worse than the rest."""
    clauses = _merged(path)
    rule = _measured(coding, rows, errors, clauses, is_rate)
    for clause in clauses:
        rest = tuple(c for c in rule.clauses if c != clause)
        shorter = _measured(coding, rows, errors, rest, is_rate) if rest else rule
        if rest and shorter.error >= rule.error:
            rule = shorter
    rule = replace(rule, clauses=_without_idle_words(coding, rows, rule.clauses))
    return rule if _is_clear(coding, rows, errors, rule, is_rate) else None


def _without_idle_words(coding: Coding, rows: Matrix, clauses: Path) -> Path:
    """The clauses without "or unknown" where no row is selected by it."""
    mask = mask_of(coding, rows, clauses)
    for place, clause in enumerate(clauses):
        plain = (*clauses[:place], replace(clause, or_unknown=False), *clauses[place + 1 :])
        if np.array_equal(mask_of(coding, rows, plain), mask):
            clauses = plain
    return clauses


def _merged(clauses: Path) -> Path:
    """Bounds on the same measure as one clause."""
    merged: dict[Any, RuleCondition] = {}
    for clause in clauses:
        key = (clause.feature, clause.value, clause.negated)
        old = merged.get(key)
        if old is None:
            merged[key] = clause
            continue
        low = max((b for b in (old.low, clause.low) if b is not None), default=None)
        high = min((b for b in (old.high, clause.high) if b is not None), default=None)
        merged[key] = replace(old, low=low, high=high, or_unknown=old.or_unknown and clause.or_unknown)
    return tuple(merged.values())


def _measured(coding: Coding, rows: Matrix, errors: Errors, clauses: Path, is_rate: bool) -> Rule:
    mask = mask_of(coding, rows, clauses)
    inside, outside = errors[mask], errors[~mask]
    return Rule(
        clauses,
        int(mask.sum()),
        float(inside.mean()) if len(inside) else 0.0,
        float(outside.mean()) if len(outside) else float("nan"),
        int(inside.sum()) if is_rate else None,
    )


def _is_clear(coding: Coding, rows: Matrix, errors: Errors, rule: Rule, is_rate: bool) -> bool:
    if rule.rows < SMALLEST_RULE or rule.rows == len(rows) or rule.error < CLEARLY * rule.elsewhere:
        return False
    mask = mask_of(coding, rows, rule.clauses)
    return _chance(errors[mask], errors[~mask], is_rate) < CHANCE


def _chance(inside: Errors, outside: Errors, is_rate: bool) -> float:
    """How easily chance alone makes such a difference: Fisher's exact test, or Mann and Whitney's for residuals."""
    from scipy.stats import fisher_exact, mannwhitneyu

    if is_rate:
        table = [[int(part.sum()), len(part) - int(part.sum())] for part in (inside, outside)]
        return float(fisher_exact(table, alternative="greater").pvalue)
    return float(mannwhitneyu(inside, outside, alternative="greater").pvalue)
