"""Answers that a knowledge base gave before, so that a corrected question asks again only what has changed."""

import threading
from contextlib import suppress

from cachetools import TTLCache

from inspired.knowledge_base.seam import KnowledgeBase, QueryResult

ROWS = 200_000
KEPT = 3600.0


class Remembered:
    """`kb` with its results kept for `kept` seconds: up to `rows` rows, the longest unused of which go first.

    Errors and time-outs are not kept.
    """

    def __init__(self, kb: KnowledgeBase, rows: int = ROWS, kept: float = KEPT) -> None:
        self.label = kb.label
        self._kb = kb
        self._known: TTLCache[tuple[str, int], QueryResult] = TTLCache(rows, kept, getsizeof=_size)
        self._lock = threading.Lock()

    def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
        """See `KnowledgeBase.select`."""
        with self._lock:
            result = self._known.get((sparql, limit))
        if result is None:
            result = self._kb.select(sparql, limit, seconds)
            with self._lock, suppress(ValueError):  # larger than all that is kept
                self._known[sparql, limit] = result
        return result

    def close(self) -> None:
        with self._lock:
            self._known.clear()
        self._kb.close()


def _size(rows: QueryResult) -> int:
    return 1 + len(rows.rows)
