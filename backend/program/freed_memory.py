"""Memory that was freed, given back to the system.

The C library keeps what threads and large steps leave behind in pieces: after five models were trained side by side or a
language model was read, some 100 MB that nothing uses.
"""

import ctypes
import sys
from functools import lru_cache


def give_back() -> None:
    """Have the C library give back what is free; nothing where it has no such call, as on Windows and macOS."""
    trim = _trim()
    if trim is not None:
        trim(0)


@lru_cache(maxsize=1)
def _trim() -> "ctypes._NamedFuncPointer | None":
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)  # not in musl
