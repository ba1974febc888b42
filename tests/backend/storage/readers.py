"""Readers of files that take too much, crash or write, in a module that a process of its own imports at once."""

import os
import signal
from pathlib import Path

from backend.errors import DatasetError


def take_memory(path: Path) -> object:
    return [path.read_bytes() * 1_000 for _ in range(10_000)]


def take_time(path: Path) -> None:
    while path:
        pass


def wrap_no_memory(path: Path) -> None:
    try:
        take_memory(path)
    except MemoryError as error:
        raise DatasetError("The file failed.") from error


def crash(path: Path) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def write_beside(path: Path) -> None:
    path.with_suffix(".new").write_bytes(b"x" * 1_000)


def read_well(path: Path) -> bytes:
    return path.read_bytes()


def refuse(path: Path) -> None:
    raise ValueError("no such file")
