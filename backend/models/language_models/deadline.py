"""A bound on how long a call takes as a whole.

The timeouts of HTTP clients are for each read, so that a server which sends a byte now and then is never given up on.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """Return what `call` returns. Raises TimeoutError if it has not by then, and leaves it to itself.

    It runs in a thread that neither the caller nor the end of the process waits for, so that Ctrl-C is heard meanwhile.
    """
    future: Future[Result] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # the caller must see any error
            future.set_exception(error)

    threading.Thread(target=work, name="language model", daemon=True).start()
    return future.result(seconds)
