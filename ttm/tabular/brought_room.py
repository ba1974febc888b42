"""How much memory the tables take that visitors brought, as long as anybody talks about them."""

import threading
import weakref
from collections.abc import Callable

import pandas as pd

from backend.errors import DatasetError
from backend.storage.unpacked_size import MEGABYTE

OF_ADDRESS, IN_ALL = 300 * MEGABYTE, 1_000 * MEGABYTE
EACH = 3 * MEGABYTE  # of a model, what explains it and what reads questions about it, however small the table
FULL = (
    "The tables that {whose} brought take all the memory there is for them ({most:,} MB). They go an hour after the last "
    "question about them; bring this one later, or fewer of its rows."
)


class BroughtRoom:
    """Counts tables until nothing refers to them any more. Safe to share between threads."""

    def __init__(self, of_address: int = OF_ADDRESS, in_all: int = IN_ALL) -> None:
        self._of_address, self._in_all = of_address, in_all
        self._held: dict[int, tuple[str, int]] = {}  # address and bytes
        self._number = 0
        self._lock = threading.Lock()

    def check(self, address: str, let_go: Callable[[], None]) -> None:
        """Raise DatasetError where an address, or all, have brought too much. `let_go` drops what nobody talks about."""
        if self._full(address):
            let_go()
        if whose := self._full(address):
            most = self._of_address if whose == "you" else self._in_all
            raise DatasetError(FULL.format(whose=whose, most=most // MEGABYTE))

    def keep(self, address: str, owner: object, *frames: pd.DataFrame) -> None:
        """Count frames as long as there is the object that holds them."""
        size = EACH + sum(int(frame.memory_usage(deep=True).sum()) for frame in frames)
        with self._lock:
            self._number += 1
            self._held[self._number] = (address, size)
        weakref.finalize(owner, self._held.pop, self._number, None)

    def _full(self, address: str) -> str:
        """Whose tables are too many; empty where there is room."""
        held = list(self._held.values())
        if sum(size for whose, size in held if whose == address) >= self._of_address:
            return "you"
        return "all visitors" if sum(size for _, size in held) >= self._in_all else ""
