"""Wrong codes slow down who types them, and nobody else; the memory of them is bounded."""

import pytest

from backend.network import attempts as module
from backend.network.attempts import FREE_FAILURES, FREE_FAILURES_OF_A_SOURCE, LONGEST_WAIT, CodeAttempts


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def attempts(clock: Clock) -> CodeAttempts:
    return CodeAttempts(clock)


def test_the_wait_doubles_and_has_an_end(attempts: CodeAttempts, clock: Clock) -> None:
    assert [attempts.begin(1, "Ann", "here") for _ in range(FREE_FAILURES)] == [0.0] * FREE_FAILURES
    waits = []
    for _ in range(14):
        waits.append(attempts.begin(1, "Ann", "here"))
        clock.seconds += waits[-1]
        assert attempts.begin(1, "Ann", "here") == 0.0
    assert waits[:4] == [1.0, 2.0, 4.0, 8.0]
    assert waits[-1] == LONGEST_WAIT


def test_another_name_another_address_and_another_door_do_not_wait(attempts: CodeAttempts) -> None:
    for _ in range(FREE_FAILURES):
        attempts.begin(1, "Ann", "192.0.2.1")
    assert attempts.begin(1, "ann", "192.0.2.1") > 0
    for door, name, address in ((2, "Ann", "192.0.2.1"), (1, "Ben", "192.0.2.1"), (1, "Ann", "192.0.2.2")):
        assert attempts.begin(door, name, address) == 0.0


def test_who_fails_under_many_names_still_leaves_everybody_there_one_attempt(attempts: CodeAttempts) -> None:
    for number in range(FREE_FAILURES_OF_A_SOURCE):
        assert attempts.begin(1, f"name {number}", "proxy") == 0.0
    assert attempts.begin(1, "Ann", "proxy") == 0.0
    assert attempts.begin(1, "Ann", "proxy") > 0
    attempts.succeeded(1, "Ann", "proxy")
    assert attempts.begin(1, "Ann", "proxy") == 0.0


def test_success_forgives_the_name_but_not_the_others_at_the_address(attempts: CodeAttempts) -> None:
    for _ in range(FREE_FAILURES):
        attempts.begin(1, "Ann", "here")
        attempts.begin(1, "Ben", "here")
    attempts.succeeded(1, "Ann", "here")
    assert attempts.begin(1, "Ann", "here") == 0.0
    assert attempts.begin(1, "Ben", "here") > 0


def test_all_addresses_of_an_ipv6_network_are_one_source(attempts: CodeAttempts) -> None:
    for number in range(FREE_FAILURES):
        attempts.begin(1, "Ann", f"2001:db8:1:2::{number + 1}")
    assert attempts.begin(1, "Ann", "2001:db8:1:2:ffff::9") > 0
    assert attempts.begin(1, "Ann", "2001:db8:1:3::1") == 0.0


def test_old_failures_are_forgotten_and_there_are_never_too_many(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_KEPT", 10)
    attempts = CodeAttempts(clock)
    for number in range(200):
        attempts.begin(1, f"name {number}", f"address {number}")
    assert len(attempts._failures) <= 10
    clock.seconds += module.FORGOTTEN
    attempts.begin(1, "Ann", "here")
    assert len(attempts._failures) == 2
