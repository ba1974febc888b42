"""A visitor makes the server call nothing of its own network, and no server that is slow keeps others waiting."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.attack.conftest import Target
from tests.attack.server import Stranger

pytestmark = [pytest.mark.slow, pytest.mark.attack]
OWN = (
    "127.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "169.254.169.254",
    "10.0.0.1",
    "2130706433",
    "0177.0.0.1",
    "127.1",
    "localhost",
)
REFUSALS = ("not an address of the public internet", "has no address", "is no address of a server")


@pytest.fixture
def trap() -> Iterator[tuple[int, list[str]]]:
    """A server of the own network, and who came to it."""
    visits: list[str] = []

    class Trap(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            visits.append(self.path)
            self.send_error(404)

        do_GET = do_POST

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Trap)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1], visits
    server.shutdown()
    server.server_close()


def _explain(stranger: Stranger, address: str) -> str:
    server = "A server with the OpenAI interface"
    data = ("Who?", "Ann did it.", "Ann", server, address, "model", "", "chat", "Equal parts, moved to sentence ends", 2, 2)
    return json.dumps(stranger.call("faithfulness_explain", *data))


def test_no_address_of_the_own_network_is_called(stranger: Stranger, trap: tuple[int, list[str]]) -> None:
    port, visits = trap
    addresses = [f"http://{host}:{port}/v1" for host in OWN]
    addresses += [f"http://example.org@127.0.0.1:{port}/v1", f"http://127.0.0.1:{port}#@example.org/"]
    for address in addresses:
        reply = _explain(stranger, address)
        assert any(refusal in reply for refusal in REFUSALS), (address, reply)
    assert visits == []


def test_no_other_scheme_is_taken(stranger: Stranger) -> None:
    for address in ("file:///etc/passwd", "gopher://127.0.0.1/", "//127.0.0.1/", "\\\\127.0.0.1"):
        assert "starts with http:// or https://" in _explain(stranger, address)


def test_a_query_of_a_visitor_reaches_no_other_server(target: Target, stranger: Stranger, trap: tuple[int, list[str]]) -> None:
    port, visits = trap
    there = f"http://127.0.0.1:{port}/sparql"
    for inside in (f"SERVICE <{there}> {{ ?x ?p ?y }}", f"?x <http://a> ?y . SERVICE SILENT <{there}> {{ ?x ?p ?y }}"):
        for query in (f"SELECT DISTINCT ?x WHERE {{ {inside} }}", f"SELECT ?x FROM <{there}> WHERE {{ ?x <http://a> ?y }}"):
            reply = json.dumps(stranger.call("show_steps", query, "", "", None))
            assert "is not covered" in reply or "is missing here" in reply
    assert visits == []
