"""A page is made once for all who ask the same, and anew for whoever may be somebody."""

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from backend.network.page_files.page_files import PageFiles


def _client(**headers: str) -> tuple[TestClient, list[str]]:
    made: list[str] = []

    async def config(request: Any) -> HTMLResponse:
        made.append(request.headers["host"])
        return HTMLResponse(f"page {len(made)} for {request.headers['host']}", headers=headers)

    app = Starlette(routes=[Route("/config", config)])
    app.add_middleware(PageFiles, components=())
    return TestClient(app), made


def test_the_same_request_is_answered_once_packed_or_not() -> None:
    client, made = _client()
    for packing in ("identity", "gzip"):
        texts = {client.get("/config", headers={"accept-encoding": packing}).text for _ in range(3)}
        assert len(texts) == 1
    assert len(made) == 2


@pytest.mark.parametrize("name", ["cookie", "authorization"])
def test_who_may_be_signed_in_gets_a_page_of_their_own(name: str) -> None:
    client, made = _client()
    assert len({client.get("/config", headers={name: "own=1"}).text for _ in range(2)}) == len(made) == 2


def test_a_page_is_of_where_its_server_is_seen() -> None:
    client, _ = _client()
    texts = [client.get("/config", headers={"host": host}).text for host in ("one.org", "two.org")]
    assert ["one.org" in texts[0], "two.org" in texts[1]] == [True, True]


def test_a_reply_that_gives_a_cookie_is_given_to_nobody_else() -> None:
    client, made = _client(**{"set-cookie": "session=of-one"})
    for _ in range(2):
        client.cookies.clear()
        client.get("/config")
    assert len(made) == 2
