"""What the protocol of a study refuses, and why."""

from datetime import datetime
from enum import StrEnum

from backend.errors import AnnotationError


class Reason(StrEnum):
    """The rule that was broken; a screen may act on it, the message is for the person."""

    SIGN_IN = "sign in"  # no such name, code or link
    SLOW_DOWN = "slow down"  # too many failed attempts; `until` says when the next one counts
    ROLE = "role"  # only a lead may do this, or only a worker
    PHASE = "phase"  # not the phase for this
    WAIT = "wait"  # the quiz may be tried again at `until`
    GRADING = "grading"  # somebody has to look at the work first
    FINISHED = "finished"  # nothing is left, or the cap is reached
    ELIMINATED = "eliminated"
    UNKNOWN = "unknown"  # no such item, slide, worker, attempt ...
    LEASE = "lease"  # the item is not lent to this worker, or no longer
    OVERLAP = "overlap"  # the item has all the answers it needs
    ANSWER = "answer"  # the answer is not of the form asked for
    WARNINGS = "warnings"  # the answer looks wrong; it is taken if its writer insists
    DECIDED = "decided"  # it was decided already


class CallRefusedError(AnnotationError):
    """A call that the protocol does not allow: nothing was changed by it."""

    def __init__(self, reason: Reason, message: str, until: datetime | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.until = until
