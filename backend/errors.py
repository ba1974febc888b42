"""Every error that Parley raises on purpose, and who sees it.

    ParleyError                   anything a person can understand and act on
    ├── SettingsError             an option, environment variable or .env line is wrong
    ├── DatasetError              a CSV file, its dataset.toml or its target column cannot be used
    ├── ModelError                a model file was refused, does not load or does not fit its data
    ├── ParseError                the text of a parse is outside the grammar
    ├── ExecutionError            a parse is well-formed, but an operation in it cannot be carried out
    ├── CacheError                the cache folder cannot be used, or a value cannot be kept in it
    ├── DatabaseError             the database cannot be opened, migrated or written
    ├── AddressError              an address that a visitor named is not one that this server may call
    ├── JobCancelled              a long job was stopped before its end
    ├── LanguageModelError        a language model is missing, unreachable or answered with nonsense
    │   ├── RequestRefused        its server refuses a request, and would again
    │   ├── ModelUnusable         a run was ended, since none of its calls could come to anything
    │   └── SpendingLimitReached  a run has made as many calls, or spent as much, as it may
    ├── LogicalFormError          a SPARQL query cannot be read, split or put together again
    ├── InspiredError             anything else that goes wrong while asking a knowledge base
    │   └── KnowledgeBaseError    a knowledge base cannot be opened, reached or queried
    │       └── QueryTimeoutError a query ran over its time limit and was stopped
    ├── FaithfulnessError         a measurement of what a language model uses cannot be made
    └── AnnotationError           a task, worker, answer or export breaks a rule of its project

A message is one or two plain sentences: what was wrong, where, and what would be valid. It is shown by `backend.ui` and the
screens in a browser and by buttons of a notebook, as `ParleyError.shown`, and as it stands in a terminal, by
`backend.program.command_line`; nowhere else is one turned into text. An exception that is not in this tree is a defect of
Parley.
"""

import logging
import re
import secrets
from collections.abc import Iterable
from enum import StrEnum

log = logging.getLogger(__name__)

LONGEST_SHOWN = 500  # characters of a message in a browser
# A path of this computer from its root on, also with a drive or as the address of a SQLite file; not that of an address.
_FOLDERS = re.compile(r"(?:sqlite:/+|(?<![\w:/.])/|(?<!\w)[A-Za-z]:\\)(?:[^\s/\\'\"<>:;,]+[/\\])+(?=[^\s/\\])")


class ParleyError(Exception):
    """The root of the tree: `message` is written for the person in front of the screen."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @property
    def shown(self) -> str:
        """The message as a browser shows it: not too long, and with no folder of the server."""
        text = _FOLDERS.sub("", self.message)
        return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def defect_message(error: Exception, where: str) -> str:
    """Log an exception that nobody raised on purpose under a reference number, and return what a person reads of it."""
    reference = secrets.token_hex(3)
    log.error("Defect %s in %s", reference, where, exc_info=error)
    return defect_sentence(reference)


def defect_sentence(reference: str) -> str:
    """Return what a person reads of a defect that the log has under `reference`."""
    return f"Something went wrong inside Parley. Nothing that you did caused it. Reference for the log: {reference}."


class SettingsError(ParleyError):
    """Seen at the start, by the person who starts Parley."""


class DatasetError(ParleyError):
    """Seen by the person who brings data: at the start, or on upload."""


class ModelError(ParleyError):
    """Seen by the person who brings a model: at the start, or on upload."""


class ParseError(ParleyError):
    """Seen by the person who writes or corrects a parse by hand.

    `position` counts characters of the parse text from 0; `expected` holds what could have stood there.
    """

    def __init__(self, message: str, position: int | None = None, expected: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.position = position
        self.expected = tuple(expected)


class ExecutionError(ParleyError):
    """Seen by the person who asked a question that has no answer on this data set and model."""


class CacheError(ParleyError):
    """Seen by the person who starts Parley with a data folder that cannot be written to."""


class DatabaseError(ParleyError):
    """Seen by the person who starts Parley with a database that cannot be used."""


class AddressError(ParleyError):
    """Seen by the visitor who named the address of a server."""


class JobCancelled(ParleyError):
    """Raised inside a job at its next report of progress, and by `Job.result` for callers that still wait."""


class LanguageModelError(ParleyError):
    """Seen by the person who chose the language model."""


class Blame(StrEnum):
    """What a refusal is about: what every request to the model shares (name, key, address, money), one text, the moment (too
    many requests, a fault of the server), or unclear."""

    SETUP = "setup"
    TEXT = "text"
    MOMENT = "moment"
    UNCLEAR = "unclear"


class RequestRefused(LanguageModelError):
    """Seen by the person who chose the language model; `blame` says what else its server would refuse."""

    def __init__(self, message: str, blame: Blame = Blame.UNCLEAR) -> None:
        super().__init__(message)
        self.blame = blame


class ModelUnusable(LanguageModelError):
    """Seen by the person who started a run: its model cannot be asked, and the message says why."""


class SpendingLimitReached(LanguageModelError):
    """Seen by the person who set the limit of a run."""


class LogicalFormError(ParleyError):
    """Seen by the person who brings or corrects a logical form."""


class InspiredError(ParleyError):
    """Seen by the person who asks a knowledge base."""


class KnowledgeBaseError(InspiredError):
    """Seen by the person who chose the knowledge base, or asked it something that it cannot evaluate."""


class QueryTimeoutError(KnowledgeBaseError):
    """Seen beside the step whose answer took too long; the rest of the question stays."""


class FaithfulnessError(ParleyError):
    """Seen by the person who measures the faithfulness of a language model."""


class AnnotationError(ParleyError):
    """Seen by a worker, reviewer or owner of an annotation project."""
