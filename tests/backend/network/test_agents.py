"""An agent has shares of its own, by the address that it calls from; nobody else can say from where they call."""

import asyncio
from types import SimpleNamespace
from typing import Any

from backend.network.agents import HEADER, TOO_MANY, AgentAddresses, in_words, name_callers
from backend.network.shares.fair_shares import no_room
from tests.backend.network.test_fair_shares import QUESTION, SHARES, _event, _queue


def _address_taken(headers: dict[str, str]) -> Any:
    """What the app behind takes for the address of a call from this computer."""
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["client"][0])

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    asyncio.run(AgentAddresses(app)({"type": "http", "client": ("127.0.0.1", 1), "headers": raw}, None, None))  # type: ignore[arg-type]
    return seen[0]


def _tools(address: str) -> Any:
    request = SimpleNamespace(client=SimpleNamespace(host=address))
    context = SimpleNamespace(request_context=SimpleNamespace(request=request))
    forged = {HEADER: "guessed 192.0.2.9"}
    return SimpleNamespace(mcp_server=context, _prepare_tool_call_args=lambda name, values: (name, values, dict(forged), None))


def test_a_call_for_an_agent_counts_for_the_address_of_that_agent() -> None:
    server = _tools("203.0.113.5")
    name_callers(server)
    assert _address_taken(server._prepare_tool_call_args("ttm_ask", {})[2]) == "203.0.113.5"


def test_what_a_caller_writes_into_the_header_is_not_believed() -> None:
    for stated in ("guessed 192.0.2.9", "192.0.2.9", "", " 192.0.2.9"):
        assert _address_taken({HEADER: stated}) == "127.0.0.1"
    assert _address_taken({}) == "127.0.0.1"


def test_agents_in_one_session_do_not_wait_for_each_other() -> None:
    queue = _queue([_event("agents", "a"), _event("agents", "a")], [])
    assert no_room(queue, QUESTION, "agents", "a", SHARES).startswith("You have 2 waiting")
    assert no_room(queue, QUESTION, "agents", "b", SHARES) == ""


def test_an_agent_reads_a_sentence_where_there_was_no_room() -> None:
    refused = "Client error '429 Too Many Requests' for url 'http://127.0.0.1:7860/gradio_api/queue/join'"
    assert in_words(refused) == TOO_MANY
    assert in_words("There is no row") == "There is no row"
