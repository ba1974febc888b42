"""Small trees grown on where a model errs, on shuffled errors and on parts of the rows too, to know what chance makes.

A tree asks whether a measure is above a value, or whether a category is a certain one. See `typical_mistakes.py` for what
becomes of its branches.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ttm.explain.coding import Coding, Matrix
from ttm.explain.importance import evenly

DEPTH = 3
LEAVES = 7
FEWEST_ROWS = 30
SMALLEST_RULE = 8
MOST_VALUES = 20  # of a category that the tree may single out
CHANCE = 0.05
SHUFFLES = 99
# More folds let rules that look like the whole tree's, which has seen the rows that are left out, pass for its equals.
FOLDS = 4
MOST_SEARCHED = 4_000  # rows, spread evenly, that trees are grown on
MOST_CELLS = 100_000  # rows times questions, likewise

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


@dataclass(frozen=True)
class _Question:
    """One column that the tree may split: a measure, or whether a feature has a certain value."""

    index: int
    value: float | None = None


@dataclass(frozen=True)
class ErrorNode:
    """A node of a tree: the clauses that lead to it, and how far its error stands out, in standard errors."""

    path: Path
    strength: float


@dataclass(frozen=True)
class ErrorForest:
    """Grows trees on the rows (n, d) that are searched, with their errors (n,) and the answers (n, q) to `questions`."""

    coding: Coding
    rows: Matrix
    errors: Errors
    questions: list[_Question]
    columns: Matrix
    is_rate: bool

    @classmethod
    def on(cls, coding: Coding, rows: Matrix, errors: Errors, is_rate: bool) -> "ErrorForest":
        questions = _questions(coding, rows)
        most = int(np.clip(MOST_CELLS // len(questions), FEWEST_ROWS, MOST_SEARCHED))
        places = evenly(len(rows), most)
        columns = np.column_stack([_asked(question, rows[places]) for question in questions])
        return cls(coding, rows[places], errors[places], questions, columns, is_rate)

    def nodes(self, places: npt.NDArray[np.int_] | None = None) -> list[ErrorNode]:
        """The nodes of the tree grown on some of the rows, all by default, parents first; none without errors to tell apart."""
        errors, columns = (self.errors, self.columns) if places is None else (self.errors[places], self.columns[places])
        if errors.min() == errors.max():
            return []
        tree = self._grown(columns, errors)
        stand_out = strengths(tree, errors, self.is_rate)
        walked = _walk(tree, 0, (), self.questions, list(columns.T), self.coding)
        return [ErrorNode(path, float(stand_out[node])) for node, path in walked]

    def strongest_by_chance(self) -> float:
        """What the strongest node of a tree on shuffled errors reaches in at most CHANCE of the shuffles."""
        source, reached = np.random.default_rng(0), []
        for _ in range(SHUFFLES):
            errors = source.permutation(self.errors)
            reached.append(float(strengths(self._grown(self.columns, errors), errors, self.is_rate).max()))
        return sorted(reached)[SHUFFLES - int(CHANCE * (SHUFFLES + 1))]

    def of_like_rules(self, clauses: Path) -> tuple[Errors, Errors]:
        """The errors inside and outside of rules like this one, each found on other rows than these errors are of."""
        fold = np.random.default_rng(0).permutation(len(self.rows)) % FOLDS
        mine, inside, outside = mask_of(self.coding, self.rows, clauses), [], []
        for number in range(FOLDS):
            kept, left = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            like = self._likest(mine, kept)
            chosen = mask_of(self.coding, self.rows[left], like) if like else np.zeros(len(left), dtype=bool)
            inside.append(self.errors[left][chosen])
            outside.append(self.errors[left][~chosen])
        return np.concatenate(inside), np.concatenate(outside)

    def _likest(self, mine: Mask, kept: npt.NDArray[np.int_]) -> Path:
        """Of the rules found on the rows `kept`, the one that selects most nearly the same of them as `mine` (n,)."""
        best: Path = ()
        closest = -1.0
        for node in self.nodes(kept):
            mask = mask_of(self.coding, self.rows[kept], node.path)
            shared = float((mask & mine[kept]).sum() / max(1, (mask | mine[kept]).sum()))
            if node.path and shared > closest:
                best, closest = node.path, shared
        return best

    def _grown(self, columns: Matrix, errors: Errors) -> Any:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        smallest = max(SMALLEST_RULE, len(columns) // 40)
        settings = {"max_depth": DEPTH, "max_leaf_nodes": LEAVES, "min_samples_leaf": smallest, "random_state": 0}
        learner = DecisionTreeClassifier(**settings) if self.is_rate else DecisionTreeRegressor(**settings)
        return learner.fit(columns, errors.astype(int) if self.is_rate else errors).tree_


def strengths(tree: Any, errors: Errors, is_rate: bool) -> npt.NDArray[np.float64]:
    """How far the mean error of each node is above that of all rows, in standard errors; 0 for the root."""
    counts = tree.n_node_samples.astype(float)
    means = tree.value[:, 0, -1] if is_rate else tree.value[:, 0, 0]
    spread = errors.std() * np.sqrt(np.maximum(1 / counts - 1 / len(errors), 0))
    return np.where(spread > 0, (means - errors.mean()) / np.where(spread > 0, spread, 1), 0.0)


def _questions(coding: Coding, rows: Matrix) -> list[_Question]:
    questions: list[_Question] = []
    for index in range(coding.width):
        if not coding.discrete[index]:
            questions.append(_Question(index))
            continue
        known = rows[~np.isnan(rows[:, index]), index]
        values, counts = np.unique(known, return_counts=True)
        often = values[np.argsort(-counts, kind="stable")[:MOST_VALUES]]
        questions += [_Question(index, float(value)) for value in (often[-1:] if len(values) == 2 else often)]
    return questions


def _asked(question: _Question, rows: Matrix) -> npt.NDArray[np.float64]:
    column = rows[:, question.index]
    if question.value is None:
        return column
    return np.where(np.isnan(column), np.nan, column == question.value)


def _walk(
    tree: Any, node: int, path: Path, questions: list[_Question], columns: list[Any], coding: Coding
) -> list[tuple[int, Path]]:
    """The nodes from one on with the clauses that lead to them, parents first."""
    if tree.children_left[node] == -1:
        return [(node, path)]
    question, column = questions[tree.feature[node]], columns[tree.feature[node]]
    below = column[column <= tree.threshold[node]]
    bound = float(below.max()) if len(below) else float(tree.threshold[node])
    gaps = bool(np.isnan(column).any())
    goes_left = bool(tree.missing_go_to_left[node])
    left, right = _clauses(coding.names[question.index], question.value, bound, gaps and goes_left, gaps and not goes_left)
    return [
        (node, path),
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
