"""Attempts to type a code: slowed down for one name from one source, so that nobody can lock out somebody else.

Kept in memory and by a clock that nobody sets: a wrong clock locks nobody out, and the database keeps no address.
"""

import ipaddress
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from cachetools import TTLCache

FREE_FAILURES = 5  # of one name from one source
FREE_FAILURES_OF_A_SOURCE = 50  # many people may sit behind one; after that each of them has one attempt that is not slowed
LONGEST_WAIT = 15 * 60.0  # seconds
FORGOTTEN = 24 * 3600.0
MOST_KEPT = 20_000


@dataclass
class _Failures:
    count: int = 0
    last: float = 0.0


class CodeAttempts:
    """Safe to share between threads. `clock` counts seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: TTLCache[tuple[object, ...], _Failures] = TTLCache(MOST_KEPT, FORGOTTEN, clock)
        self._lock = threading.Lock()

    def begin(self, door: object, name: str, address: str) -> float:
        """Return the seconds that this name still has to wait at this address, or 0 for an attempt that may be made.

        It counts as failed until it has succeeded, so that many at once are slowed down as well. `door`: what the code opens.
        """
        person, source = _keys(door, name, address)
        with self._lock:
            moment = self._clock()
            crowded = self._kept(source).count >= FREE_FAILURES_OF_A_SOURCE
            failures = self._kept(person)
            left = failures.last + _wait(failures.count, 1 if crowded else FREE_FAILURES) - moment
            if left > 0:
                return left
            for each in (person, source):
                self._count(each, moment)
            return 0.0

    def succeeded(self, door: object, name: str, address: str) -> None:
        """Take back what `begin` counted; others at the same address still pay for what they typed wrongly."""
        person, source = _keys(door, name, address)
        with self._lock:
            self._failures.pop(person, None)
            self._kept(source).count -= 1

    def _kept(self, key: tuple[object, ...]) -> _Failures:
        return self._failures.get(key, _Failures())

    def _count(self, key: tuple[object, ...], moment: float) -> None:
        self._failures[key] = _Failures(self._kept(key).count + 1, moment)


def _keys(door: object, name: str, address: str) -> tuple[tuple[object, ...], tuple[object, ...]]:
    source = source_of(address)
    return (door, source, name.casefold()[:200]), (door, source)


def source_of(address: str) -> str:
    """Return an address as a source of attempts or connections: one of IPv6 by its network, all of which one household has."""
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        return address[:100]
    return str(ipaddress.ip_network((read, 64), strict=False)) if read.version == 6 else str(read)


def _wait(failed: int, free: int) -> float:
    """Seconds, twice as long each time."""
    return 0.0 if failed < free else min(LONGEST_WAIT, 2.0 ** min(failed - free, 20))
