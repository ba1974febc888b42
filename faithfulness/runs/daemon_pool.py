"""Threads for calls in flight that the end of the process does not wait for, unlike those of ThreadPoolExecutor."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Generic, TypeVar

Result = TypeVar("Result")


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
