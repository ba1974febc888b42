"""Answers that a knowledge base gave before, so that a corrected question asks again only what has changed."""

import threading
import time
from collections import OrderedDict

from inspired.knowledge_base.seam import KnowledgeBase, QueryResult

ROWS = 200_000
KEPT = 3600.0


class Remembered:
    """`kb` with its results kept for `kept` seconds: up to `rows` rows, the longest unused of which go first.

    Errors and time-outs are not kept.
    """

    def __init__(self, kb: KnowledgeBase, rows: int = ROWS, kept: float = KEPT) -> None:
        self.label = kb.label
        self._kb, self._most, self._kept = kb, rows, kept
        self._known: OrderedDict[tuple[str, int], tuple[float, QueryResult]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def select(self, sparql: str, limit: int = 1000, seconds: float = 10.0) -> QueryResult:
        """See `KnowledgeBase.select`."""
        with self._lock:
            since, rows = self._known.get((sparql, limit), (0.0, None))
            if rows is not None and time.monotonic() - since < self._kept:
                self._known.move_to_end((sparql, limit))
                return rows
        rows = self._kb.select(sparql, limit, seconds)
        self._keep((sparql, limit), rows)
        return rows

    def close(self) -> None:
        with self._lock:
            self._known.clear()
            self._size = 0
        self._kb.close()

    def _keep(self, key: tuple[str, int], rows: QueryResult) -> None:
        with self._lock:
            self._drop(key)
            self._known[key] = (time.monotonic(), rows)
            self._size += _size(rows)
            while self._size > self._most:
                self._drop(next(iter(self._known)))

    def _drop(self, key: tuple[str, int]) -> None:
        _, rows = self._known.pop(key, (0.0, None))
        self._size -= 0 if rows is None else _size(rows)


def _size(rows: QueryResult) -> int:
    return 1 + len(rows.rows)
