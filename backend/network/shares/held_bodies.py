"""Bodies of calls that are on their way: a call is looked at as a whole, and many that never end would fill the memory."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.types import Receive

TOO_MUCH = "From your address too much is being sent at once; send it again when the rest has arrived."


@dataclass(frozen=True)
class BodyLimits:
    """Bytes that are held at once. Who has less than `small` is let in also where all together have too many."""

    of_address: int = 20_000_000
    in_all: int = 150_000_000
    small: int = 100_000


class BodyRefusedError(Exception):
    """There is no room for a body; the message is for who sends it."""


class HeldBodies:
    """The bytes of bodies that are read or were read and are not answered yet."""

    def __init__(self, limits: BodyLimits | None = None) -> None:
        self._limits, self._held = limits or BodyLimits(), Counter[str]()

    @contextmanager
    def of(self, address: str) -> Iterator["HeldBody"]:
        """What one call holds; nothing more at the end."""
        body = HeldBody(self, address)
        try:
            yield body
        finally:
            self._held -= Counter({address: body.size})  # drops who has nothing left

    def add(self, address: str, size: int) -> None:
        """Raise BodyRefusedError where an address, or all, would hold too much."""
        mine, limits = self._held[address] + size, self._limits
        if mine > limits.of_address or (mine > limits.small and self._held.total() + size > limits.in_all):
            raise BodyRefusedError(TOO_MUCH)
        self._held[address] += size


class HeldBody:
    """The body of one call."""

    def __init__(self, bodies: HeldBodies, address: str) -> None:
        self._bodies, self._address, self.size = bodies, address, 0

    async def read(self, receive: Receive) -> bytes | None:
        """The body, None if it was broken off; how long it may be is up to `RequestLimits`. Raises BodyRefusedError."""
        pieces: list[bytes] = []
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            piece = message.get("body", b"")
            self._bodies.add(self._address, len(piece))
            self.size += len(piece)
            pieces.append(piece)
            if not message.get("more_body"):
                return b"".join(pieces)
