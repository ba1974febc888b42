"""What is computed elsewhere for somebody is theirs too, and of what is kept nobody can put everybody's away."""

import threading
from types import SimpleNamespace

from backend.network.shares.fairly_kept import first_to_forget
from backend.network.shares.spending import Spending


class Clock:
    seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_the_wait_for_another_process_counts_while_it_lasts_and_once() -> None:
    clock = Clock()
    spending = Spending(clock)
    with spending.metered("ann"):
        with spending.in_another_process():
            clock.seconds += 8
            assert 8 <= spending.of("ann") < 8.5
            assert spending.all().keys() == {"ann"}
        assert 8 <= spending.of("ann") < 8.5
    assert 8 <= spending.of("ann") < 8.5
    assert spending.of("ben") == 0
    with spending.in_another_process():  # of nobody
        clock.seconds += 8


def test_what_another_thread_computes_for_somebody_is_counted_as_theirs() -> None:
    spending, seen = Spending(), SimpleNamespace(owner="nobody")

    def work(owner: str) -> None:
        seen.owner = spending.working_for()
        spending.add(owner, 0)

    with spending.metered("ann"):
        thread = threading.Thread(target=spending.carried(work), args=("ann",))
    assert spending.working_for() == ""
    thread.start()
    thread.join()
    assert seen.owner == "ann"
    spending.carried(work)("nobody")
    assert seen.owner == ""


def test_who_has_most_loses_their_oldest() -> None:
    owners = {"a": "ann", "b": "ben", "c": "cy", "d": "ben"}
    assert first_to_forget(owners) == "b"
    assert first_to_forget({"a": "ann", "b": "ben"}) == "a"
