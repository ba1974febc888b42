"""What is begun and not ended, sent by other sites, or left lying, costs others nothing."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx
import pytest

from backend.network.doors import DOORS
from tests.attack.conftest import Target
from tests.attack.server import Stranger, parley

pytestmark = [pytest.mark.slow, pytest.mark.attack]
ELSEWHERE = "127.0.0.2"  # another source, as far as the server can tell
QUESTION = ("how accurate is the model?", "diabetes", None)
SENT = ("run/study_door", "queue/join", "call/ttm_ask", "call/v2/ttm_ask", "cancel", "reset", "upload", "mcp/")


@pytest.fixture
def other(target: Target) -> Iterator[Stranger]:
    """Somebody who calls from elsewhere."""
    stranger = Stranger(target.address)
    stranger.http = httpx.Client(base_url=target.address, timeout=300, transport=httpx.HTTPTransport(local_address=ELSEWHERE))
    yield stranger
    stranger.close()


def test_every_door_that_changes_something_is_shut_to_pages_of_other_sites(target: Target, stranger: Stranger) -> None:
    assert sum(method == "POST" for method, _, _ in DOORS) == 5, "a door that changes something has no call here"
    for path in SENT:
        for kind in ("application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            headers = {"content-type": kind, "Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
            reply = stranger.http.post(f"/gradio_api/{path}", content=b'{"data": []}', headers=headers)
            assert reply.status_code == 403, (path, kind)


def test_nothing_waits_in_the_queue_that_has_no_turn_there(stranger: Stranger) -> None:
    for reply in (stranger.join("study_page", "x", {}), stranger.post("call/study_page", {"data": ["x", {}]})):
        assert reply.status_code == 404
        assert "waits in no queue" in reply.text


def test_a_text_longer_than_its_field_is_refused(stranger: Stranger) -> None:
    reply = stranger.join("comment", "x" * 2_001, None)
    assert (reply.status_code, "at most 2,000" in reply.text) == (422, True), reply.text


def test_what_one_writes_no_other_takes_out(target: Target, other: Stranger) -> None:
    author = Stranger(target.address)
    author.call("ttm_chat", *QUESTION)
    for name, values, event in (
        ("judge", [None], {"index": 1, "value": "x", "liked": True}),
        ("comment", ["my secret", None], None),
    ):
        index = next(each["id"] for each in author.config["dependencies"] if each["api_name"] == name)
        body = {"data": values, "fn_index": index, "session_hash": author.session, "event_data": event}
        assert author.post("queue/join", body).status_code == 200
        assert author.answers()[-1]["success"]
    assert "my secret" in _saved(author, "Verdicts as CSV")
    for reader in (other, Stranger(target.address)):
        assert "nobody has judged" in _saved(reader, "Verdicts as CSV")
    author.close()


def _saved(stranger: Stranger, label: str) -> str:
    """What comes of a click on the button with this label."""
    buttons = {each["id"] for each in stranger.config["components"] if each["props"].get("value") == label}
    clicks = (each for each in stranger.config["dependencies"] if buttons & {target for target, _ in each["targets"]})
    body = {"data": [""], "fn_index": next(clicks)["id"], "session_hash": stranger.session}
    assert stranger.post("queue/join", body).status_code == 200
    return json.dumps(stranger.answers()[-1])


@contextmanager
def _silent_servers(count: int) -> Iterator[tuple[list[str], Event, Event]]:
    """Addresses of servers that take a call and never answer, until the event is set."""
    asked, end = Event(), Event()

    class Silent(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.set()
            end.wait()

        def log_message(self, *_: object) -> None:
            return

    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Silent) for _ in range(count)]
    for server in servers:
        Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield [f"http://127.0.0.1:{server.server_address[1]}/v1" for server in servers], asked, end
    finally:
        end.set()
        for server in servers:
            server.shutdown()
            server.server_close()


def test_servers_that_never_answer_stop_nobody(tmp_path: Path) -> None:
    with _silent_servers(2) as (addresses, asked, end), parley(tmp_path, "--allow-private-addresses") as address:
        patient = [Stranger(address) for _ in range(2)]
        for number, each in enumerate(patient):
            model: list[Any] = ["A server with the OpenAI interface", addresses[number % 2], "model", "", "chat"]
            joined = each.join(
                "faithfulness_explain", "Who?", "Ann did it.", "Ann", *model, "Equal parts, moved to sentence ends", 2, 2
            )
            assert joined.status_code == 200, joined.text
        asked.wait()
        somebody = Stranger(address)
        assert somebody.call("ttm_parse", *QUESTION)["success"]
        assert somebody.http.get("/gradio_api/queue/status").status_code == 200
        end.set()
        for each in (*patient, somebody):
            each.close()
