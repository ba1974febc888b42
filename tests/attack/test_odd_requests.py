"""Requests that no page and no program sends: of the protocol, of paths and headers, of files, of Gradio's own addresses."""

import json
import re
import socket
from urllib.parse import urlsplit

import pytest

from tests.attack.conftest import Target
from tests.attack.server import Stranger

pytestmark = [pytest.mark.slow, pytest.mark.attack]
LEAK = re.compile(r"Traceback|site-packages|/root/|\.py\"|sqlalchemy|psycopg", re.IGNORECASE)
PATHS = (
    "gradio_api/file=/etc/passwd", "gradio_api/file=..%2f..%2fetc%2fpasswd", "gradio_api/file=%252e%252e/etc/passwd",
    "gradio_api/file=file:///etc/passwd", "gradio_api/file=http://169.254.169.254/latest", "gradio_api/file=/proc/self/environ",
    "gradio_api/file=%00", "gradio_api/file=" + "a" * 5_000, "static/..%2f..%2fapp.py", "assets/%2e%2e/%2e%2e/etc/passwd",
    "svelte/....//....//etc/passwd", "static//etc/passwd", "assets/%c0%ae%c0%ae/", "gradio_api/monitoring/summary",
    "gradio_api/process_recording", "gradio_api/heartbeat/..%2f..", "gradio_api/queue/data", "gradio_api/vibe-editor",
    "gradio_api/queue/data?session_hash=" + "x" * 5_000, "gradio_api/queue/data?session_hash=a%00b", "monitoring/x",
)  # fmt: skip
LINES = (
    b"POST /gradio_api/queue/join HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n",
    b"POST /gradio_api/queue/join HTTP/1.1\r\nContent-Length: -1\r\n",
    b"GET http://evil.example/monitoring HTTP/1.1\r\n",
    b"CONNECT 127.0.0.1:22 HTTP/1.1\r\n",
    b"TRACE / HTTP/1.1\r\n",
    b"GET /\xff\xfe%ff HTTP/1.1\r\n",
    b"GET /x%0d%0aX-Mine:1 HTTP/1.1\r\n",
    b"GET /monitoring HTTP/1.1\r\nX-Original-URL: /\r\n",
    b"GET /gradio_api/queue/join HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    b"Sec-WebSocket-Version: 13\r\n",
)
SEEN_FROM = ("Host", "X-Forwarded-Host", "X-Gradio-Server", "X-Forwarded-Prefix", "Referer", "Forwarded")
FILE = {"meta": {"_type": "gradio.FileData"}}
FILES = (
    {"path": "/etc/passwd", **FILE}, {"path": "http://169.254.169.254/", **FILE}, {"path": "http://files.example/", **FILE},
    {"path": "/proc/self/environ", "url": "http://files.example/", **FILE}, [[{"a": {"path": "x", **FILE}}]],
    {"path": "x", "meta": 1}, {"path": "x", "meta": None},
)  # fmt: skip
TOOLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("tools/call", {"name": "study_export", "arguments": {}}), ("resources/read", {"uri": "file:///etc/passwd"}),
    ("prompts/get", {"name": "../x"}), ("x/y", {}), ("tools/call", {"name": "ttm_ask", "arguments": {"question": FILES[0]}}),
)  # fmt: skip


def test_no_path_leads_out_of_what_is_served(stranger: Stranger) -> None:
    for path in PATHS:
        reply = stranger.http.get(f"/{path}")
        assert reply.status_code in (400, 403, 404), path[:80]
        assert not LEAK.search(reply.text), reply.text


@pytest.mark.parametrize("lines", LINES)
def test_odd_requests_are_refused(target: Target, lines: bytes) -> None:
    server = urlsplit(target.address)
    with socket.create_connection((server.hostname, server.port)) as connection:
        connection.settimeout(30)
        connection.sendall(lines + b"Host: here\r\nConnection: close\r\n\r\n0\r\n\r\n")
        reply = connection.makefile("rb").read().decode("latin-1")
    assert re.match(r"HTTP/1\.1 4\d\d ", reply), reply[:300]
    assert "X-Mine" not in reply
    assert not LEAK.search(reply), reply


def test_what_one_visitor_writes_into_headers_is_on_nobody_elses_page(target: Target, stranger: Stranger) -> None:
    for name in SEEN_FROM:
        for path in ("/", "/config"):
            assert stranger.http.get(path, headers={name: "http://evil.example"}).status_code < 500, name
    for path in ("/", "/config"):
        reply = stranger.http.get(path)
        assert reply.status_code == 200
        assert "evil.example" not in reply.text


@pytest.mark.parametrize("value", FILES, ids=json.dumps)
def test_no_file_is_named_where_none_is_wanted(stranger: Stranger, value: object) -> None:
    for reply in (stranger.post("run/study_page", {"data": [value, value]}), stranger.join("ttm_chat", value, "", None)):
        assert reply.status_code == 422, reply.text
        assert "names a file that was not uploaded here" in reply.text


def test_agents_get_nothing_but_the_tools(stranger: Stranger) -> None:
    headers = {"accept": "application/json, text/event-stream"}
    for method, params in TOOLS:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        reply = stranger.http.post("/gradio_api/mcp/", json=body, headers=headers)
        assert reply.status_code < 500
        assert not LEAK.search(reply.text), reply.text
        assert "root:" not in reply.text
        assert '"error"' in reply.text or '"isError":true' in reply.text, reply.text
