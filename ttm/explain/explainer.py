"""The seam through which everything about explanations goes: one explainer for a subject, with what it already knows.

Rows come as frames with the model's columns, changed or not. What was computed for a row is kept under its content, so a
changed row never meets the answers of the unchanged one.
"""

import threading
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from cachetools import LRUCache

from backend.errors import ExecutionError
from backend.storage.cache import Cache
from backend.storage.content_key import content_key
from ttm.explain.attribution import EQUATION_1, LIME, SHAP, TECHNIQUES, Explanation, Importance, Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.counterfactuals.counterfactuals import NO_LIMITS, CounterfactualSearch
from ttm.explain.counterfactuals.goal import Wanted
from ttm.explain.counterfactuals.moves import ChangeLimits
from ttm.explain.counterfactuals.results import Counterfactuals, Flips
from ttm.explain.importance import evenly, summarised
from ttm.explain.interactions import Interactions, interactions
from ttm.explain.mistakes.typical_mistakes import Typical, typical
from ttm.explain.permutation import permutation_importance
from ttm.explain.scoring import Scorer
from ttm.explain.selection.explanation_selection import (
    ASKED,
    ExplanationSelection,
    HiddenPool,
    Pool,
    as_arrays,
    choose,
    from_arrays,
)
from ttm.explain.selection.fidelity import SelectionSettings
from ttm.explain.threads import one_thread
from ttm.language.parse import Method
from ttm.tabular.subject import Subject

Progress = Callable[[float, str], None]
VERSION = 2  # raised when the same question would get another answer, so that kept answers are not given
POOLS_KEPT = 20_000
HIDDEN_KEPT = 1_000
BATCH = 8  # rows between two reports of progress, which is also where stopped work ends
WORTH_KEEPING = 10  # rows, from which on their explanations are kept on disk
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
        self.cache = cache
        self.seed = seed
        self.settings = settings or SelectionSettings()
        self._pools: LRUCache[tuple[bytes, int | None], Pool] = LRUCache(POOLS_KEPT)
        self._hidden: LRUCache[tuple[bytes, int | None], HiddenPool] = LRUCache(HIDDEN_KEPT)
        self._shapley: LRUCache[bytes, Vector] = LRUCache(POOLS_KEPT)
        self._lock = threading.Lock()
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
        with self._build:
            return self._coding

    @cached_property
    def _coding(self) -> Coding:
        return Coding(self.subject.schema, self.subject.dataset.train_frame)

    @property
    def techniques(self) -> ExplanationSelection:
        with self._build:
            return self._techniques

    @cached_property
    def _techniques(self) -> ExplanationSelection:
        return ExplanationSelection(self.subject.model, self._coding, self.settings, self.seed)

    @property
    def search(self) -> CounterfactualSearch:
        with self._build:
            return self._search

    @cached_property
    def _search(self) -> CounterfactualSearch:
        return CounterfactualSearch(self.subject.model, self._coding, self.seed)

    def warm_up(self) -> None:
        """Do what the first question would wait for; meant for a background thread when an app starts."""
        self.explain(self.subject.dataset.frame.iloc[:1])

    def explain(self, row: pd.DataFrame, method: Method = Method.FEATURES, class_number: int | None = None) -> Explanation:
        """Why the model predicts what it does for one row (1, d).

        Weights point towards `class_number`; where it is None, towards the positive class of two, the predicted class of
        more, or a higher value. `method` FEATURES takes SHAP unless hiding features shows another technique to be more
        faithful, COMPARE the same with the stability of all of them, PAPER the most faithful one by equation 1.
        """
        encoded, hidden = self.coding.encode(row), None
        if method is Method.PAPER:
            pool = self._pool_of(encoded, class_number)
            chosen, reason = choose(pool.candidates, self.settings)
        else:
            hidden_row = self._hidden_of(encoded, class_number)
            pool, index = hidden_row.pool, hidden_row.curves.better_than_first()
            chosen, reason = pool.candidates[index], "fidelity" if index else "tie"
        if method in ASKED:
            chosen, reason = next(c for c in pool.candidates if c.technique == ASKED[method]), "asked"
        if method is not Method.PAPER:
            hidden = hidden_row.hidden(pool.candidates.index(chosen))
        scorer = Scorer(self.subject.model, self.coding, replace(pool.effort))
        wanted = method is Method.COMPARE, method is Method.PAPER
        unsure = [c for c in pool.candidates if c.stability is None and (wanted[0] or (wanted[1] and c is chosen))]
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
            if len(encoded) <= POOLS_KEPT and not self._missing(encoded, only_shap=key == SHAP):
                limit = len(encoded)
        sample = encoded[evenly(len(encoded), limit)]
        if key == SHAP:
            return summarised(self.coding.names, self._shap_of(sample, progress), method, len(encoded), key)
        pools = self._pools_of(sample, progress)
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
        return self._shap_of(encoded[places], self._report), places

    def _together(self) -> int:
        """How many rows of a group trees give the values of at once: as many as a person waits for, all in the background."""
        if self._report is not None:
            return MOST_TOGETHER
        return min(MOST_TOGETHER, max(self._affordable(), self.techniques.shapley.rows_at_once))

    def _importance_by_trees(self, sample: Matrix, total: int, method: Method) -> Importance:
        together = len(sample) > FEW_TOGETHER
        with one_thread():
            values = self.techniques.shapley_values(sample, together)
        scaled = together and self.techniques.shapley.is_scaled
        return summarised(self.coding.names, values, method, total, SHAP, scaled)

    def permutation_importance(self, frame: pd.DataFrame, truth: Vector) -> Vector | None:
        """What is lost (d,) when a feature's values are shuffled among rows (m, d): accuracy, or mean absolute error.

        `truth` (m,) are the true class numbers or values; None where there are too few rows.
        """
        with one_thread():
            scorer = Scorer(self.subject.model, self.coding)
            quick = self.techniques.shapley.is_quick
            return permutation_importance(self.coding.encode(frame), truth.astype(float), scorer, quick, self.seed)

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
        self._pools_of(self.coding.encode(frame.iloc[:POOLS_KEPT]), progress)

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

    def _hidden_of(self, encoded: Matrix, class_number: int | None) -> HiddenPool:
        key = (encoded[0].tobytes(), class_number)
        with self._lock:
            known = self._hidden.get(key)
        if known is None:
            with one_thread():
                known = self.techniques.by_hiding(encoded, class_number)
            with self._lock:
                self._hidden[key] = known
        return known

    def _pool_of(self, encoded: Matrix, class_number: int | None) -> Pool:
        pool = self._remembered(encoded[0], class_number)
        if pool is None:
            with one_thread():
                pool = self.techniques.pools(encoded, class_number)[0]
            self._remember(encoded[0], class_number, pool)
        return pool

    def _pools_of(self, encoded: Matrix, progress: Progress | None) -> list[Pool]:
        missing = encoded[self._missing(encoded)]
        if self.cache is not None and len(missing) >= WORTH_KEEPING:
            kept = self.cache.get_or_compute(self._key(missing), lambda: as_arrays(self._computed(missing, progress)))
            pools = from_arrays(kept)
        else:
            pools = self._computed(missing, progress)
        for row, pool in zip(missing, pools, strict=True):
            self._remember(row, None, pool)
        remembered = [self._remembered(row, None) for row in encoded]
        return [pool or self._pool_of(row[None, :], None) for row, pool in zip(encoded, remembered, strict=True)]

    def _shap_of(self, encoded: Matrix, progress: Progress | None) -> Matrix:
        """SHAP values (n, d) of encoded rows (n, d), without what the other techniques say of them."""
        missing = encoded[self._missing(encoded, only_shap=True)]
        if self.cache is not None and len(missing) >= WORTH_KEEPING:
            key = content_key("shap", VERSION, self.subject.fingerprint, self.seed, missing)
            kept = self.cache.get_or_compute(key, lambda: {"values": self._computed_shap(missing, progress)})
            self._remember_shap(missing, kept["values"])
        else:
            self._computed_shap(missing, progress)
        with self._lock:
            known = [self._shapley.get(row.tobytes()) for row in encoded]
        return np.array([self._computed_shap(row[None, :], None)[0] if own is None else own  # forgotten since
                         for row, own in zip(encoded, known, strict=True)])  # fmt: skip

    def _computed_shap(self, rows: Matrix, progress: Progress | None) -> Matrix:
        """The SHAP values of encoded rows (n, d), remembered as they come, so that stopping loses little."""
        values = np.empty(rows.shape)
        for start in range(0, len(rows), BATCH):
            if progress:
                progress(start / len(rows), f"{start:,} of {len(rows):,} rows explained")
            batch = rows[start : start + BATCH]
            with one_thread():
                values[start : start + BATCH] = self.techniques.shapley_values(batch, False)
            self._remember_shap(batch, values[start : start + BATCH])
        return values

    def _remember_shap(self, rows: Matrix, values: Matrix) -> None:
        with self._lock:
            for row, own in zip(rows, values, strict=True):
                self._shapley[row.tobytes()] = own

    def _computed(self, rows: Matrix, progress: Progress | None) -> list[Pool]:
        """The pools of encoded rows (n, d), remembered as they come, so that stopping loses little."""
        pools: list[Pool] = []
        for start in range(0, len(rows), BATCH):
            if progress:
                progress(start / len(rows), f"{start:,} of {len(rows):,} rows explained")
            batch = rows[start : start + BATCH]
            known = [self._remembered(row, None) for row in batch]  # by other work that goes on at the same time
            new = [index for index, pool in enumerate(known) if pool is None]
            if new:
                with one_thread():
                    for index, pool in zip(new, self.techniques.pools(batch[new]), strict=True):
                        known[index] = pool
                        self._remember(batch[index], None, pool)
            pools += [pool for pool in known if pool is not None]
        return pools

    def _key(self, rows: Matrix) -> str:
        return content_key("pools", VERSION, *list(TECHNIQUES)[5:], self.subject.fingerprint, self.settings, self.seed, rows)

    def _missing(self, encoded: Matrix, only_shap: bool = False) -> list[int]:
        """Places of the rows, one for each different content, that have not been explained, or have no SHAP values yet."""
        first = {row.tobytes(): index for index, row in reversed(list(enumerate(encoded)))}
        with self._lock:
            known = self._shapley if only_shap else {content for content, towards in self._pools if towards is None}
            return sorted(index for content, index in first.items() if content not in known)

    def _remembered(self, row: Any, class_number: int | None) -> Pool | None:
        with self._lock:
            return self._pools.get((row.tobytes(), class_number))

    def _remember(self, row: Any, class_number: int | None, pool: Pool) -> None:
        if class_number is None:
            shap = next(c for c in pool.candidates if c.technique == SHAP)
            self._remember_shap(row[None, :], shap.weights[None, :])
        with self._lock:
            self._pools[row.tobytes(), class_number] = pool
