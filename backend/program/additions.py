"""Files of a folder that add to Parley before it starts: an operation, an explainer, a task type, a baseline.

Each file calls `ttm.add_operation` and the like. It is Python and may do anything, so the folder is the operator's to choose.
"""

import importlib.util
import sys
import threading
from pathlib import Path

from backend.errors import ParleyError, SettingsError

_LOADED: set[Path] = set()
_LOCK = threading.Lock()


def load_additions(folder: Path | None) -> None:
    """Run each `.py` file of the folder, in the order of their names, once a process.

    Raises SettingsError if there is no such folder, it holds no such file, or one of them fails; the message names the line.
    """
    if folder is None:
        return
    files = sorted(folder.glob("*.py")) if folder.is_dir() else []
    if not files:
        raise SettingsError(f"--operations {folder}: there is no folder of that name with .py files in it.")
    with _LOCK:
        for file in files:
            if file.resolve() not in _LOADED:
                _run(file)
                _LOADED.add(file.resolve())


def _run(file: Path) -> None:
    name = f"parley_addition_{file.stem}"
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # where dataclasses look for their module
    try:
        specification.loader.exec_module(module)
    except Exception as error:  # code of others raises anything
        del sys.modules[name]
        reason = error.message if isinstance(error, ParleyError) else f"{type(error).__name__}: {error}"
        raise SettingsError(f"{file.name} of --operations fails{_at(error, file)}: {reason}") from error


def _at(error: Exception, file: Path) -> str:
    """The last line of the file that the error came through."""
    lines, trace = [], error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    number = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else lines[-1] if lines else None
    return f" in line {number}" if number else ""
