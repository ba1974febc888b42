"""When to end a run whose calls cannot come to anything, instead of asking every row."""

import time
from collections.abc import Callable

from backend.errors import Blame, LanguageModelError, ModelUnusable, RequestRefused

# Refusals alike, or failures before anything has worked, that are enough to know.
FEW = 3
# Failures in a row of a model that has worked, and the seconds that they must last: servers are restarted.
MANY = 10
PATIENCE = 120.0


class Breaker:
    """Counts the failures of the calls of one model since its last reply.

    A wrong name, key or address, or an account without money, is known from one refusal; a request that is refused for
    another reason from a few in a row. What is about a single text (too long, filtered) says nothing of the next.
    """

    def __init__(self, in_flight: int = 1, patience: float = PATIENCE, clock: Callable[[], float] = time.monotonic) -> None:
        self.worked = False
        self._many, self._patience, self._clock = max(MANY, 2 * in_flight), patience, clock
        self._replies, self._failed, self._refused = -1, 0, 0
        self._since = clock()

    def succeeded(self) -> None:
        self.worked = True

    def failed(self, error: LanguageModelError, replies: int) -> None:
        """Note a failed call after so many `replies` of this process. Raises ModelUnusable when nothing else would work."""
        blame = error.blame if isinstance(error, RequestRefused) else Blame.MOMENT
        if blame is Blame.TEXT:
            return
        if replies != self._replies:
            self._replies, self._failed, self._refused, self._since = replies, 0, 0, self._clock()
        self._failed += 1
        self._refused += blame is Blame.UNCLEAR
        if blame is Blame.SETUP:
            raise ModelUnusable(f"{error.message} The run was ended, since every other call would be refused too.")
        if self._refused >= FEW or self._hopeless():
            raise ModelUnusable(f"{error.message} The run was ended after {self._failed} calls in a row that failed.")

    def _hopeless(self) -> bool:
        if not self.worked:
            return self._failed >= FEW
        return self._failed >= self._many and self._clock() - self._since >= self._patience
