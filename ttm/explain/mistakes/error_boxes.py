"""Every rule of one or two conditions at once, by counting: what a tree that grows by one condition at a time may miss.

A tree's first cut is the best alone, and where errors stand out only for two things together, it lies anywhere. Conditions are
on values at even shares of the rows, so that all pairs of them can be counted by one product of matrices.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ttm.explain.coding import Coding, Matrix
from ttm.explain.mistakes.rule_conditions import ErrorNode, Errors, RuleCondition, RuleQuestion, evidence, smallest_rule

MOST_CUTS = 12  # of a measure
FEWEST_CUTS = 3  # with fewer, pairs would be too coarse to be worth their time
PER_RULE = 40  # pairs that are looked at for each rule that is kept, since most of the best are on the same features
MOST_PRODUCTS = 25_000_000  # rows times pairs of conditions, of which the number of cuts follows


@dataclass(frozen=True)
class ErrorBoxes:
    """The `conditions` and which rows (n,) satisfy each, as a matrix (c, n) of 0 and 1."""

    conditions: list[RuleCondition]
    holds: npt.NDArray[np.float32]

    @classmethod
    def on(cls, coding: Coding, rows: Matrix, questions: Sequence[RuleQuestion]) -> "ErrorBoxes":
        """Conditions on encoded rows (n, d), as many as can be counted quickly; none where that would be too few."""
        measures = [question for question in questions if question.value is None]
        values = [question for question in questions if question.value is not None]
        most = (MOST_PRODUCTS / len(rows)) ** 0.5
        cuts = int(min(MOST_CUTS, (most - 2 * len(values)) / (2 * len(measures)))) if measures else MOST_CUTS
        if cuts < FEWEST_CUTS or 2 * len(values) > most:
            return cls([], np.zeros((0, len(rows)), dtype=np.float32))
        made = [one for question in measures for one in _bounds(coding, rows[:, question.index], question, cuts)]
        for question in values:
            column, name = rows[:, question.index], coding.names[question.index]
            made += [(RuleCondition(name, value=question.value), column == question.value),
                     (RuleCondition(name, value=question.value, negated=True),
                      ~np.isnan(column) & (column != question.value))]  # fmt: skip
        smallest = smallest_rule(len(rows))
        kept = [(clause, mask) for clause, mask in made if smallest <= mask.sum() <= len(rows) - smallest]
        holds = np.array([mask for _, mask in kept], dtype=np.float32).reshape(len(kept), len(rows))
        return cls([clause for clause, _ in kept], holds)

    @cached_property
    def pairs(self) -> tuple[npt.NDArray[np.int_], npt.NDArray[np.int_]]:
        """The two places among the conditions, or twice the same one, of each rule (p,) that selects enough rows."""
        first, second = np.nonzero(np.triu(self._together >= smallest_rule(self.holds.shape[1])))
        return first, second

    @cached_property
    def counts(self) -> npt.NDArray[np.float64]:
        """How many rows each of the `pairs` selects (p,)."""
        return np.asarray(self._together[self.pairs], dtype=float)

    @cached_property
    def _together(self) -> npt.NDArray[np.float32]:
        """How many rows satisfy two conditions at once (c, c)."""
        return np.asarray(self.holds @ self.holds.T)

    def evidence(self, errors: Errors, is_rate: bool) -> npt.NDArray[np.float64]:
        """The evidence (p,) that the rows of each of the `pairs` have higher errors (n,)."""
        sums = ((self.holds * errors.astype(np.float32)) @ self.holds.T)[self.pairs]
        return evidence(np.asarray(sums, dtype=float), self.counts, errors, is_rate)

    def most_evidence(self, errors: Errors, is_rate: bool) -> float:
        """What the best rule of one or two conditions reaches; 0 where there are none."""
        return float(self.evidence(errors, is_rate).max()) if self.conditions else 0.0

    def nodes(self, errors: Errors, is_rate: bool, most: int) -> list[ErrorNode]:
        """The best rule on each two features, or each one, at most so many."""
        if not self.conditions or errors.min() == errors.max():
            return []
        reached = self.evidence(errors, is_rate)
        some = np.argpartition(-reached, min(PER_RULE * most, len(reached) - 1))[: PER_RULE * most]
        best: dict[frozenset[str], ErrorNode] = {}
        for index in some[np.argsort(-reached[some], kind="stable")]:
            first, second = (self.conditions[places[index]] for places in self.pairs)
            path = (first,) if first == second else (first, second)
            best.setdefault(frozenset(clause.feature for clause in path), ErrorNode(path, float(reached[index])))
        return list(best.values())[:most]


def _bounds(
    coding: Coding, column: npt.NDArray[np.float64], question: RuleQuestion, cuts: int
) -> list[tuple[RuleCondition, npt.NDArray[np.bool_]]]:
    """Above and at most each of some values of a measure that occur in it."""
    name, known = coding.names[question.index], column[~np.isnan(column)]
    shares = np.arange(1, cuts + 1) / (cuts + 1)
    values = np.unique(np.quantile(known, shares, method="lower")) if len(known) else known
    return [
        pair
        for value in values.tolist()
        for pair in ((RuleCondition(name, low=value), column > value), (RuleCondition(name, high=value), column <= value))
    ]
