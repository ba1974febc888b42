"""The studies of one database, each read once in a while and not at every call."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from annotation.studies.beginning.sandbox import PREFIX, Sandbox
from annotation.studies.callers import Caller
from annotation.studies.people.sessions import not_signed_in, session
from annotation.studies.study import Clock, Study, load_study, study_names
from annotation.words.catalogue import ENGLISH, translate
from backend.errors import AnnotationError
from backend.network.attempts import CodeAttempts
from backend.storage.database import Database, now

FRESH = 5.0  # seconds after which a plan is read again: the command line may have changed it


@dataclass
class OpenStudies:
    """Safe to share between threads. `only`: the one study that is served, or None for all in the database.

    `sandbox`: where the example is tried; `home`: where studies that are made in the browser become folders. None: not here.
    """

    database: Database
    clock: Clock = now
    only: str | None = None
    sandbox: Sandbox | None = None
    home: Path | None = None
    attempts: CodeAttempts = field(default_factory=CodeAttempts)
    _read: dict[str, tuple[float, Study]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def names(self) -> list[str]:
        return [self.only] if self.only is not None else study_names(self.database)

    def named(self, name: str) -> Study:
        """As somebody at the door names it: empty if there is one only. Raises AnnotationError if that names no study."""
        names = self.names()
        name = name or (names[0] if len(names) == 1 else "")
        if name not in names:
            message = f"There is no study {name!r:.100} here." if name else translate("Choose the study that you take part in.")
            raise AnnotationError(message)
        return self.study(name)

    def language(self, name: str = "") -> str:
        """In which somebody is answered who is not signed in: that of the study they name, or of the only one."""
        names = self.names()
        name = name or (names[0] if len(names) == 1 else "")
        return self.study(name).plan.file.language if name in names else ENGLISH

    def study(self, name: str) -> Study:
        """Raises AnnotationError if there is no study of this name."""
        with self._lock:
            entry = self._read.get(name)
        if entry is None or time.monotonic() - entry[0] > FRESH:
            entry = (time.monotonic(), load_study(self.database, name, self.clock))
            with self._lock:
                self._read[name] = entry
        return entry[1]

    def signed_in(self, token: object) -> tuple[Study, Caller]:
        """Raises Refused (SIGN_IN) if the token lets nobody in."""
        if self.sandbox is not None and isinstance(token, str) and token.startswith(PREFIX):
            return self.sandbox.signed_in(token)
        name, caller = session(self.database, token, self.clock)
        if self.only not in (None, name):
            raise not_signed_in()
        return self.study(name), caller
