"""What a page asks outside of the queue, such as to stop, passes the checks; the same without a page does not."""

import asyncio
import json
from collections import Counter
from types import SimpleNamespace

import gradio as gr
import httpx
import pytest
from gradio.routes import App
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.network.checked_calls import CheckedCalls
from backend.network.guards import guards
from backend.network.shares.fair_shares import Arriving


@pytest.fixture(scope="module")
def client() -> TestClient:
    with gr.Blocks(analytics_enabled=False) as blocks:
        shown = gr.Textbox()
        gr.Button("Stop").click(lambda: "stopped", None, shown, queue=False, api_visibility="private")
        gr.Button("Ask").click(lambda: "asked", None, shown, api_visibility="private")
    return TestClient(App.create_app(blocks, app_kwargs=guards(1_000_000, 0)))


@pytest.mark.parametrize(
    ("call", "status", "message"),
    [
        ({"fn_index": 0, "session_hash": "a"}, 200, "stopped"),
        ({"fn_index": 1, "session_hash": "a"}, 404, "asked through the queue"),
        ({"fn_index": 7, "session_hash": "a"}, 404, "There is no endpoint 7"),
        ({"fn_index": True, "session_hash": "a"}, 404, "There is no endpoint True"),
        ({"fn_index": 0}, 400, "no fn_index"),
    ],
)
def test_a_page_calls_by_number_what_waits_for_no_queue(
    client: TestClient, call: dict[str, object], status: int, message: str
) -> None:
    reply = client.post("/gradio_api/run/predict", json={"data": [], "event_data": None, "trigger_id": 2, **call})
    assert reply.status_code == status
    assert message in reply.text


def _asking(session: str) -> dict[str, object]:
    return {"fn_index": 1, "session_hash": session, "data": []}


@pytest.fixture
def held() -> tuple[ASGIApp, list[str], asyncio.Event]:
    """The checks before an app that takes no call into its queue until the event is set, with who was let in."""
    with gr.Blocks(analytics_enabled=False) as blocks:
        shown = gr.Textbox()
        gr.Button("Stop").click(lambda: "stopped", None, shown, queue=False)
        gr.Button("Ask").click(lambda: "asked", None, shown, api_visibility="public")
    waiting: list[object] = []
    queue = SimpleNamespace(event_queue_per_concurrency_id={"one": SimpleNamespace(queue=waiting)}, active_jobs=[])
    served = SimpleNamespace(_queue=queue, fns=blocks.fns, state_holder=SimpleNamespace(session_data={}))
    taken, let_in = asyncio.Event(), list[str]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        session = json.loads((await receive())["body"])["session_hash"]
        let_in.append(session)
        await taken.wait()
        waiting.append(SimpleNamespace(fn=blocks.fns[1], session_hash=session, request=Request(scope)))
        await JSONResponse({"event_id": "1"})(scope, receive, send)

    checks = CheckedCalls(app)

    async def called(scope: Scope, receive: Receive, send: Send) -> None:
        await checks({**scope, "app": SimpleNamespace(get_blocks=lambda: served)}, receive, send)

    return called, let_in, taken


def test_calls_of_one_instant_are_counted_one_after_another(held: tuple[ASGIApp, list[str], asyncio.Event]) -> None:
    app, let_in, taken = held

    async def all_at_once() -> tuple[Counter[int], int, int]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as http:
            join = "/gradio_api/queue/join"
            calls = [asyncio.create_task(http.post(join, json=_asking("ann"))) for _ in range(12)]
            beside = asyncio.create_task(http.post(join, json=_asking("ben")))
            while len(let_in) + sum(call.done() for call in calls) < len(calls) + 1:
                await asyncio.sleep(0)
            taken.set()
            statuses = Counter([(await call).status_code for call in calls])
            again = await http.post(join, json=_asking("ann"))
            return statuses, (await beside).status_code, again.status_code

    assert asyncio.run(all_at_once()) == ({200: 4, 429: 8}, 200, 429)
    assert Counter(let_in) == {"ann": 4, "ben": 1}


def test_a_call_that_breaks_off_is_counted_no_more() -> None:
    arriving: list[Arriving] = []

    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        arriving.extend(checks._arriving)
        raise OSError("gone")

    with gr.Blocks(analytics_enabled=False) as blocks:
        gr.Button("Ask").click(lambda: None, None, None, api_visibility="public")
    checks = CheckedCalls(failing)
    scope = {"type": "http", "method": "POST", "path": "/gradio_api/queue/join", "headers": [], "client": ("a", 1),
             "app": SimpleNamespace(get_blocks=lambda: blocks)}  # fmt: skip

    async def receive() -> Message:
        return {"type": "http.request", "body": b'{"data": [], "fn_index": 0, "session_hash": "ann"}'}

    async def send(message: Message) -> None: ...

    with pytest.raises(OSError, match="gone"):
        asyncio.run(checks(scope, receive, send))
    assert len(arriving) == 1
    assert checks._arriving == []


FILE = {"meta": {"_type": "gradio.FileData"}}


def _returned(values: object) -> object:
    return values


@pytest.fixture(scope="module")
def with_files() -> TestClient:
    """An app that takes a file, and an endpoint that takes none."""
    with gr.Blocks(analytics_enabled=False) as blocks:
        shown = gr.JSON()
        gr.Button("Read").click(lambda file: str(file), gr.File(), shown, queue=False, api_name="read")
        gr.api(_returned, api_name="plain", queue=False)  # type: ignore[attr-defined]
    return TestClient(App.create_app(blocks, app_kwargs=guards(1_000_000, 0)))


@pytest.mark.parametrize("path", ["http://files.example/a.csv", "HTTPS://files.example/a", " http://10.0.0.1/"])
def test_the_server_fetches_no_file_from_an_address(with_files: TestClient, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []
    monkeypatch.setattr("gradio.processing_utils.save_url_to_cache", lambda url, *_: fetched.append(url))
    monkeypatch.setattr("gradio.processing_utils.ssrf_protected_download", lambda url, *_: fetched.append(url))
    reply = with_files.post("/gradio_api/run/read", json={"data": [{"path": path, **FILE}], "session_hash": "a"})
    assert reply.status_code == 422
    assert "names a file that was not uploaded here" in reply.text
    assert fetched == []


@pytest.mark.parametrize("value", [{"path": "/etc/passwd", **FILE}, [{"a": {"path": "x", **FILE}}], {"path": "x", "meta": 1}])
def test_where_no_file_is_wanted_none_is_named(with_files: TestClient, value: object) -> None:
    reply = with_files.post("/gradio_api/run/plain", json={"data": [value]})
    assert reply.status_code == 422
    assert "names a file" in reply.text


def test_a_path_in_what_somebody_sends_is_text_like_any_other(with_files: TestClient) -> None:
    value = {"path": "http://files.example", "meta": {"from": "a person"}}
    assert with_files.post("/gradio_api/run/plain", json={"data": [value]}).json()["data"] == [value]


@pytest.mark.parametrize("query", ["", "?session_hash=" + "x" * 65, "?session_hash=a%00b", "?session_hash=../a"])
def test_answers_belong_to_a_session_with_a_name(client: TestClient, query: str) -> None:
    reply = client.get(f"/gradio_api/queue/data{query}")
    assert reply.status_code == 400
    assert "session_hash is a name" in reply.text
