"""What a tab talks about: the data sets that the settings name, or one chat that was made in Python."""

import tempfile
from pathlib import Path

from backend.program.settings import Settings
from backend.storage.database import Database
from ttm.chat.catalogue import SubjectCatalogue
from ttm.chat.interface.chat import ModelChat


class PassingDatabase(Database):
    """A database that goes with the page: for the verdicts and corrections of people who use a chat made in Python."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="parley-", ignore_cleanup_errors=True)
        super().__init__(f"sqlite:///{Path(self._folder.name) / 'parley.sqlite'}")


def subjects_and_database(source: Settings | ModelChat, database: Database | None) -> tuple[SubjectCatalogue, Database]:
    """The data sets to offer, and where to keep what people do: in `database`, or for as long as the page is there."""
    if isinstance(source, ModelChat):
        return source.subjects, database or PassingDatabase()
    database = database or Database(source.database_address)
    return SubjectCatalogue(source, database), database
