"""Threads that read Python's literals do not disturb each other."""

import ast
import gc
import sys
import threading
from collections.abc import Iterator

import pytest

TEXT = f"[{','.join(f'[{number},(1,2,{{1:[2,3]}})]' for number in range(60))}]"


class Cycle:
    """What the garbage collector ends, in the middle of whatever a thread does."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        sum(range(50))


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads change, and young garbage is collected, as often as can be."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(5, 10_000, 10_000)
    yield
    sys.setswitchinterval(interval)
    gc.set_threshold(*threshold)


def test_literals_are_read_by_many_threads(switching: None) -> None:
    errors: list[BaseException] = []

    def work() -> None:
        for _ in range(60):
            Cycle()
            try:
                assert len(ast.literal_eval(TEXT)) == 60
            except (SystemError, AssertionError) as error:
                errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not errors
