"""A visitor cannot have this server call its own network, by whatever spelling, name, redirect or change of mind."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from backend.errors import AddressError, LanguageModelError
from backend.models.language_models import OpenAIEndpoint
from backend.network import visitor_transport
from backend.network.addresses import checked_addresses, is_loopback, is_public
from backend.network.visitor_transport import VisitorTransport, visitor_client
from inspired.knowledge_base.endpoint import Endpoint

pytestmark = pytest.mark.slow

OWN = [
    "127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "240.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.0.8", "192.88.99.1", "::", "::1", "::ffff:127.0.0.1", "::127.0.0.1",
    "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "fec0::1", "ff02::1", "2002:7f00:1::1", "2002:a9fe:a9fe::", "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2001::1", "2001:db8::1", "5f00::1", "3fff::1", "localhost", "",
]  # fmt: skip
PUBLIC = ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"]
# Spellings that the resolver of the system reads, so that only its answer tells what they are.
SPELLINGS = ["127.1", "2130706433", "0x7f000001", "localhost", "[::1]", "[::ffff:127.0.0.1]"]


@pytest.mark.parametrize("address", OWN)
def test_an_address_of_no_public_network_is_known_as_such(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("port", [22, 25, 0, 1023, 5432, 6379, 65536])
def test_no_port_of_mail_logins_and_databases_is_named(port: int) -> None:
    with pytest.raises(AddressError, match=f"Port {port} is not one"):
        checked_addresses("93.184.216.34", port)
    assert checked_addresses("93.184.216.34", 11434) == ("93.184.216.34",)
    if port == 22:
        assert checked_addresses("127.0.0.1", port, private=True) == ("127.0.0.1",)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_known_as_such(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(("host", "alone"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False),
                                             ("::", False), ("192.168.1.5", False), ("parley.example", False)])  # fmt: skip
def test_listening_on_loopback_is_told_from_listening_to_others(host: str, alone: bool) -> None:
    assert is_loopback(host) is alone


@contextmanager
def server(answer: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[tuple[int, list[str]]]:
    """A server on loopback: its port, and the paths that were asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            answer(self)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.do_GET()

        def log_message(self, *args: Any) -> None:
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.daemon_threads = True
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made.server_port, asked
    made.shutdown()
    made.server_close()
    thread.join()


def hello(handler: BaseHTTPRequestHandler, body: bytes = b"hello", **headers: str) -> None:
    handler.send_response(200)
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


@pytest.mark.parametrize("host", SPELLINGS)
def test_no_spelling_of_loopback_is_called(host: str) -> None:
    with server(hello) as (port, asked), visitor_client() as client:
        with pytest.raises(AddressError, match="not an address of the public internet"):
            client.get(f"http://{host}:{port}/secret")
        assert asked == []


def test_private_addresses_are_called_where_the_operator_allows_them() -> None:
    with server(hello) as (port, asked), visitor_client(private=True) as client:
        assert client.get(f"http://127.0.0.1:{port}/open").text == "hello"
        assert asked == ["/open"]


def _names(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Have the resolver give these lists of addresses, one after the other; returns what was looked up."""
    looked_up: list[str] = []
    rest = list(answers)

    def look_up(host: str, port: int, *args: Any, **options: Any) -> list[Any]:
        looked_up.append(host)
        addresses = rest.pop(0) if len(rest) > 1 else rest[0]
        kind = socket.AF_INET
        return [(kind, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr("backend.network.addresses.socket.getaddrinfo", look_up)
    return looked_up


def test_a_name_with_one_private_address_among_public_ones_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    _names(monkeypatch, ["93.184.216.34", "10.0.0.1"])
    with visitor_client() as client, pytest.raises(AddressError):
        client.get("http://both.example/")


def test_the_connection_goes_to_the_checked_address_whatever_the_name_says_later(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = _names(monkeypatch, ["93.184.216.34"], ["127.0.0.1"])
    connected: list[Any] = []

    def connect(address: Any, *args: Any, **options: Any) -> socket.socket:
        connected.append(address)
        raise OSError("refused")

    monkeypatch.setattr(socket, "create_connection", connect)
    with visitor_client() as client, pytest.raises(httpx.ConnectError):
        client.get("http://rebinding.example:8080/")
    assert connected == [("93.184.216.34", 8080)]
    assert looked_up == ["rebinding.example"]


def test_the_next_request_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with server(hello) as (port, asked):
        _names(monkeypatch, ["127.0.0.1"])
        monkeypatch.setattr("backend.network.addresses.is_public", lambda address: not asked)
        with visitor_client() as client:
            assert client.get(f"http://rebinding.example:{port}/").text == "hello"
            with pytest.raises(AddressError):
                client.get(f"http://rebinding.example:{port}/")
        assert asked == ["/"]


def test_a_language_model_is_refused_in_words_also_behind_a_redirect() -> None:
    def elsewhere(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(307)
        handler.send_header("Location", "http://127.0.0.1:1/latest/meta-data")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    with server(elsewhere) as (port, asked):
        refused = OpenAIEndpoint(f"http://127.0.0.1:{port}/v1", "some-model", retries=0, client=visitor_client)
        with pytest.raises(LanguageModelError, match="public internet"):
            refused.complete("?", max_tokens=5)
        assert asked == []
        allowed = OpenAIEndpoint(
            f"http://127.0.0.1:{port}/v1", "some-model", retries=0, client=lambda: visitor_client(private=True)
        )
        with pytest.raises(LanguageModelError, match="307"):
            allowed.complete("?", max_tokens=5)
        assert asked == ["/v1/completions"]


def test_a_sparql_endpoint_goes_the_same_way() -> None:
    with server(hello) as (port, asked):
        with pytest.raises(AddressError, match="public internet"):
            Endpoint(f"http://127.0.0.1:{port}/sparql", transport=VisitorTransport()).select("SELECT ?s WHERE { ?s ?p ?o }")
        assert asked == []


def test_a_server_that_never_ends_is_left_at_the_deadline() -> None:
    stop = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        try:
            while not stop.wait(0.05):
                handler.wfile.write(b"x")
        except OSError:
            pass

    try:
        with (
            server(drip) as (port, _),
            visitor_client(private=True, seconds=0.5) as client,
            pytest.raises(httpx.TimeoutException),
        ):
            client.get(f"http://127.0.0.1:{port}/")
    finally:
        stop.set()


def test_a_reply_is_read_up_to_a_size_and_never_unpacked() -> None:
    with server(lambda handler: hello(handler, b"x" * 50_000)) as (port, _):
        transport = VisitorTransport(private=True, largest=10_000)
        with httpx.Client(transport=transport) as client, pytest.raises(httpx.RemoteProtocolError, match="too large"):
            client.get(f"http://127.0.0.1:{port}/")
    packed = server(lambda handler: hello(handler, b"\x1f\x8b", Content_Encoding="gzip"))
    with packed as (port, _), visitor_client(private=True) as client, pytest.raises(httpx.DecodingError):
        client.get(f"http://127.0.0.1:{port}/")


def test_calls_beyond_the_limit_are_refused_after_a_wait_and_every_turn_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_transport, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(visitor_transport, "_TURNS", threading.BoundedSemaphore(1))
    begun, go_on = threading.Event(), threading.Event()

    def wait(handler: BaseHTTPRequestHandler) -> None:
        if handler.path == "/slow":
            begun.set()
            go_on.wait()
        hello(handler)

    with server(wait) as (port, _), visitor_client(private=True) as client:
        slow = threading.Thread(target=lambda: client.get(f"http://127.0.0.1:{port}/slow"))
        slow.start()
        begun.wait()
        with pytest.raises(AddressError, match="on their way"):
            client.get(f"http://127.0.0.1:{port}/")
        go_on.set()
        slow.join()
        assert client.get(f"http://127.0.0.1:{port}/").text == "hello"
        with pytest.raises(httpx.ConnectError):
            client.get("http://127.0.0.1:1/")
        assert client.get(f"http://127.0.0.1:{port}/").text == "hello"


def test_a_server_that_does_not_answer_takes_no_turn_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    def wait(handler: BaseHTTPRequestHandler) -> None:
        begun.release()
        go_on.wait()
        hello(handler)

    with server(wait) as (silent, asked), server(hello) as (port, _), visitor_client(private=True) as client:
        calls = [
            threading.Thread(target=lambda: client.get(f"http://127.0.0.1:{silent}/"))
            for _ in range(visitor_transport.CALLS_AT_ONCE)
        ]
        for call in calls:
            call.start()
        for _ in range(visitor_transport.CALLS_OF_A_CLIENT):
            begun.acquire()
        with visitor_client(private=True) as other:
            assert other.get(f"http://127.0.0.1:{port}/").text == "hello"
        assert len(asked) == visitor_transport.CALLS_OF_A_CLIENT
        go_on.set()
        for call in calls:
            call.join()
