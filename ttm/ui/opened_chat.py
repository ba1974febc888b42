"""What a tab talks about: the data sets that the settings name, or one chat that was made in Python."""

import shutil
import tempfile
import weakref
from pathlib import Path

from backend.program.settings import Settings
from backend.storage.database import Database
from ttm.chat.catalogue import SubjectCatalogue
from ttm.chat.interface.chat import ModelChat


class PassingDatabase(Database):
    """A database that goes with the page: for the verdicts and corrections of people who use a chat made in Python."""

    def __init__(self) -> None:
        folder = tempfile.mkdtemp(prefix="parley-")
        # A TemporaryDirectory would warn when the page, which closes nothing, is forgotten.
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        super().__init__(f"sqlite:///{Path(folder) / 'parley.sqlite'}")


def subjects_and_database(source: Settings | ModelChat, database: Database | None) -> tuple[SubjectCatalogue, Database]:
    """The data sets to offer, and where to keep what people do: in `database`, or for as long as the page is there."""
    if isinstance(source, ModelChat):
        return source.subjects, database or PassingDatabase()
    database = database or Database(source.database_address)
    return SubjectCatalogue(source, database), database
