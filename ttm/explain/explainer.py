"""The seam through which everything about explanations goes: one explainer for a subject, with what it already knows.

Rows come as frames with the model's columns, changed or not. What was computed for a row is kept under its content, so a
changed row never meets the answers of the unchanged one.
"""

import threading
from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from backend.errors import ExecutionError
from backend.storage.cache import Cache
from backend.storage.content_key import content_key
from ttm.explain.attribution import (
    EQUATION_1,
    LIME,
    SHAP,
    Explanation,
    ExplanationCandidate,
    HiddenFeatures,
    Importance,
    Vector,
)
from ttm.explain.coding import Coding, Matrix
from ttm.explain.counterfactuals.counterfactuals import NO_LIMITS, CounterfactualSearch
from ttm.explain.counterfactuals.goal import Wanted
from ttm.explain.counterfactuals.moves import ChangeLimits
from ttm.explain.counterfactuals.results import Counterfactuals, Flips
from ttm.explain.importance import evenly, summarised
from ttm.explain.interactions import Interactions, interactions
from ttm.explain.known_explanations import POOLS_KEPT, KnownExplanations, Progress
from ttm.explain.mistakes.typical_mistakes import Typical, typical
from ttm.explain.permutation import permutation_importance
from ttm.explain.scoring import Scorer
from ttm.explain.selection.explanation_selection import ASKED, ExplanationSelection, Pool, choose
from ttm.explain.selection.fidelity import SelectionSettings
from ttm.explain.threads import one_thread
from ttm.language.parse import Method
from ttm.tabular.subject import Subject

QUICK_CELLS = 160  # rows times features of a group that are explained at once, where Shapley values cost no model rows
MOST_ROWS = 60
FEWEST_ROWS = 12
WIDE, FEWEST_WIDE_ROWS = 100, 10
FLIP_ROWS = 20
MOST_TOGETHER = 2_000  # rows of which trees give the Shapley values at once
FEW_TOGETHER = 10  # up to so many rows the slower way is used, which is exact for more models


class Explainer:
    """Explains one subject. Deterministic for a seed, whatever was asked before; safe to share between threads."""

    def __init__(
        self, subject: Subject, cache: Cache | None = None, seed: int = 0, settings: SelectionSettings | None = None
    ) -> None:
        self.subject = subject
        self.seed = seed
        self.settings = settings or SelectionSettings()
        self._known = KnownExplanations(subject, cache, seed, self.settings)
        self._build = threading.Lock()
        self._report: Progress | None = None

    def thorough(self, progress: Progress) -> "Explainer":
        """The same explainer, sharing all that is known, but `importance` takes all rows, at most POOLS_KEPT, not a sample.

        Meant for a background job: `progress` is called with the share done and may raise to stop; what is done is kept.
        """
        patient = copy(self)  # with the same locks, which guard what is shared
        patient._report = progress
        return patient

    @property
    def coding(self) -> Coding:
        """How rows are turned into numbers and back."""
        return self._known.coding

    @property
    def techniques(self) -> ExplanationSelection:
        """All techniques, and how one of them is chosen."""
        return self._known.techniques

    @property
    def search(self) -> CounterfactualSearch:
        with self._build:
            return self._search

    @cached_property
    def _search(self) -> CounterfactualSearch:
        return CounterfactualSearch(self.subject.model, self.coding, self.seed)

    def warm_up(self) -> None:
        """Do what the first question would wait for; meant for a background thread when an app starts."""
        self.explain(self.subject.dataset.frame.iloc[:1])

    def explain(self, row: pd.DataFrame, method: Method = Method.FEATURES, class_number: int | None = None) -> Explanation:
        """Why the model predicts what it does for one row (1, d).

        Weights point towards `class_number`; where it is None, towards the positive class of two, the predicted class of
        more, or a higher value. `method` FEATURES takes SHAP unless hiding features shows another technique to be more
        faithful, COMPARE the same with the stability of all of them, PAPER the most faithful one by equation 1.
        """
        encoded = self.coding.encode(row)
        pool, chosen, reason, hidden = self._selected(encoded, method, class_number)
        scorer = Scorer(self.subject.model, self.coding, replace(pool.effort))
        compared = {Method.COMPARE: pool.candidates, Method.PAPER: (chosen,)}.get(method, ())
        unsure = [c for c in compared if c.stability is None]
        flat = method is Method.PAPER and not any(c.fidelity for c in pool.candidates)
        with one_thread():
            steady = self.techniques.stabilities(encoded[0], pool.column, unsure, scorer) if unsure else []
            moving = self._moving(encoded[0], pool, scorer) if flat else None
        known = {c.technique: replace(c, stability=s) for c, s in zip(unsure, steady, strict=True)}
        candidates = tuple(known.get(c.technique, c) for c in pool.candidates)
        return Explanation(
            method=method,
            chosen=known.get(chosen.technique, chosen),
            candidates=candidates,
            reason=reason,
            class_number=pool.column if scorer.is_classifier else None,
            score=pool.score,
            unknown=tuple(n for n, gone in zip(self.coding.names, np.isnan(encoded[0]), strict=True) if gone),
            samples=self.techniques.fidelity.perturbation.samples if hidden is None else len(self.techniques.hiding.drawn),
            rows_evaluated=scorer.effort.rows,
            model_seconds=scorer.effort.seconds,
            moving=moving,
            hidden=hidden,
        )

    def _selected(
        self, encoded: Matrix, method: Method, class_number: int | None
    ) -> tuple[Pool, ExplanationCandidate, str, HiddenFeatures | None]:
        """The candidates of a row, the one that is shown, why that one, and what hiding features showed of it."""
        if method is Method.PAPER:
            pool = self._known.pool(encoded, class_number)
            return pool, *choose(pool.candidates, self.settings), None
        row = self._known.hidden(encoded, class_number)
        candidates, index = row.pool.candidates, row.curves.better_than_first()
        reason = "fidelity" if index else "tie"
        if method in ASKED:
            index, reason = next(i for i, c in enumerate(candidates) if c.technique == ASKED[method]), "asked"
        return row.pool, candidates[index], reason, row.hidden(index)

    def _moving(self, row: Vector, pool: Pool, scorer: Scorer) -> tuple[str, ...]:
        moved = self.techniques.fidelity.alone(row, pool.score, pool.column, scorer)
        return tuple(name for name, far in zip(self.coding.names, moved, strict=True) if far > 0)

    def importance(
        self, frame: pd.DataFrame, method: Method = Method.FEATURES, limit: int | None = None, progress: Progress | None = None
    ) -> Importance:
        """How much each feature matters over rows (m, d): by SHAP, or by LIME or the choice of PAPER where that is asked.

        For trees all rows count, at most MOST_TOGETHER of them. For other models more than `limit` rows are represented by so
        many of them, spread evenly; by default as many as can be explained while a person waits. All rows are taken
        where they are already known, for which `explain_all` and `thorough` care.
        """
        encoded = self.coding.encode(frame)
        if method not in (Method.LIME, Method.PAPER) and self.techniques.shapley.takes_groups:
            sample = encoded[evenly(len(encoded), limit or self._together())]
            return self._importance_by_trees(sample, len(encoded), method)
        progress = progress or self._report
        key = {Method.LIME: LIME, Method.PAPER: EQUATION_1}.get(method, SHAP)
        if limit is None and self._report is not None:
            limit = POOLS_KEPT
        elif limit is None:
            limit = self._affordable()
            if len(encoded) <= POOLS_KEPT and not self._known.missing(encoded, only_shap=key == SHAP):
                limit = len(encoded)
        sample = encoded[evenly(len(encoded), limit)]
        if key == SHAP:
            return summarised(self.coding.names, self._known.shap(sample, progress), method, len(encoded), key)
        pools = self._known.pools(sample, progress)
        picked = [choose(pool.candidates, self.settings)[0] if key == EQUATION_1
                  else next(c for c in pool.candidates if c.technique == key) for pool in pools]  # fmt: skip
        importance = summarised(self.coding.names, np.array([c.weights for c in picked]), method, len(encoded), key)
        return replace(importance, fidelity=float(np.mean([c.fidelity for c in picked])))

    def shap_values(self, frame: pd.DataFrame) -> tuple[Matrix, npt.NDArray[np.int_]]:
        """SHAP values (r, d) of rows (m, d), towards the positive class of two, and which rows (r,) they are.

        All of them for trees, otherwise as many as can be explained while a person waits, spread evenly. Of more than two
        classes they point towards the predicted one.
        """
        encoded = self.coding.encode(frame)
        if self.techniques.shapley.takes_groups:
            with one_thread():
                return self.techniques.shapley_values(encoded, False), np.arange(len(encoded))
        places = evenly(len(encoded), self._affordable())
        return self._known.shap(encoded[places], self._report), places

    def _together(self) -> int:
        """How many rows of a group trees give the values of at once: as many as a person waits for, all in the background."""
        if self._report is not None:
            return MOST_TOGETHER
        return min(MOST_TOGETHER, max(self._affordable(), self.techniques.shapley.rows_at_once))

    def _importance_by_trees(self, sample: Matrix, total: int, method: Method) -> Importance:
        def computed() -> Importance:
            together = len(sample) > FEW_TOGETHER
            with one_thread():
                values = self.techniques.shapley_values(sample, together)
            scaled = together and self.techniques.shapley.is_scaled
            return summarised(self.coding.names, values, method, total, SHAP, scaled)

        return self._known.of_group(content_key("importance", sample, method, total), computed)

    def permutation_importance(self, frame: pd.DataFrame, truth: Vector) -> Vector | None:
        """What is lost (d,) when a feature's values are shuffled among rows (m, d): accuracy, or mean absolute error.

        `truth` (m,) are the true class numbers or values; None where there are too few rows.
        """
        rows, true = self.coding.encode(frame), truth.astype(float)

        def computed() -> tuple[Vector | None]:
            with one_thread():
                scorer = Scorer(self.subject.model, self.coding)
                return (permutation_importance(rows, true, scorer, self.techniques.shapley.is_quick, self.seed),)

        return self._known.of_group(content_key("permutation", rows, true), computed)[0]

    def _affordable(self) -> int:
        wide = self.coding.width >= WIDE or len(self.subject.schema.target.classes) > 2
        fewest = FEWEST_WIDE_ROWS if wide else FEWEST_ROWS
        if not self.techniques.shapley.is_quick:
            return fewest
        return min(MOST_ROWS, max(fewest, QUICK_CELLS // self.coding.width))

    def explain_all(self, frame: pd.DataFrame, progress: Progress | None = None) -> None:
        """Explain every row (m, d), at most POOLS_KEPT, so that `importance` of any part of them is exact and at once.

        Meant for a background job: `progress` is called with the share done and may raise to stop; what is done is kept.
        """
        self._known.pools(self.coding.encode(frame.iloc[:POOLS_KEPT]), progress)

    def counterfactuals(
        self,
        row: pd.DataFrame,
        count: int,
        wanted: Wanted | None = None,
        threshold: float | None = None,
        method: str | None = None,
        limits: ChangeLimits = NO_LIMITS,
        lasting: bool = True,
    ) -> Counterfactuals:
        """At most `count` ways in which one row (1, d) would be predicted as `wanted`, by default in any other way.

        `threshold` is the probability from which the positive one of two classes is predicted; `method` is DiCE's "random",
        "genetic" or "kdtree", or None for our own search alone, which always takes part. `limits` says what may change; if
        `lasting`, ways that hold for slightly different rows too are taken where there are any.
        """
        with one_thread():
            return self.search.of(self.coding.encode(row)[0], count, wanted or Wanted(), threshold, method, limits, lasting)

    def flips(
        self,
        frame: pd.DataFrame,
        wanted: Wanted | None = None,
        threshold: float | None = None,
        limits: ChangeLimits = NO_LIMITS,
    ) -> Flips:
        """What most often flips the prediction over rows (m, d), of which at most FLIP_ROWS are looked at, spread evenly.

        The change that is common to all is looked for in MOST_ROWS of them, or as many where the model is slow.
        """
        encoded, wanted = self.coding.encode(frame), wanted or Wanted()
        sample = encoded[evenly(len(encoded), FLIP_ROWS)]
        more = encoded[evenly(len(encoded), MOST_ROWS)] if self.techniques.shapley.is_quick else sample
        with one_thread():
            flips = self.search.flips(sample, wanted, len(encoded), threshold, limits)
            return replace(flips, common=self.search.common(more, wanted, threshold, limits))

    def interactions(self, frame: pd.DataFrame, features: tuple[str, str] | None = None) -> Interactions:
        """Which features work together over rows (m, d): two by name, or the pairs of those that move the output most.

        Looks at the positive class of two, the class that is predicted most often of more, or the predicted value. Raises
        ExecutionError where there are no two features with several values.
        """
        encoded = self.coding.encode(frame)
        places = None if features is None else (self.coding.names.index(features[0]), self.coding.names.index(features[1]))
        with one_thread():
            scorer = Scorer(self.subject.model, self.coding)
            outputs = scorer.outputs(encoded[evenly(len(encoded), MOST_ROWS)])
            column = outputs.shape[1] - 1 if outputs.shape[1] < 3 else int(np.bincount(outputs.argmax(axis=1)).argmax())
            result = interactions(encoded, column, scorer, places)
        if result is None:
            raise ExecutionError("Features can only work together where two of them have at least two known values each.")
        return result

    def typical_mistakes(self, frame: pd.DataFrame, errors: Vector) -> Typical:
        """Rules for the rows (m, d) on which the model is typically wrong.

        `errors` (m,) are 1 where it is wrong and 0 where it is right, or absolute residuals for a regression model.
        """
        with one_thread():
            rows = self.coding.encode(frame)
            return typical(self.coding, rows, errors.astype(float), self.subject.schema.target.is_classification)
