"""What addresses have computed of late, in this process and in those that it started for them.

A session costs nothing and a visitor may have many, so what counts is where somebody calls from.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

HALF_LIFE = 60.0  # seconds after which what an address has computed counts half
FORGOTTEN, MOST_KEPT = 0.01, 2_000  # processor seconds, and addresses


@dataclass
class _Working:
    """A thread that computes for an address: its processor seconds before, and since when it waits for another process."""

    address: str
    before: float
    waiting_since: float | None = None


class Spending:
    """Processor seconds that addresses have taken of late, also by what still runs. Safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._taken: dict[str, tuple[float, float]] = {}  # seconds, and when they were that many
        self._running: dict[int, _Working] = {}  # by thread
        self._lock = threading.Lock()

    @contextmanager
    def metered(self, address: str) -> Iterator[None]:
        """Count what this thread computes meanwhile as taken by an address."""
        thread, before = threading.get_ident(), time.thread_time()
        with self._lock:
            outer = self._running.get(thread)
            self._running[thread] = _Working(address, before)
        try:
            yield
        finally:
            with self._lock:
                del self._running[thread]
                if outer is not None:  # counted once, by the outermost
                    self._running[thread] = outer
                else:
                    self._add(address, time.thread_time() - before)

    @contextmanager
    def in_another_process(self) -> Iterator[None]:
        """Count the time in which this thread waits for another process of ours as taken by whom it computes for."""
        with self._lock:
            working = self._running.get(threading.get_ident())
            if working is not None:
                working.waiting_since = self._clock()
        try:
            yield
        finally:
            if working is not None and working.waiting_since is not None:
                with self._lock:
                    self._add(working.address, self._clock() - working.waiting_since)
                    working.waiting_since = None

    def carried(self, work: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
        """The same work, which another thread will do, counted as that of whom this thread computes for."""
        with self._lock:
            working = self._running.get(threading.get_ident())

        @wraps(work)
        def counted(*args: Arguments.args, **options: Arguments.kwargs) -> Returned:
            with self.metered(working.address) if working is not None else nullcontext():
                return work(*args, **options)

        return counted

    def working_for(self) -> str:
        """The address that this thread computes for; empty if it does so for nobody."""
        with self._lock:
            working = self._running.get(threading.get_ident())
        return "" if working is None else working.address

    def add(self, address: str, seconds: float) -> None:
        with self._lock:
            self._add(address, seconds)

    def of(self, address: str) -> float:
        """The seconds of one address."""
        with self._lock:
            return self._left(address) + sum(
                self._of_thread(thread, working) for thread, working in self._running.items() if working.address == address
            )

    def all(self) -> dict[str, float]:
        """The seconds of each address that has taken any of late."""
        with self._lock:
            seconds = Counter({address: self._left(address) for address in self._taken})
            for thread, working in self._running.items():
                seconds[working.address] += self._of_thread(thread, working)  # type: ignore[assignment]  # a Counter of floats
        return dict(seconds)

    def _of_thread(self, thread: int, working: _Working) -> float:
        waited = 0.0 if working.waiting_since is None else self._clock() - working.waiting_since
        return _thread_seconds(thread) - working.before + waited

    def _add(self, address: str, seconds: float) -> None:
        self._taken[address] = (self._left(address) + seconds, self._clock())
        if len(self._taken) > MOST_KEPT:
            self._taken = {each: taken for each, taken in self._taken.items() if self._left(each) > FORGOTTEN}

    def _left(self, address: str) -> float:
        seconds, moment = self._taken.get(address, (0.0, 0.0))
        return float(seconds * 0.5 ** ((self._clock() - moment) / HALF_LIFE))


def _thread_seconds(thread: int) -> float:
    """The processor seconds of a thread that runs; where the system does not tell, they count when it has ended."""
    clock = getattr(time, "pthread_getcpuclockid", None)
    return float(time.clock_gettime(clock(thread))) if clock else 0.0


SPENDING = Spending()
