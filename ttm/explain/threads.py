"""Keeps numerical libraries to one thread each while many small computations run.

Their threads wait for one another by spinning. With several people asking at once, or any other work on the machine, a
matrix product of a tenth of a millisecond then takes twenty times as long.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_lock = threading.Lock()
_inside = 0
_limits: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold BLAS to one thread within the block, OpenMP in each thread that enters; the first in and the last out switch."""
    global _inside, _limits
    controller = _libraries()
    with _lock:
        if not _inside:
            _limits = controller.select(user_api="blas").limit(limits=1)
        _inside += 1
    try:
        with controller.select(user_api="openmp").limit(limits=1):  # OpenMP keeps this number for each thread
            yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limits.restore_original_limits()


@cache
def _libraries() -> Any:
    """The numerical libraries that are loaded by now; looking for them takes some 20 ms, so it is done once."""
    import scipy.special  # noqa: F401
    import sklearn.linear_model  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
