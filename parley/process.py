"""How the process of the server shares its time and its memory between threads."""

import ctypes
import gc
import os
import sys
from contextlib import suppress

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
