"""A page of another site can neither act nor read as the person at this computer."""

from typing import Any

import gradio as gr
import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from backend.network.guards import guards
from backend.network.origins import FOREIGN, NOT_HERE, OwnComputer
from backend.ui import read_by_own_pages


@pytest.fixture(scope="module")
def client() -> TestClient:
    async def hello(request: Any) -> PlainTextResponse:
        return PlainTextResponse("hello")

    app = Starlette(routes=[Route("/", hello, methods=["GET", "POST"])])
    app.add_middleware(OwnComputer)
    return TestClient(app)


@pytest.mark.parametrize("host", ["127.0.0.1:7860", "localhost", "[::1]:7860", "127.8.9.1", "parley.localhost:1"])
def test_the_names_of_this_computer_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).text == "hello"
    assert client.post("/", headers={"Host": host, "Origin": f"http://{host}"}).text == "hello"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "[", ""])
def test_a_name_that_was_made_to_stand_for_this_computer_is_not(client: TestClient, host: str) -> None:
    reply = client.get("/", headers={"Host": host})
    assert (reply.status_code, reply.json()["detail"]) == (403, NOT_HERE)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example", "file://"])
def test_pages_of_other_sites_send_nothing(client: TestClient, origin: str) -> None:
    reply = client.post("/", headers={"Host": "localhost:7860", "Origin": origin})
    assert (reply.status_code, reply.json()["detail"]) == (403, FOREIGN)


@pytest.mark.slow
def test_no_site_is_let_to_read_what_is_answered() -> None:
    with gr.Blocks(analytics_enabled=False) as blocks:
        gr.Textbox()
    _, address, _ = blocks.launch(prevent_thread_lock=True, quiet=True, _frontend=False, app_kwargs=guards(1_000, 0))
    try:
        headers = {"Origin": "https://evil.example", "Host": "parley.example.org"}
        assert httpx.get(address, headers=headers).headers["access-control-allow-origin"] == "https://evil.example"
        read_by_own_pages(blocks)
        for reply in (httpx.get(address, headers=headers), httpx.options(address, headers=headers)):
            assert not [name for name in reply.headers if name.startswith("access-control")]
        assert httpx.get(address).headers["x-content-type-options"] == "nosniff"
    finally:
        blocks.close()
