"""The search for rules about errors: on all rows, on shuffled errors and on parts of the rows, to know what chance makes.

Rules are the nodes of a small tree, and all of one or two conditions.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ttm.explain.coding import Coding, Matrix
from ttm.explain.importance import evenly
from ttm.explain.mistakes.error_boxes import ErrorBoxes
from ttm.explain.mistakes.error_trees import ErrorTrees
from ttm.explain.mistakes.rule_conditions import ErrorNode, Errors, Mask, Path, RuleQuestion, mask_of, rule_questions

FEWEST_ROWS = 30
CHANCE = 0.05
SHUFFLES = 99
# More folds let rules that look like those of all rows, which have seen the rows that are left out, pass for their equals.
FOLDS = 4
MOST_SEARCHED = 4_000  # rows, spread evenly
MOST_CELLS = 100_000  # rows times questions, likewise
MOST_BOXES = 60  # rules of two conditions that are looked at further


@dataclass(frozen=True)
class ErrorSearch:
    """Looks for rules on the rows (n, d) that are searched, with their errors (n,)."""

    coding: Coding
    rows: Matrix
    errors: Errors
    questions: list[RuleQuestion]
    is_rate: bool

    @classmethod
    def on(cls, coding: Coding, rows: Matrix, errors: Errors, is_rate: bool) -> "ErrorSearch":
        questions = rule_questions(coding, rows)
        most = int(np.clip(MOST_CELLS // len(questions), FEWEST_ROWS, MOST_SEARCHED))
        places = evenly(len(rows), most)
        return cls(coding, rows[places], errors[places], questions, is_rate)

    @cached_property
    def trees(self) -> ErrorTrees:
        return ErrorTrees.on(self.coding, self.rows, self.questions, self.is_rate)

    @cached_property
    def boxes(self) -> ErrorBoxes:
        return ErrorBoxes.on(self.coding, self.rows, self.questions)

    def of(self, places: npt.NDArray[np.int_]) -> "ErrorSearch":
        """The same search on some of the rows."""
        return ErrorSearch(self.coding, self.rows[places], self.errors[places], self.questions, self.is_rate)

    def tree(self) -> list[ErrorNode]:
        """The nodes of the tree, parents first; none without errors to tell apart."""
        return self.trees.nodes(self.errors)

    def rules(self) -> list[ErrorNode]:
        """All that may be a rule: the branches of the tree, and the best ones of one or two conditions."""
        return [*self._branches(), *self._boxes()]

    def rules_beyond_chance(self) -> list[ErrorNode]:
        """The rules with more evidence than the best ones of nearly all searches on shuffled errors.

        Trees try fewer rules, so less evidence sets theirs apart: what counts is how rarely chance gives the best of a kind as
        much, and how rarely any of the kinds comes so far (the smallest p-value of Westfall and Young, 1993).
        """
        if not self.tree():
            return []
        source, shuffled = np.random.default_rng(0), np.zeros((SHUFFLES, 2))
        for number in range(SHUFFLES):
            errors = source.permutation(self.errors)
            shuffled[number] = self.trees.most_evidence(errors), self.boxes.most_evidence(errors, self.is_rate)
        rarest = np.min([(kind >= kind[:, None]).sum(axis=1) for kind in shuffled.T], axis=0)  # of so many shuffles
        most = sorted(rarest)[int(CHANCE * (SHUFFLES + 1)) - 1]
        kinds = zip((self._branches(), self._boxes()), shuffled.T, strict=True)
        return [node for nodes, reached in kinds for node in nodes if 1 + (reached >= node.evidence).sum() <= most]

    def _branches(self) -> list[ErrorNode]:
        return [node for node in self.tree() if node.path]

    def _boxes(self) -> list[ErrorNode]:
        return self.boxes.nodes(self.errors, self.is_rate, MOST_BOXES)

    def of_like_rules(self, clauses: Path) -> tuple[Errors, Errors]:
        """The errors inside and outside of rules like this one, each found on other rows than these errors are of."""
        mine, inside, outside = mask_of(self.coding, self.rows, clauses), [], []
        for left, rules in self._folds:
            kept = np.setdiff1d(np.arange(len(self.rows)), left)
            like = _likest(mine[kept], [(path, mask[kept]) for path, mask in rules])
            chosen = mask_of(self.coding, self.rows[left], like) if like else np.zeros(len(left), dtype=bool)
            inside.append(self.errors[left][chosen])
            outside.append(self.errors[left][~chosen])
        return np.concatenate(inside), np.concatenate(outside)

    @cached_property
    def _folds(self) -> list[tuple[npt.NDArray[np.int_], list[tuple[Path, Mask]]]]:
        """Each part of the rows, with the rules that are found on the others and which of all rows (n,) they select."""
        fold = np.random.default_rng(0).permutation(len(self.rows)) % FOLDS
        folds = []
        for number in range(FOLDS):
            paths = [node.path for node in self.of(np.flatnonzero(fold != number)).rules()]
            masks = [(path, mask_of(self.coding, self.rows, path)) for path in paths]
            folds.append((np.flatnonzero(fold == number), masks))
        return folds


def _likest(mine: Mask, rules: list[tuple[Path, Mask]]) -> Path:
    """Of rules, the one that selects most nearly the same rows (n,) as `mine`."""
    shared = [float((mask & mine).sum() / max(1, (mask | mine).sum())) for _, mask in rules]
    return rules[int(np.argmax(shared))][0] if rules else ()
