"""Threads for calls in flight that the end of the process does not wait for, unlike those of ThreadPoolExecutor."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from queue import SimpleQueue
from typing import Generic, TypeVar

Result = TypeVar("Result")
LOOK = 0.2  # seconds


class DaemonPool(Generic[Result]):
    """So many threads; what is submitted waits its turn, and can be cancelled until then."""

    def __init__(self, threads: int, name: str) -> None:
        self._work: SimpleQueue[tuple[Future[Result], Callable[[], Result]] | None] = SimpleQueue()
        self._threads = threads
        for number in range(threads):
            threading.Thread(target=self._run, name=f"{name} {number}", daemon=True).start()

    def submit(self, call: Callable[[], Result]) -> Future[Result]:
        future: Future[Result] = Future()
        self._work.put((future, call))
        return future

    def close(self) -> None:
        """Let the threads end, each after the call that it has in hand."""
        for _ in range(self._threads):
            self._work.put(None)

    def _run(self) -> None:
        while (item := self._work.get()) is not None:
            future, call = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:  # the reader of the result must see any error
                future.set_exception(error)


def in_flight(calls: Sequence[Callable[[], Result]], at_once: int) -> Iterator[Result]:
    """What each call returns, as it does, so many at the same time. Raises what a call raises; the others are then dropped."""
    pool: DaemonPool[Result] = DaemonPool(min(at_once, max(1, len(calls))), "in flight")
    waiting = {pool.submit(call) for call in calls}
    try:
        while waiting:
            done, waiting = wait(waiting, timeout=LOOK, return_when=FIRST_COMPLETED)  # Ctrl-C is heard between two looks
            yield from [future.result() for future in done]
    finally:
        for future in waiting:
            future.cancel()
        pool.close()
