"""Large files of strangers, read first in a process of its own: one that takes too much memory or time ends that process alone.

What the reader finds wrong with a file is not said here: it is read again where it is wanted, and refused there.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from backend.errors import ParleyError

SMALL = 5_000_000  # bytes; smaller files are read at once, since a process takes seconds to begin
PACKED = (".gz", ".parquet")  # a small one can be large once it is read
MEMORY = 2_000  # megabytes, with those of Python and its libraries
SECONDS = 60
_NO_MEMORY = 70
# Limits are set once the reader is there: what it imports may take what it needs.
_CHILD = f"""
import importlib, sys
from pathlib import Path
module, name, path, megabytes, seconds = sys.argv[1:]
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
    read(Path(path))
except MemoryError:
    sys.exit({_NO_MEMORY})
except Exception:
    pass
"""


def try_reading(
    read: Callable[[Path], object], path: Path, error: type[ParleyError], megabytes: int = MEMORY, seconds: int = SECONDS
) -> None:
    """Raise `error` if `read`, a function of a module, takes more than strangers have for a large file."""
    if path.stat().st_size <= SMALL and path.suffix.lower() not in PACKED:
        return
    command = [sys.executable, "-c", _CHILD, read.__module__, read.__qualname__, str(path), str(megabytes), str(seconds)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        code = subprocess.run(command, env=environment, timeout=2 * seconds, capture_output=True, check=False).returncode
    except subprocess.TimeoutExpired:
        code = _NO_MEMORY
    if code == _NO_MEMORY or code < 0:
        raise error(f"{path.name} takes more than {megabytes:,} MB of memory or {seconds} s to read; bring a part of it.")
