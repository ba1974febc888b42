"""Wait for the first page of a Parley that is starting, then ask its model and its knowledge base, also through MCP.

    python .ci/ask.py ADDRESS PROCESS_ID

Ends with 1 if the process ends before its page is there, or if an answer is not what it should be. MCP is asked where the
package `mcp` is installed.
"""

import asyncio
import importlib.util
import os
import sys
import time

import httpx
from gradio_client import Client

TRIES_EACH_SECOND = 5


def main(address: str, process: int) -> None:
    wait_for_page(address, process)
    client = Client(address, verbose=False, analytics_enabled=False)
    expect("accuracy is", client.predict("how accurate is the model?", api_name="/ttm_chat")[0])
    expect("Vienna", str(client.predict("What is the capital of Austria?", api_name="/inspired_ask")["final_answer"]))
    if importlib.util.find_spec("mcp"):
        expect("accuracy is", asyncio.run(answer_through_mcp(address)))


def wait_for_page(address: str, process: int) -> None:
    while True:
        try:
            page = httpx.get(address, follow_redirects=True)
        except httpx.TransportError:
            if ended(process):
                sys.exit("The process ended before its first page was there.")
            time.sleep(1 / TRIES_EACH_SECOND)
            continue
        expect('"title":"Parley"', page.raise_for_status().text)
        return


def ended(process: int) -> bool:
    """Whether a process is gone, or only waits for its parent to look at how it ended."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


async def answer_through_mcp(address: str) -> str:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with (
        streamable_http_client(f"{address}/gradio_api/mcp/") as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        tools = (await session.list_tools()).tools
        chat = next(tool for tool in tools if tool.name.endswith("ttm_ask"))  # a Space puts its own name in front
        reply = await session.call_tool(chat.name, {"message": "how accurate is the model?"})
    return str(reply.content)


def expect(part: str, text: str) -> None:
    if part not in text:
        sys.exit(f"Expected {part!r} in {text[:1000]!r}.")
    print(f"{part!r} is in the reply.", flush=True)  # noqa: T201


if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    main(sys.argv[1], int(sys.argv[2]))
