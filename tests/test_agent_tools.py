"""A real client of the Model Context Protocol asks, explains and checks, over HTTP and over standard input and output."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import gradio as gr
import jsonschema
import pytest
from anyio.from_thread import start_blocking_portal
from gradio_client import Client

from backend.network.tool_results import structure_results
from backend.program.extras import is_installed
from backend.program.settings import Settings
from parley import agent_tools, app
from tests.served_app import serving

pytest.importorskip("mcp")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:This MCP server includes a tool that has a gr.State")]

MOST_TOOLS = 10
RIVER = "The river rises in the hills. It ends in Lake Quill."
# Arguments for every tool, made from its schema alone: names, types and what the descriptions say.
VALID: dict[str, dict[str, Any]] = {
    "ttm_describe": {},
    "ttm_ask": {"message": "how accurate is the model?"},
    "ttm_explain": {"id": "5", "method": "shap"},
    "ttm_errors": {"by": "age"},
    "ttm_counterfactuals": {"id": "5", "keep": ["glucose"], "count": 2},
    "inspired_ask": {"question": "What is the capital of Austria?"},
    "inspired_decompose": {"sparql": "SELECT DISTINCT ?x WHERE { ns:m.0345h ns:location.country.capital ?x }"},
}
# The model that comes with Parley, with as few calls as can be.
FAITHFUL = {"question": "where does the river end", "passage": RIVER, "answers": "Lake Quill", "parts": 2, "groups": 2}
Talk = Callable[[Any], Awaitable[None]]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    blocks: gr.Blocks = app.build(Settings(data_dir=tmp_path_factory.mktemp("parley"), parser="linker"))
    with serving(blocks, mcp_server=True) as at:
        structure_results(blocks.mcp_server_obj)
        yield at.rstrip("/")


def over_http(address: str, talk: Talk) -> None:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def go() -> None:
        async with (
            streamable_http_client(f"{address}/gradio_api/mcp/") as (reading, writing, _),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            await talk(session)

    asyncio.run(go())


@pytest.fixture(scope="module")
def over_stdio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Talk], None]]:
    """Talks with one server: starting it takes longer than what most of them ask."""
    folder = tmp_path_factory.mktemp("stdio")
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(stdio_session(folder)) as session:
        yield lambda talk: portal.call(talk, session)


@asynccontextmanager
async def stdio_session(folder: Path) -> AsyncIterator[Any]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "parley", "mcp", "--data-dir", str(folder), "--parser", "linker"],
        env=dict(os.environ),
        cwd=Path(__file__).parents[1],
    )
    async with stdio_client(command) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        yield session


async def conversation(session: Any) -> None:
    """What an agent does: look what there is, ask, go on, explain a row, correct a step, and hear of a mistake."""
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert len(tools) <= MOST_TOOLS
    assert all(len(tool.description) < 1500 and tool.outputSchema for tool in tools.values())

    async def call(name: str, **arguments: Any) -> dict[str, Any]:
        reply = await session.call_tool(name, arguments)
        assert not reply.isError, reply.content
        result: dict[str, Any] = reply.structuredContent
        assert json.loads(reply.content[0].text) == result
        jsonschema.validate(result, tools[name].outputSchema)
        return result

    facts = await call("ttm_describe")
    assert {"diabetes", "german", "compas"} <= set(facts["datasets"])
    assert "age" in [feature["name"].lower() for feature in facts["features"]]
    first = await call("ttm_ask", message="how many people have age above 50?")
    rows = first["results"][0]["group"]["rows"]
    second = await call("ttm_ask", message="what does the model predict for them?", conversation=first["conversation"])
    assert second["results"][0]["group"]["rows"] == rows
    reasons = await call("ttm_explain", id=facts["first_ids"][0], method="shap")
    assert set(reasons["chosen"]["weights"]) == {feature["name"] for feature in facts["features"]}
    record = await call("inspired_ask", question="Which rivers flow through countries that border Austria?")
    assert "Danube River" in record["final_answer"]
    corrected = await call("inspired_correct", record=record, step=1, words="Which country borders Germany?")
    assert "France" in corrected["gold_sub_qs"][0]["answer"]
    wrong = await session.call_tool("ttm_explain", {"id": "nobody"})
    assert wrong.isError
    assert "There is no row" in wrong.content[0].text
    assert "File " not in wrong.content[0].text


def test_a_client_holds_a_conversation_over_http(address: str) -> None:
    over_http(address, conversation)


def test_a_client_holds_a_conversation_over_stdio(over_stdio: Callable[[Talk], None]) -> None:
    over_stdio(conversation)


def test_an_answer_is_checked_for_its_faithfulness_over_stdio(over_stdio: Callable[[Talk], None]) -> None:
    pytest.importorskip("xllamacpp")

    async def check(session: Any) -> None:
        reply = await session.call_tool(
            "faithfulness_explain", {"question": "where does the river end", "passage": RIVER, "parts": 2, "groups": 2}
        )
        assert not reply.isError, reply.content
        result = reply.structuredContent
        assert {"answer", "stages", "spans", "keywords", "score", "controls"} <= set(result)
        assert [RIVER[span["start"] : span["end"]] for span in result["spans"]] == [span["text"] for span in result["spans"]]

    over_stdio(check)


def test_a_client_written_from_the_schema_alone_gets_valid_answers(address: str) -> None:
    client = Client(address, verbose=False, analytics_enabled=False, httpx_kwargs={"timeout": None})
    named = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    described = asyncio.run(agent_tools.schemas(agent_tools.tool_server(Settings(parser="linker"))))
    record = client.predict(**VALID["inspired_ask"], api_name="/inspired_ask")
    valid = VALID | {"inspired_correct": {"record": record, "step": 1, "words": "What is the capital of Hungary?"}}
    valid |= {"faithfulness_explain": FAITHFUL} if is_installed("xllamacpp") else {}
    for name, arguments in valid.items():
        parameters = {each["parameter_name"]: each for each in named[f"/{name}"]["parameters"]}
        assert set(arguments) <= set(parameters)
        required = {each for each, about in parameters.items() if not about["parameter_has_default"]}
        assert required <= set(arguments), name
        result = client.predict(**arguments, api_name=f"/{name}")
        jsonschema.validate(result, described["tools"][name]["result"])
        for each in result.get("results", ()):
            jsonschema.validate(each, described["results"][each["type"]])
    assert set(named) - {f"/{name}" for name in valid} <= {"/faithfulness_explain", "/ttm_chat", "/ttm_parse"}


def test_every_tool_says_what_its_result_holds() -> None:
    """And by HTTP the same as over standard input and output."""
    described = asyncio.run(agent_tools.schemas(agent_tools.tool_server(Settings(parser="linker"))))
    for name, tool in described["tools"].items():
        jsonschema.Draft202012Validator.check_schema(tool["result"])
        shapes = tool["result"].get("anyOf", [tool["result"]])
        assert all(len(shape["properties"]) > 3 and shape["required"] for shape in shapes), name
        assert tool["arguments"]["properties"].keys() >= VALID.get(name, {}).keys()


def test_an_agent_that_came_by_another_connection_has_a_conversation_of_its_own(address: str) -> None:
    async def began(session: Any) -> None:
        reply = await session.call_tool("ttm_ask", {"message": "how many people have age above 50?"})
        kept.append(reply.structuredContent["conversation"])

    async def asked(session: Any) -> None:
        reply = await session.call_tool("ttm_ask", {"message": "and how many of those have glucose above 150?"})
        assert reply.structuredContent["conversation"] not in kept
        assert "above 50" not in reply.structuredContent["text"]

    kept: list[str] = []
    over_http(address, began)
    over_http(address, asked)
