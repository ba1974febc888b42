"""Files of strangers, read first in a process of its own: one that takes too much memory or time ends that process alone.

What the reader finds wrong with a file is not said here: it is read again where it is wanted, and refused there.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from backend.errors import ParleyError
from backend.network.shares.spending import SPENDING

SMALL = 5_000_000  # bytes; smaller files of rows are read at once, since a process takes seconds to begin
PACKED = (".gz", ".parquet")  # a small one can be large once it is read
MEMORY = 2_000  # megabytes, with those of Python and its libraries
SECONDS = 60
NICE = 10  # questions that are answered in a moment go first
_NO_MEMORY = 70
# Limits are set once the reader is there: what it imports may take what it needs.
_CHILD = f"""
import importlib, json, os, sys
from pathlib import Path
module, name, path, others, megabytes, seconds = sys.argv[1:]
getattr(os, "nice", abs)({NICE})
read = getattr(importlib.import_module(module), name)
try:
    import resource
except ImportError:
    pass
else:
    for limit, most in ((resource.RLIMIT_DATA, int(megabytes) * 1_000_000), (resource.RLIMIT_CPU, int(seconds))):
        resource.setrlimit(limit, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
try:
    read(Path(path), *json.loads(others))
except Exception as error:
    while error is not None and not isinstance(error, MemoryError):  # readers wrap it in errors of their own
        error = error.__cause__ or error.__context__
    if error is not None:
        sys.exit({_NO_MEMORY})
"""


def try_reading(
    read: Callable[[Path], object], path: Path, error: type[ParleyError], megabytes: int = MEMORY, seconds: int = SECONDS
) -> None:
    """Raise `error` if `read`, a function of a module, takes more than strangers have for a large or packed file of rows."""
    if path.stat().st_size > SMALL or path.suffix.lower() in PACKED:
        try_call(read, path, (), error, megabytes, seconds)


def try_call(
    read: Callable[..., object],
    path: Path,
    others: Sequence[object],
    error: type[ParleyError],
    megabytes: int = MEMORY,
    seconds: int = SECONDS,
) -> None:
    """Call `read`, a function of a module, with a file and others that JSON can carry, in a process of its own.

    What it returns or raises is dropped. Raise `error` if it takes too much memory or time, or crashes.
    """
    command = [sys.executable, "-c", _CHILD, read.__module__, read.__qualname__, str(path), json.dumps(others)]
    # Each thread that a library starts takes memory of its own, on a large computer more than the file.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "2"}
    limits = [str(megabytes), str(seconds)]
    try:
        with SPENDING.in_another_process():
            run = subprocess.run([*command, *limits], env=environment, timeout=2 * seconds, capture_output=True, check=False)
        code = run.returncode
    except subprocess.TimeoutExpired:
        code = _NO_MEMORY
    if code == _NO_MEMORY or code < 0:
        raise error(f"{path.name} takes more than {megabytes:,} MB of memory or {seconds} s to read; bring a smaller one.")
