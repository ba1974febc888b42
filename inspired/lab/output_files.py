"""Files that commands write: whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from backend.errors import InspiredError


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A file that takes the place of `path` only when all went well, so that no half of a result is left behind.

    Raises InspiredError where it cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InspiredError(f"Cannot write {path}: {error.strerror}.") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            yield file
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        raise InspiredError(f"Cannot write {path}: {error.strerror}.") from error
    finally:
        Path(name).unlink(missing_ok=True)
