"""One training on several graphics cards of this computer: a process for each, started and ended together."""

import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from backend.errors import InspiredError, ParleyError
from backend.program.extras import require

if TYPE_CHECKING:
    import argparse

Learn = Callable[["argparse.Namespace"], None]


def learn_together(learn: Learn, args: "argparse.Namespace", processes: int) -> None:
    """Call `learn`, a function of a module, in so many processes, each on a card of its own.

    Without cards they share the processor. The first of them writes and reports. Raises InspiredError for more processes
    than cards, and for what one raises.
    """
    require("torch", "accelerate")
    import torch
    from torch.multiprocessing.spawn import ProcessException, spawn

    if torch.cuda.is_available() and processes > torch.cuda.device_count():
        raise InspiredError(
            f"--processes {processes} is too large; this computer has {torch.cuda.device_count()} graphics cards."
        )
    errors = torch.multiprocessing.get_context("spawn").SimpleQueue()
    try:
        spawn(_learn, (learn, args, processes, _free_port(), errors), processes)  # type: ignore[no-untyped-call]
    except ProcessException as error:
        reason = errors.get() if not errors.empty() else f"a process ended early: {error}"
        raise InspiredError(f"The training ended: {reason}") from error


def _learn(rank: int, learn: Learn, args: "argparse.Namespace", processes: int, port: int, errors: Any) -> None:
    """In a process of its own: what the library accelerate looks for, and the training."""
    # A process in the background of a shell is born deaf to this signal, by which the end of the first one ends the others.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    address = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": processes, "LOCAL_WORLD_SIZE": processes, "MASTER_PORT": port}
    os.environ.update({name: str(value) for name, value in address.items()} | {"MASTER_ADDR": "127.0.0.1"})
    try:
        if rank == 0:
            learn(args)
            return
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # the first reports for all
            sys.stdout = sys.stderr = nowhere
            learn(args)
    except ParleyError as error:
        errors.put(error.message)
        raise


def _free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port: int = door.getsockname()[1]
        return port
