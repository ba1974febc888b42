"""SPARQL endpoints: a real one, which must answer as the file itself does, and one that does everything wrong."""

import http.server
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from backend.errors import KnowledgeBaseError, QueryTimeoutError
from backend.program.version import VERSION
from benchmarks.ports import free_port
from inspired.knowledge_base.endpoint import JSON, Endpoint
from inspired.knowledge_base.engine import KnowledgeBase, QueryResult, open_knowledge_base
from inspired.knowledge_base.graph import WORLD, Graph, embedded_graph
from inspired.knowledge_base.names import names_of
from inspired.knowledge_base.rdf_files import load_store
from inspired.logical_form.forms import Entity, Literal
from tests.inspired.knowledge_base.world_queries import FEATURES, world_query
from tests.inspired.standard_sparql import cleaned, with_full_dates

pytestmark = pytest.mark.slow

GOOD = json.dumps({"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "literal", "value": "1"}}] * 3}})


@pytest.fixture(scope="module")
def oxigraph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an Oxigraph server with the graph that ships with Parley."""
    folder, port = tmp_path_factory.mktemp("oxigraph") / "store", free_port()
    load_store(WORLD, folder)
    program = shutil.which("oxigraph", path=str(Path(sys.executable).parent)) or "oxigraph"
    command = [program, "serve-read-only", "--location", str(folder), "--bind", f"127.0.0.1:{port}"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while not _listens(port):
        assert server.poll() is None, "the server ended"
        assert time.monotonic() < until, "the server does not listen"
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}/query"
    server.kill()
    server.wait()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
    except OSError:
        return False
    return True


@pytest.fixture(scope="module")
def remote(oxigraph: str) -> Iterator[KnowledgeBase]:
    kb = open_knowledge_base(oxigraph)
    yield kb
    kb.close()


@pytest.fixture(scope="module")
def local() -> Iterator[KnowledgeBase]:
    kb = open_knowledge_base()
    yield kb
    kb.close()


@pytest.fixture(scope="module")
def graph() -> Graph:
    return embedded_graph()


@pytest.mark.parametrize("feature", FEATURES)
def test_a_real_endpoint_answers_as_the_file_does(
    remote: KnowledgeBase, local: KnowledgeBase, graph: Graph, feature: str
) -> None:
    answered = 0
    for seed in range(4):
        sparql = with_full_dates(cleaned(world_query(graph, feature, seed)))
        here, there = local.select(sparql), remote.select(sparql)
        assert set(here.rows) == set(there.rows)
        assert (here.columns, here.truncated) == (there.columns, there.truncated)
        answered += bool(here.rows)
    assert answered


def test_limits_yes_or_no_and_names(remote: KnowledgeBase, local: KnowledgeBase) -> None:
    everything = "SELECT ?s { ?s ?p ?o } # all"
    assert remote.select(everything, limit=7).truncated
    assert len(remote.select(everything, limit=7).rows) == 7
    assert not remote.select(f"{everything}\nLIMIT 7", limit=7).truncated
    assert remote.select("SELECT ?x { } VALUES ?x { 1 2 3 }", limit=2).truncated
    assert remote.select("ASK { ?s ?p ?o }") == local.select("ASK { ?s ?p ?o }")
    ids = ["m.country_fr", "m.nothing"]
    assert names_of(remote, ids) == names_of(local, ids) == {"m.country_fr": "France", "m.nothing": "m.nothing"}


def test_what_a_real_endpoint_refuses_is_told_in_its_words(remote: KnowledgeBase) -> None:
    with pytest.raises(KnowledgeBaseError, match=r"refused the query \(400\): error at"):
        remote.select("SELECT ?x { ?x")
    with pytest.raises(KnowledgeBaseError, match="CLEAR would change"):
        remote.select("CLEAR ALL")


def test_a_real_endpoint_is_given_up_at_the_limit(remote: KnowledgeBase) -> None:
    began = time.monotonic()
    with pytest.raises(QueryTimeoutError, match="did not answer within"):
        remote.select("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f FILTER (?c + ?f = -1) }", seconds=0.5)
    assert time.monotonic() - began >= 0.5


class Scripted(http.server.BaseHTTPRequestHandler):
    """Replies as its server's `script` says, and keeps what it was sent."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.seen.append((dict(self.headers), parse_qs(body)))  # type: ignore[attr-defined]
        self.close_connection = True
        self.server.script(self, len(self.server.seen))  # type: ignore[attr-defined]

    def say(self, code: int, body: str, **headers: str) -> None:
        self.send_response(code)
        for name, value in {"Content-Type": JSON, "Content-Length": str(len(body.encode())), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        return None


Script = Callable[[Scripted, int], None]


@pytest.fixture
def scripted() -> Iterator[Callable[[Script], tuple[Endpoint, list[tuple[dict[str, str], dict[str, list[str]]]]]]]:
    running: list[tuple[http.server.ThreadingHTTPServer, threading.Thread, Endpoint]] = []

    def start(script: Script) -> tuple[Endpoint, list[tuple[dict[str, str], dict[str, list[str]]]]]:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
        server.daemon_threads = True
        server.script, server.seen = script, []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        kb = Endpoint(f"http://me:secret@127.0.0.1:{server.server_port}/sparql", largest=100_000)
        running.append((server, thread, kb))
        return kb, server.seen  # type: ignore[attr-defined]

    yield start
    for server, thread, kb in running:
        kb.close()
        server.shutdown()
        thread.join()
        server.server_close()


Start = Callable[[Script], tuple[Endpoint, list[tuple[dict[str, str], dict[str, list[str]]]]]]


def test_what_is_sent(scripted: Start) -> None:
    kb, seen = scripted(lambda reply, turn: reply.say(200, GOOD))
    assert kb.select("SELECT ?x { ?x ?p ?o }", limit=2) == QueryResult(("x",), ((Literal("1"),),) * 2, True)
    ((headers, form),) = seen
    assert headers["Accept"] == JSON
    assert headers["User-Agent"].startswith(f"Parley/{VERSION} (")
    assert headers["Content-Type"] == "application/x-www-form-urlencoded"
    assert form == {"query": ["SELECT ?x { ?x ?p ?o }\nLIMIT 3"]}
    assert headers["Authorization"].startswith("Basic ")
    assert "secret" not in kb.label


def test_a_contact_is_sent_to_servers_that_ask_for_one(scripted: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLEY_CONTACT", "lab (of) words@example.org\r\nX-Other: 1")
    kb, seen = scripted(lambda reply, turn: reply.say(200, GOOD))
    kb.select("SELECT ?x { ?x ?p ?o }")
    ((headers, _),) = seen
    assert "step by step; lab of words@example.orgX-Other: 1) httpx" in headers["User-Agent"]
    assert "X-Other" not in headers


def test_nodes_in_older_spellings_and_rows_that_virtuoso_cut(scripted: Start) -> None:
    bindings = [
        {"x": {"type": "uri", "value": "http://rdf.freebase.com/ns/m.0a"}},
        {"x": {"type": "typed-literal", "value": "7", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}},
        {"x": {"type": "literal", "value": "sept", "xml:lang": "fr"}},
        {"x": {"type": "bnode", "value": "b0"}},
        {},
    ]
    body = json.dumps({"head": {"vars": ["x"]}, "results": {"bindings": bindings}})
    kb, _ = scripted(lambda reply, turn: reply.say(200, body, X_SPARQL_MaxRows="5"))
    found = kb.select("SELECT ?x { ?x ?p ?o }")
    nodes = (Entity("m.0a"), Literal("7", "integer"), Literal("sept", None, "fr"), Entity("_:b0"), None)
    assert found == QueryResult(("x",), tuple((each,) for each in nodes), truncated=True)
    for number, holds in [("1", "true"), ("0", "false")]:
        cell = {"type": "typed-literal", "datatype": "http://www.w3.org/2001/XMLSchema#integer", "value": number}
        asked = json.dumps({"head": {"vars": ["__ASK_RETVAL"]}, "results": {"bindings": [{"__ASK_RETVAL": cell}]}})
        kb, _ = scripted(lambda reply, turn, body=asked: reply.say(200, body))  # type: ignore[misc]
        assert kb.select("ASK { }") == QueryResult(("ask",), ((Literal(holds, "boolean"),),))


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (lambda reply, turn: reply.say(400, "\n\n  Bad <b>query</b>\nmore"), r"refused the query \(400\): Bad <b>query</b>\.$"),
        (lambda reply, turn: reply.say(403, ""), r"refused the query \(403\)\.$"),
        (lambda reply, turn: reply.say(500, "x" * 5000), r"failed \(500\): x{200} …\.$"),
        (lambda reply, turn: reply.say(301, "", Location="file:///etc/passwd"), "sends to file:///etc/passwd; give that"),
        (lambda reply, turn: reply.say(429, "", Retry_After="3600"), r"too many questions \(429\). It asks to wait 3600 s"),
        (lambda reply, turn: reply.say(429, "", Retry_After="0"), r"too many questions \(429\)"),
        (lambda reply, turn: reply.say(200, "<html>hello\nworld"), "did not answer as a SPARQL endpoint does.*: <html>hello"),
        (lambda reply, turn: reply.say(200, '{"head": {}}'), "did not answer as a SPARQL endpoint does"),
        (lambda reply, turn: reply.say(200, "[" * 90_000), "did not answer as a SPARQL endpoint does"),
        (lambda reply, turn: reply.say(200, "[1]"), "did not answer as a SPARQL endpoint does"),
        (lambda reply, turn: reply.say(200, GOOD.replace("literal", "?")), "did not answer as a SPARQL endpoint does"),
        (lambda reply, turn: reply.say(200, " " * 200_000 + GOOD), "larger than 0.1 MB"),
        (lambda reply, turn: reply.say(200, GOOD, Content_Length="9999"), "cannot be reached"),
        (lambda reply, turn: None, "cannot be reached: Server disconnected"),
    ],
)
def test_replies_that_cannot_be_used_are_one_clear_line(scripted: Start, script: Script, told: str) -> None:
    kb, _ = scripted(script)
    with pytest.raises(KnowledgeBaseError, match=told) as failed:
        kb.select("SELECT ?x { ?x ?p ?o }", seconds=5)
    assert "\n" not in failed.value.message
    assert "secret" not in failed.value.message


@pytest.mark.parametrize("wait", ["0", "1", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_busy_server_is_asked_once_more(scripted: Start, wait: str) -> None:
    def busy_at_first(reply: Scripted, turn: int) -> None:
        if turn == 1:
            reply.say(429, "", Retry_After=wait)
        else:
            reply.say(200, GOOD)

    kb, seen = scripted(busy_at_first)
    assert len(kb.select("SELECT ?x { ?x ?p ?o }").rows) == 3
    assert len(seen) == 2


def test_a_server_that_drips_is_given_up_at_the_limit(scripted: Start) -> None:
    """It would drip for ever: only the limit ends the query."""
    given_up = threading.Event()

    def drip(reply: Scripted, turn: int) -> None:
        reply.send_response(200)
        reply.send_header("Content-Length", "1000000")
        reply.end_headers()
        while not given_up.wait(0.05):
            try:
                reply.wfile.write(b" ")
                reply.wfile.flush()
            except OSError:
                return

    kb, _ = scripted(drip)
    began = time.monotonic()
    try:
        with pytest.raises(QueryTimeoutError):
            kb.select("SELECT ?x { ?x ?p ?o }", seconds=0.6)
    finally:
        given_up.set()
    assert time.monotonic() - began >= 0.6


def test_nobody_there_and_no_tls_there(scripted: Start) -> None:
    kb, _ = scripted(lambda reply, turn: reply.say(200, GOOD))
    port = kb.label.partition(":")[2].partition("/")[0]
    for address in (f"http://127.0.0.1:{free_port()}/sparql", f"https://127.0.0.1:{port}/sparql"):
        other = Endpoint(address)
        with pytest.raises(KnowledgeBaseError, match="cannot be reached"):
            other.select("ASK {}")
        other.close()
