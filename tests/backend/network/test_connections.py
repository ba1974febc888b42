"""Connections of which nothing comes are given up, and where there are too many, the oldest of who has most of them."""

import asyncio
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from uvicorn import config
from uvicorn.server import ServerState

from backend.network import connections
from backend.network.connections import BODY_SECONDS, HEAD_SECONDS, READ_SECONDS, BoundedConnection, bound_connections

HEAD = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100000\r\n\r\n"


class Transport(asyncio.Transport):
    """One end of a connection, with what the other end has not taken yet."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 1), "sockname": ("127.0.0.1", 80)})
        self.unread, self.aborted = 0, False

    def get_write_buffer_size(self) -> int:
        return self.unread

    def abort(self) -> None:
        self.aborted = True

    def pause_reading(self) -> None:
        return

    def is_closing(self) -> bool:
        return self.aborted

    def close(self) -> None:
        self.aborted = True


class Loop(asyncio.SelectorEventLoop):
    """A loop whose clock is turned by hand."""

    moment = 0.0

    def time(self) -> float:
        return self.moment


async def _waits(scope: Any, receive: Any, send: Any) -> None:
    await asyncio.Event().wait()


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loop]:
    monkeypatch.setattr(connections, "OPEN", connections._Open())
    for protocols in (config.HTTP_PROTOCOLS, config.WS_PROTOCOLS):
        monkeypatch.setitem(protocols, "auto", protocols["auto"])  # put back at the end
    loop = Loop()
    yield loop
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def _open(loop: Loop, address: str = "192.0.2.1") -> tuple[Any, Transport]:
    connection = BoundedConnection(config.Config(_waits, log_config=None), ServerState(), {}, loop)
    transport = Transport(address)
    connection.connection_made(transport)
    return connection, transport


def _pass(loop: Loop, seconds: float, sent: Iterable[tuple[Any, bytes]] = ()) -> None:
    """Let so many seconds go by, with one piece of what is sent in each."""
    pieces = iter(sent)
    for _ in range(int(seconds)):
        loop.moment += 1
        for connection, piece in itertools.islice(pieces, 1):
            connection.data_received(piece)
        loop.run_until_complete(asyncio.sleep(0))


def test_a_head_that_does_not_end_is_given_up(loop: Loop) -> None:
    silent, slow = _open(loop), _open(loop)
    slow[0].data_received(b"GET / HTTP/1.1\r\n")
    _pass(loop, HEAD_SECONDS - 5, itertools.repeat((slow[0], b"X-A: 1\r\n")))
    assert not [each for each in (silent, slow) if each[1].aborted]
    _pass(loop, 15, itertools.repeat((slow[0], b"X-A: 1\r\n")))
    assert [each[1].aborted for each in (silent, slow)] == [True, True]


def test_a_body_has_to_come_on_and_what_is_being_answered_may_take_its_time(loop: Loop) -> None:
    slow, fast, asked = _open(loop), _open(loop), _open(loop)
    for each in (slow, fast):
        each[0].data_received(HEAD)
    asked[0].data_received(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
    _pass(loop, BODY_SECONDS + 20, itertools.repeat((fast[0], b"x" * 2_000)))
    assert [each[1].aborted for each in (slow, fast, asked)] == [True, False, False]


def test_who_does_not_read_what_is_answered_is_given_up(loop: Loop) -> None:
    connection, transport = _open(loop)
    connection.data_received(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
    transport.unread = 10_000
    _pass(loop, READ_SECONDS)
    assert not transport.aborted
    transport.unread = 9_000
    _pass(loop, READ_SECONDS - 10)
    assert not transport.aborted
    _pass(loop, 30)
    assert transport.aborted


def test_of_too_many_the_oldest_of_who_has_most_goes_and_proxies_keep_theirs(loop: Loop) -> None:
    proxy = [_open(loop, "127.0.0.1") for _ in range(3)]
    bound_connections(["127.0.0.0/8"])
    connections.OPEN.most = 5
    flood = [_open(loop, "192.0.2.1") for _ in range(4)]
    other = _open(loop, "2001:db8::1")
    assert [each[1].aborted for each in flood] == [True, True, True, False]
    assert not any(each[1].aborted for each in [*proxy, other])
    assert connections.OPEN.count == 5
    other[0].connection_lost(None)
    assert connections.OPEN.count == 4
