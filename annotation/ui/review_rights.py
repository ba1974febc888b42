"""Who sees and decides on what others wrote: everybody on one's own computer, elsewhere who typed the operator's code."""

import hashlib
import hmac
from math import ceil
from threading import Lock

from cachetools import LRUCache

from backend.errors import AnnotationError
from backend.network.attempts import CodeAttempts
from backend.program.settings import Settings
from backend.ui import address_of_call, session_of_call

REVIEW = "review"
MOST_REVIEWERS = 1_000  # sessions that are remembered; the code is typed again after that
NO_CODE = (
    "You see what you wrote in this visit. The review of what others wrote is off on this server, since strangers can come; "
    "the person who runs it turns it on with --review-code (or PARLEY_REVIEW_CODE)."
)
ASK_CODE = "You see what you wrote in this visit. To see what others wrote and to decide on it, type the review code."


class ReviewRights:
    """Asked at every call, for the session that calls. `shared`: all visitors see and decide on everything."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.shared = settings is None or not settings.open_to_strangers
        self.has_code = settings is not None and settings.review_code is not None
        self._code = _digest(settings.review_code) if settings and settings.review_code else None
        self._reviewers: LRUCache[str, None] = LRUCache(MOST_REVIEWERS)
        self._attempts = CodeAttempts()
        self._lock = Lock()

    def may_review(self) -> bool:
        """Tell whether the caller sees and decides on what others wrote."""
        if self.shared:
            return True
        with self._lock:
            return session_of_call() in self._reviewers

    def owner(self) -> str | None:
        """Return whose pairs and verdicts the caller sees: those of one session, or all for None."""
        return None if self.may_review() else session_of_call() or "nobody"

    def need_review(self) -> None:
        """Raise AnnotationError for those who may not review."""
        if not self.may_review():
            raise AnnotationError("Only reviewers may do this here. " + (ASK_CODE if self.has_code else NO_CODE))

    def let_in(self, code: str) -> None:
        """Make the caller's session one of a reviewer. Raises AnnotationError if the code is not that of the operator."""
        session, address = session_of_call(), address_of_call()
        if seconds := self._attempts.begin(REVIEW, "", address):
            raise AnnotationError(f"Too many wrong codes were typed where you are. Try again in {ceil(seconds)} seconds.")
        if self._code is None or not session or not hmac.compare_digest(_digest(code.strip()), self._code):
            raise AnnotationError("This is not the review code of this server.")
        self._attempts.succeeded(REVIEW, "", address)
        with self._lock:
            self._reviewers[session] = None


def _digest(code: str) -> bytes:
    return hashlib.sha256(code.encode("utf-8", "replace")).digest()
