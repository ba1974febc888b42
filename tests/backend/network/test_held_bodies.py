"""Bodies that are begun and never end fill the room of who sends them, and no more."""

import asyncio
from typing import Any

import pytest

from backend.network.shares.held_bodies import BodyLimits, BodyRefusedError, HeldBodies

LIMITS = BodyLimits(of_address=1_000, in_all=1_500, small=100)


def _sent(*sizes: int, ended: bool = True) -> Any:
    """What a server receives: pieces of so many bytes, and then the end, or a visitor who has gone."""
    last: dict[str, Any] = {"type": "http.request", "body": b""} if ended else {"type": "http.disconnect"}
    messages = [*({"type": "http.request", "body": b"x" * size, "more_body": True} for size in sizes), last]

    async def receive() -> Any:
        return messages.pop(0)

    return receive


def _read(held: Any, receive: Any) -> bytes | None:
    body: bytes | None = asyncio.run(held.read(receive))
    return body


def test_an_address_holds_so_much_at_once_and_nothing_after() -> None:
    bodies = HeldBodies(LIMITS)
    with bodies.of("a") as first, bodies.of("a") as second, bodies.of("b") as other:
        assert _read(first, _sent(400, 300)) == b"x" * 700
        with pytest.raises(BodyRefusedError, match="too much is being sent"):
            _read(second, _sent(200, 200))
        assert _read(other, _sent(500)) == b"x" * 500
    with bodies.of("a") as again:
        assert _read(again, _sent(1_000)) == b"x" * 1_000


def test_all_hold_so_much_together_and_a_small_call_is_let_in_all_the_same() -> None:
    bodies = HeldBodies(LIMITS)
    with bodies.of("a") as one, bodies.of("b") as two, bodies.of("c") as three, bodies.of("d") as small:
        _read(one, _sent(900))
        _read(two, _sent(600))
        with pytest.raises(BodyRefusedError):
            _read(three, _sent(200))
        assert _read(small, _sent(90)) == b"x" * 90


def test_who_breaks_off_holds_nothing() -> None:
    bodies = HeldBodies(LIMITS)
    with bodies.of("a") as gone:
        assert _read(gone, _sent(900, ended=False)) is None
    with bodies.of("a") as again:
        assert _read(again, _sent(900)) is not None
