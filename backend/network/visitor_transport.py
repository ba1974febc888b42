"""Calls to addresses that a visitor named: checked, pinned, and bounded in time and size as a whole.

Each call has a connection of its own, so that its deadline holds from the look-up of the name to the last byte, also against a
server that sends a byte now and then. Proxies of the environment are not used, and packed replies are refused, since a few
kilobytes can unpack to gigabytes.
"""

import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any

import httpcore
import httpx

from backend.errors import AddressError
from backend.network.addresses import checked_addresses

CONNECT_SECONDS = 5.0
CALL_SECONDS = 60.0
LARGEST_REPLY = 10_000_000  # bytes
# Over all visitors, and of one client: a call that waits holds a thread here, and a server that never answers must not keep
# the calls to others waiting.
CALLS_AT_ONCE, CALLS_OF_A_CLIENT = 24, 4
WAIT_SECONDS = 10.0
_TURNS = threading.BoundedSemaphore(CALLS_AT_ONCE)


def visitor_client(private: bool = False, seconds: float = CALL_SECONDS) -> httpx.Client:
    """A client that follows no redirect and sends nothing of the environment's; `private` lets it reach any address."""
    timeout = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
    transport = VisitorTransport(private, seconds)
    return httpx.Client(transport=transport, timeout=timeout, follow_redirects=False, trust_env=False)


@cache
def _certificates() -> ssl.SSLContext:
    """Whom to trust; reading it takes longer than many a call."""
    return httpx.create_ssl_context(trust_env=False)


class VisitorTransport(httpx.BaseTransport):
    """Connects to checked addresses only; each request may take `seconds`, and its reply have `largest` bytes."""

    def __init__(self, private: bool = False, seconds: float = CALL_SECONDS, largest: int = LARGEST_REPLY) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=_certificates(),
            network_backend=_CheckedNetwork(private, seconds, largest),
            max_connections=CALLS_OF_A_CLIENT,
            max_keepalive_connections=0,
        )
        self._turns, self._wait = threading.BoundedSemaphore(CALLS_OF_A_CLIENT), 2 * seconds

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request when it is its turn. Raises AddressError for an address that is refused, and what httpx raises."""
        request.headers["Accept-Encoding"] = "identity"
        url = request.url
        assert isinstance(request.stream, httpx.SyncByteStream)
        sent = httpcore.Request(
            request.method,
            httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with ExitStack() as turn:
            self._take(turn)
            with _errors_of_httpx():
                reply = self._pool.handle_request(sent)
            _refuse_packed(reply)
            stream = _BoundedReply(reply, turn.pop_all())
        return httpx.Response(reply.status, headers=reply.headers, stream=stream, extensions=reply.extensions)

    def _take(self, turn: ExitStack) -> None:
        """Wait for a turn, first among the calls of this client; `turn` gives it back."""
        if not self._turns.acquire(timeout=self._wait):
            raise httpx.PoolTimeout("too many calls to the same server are on their way")
        turn.callback(self._turns.release)
        if not _TURNS.acquire(timeout=WAIT_SECONDS):
            raise AddressError("Too many calls to other servers are on their way; try again in a minute.")
        turn.callback(_TURNS.release)

    def close(self) -> None:
        self._pool.close()


class _BoundedReply(httpx.SyncByteStream):
    """The body of a reply; its end gives the turn to the next call."""

    def __init__(self, reply: httpcore.Response, turn: ExitStack) -> None:
        self._reply, self._turn = reply, turn

    def __iter__(self) -> Iterator[bytes]:
        with _errors_of_httpx():
            yield from self._reply.iter_stream()

    def close(self) -> None:
        with self._turn:  # also when it is closed a second time, it is given back once
            self._reply.close()


class _CheckedNetwork(httpcore.NetworkBackend):
    def __init__(self, private: bool, seconds: float, largest: int) -> None:
        self._private, self._seconds, self._largest = private, seconds, largest
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:  # fmt: skip
        deadline = time.monotonic() + self._seconds
        addresses = checked_addresses(host, port, self._private)
        connect_by = min(deadline, time.monotonic() + (CONNECT_SECONDS if timeout is None else timeout))
        for address in addresses[:-1]:
            try:
                stream = self._plain.connect_tcp(address, port, _left(connect_by) / 2, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
            return _BoundedStream(stream, deadline, self._largest)
        stream = self._plain.connect_tcp(addresses[-1], port, _left(connect_by), local_address, socket_options)
        return _BoundedStream(stream, deadline, self._largest)

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.NetworkStream:
        raise AddressError("A socket file is no address of a server.")

    def sleep(self, seconds: float) -> None:
        self._plain.sleep(seconds)


class _BoundedStream(httpcore.NetworkStream):
    """A connection that ends at its deadline, and after so many bytes."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float, largest: int) -> None:
        self._stream, self._deadline, self._left = stream, deadline, largest

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        piece = self._stream.read(max_bytes, self._within(timeout))
        self._left -= len(piece)
        if self._left < 0:
            raise httpcore.ReadError("the reply is too large")
        return piece

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._within(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> Any:
        secured = self._stream.start_tls(ssl_context, server_hostname, self._within(timeout))
        return _BoundedStream(secured, self._deadline, self._left)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def _within(self, timeout: float | None) -> float:
        left = _left(self._deadline)
        return left if timeout is None else min(timeout, left)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the call took too long")
    return left


def _refuse_packed(reply: httpcore.Response) -> None:
    packed = [value for name, value in reply.headers if name.lower() == b"content-encoding" and value.lower() != b"identity"]
    if packed:
        reply.close()
        raise httpx.DecodingError("the reply is packed, although it was asked for as it is")


@contextmanager
def _errors_of_httpx() -> Iterator[None]:
    """Those who call expect the errors of httpx."""
    try:
        yield
    except httpcore.ConnectTimeout as error:
        raise httpx.ConnectTimeout(str(error)) from error
    except httpcore.TimeoutException as error:
        raise httpx.ReadTimeout(str(error)) from error
    except httpcore.ConnectError as error:
        raise httpx.ConnectError(str(error)) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
        raise httpx.RemoteProtocolError(str(error)) from error
