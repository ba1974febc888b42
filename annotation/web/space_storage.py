"""Whether what a study collects outlives the next start of the Hugging Face Space that serves it."""

import os
from pathlib import Path

from backend.storage.database import Database

STORAGE = Path("/data")  # where a Space has its persistent storage, if it has any


def may_be_lost(database: Database) -> bool:
    """Tell whether the database is on the disk of a Space, which is emptied at every start, and not in its storage."""
    file = str(database).removeprefix("sqlite:///")
    return _on_a_space() and file != str(database) and not Path(file).is_relative_to(STORAGE)


def _on_a_space() -> bool:
    return os.environ.get("SYSTEM") == "spaces" and bool(os.environ.get("SPACE_ID"))
