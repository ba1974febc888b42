"""How the process of the server shares its time and its memory between threads."""

import ctypes
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

SWITCH_SECONDS = 0.001  # Python's own are 0.005: so long the loop that serves everybody waits, many times for each question
_M_ARENA_MAX = -8  # of mallopt(3)
ARENAS = 2


def suit_many_threads() -> None:
    """Have threads change more often, compute alone, and use the memory that others have given back; before numpy is imported.

    Questions are answered side by side, each with small matrices: where each of them is multiplied by all cores, threads wait
    for one another most of the time. The C library of Linux keeps up to eight pools of memory for each core, and what is free
    in one is of no use to another.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with suppress(OSError, AttributeError, TypeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)


def keep_what_is_loaded() -> None:
    """Look no more for what could be forgotten among what the start made: half a second in which nobody is answered."""
    gc.collect()
    gc.freeze()


def import_without(library: str, other: str) -> None:
    """Have a library, when it is imported, find another one missing that it needs for plots alone: 27 MB of matplotlib."""
    sys.meta_path.insert(0, _Without(library, other))


class _Without(MetaPathFinder, Loader):
    """Imports one library as always, while another one seems to be missing."""

    def __init__(self, library: str, other: str) -> None:
        self._library, self._other = library, other
        self._loader: Any = None

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != self._library or self._other in sys.modules:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None:
            self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[self._other] = None  # type: ignore[assignment]  # what Python takes for a library that is missing
        try:
            self._loader.exec_module(module)
        finally:
            sys.modules.pop(self._other, None)
            module.__loader__ = self._loader
            if module.__spec__ is not None:
                module.__spec__.loader = self._loader
