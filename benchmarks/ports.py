"""A port of this computer for a server that is about to be started."""

import random
import socket
from collections.abc import Iterator

# Below the ports that systems hand to outgoing connections: none of those takes the port before the server listens.
LOWEST, HIGHEST = 20_000, 32_000
TRIES = 100


def free_port() -> int:
    """A port of 127.0.0.1 at which nothing listens. Drawn, so that programs that look at the same time get different ones."""
    for port in _drawn():
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError(f"no port of {TRIES} between {LOWEST} and {HIGHEST} is free")


def _drawn() -> Iterator[int]:
    draw = random.SystemRandom()  # a seed of the tests would give all of them the same port
    return (draw.randrange(LOWEST, HIGHEST) for _ in range(TRIES))
