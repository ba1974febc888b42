"""A small tree grown on where a model errs, one condition after the other.

A tree asks whether a measure is above a value, or whether a category is a certain one. See `typical_mistakes.py` for what
becomes of its branches.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ttm.explain.coding import Coding, Matrix
from ttm.explain.mistakes.rule_conditions import (
    ErrorNode,
    Errors,
    Path,
    RuleCondition,
    RuleQuestion,
    evidence,
    smallest_rule,
)

DEPTH = 3
LEAVES = 7


@dataclass(frozen=True)
class ErrorTrees:
    """Grows trees on rows (n, d) with the answers (n, q) to `questions`; their errors (n,) are rates or quantities."""

    coding: Coding
    questions: Sequence[RuleQuestion]
    columns: Matrix
    is_rate: bool

    @classmethod
    def on(cls, coding: Coding, rows: Matrix, questions: Sequence[RuleQuestion], is_rate: bool) -> "ErrorTrees":
        return cls(coding, questions, np.column_stack([_answers(question, rows) for question in questions]), is_rate)

    def nodes(self, errors: Errors) -> list[ErrorNode]:
        """The nodes of the tree, parents first; none without errors to tell apart."""
        if errors.min() == errors.max():
            return []
        tree = self._grown(errors)
        reached = self._evidence(tree, errors)
        walked = _walk(tree, 0, (), self.questions, list(self.columns.T), self.coding)
        return [ErrorNode(path, float(reached[node])) for node, path in walked]

    def most_evidence(self, errors: Errors) -> float:
        """What the best node reaches, without its clauses."""
        return float(self._evidence(self._grown(errors), errors).max())

    def _evidence(self, tree: Any, errors: Errors) -> npt.NDArray[np.float64]:
        counts = tree.n_node_samples.astype(float)
        means = tree.value[:, 0, -1] if self.is_rate else tree.value[:, 0, 0]
        return evidence(means * counts, counts, errors, self.is_rate)

    @cached_property
    def _read(self) -> tuple[npt.NDArray[np.float32], bool]:
        """The columns as a tree reads them, and whether there are gaps in them."""
        return np.asarray(self.columns, dtype=np.float32, order="C"), bool(np.isnan(self.columns).any())

    def _grown(self, errors: Errors) -> Any:
        from sklearn import config_context
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        smallest = smallest_rule(len(self.columns))
        settings = {"max_depth": DEPTH, "max_leaf_nodes": LEAVES, "min_samples_leaf": smallest, "random_state": 0}
        learner = DecisionTreeClassifier(**settings) if self.is_rate else DecisionTreeRegressor(**settings)
        columns, gaps = self._read
        # A search grows a hundred trees on the same columns: to look through these and the settings takes longer than to grow.
        with config_context(skip_parameter_validation=True):
            return learner.fit(columns, errors.astype(int) if self.is_rate else errors, check_input=gaps).tree_


def _answers(question: RuleQuestion, rows: Matrix) -> npt.NDArray[np.float64]:
    column = rows[:, question.index]
    if question.value is None:
        return column
    return np.where(np.isnan(column), np.nan, column == question.value)


def _walk(
    tree: Any, node: int, path: Path, questions: Sequence[RuleQuestion], columns: list[Any], coding: Coding
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
