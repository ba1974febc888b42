"""Connections that are held open: closed where nothing comes of them, and where there are too many of one source.

A connection costs its visitor nothing. Here it costs a file and, once it asks something, a task: who begins requests and does
not end them, or asks and does not read, would keep all of those that the system gives to one program.
"""

import ipaddress
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import h11
from uvicorn import config
from uvicorn.protocols.http.h11_impl import H11Protocol

from backend.network.attempts import source_of

LOOK_SECONDS = 5.0  # between two looks at a connection
HEAD_SECONDS = 20.0  # until the head of a request is complete
BODY_SECONDS, SLOWEST = 20.0, 1_000  # after these a body must have come by so many bytes a second
READ_SECONDS = 30.0  # without a byte being read of what was answered
MOST = 4_000  # connections
SPARE = 200  # files that are left for everything else
MOST_FILES = 65_536


class _Open:
    """The connections of this process, by source, the oldest first. `trusted`: proxies, whose connections are many people's."""

    def __init__(self) -> None:
        self.by_source: dict[str, dict[Any, None]] = {}
        self.count, self.most = 0, MOST
        self.trusted: tuple[Any, ...] = ()

    def add(self, source: str, connection: Any) -> None:
        self.by_source.setdefault(source, {})[connection] = None
        self.count += 1
        if self.count > self.most and (strangers := [each for each in self.by_source if not self._is_trusted(each)]):
            most = max(strangers, key=lambda each: len(self.by_source[each]))
            next(iter(self.by_source[most])).give_up()

    def remove(self, source: str, connection: Any) -> None:
        if connection in self.by_source.get(source, {}):
            del self.by_source[source][connection]
            self.count -= 1
            if not self.by_source[source]:
                del self.by_source[source]

    def _is_trusted(self, source: str) -> bool:
        try:
            network = ipaddress.ip_network(source)
        except ValueError:
            return False
        return any(network.version == each.version and network.subnet_of(each) for each in self.trusted)


OPEN = _Open()


def bound_connections(trusted_proxies: Iterable[str]) -> None:
    """Have the servers that this process starts close what is only held open. Gradio lets nobody choose the protocol."""
    OPEN.trusted = tuple(ipaddress.ip_network(each, strict=False) for each in trusted_proxies)
    OPEN.most = min(MOST, max(_files() - SPARE, SPARE))
    config.HTTP_PROTOCOLS["auto"] = f"{__name__}:{BoundedConnection.__name__}"
    config.WS_PROTOCOLS["auto"] = None  # nothing here speaks by WebSocket, and no door would look at it


def _files() -> int:
    """How many files this process may have open, as many as the system allows."""
    try:
        import resource
    except ImportError:
        return MOST_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
    return MOST_FILES if soft == resource.RLIM_INFINITY else soft


class BoundedConnection(H11Protocol):
    """A connection as uvicorn's, which is given up where a request or the reading of its answer does not go on."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._source = source_of(self.client[0]) if self.client else ""
        self._bytes, self._since = 0, self.loop.time()
        self._mark: tuple[Any, Any] | None = None
        self._unread, self._unread_since = 0, self.loop.time()
        self._looking = self.loop.call_later(LOOK_SECONDS, self._look)
        OPEN.add(self._source, self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._looking.cancel()
        OPEN.remove(self._source, self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._bytes += len(data)
        super().data_received(data)

    def give_up(self) -> None:
        """Close at once, with what was not sent yet."""
        self._looking.cancel()
        OPEN.remove(self._source, self)
        self.transport.abort()

    def _look(self) -> None:
        now = self.loop.time()
        if self._is_stalled(now) or self._is_unread(now):
            self.give_up()
        else:
            self._looking = self.loop.call_later(LOOK_SECONDS, self._look)

    def _is_stalled(self, now: float) -> bool:
        """Whether a request has begun, or could have, and does not come on."""
        mark = (self.conn.their_state, self.cycle)
        if mark != self._mark or self.flow.read_paused:  # something new, or what came is not taken yet
            self._mark, self._since, self._bytes = mark, now, 0
            return False
        waited = now - self._since
        if self.conn.their_state is h11.IDLE:
            return waited > HEAD_SECONDS
        return self.conn.their_state is h11.SEND_BODY and waited > BODY_SECONDS and self._bytes < SLOWEST * waited

    def _is_unread(self, now: float) -> bool:
        """Whether the other end has taken nothing for a while of what lies here for it."""
        unread = self.transport.get_write_buffer_size()
        if not unread or unread != self._unread:
            self._unread, self._unread_since = unread, now
        return now - self._unread_since > READ_SECONDS if unread else False
