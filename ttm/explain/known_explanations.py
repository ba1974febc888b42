"""What was computed about rows of one subject, kept under the rows' content, so that it is computed once.

A changed row has other content, so it never meets the answers of the unchanged one.
"""

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from cachetools import LRUCache

from backend.storage.cache import Cache
from backend.storage.content_key import content_key
from ttm.explain.attribution import SHAP, TECHNIQUES, Vector
from ttm.explain.coding import Coding, Matrix
from ttm.explain.selection.explanation_selection import ExplanationSelection, HiddenPool, Pool, as_arrays, from_arrays
from ttm.explain.selection.fidelity import SelectionSettings
from ttm.explain.threads import one_thread
from ttm.tabular.subject import Subject

Figures = TypeVar("Figures")
Progress = Callable[[float, str], None]
VERSION = 3  # raised when the same question would get another answer, so that kept answers are not given
POOLS_KEPT = 20_000
HIDDEN_KEPT = 1_000
GROUPS_KEPT = 500
BATCH = 8  # rows between two reports of progress, which is also where stopped work ends
WORTH_KEEPING = 10  # rows, from which on their explanations are kept on disk


class KnownExplanations:
    """Explains encoded rows by all techniques, each content once; safe to share between threads."""

    def __init__(self, subject: Subject, cache: Cache | None, seed: int, settings: SelectionSettings) -> None:
        self._subject, self._cache, self._seed, self._settings = subject, cache, seed, settings
        self._pools: LRUCache[tuple[bytes, int | None], Pool] = LRUCache(POOLS_KEPT)
        self._hidden: LRUCache[tuple[bytes, int | None], HiddenPool] = LRUCache(HIDDEN_KEPT)
        self._shapley: LRUCache[bytes, Vector] = LRUCache(POOLS_KEPT)
        self._groups: LRUCache[str, Any] = LRUCache(GROUPS_KEPT)
        self._lock = threading.Lock()
        self._build = threading.Lock()

    @property
    def coding(self) -> Coding:
        with self._build:
            return self._coding

    @cached_property
    def _coding(self) -> Coding:
        return Coding(self._subject.schema, self._subject.dataset.train_frame)

    @property
    def techniques(self) -> ExplanationSelection:
        with self._build:
            return self._techniques

    @cached_property
    def _techniques(self) -> ExplanationSelection:
        return ExplanationSelection(self._subject.model, self._coding, self._settings, self._seed)

    def hidden(self, encoded: Matrix, class_number: int | None) -> HiddenPool:
        """All techniques on one encoded row (1, d), judged by hiding what each ranks highest."""
        key = (encoded[0].tobytes(), class_number)
        with self._lock:
            known = self._hidden.get(key)
        if known is None:
            with one_thread():
                known = self.techniques.by_hiding(encoded, class_number)
            with self._lock:
                self._hidden[key] = known
        return known

    def of_group(self, key: str, computed: Callable[[], Figures]) -> Figures:
        """What was computed about a group of rows under a key of their content; many people ask about the same groups."""
        with self._lock:
            known: Figures | None = self._groups.get(key)
        if known is None:
            known = computed()
            with self._lock:
                self._groups[key] = known
        return known

    def pool(self, encoded: Matrix, class_number: int | None) -> Pool:
        """All techniques on one encoded row (1, d), judged by equation 1."""
        pool = self._remembered(encoded[0], class_number)
        if pool is None:
            with one_thread():
                pool = self.techniques.pools(encoded, class_number)[0]
            self._remember(encoded[0], class_number, pool)
        return pool

    def pools(self, encoded: Matrix, progress: Progress | None) -> list[Pool]:
        """The same for encoded rows (n, d); many are kept on disk as well."""
        missing = encoded[self.missing(encoded)]
        if self._cache is not None and len(missing) >= WORTH_KEEPING:
            kept = self._cache.get_or_compute(self._key(missing), lambda: as_arrays(self._computed(missing, progress)))
            pools = from_arrays(kept)
        else:
            pools = self._computed(missing, progress)
        for row, pool in zip(missing, pools, strict=True):
            self._remember(row, None, pool)
        remembered = [self._remembered(row, None) for row in encoded]
        return [pool or self.pool(row[None, :], None) for row, pool in zip(encoded, remembered, strict=True)]

    def shap(self, encoded: Matrix, progress: Progress | None) -> Matrix:
        """SHAP values (n, d) of encoded rows (n, d), without what the other techniques say of them."""
        missing = encoded[self.missing(encoded, only_shap=True)]
        if self._cache is not None and len(missing) >= WORTH_KEEPING:
            key = content_key("shap", VERSION, self._subject.fingerprint, self._seed, missing)
            kept = self._cache.get_or_compute(key, lambda: {"values": self._computed_shap(missing, progress)})
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
        return content_key("pools", VERSION, *list(TECHNIQUES)[5:], self._subject.fingerprint, self._settings, self._seed, rows)

    def missing(self, encoded: Matrix, only_shap: bool = False) -> list[int]:
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
