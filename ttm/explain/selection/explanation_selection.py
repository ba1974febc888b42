"""Explanation selection: all techniques on one row, the fidelity of each, and which is believed (appendix A.4)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ttm.explain.attribution import LIME, SHAP, TECHNIQUES, ExplanationCandidate, HiddenFeatures, Vector, ranking
from ttm.explain.coding import Coding, Matrix
from ttm.explain.scoring import Effort, Scorer
from ttm.explain.selection.fidelity import Fidelity, Perturbation, SelectionSettings, jaccard, rankings
from ttm.explain.selection.hiding import HiddenCurves, Hiding
from ttm.explain.techniques.lime_models import LimeModels
from ttm.explain.techniques.shapley import Shapley
from ttm.language.parse import Method
from ttm.tabular.model.model import Model

NEIGHBOUR_CELLS = 2_000  # features times neighbours that show how stable an explanation is
SLOW_NEIGHBOURS = 3  # where Shapley values cost model evaluations
SPREAD_ROWS = 1_000
ASKED = {Method.LIME: LIME, Method.SHAP: SHAP}


@dataclass(frozen=True)
class Pool:
    """Every technique's candidate for one row, in order of preference, with the stability of those that tie."""

    score: float
    column: int
    candidates: tuple[ExplanationCandidate, ...]
    effort: Effort


@dataclass(frozen=True)
class HiddenPool:
    """The pool of one row, SHAP first, with what hiding the features of each candidate does."""

    pool: Pool
    curves: HiddenCurves

    def hidden(self, index: int) -> HiddenFeatures:
        """What to say of the candidate at a place."""
        moved, better = float(self.curves.of_together[index]), self.curves.better_than_first()
        return HiddenFeatures(self.curves.together, moved, self.curves.at_random, index != 0 and index == better)


class ExplanationSelection:
    """Applies all techniques to rows of one data set and model. Deterministic for a seed; safe to share between threads."""

    def __init__(self, model: Model, coding: Coding, settings: SelectionSettings, seed: int) -> None:
        scorer = Scorer(model, coding)
        self._model = model
        self._coding = coding
        self._settings = settings
        self.fidelity = Fidelity(scorer, settings, seed)
        self.hiding = Hiding(coding, seed)
        self.shapley = Shapley(scorer, seed, cuts_known=self.fidelity.splits is not None)
        self._neighbourhood = LimeModels(coding, seed, quick=self.fidelity.splits is not None)
        affordable = max(SLOW_NEIGHBOURS, NEIGHBOUR_CELLS // coding.width) if self.shapley.is_quick else SLOW_NEIGHBOURS
        neighbours = min(settings.neighbours, affordable)
        self._nearby = Perturbation(coding, settings, seed + 1, neighbours)
        self._unit = self._spread(scorer)

    def _spread(self, scorer: Scorer) -> float:
        """The unit of fidelity: 1 for probabilities, the standard deviation of predictions for quantities."""
        if scorer.is_classifier:
            return 1.0
        rows = self._coding.train[:: max(1, len(self._coding.train) // SPREAD_ROWS)]
        return float(scorer.scores(rows, 0).std()) or 1.0

    def pools(self, rows: Matrix, class_number: int | None = None) -> list[Pool]:
        """The pool of each encoded row (n, d), weights towards `class_number` or the class that Explanation names."""
        scorer = Scorer(self._model, self._coding)
        outputs = scorer.outputs(rows)
        columns = self._columns(outputs, class_number)
        scores = outputs[np.arange(len(rows)), columns]
        values, bases = self.shapley.values(rows, columns, scorer)
        share = Effort(scorer.effort.rows // len(rows), scorer.effort.seconds / len(rows))
        return [
            self._pool(rows[n], float(scores[n]), int(columns[n]), values[n], float(bases[n]), share) for n in range(len(rows))
        ]

    def shapley_values(self, rows: Matrix, together: bool) -> Matrix:
        """Shapley values (n, d) of encoded rows (n, d) for the class that Explanation names, if `together` by the fast way."""
        scorer = Scorer(self._model, self._coding)
        columns = self._columns(scorer.outputs(rows), None)
        return self.shapley.values_of_group(rows, columns) if together else self.shapley.values(rows, columns, scorer)[0]

    def by_hiding(self, row: Matrix, class_number: int | None = None) -> "HiddenPool":
        """Every technique's candidate for one encoded row (1, d), judged by hiding what it ranks highest."""
        scorer = Scorer(self._model, self._coding)
        outputs = scorer.outputs(row)
        columns = self._columns(outputs, class_number)
        column, score = int(columns[0]), float(outputs[0, columns[0]])
        values, bases = self.shapley.values(row, columns, scorer)
        explanations = {SHAP: (values[0], float(bases[0]))} | self._local(row[0], score, column, scorer)
        orders = [ranking(explanations[key][0]) for key in TECHNIQUES]
        curves = self.hiding.measure(row[0], score, column, orders, scorer)
        worth = curves.fidelity / self._unit
        candidates = [
            ExplanationCandidate(key, *explanations[key], float(value)) for key, value in zip(TECHNIQUES, worth, strict=True)
        ]
        return HiddenPool(Pool(score, column, tuple(candidates), scorer.effort), curves)

    def _columns(self, outputs: Matrix, class_number: int | None) -> npt.NDArray[np.int_]:
        if class_number is not None:
            return np.full(len(outputs), class_number)
        return outputs.argmax(axis=1) if outputs.shape[1] > 2 else np.full(len(outputs), outputs.shape[1] - 1)

    def _pool(self, row: Vector, score: float, column: int, values: Vector, base: float, spent: Effort) -> Pool:
        scorer = Scorer(self._model, self._coding, replace(spent))
        explanations = {SHAP: (values, base)} | self._local(row, score, column, scorer)
        orders = [ranking(explanations[key][0]) for key in TECHNIQUES]
        worth = self.fidelity.measure(row, score, column, orders, scorer)
        candidates = [
            ExplanationCandidate(key, explanations[key][0], explanations[key][1], value / self._unit)
            for key, value in zip(TECHNIQUES, worth, strict=True)
        ]
        tied = near_best(candidates, self._settings.delta)
        if len(tied) > 1:
            steady = self.stabilities(row, column, [candidates[index] for index in tied], scorer)
            for index, value in zip(tied, steady, strict=True):
                candidates[index] = replace(candidates[index], stability=value)
        return Pool(score, column, tuple(candidates), scorer.effort)

    def _local(self, row: Vector, score: float, column: int, scorer: Scorer) -> dict[str, tuple[Vector, float]]:
        keys = [key for key, technique in TECHNIQUES.items() if technique.width is not None]
        weights, intercepts = self._neighbourhood.weights(row[None, :], np.array([score]), column, _widths(keys), scorer)
        explanations = {key: (weights[0, index], float(intercepts[0, index])) for index, key in enumerate(keys)}
        return explanations | self._added(row, column, scorer)

    @staticmethod
    def _added(row: Vector, column: int, scorer: Scorer) -> dict[str, tuple[Vector, float]]:
        """What techniques say that were added before the start."""
        added = {key: technique.weigh for key, technique in TECHNIQUES.items() if technique.weigh is not None}
        explanations = {key: weigh(row, lambda rows: scorer.scores(rows, column)) for key, weigh in added.items()}
        return {key: (np.asarray(weights, dtype=float), float(base)) for key, (weights, base) in explanations.items()}

    def stabilities(self, row: Vector, column: int, candidates: list[ExplanationCandidate], scorer: Scorer) -> list[float]:
        """How alike the highest features of each candidate remain when the encoded row (d,) moves a little, 0 to 1."""
        rows = np.concatenate([row[None, :], self._nearby.neighbours(row)])
        weights_by_key: dict[str, Matrix] = {}
        keys = [c.technique for c in candidates if TECHNIQUES[c.technique].width is not None]
        if keys:
            scores = scorer.scores(rows, column)
            weights, _ = self._neighbourhood.weights(rows, scores, column, _widths(keys), scorer, rough=True)
            weights_by_key |= {key: weights[:, index] for index, key in enumerate(keys)}
        for key in {c.technique for c in candidates if TECHNIQUES[c.technique].weigh is not None}:
            weights_by_key[key] = np.array([self._added(near, column, scorer)[key][0] for near in rows])
        if any(c.technique == SHAP for c in candidates):
            weights_by_key[SHAP] = self.shapley.values(rows, np.full(len(rows), column), scorer)[0]
        orders = [rankings(weights_by_key[c.technique]) for c in candidates]
        return [jaccard(order[0], order[1:], self.fidelity.depth) for order in orders]


def _widths(keys: list[str]) -> list[float]:
    return [width for key in keys if (width := TECHNIQUES[key].width) is not None]


def near_best(candidates: list[ExplanationCandidate], delta: float) -> list[int]:
    """Places of the candidates that tie with the most faithful one.

    They are less than `delta` below it and not below the median, so that winning a tie never costs what choosing any method
    blindly would not.
    """
    worth = np.array([c.fidelity for c in candidates])
    return np.flatnonzero((worth > worth.max() - delta) & (worth >= np.median(worth))).tolist()


def choose(candidates: tuple[ExplanationCandidate, ...], settings: SelectionSettings) -> tuple[ExplanationCandidate, str]:
    """The most faithful candidate, or the most stable one of those that tie; and which of the two decided.

    Of candidates whose stability is so near the best that the neighbours cannot tell them apart, the preferred one is taken.
    """
    tied = [candidates[index] for index in near_best(list(candidates), settings.delta)]
    if len(tied) == 1:
        return tied[0], "fidelity"
    steadiest = max(candidate.stability or 0.0 for candidate in tied)
    return next(c for c in tied if (c.stability or 0.0) >= steadiest - settings.alike), "stability"


def as_arrays(pools: list[Pool]) -> dict[str, Any]:
    """Pools as arrays, for a cache: `weights` (n, techniques, d), the rest (n, techniques) or (n,)."""
    table = [[(c.base, c.fidelity, np.nan if c.stability is None else c.stability) for c in p.candidates] for p in pools]
    return {
        "weights": np.array([[candidate.weights for candidate in pool.candidates] for pool in pools]),
        "numbers": np.array(table),
        "pools": np.array([(pool.score, pool.column, pool.effort.rows, pool.effort.seconds) for pool in pools]),
    }


def from_arrays(kept: Mapping[str, Any]) -> list[Pool]:
    """What `as_arrays` was given."""
    pools = []
    for weights, numbers, (score, column, rows, seconds) in zip(kept["weights"], kept["numbers"], kept["pools"], strict=True):
        candidates = tuple(
            ExplanationCandidate(key, own, float(base), float(fidelity), None if np.isnan(stability) else float(stability))
            for key, own, (base, fidelity, stability) in zip(TECHNIQUES, weights, numbers, strict=True)
        )
        pools.append(Pool(float(score), int(column), candidates, Effort(int(rows), float(seconds))))
    return pools
