"""Results of tools as structured JSON over Gradio's MCP server, which by itself sends them as the text of Python objects.

Nothing of Gradio or of the protocol's library is changed for others: what is replaced belongs to one server.
"""

import inspect
import json
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from backend.network.agents import in_words, name_callers

ANY_OBJECT = {"type": "object"}


def structure_results(server: Any) -> None:
    """Have the MCP server of one Gradio app send JSON objects as `structuredContent`, say their schema, and name its callers.

    `server` is `Blocks.mcp_server_obj`, None where there is no such server.
    """
    if server is None:
        return
    from mcp import types

    handlers = server.mcp_server.request_handlers
    name_callers(server)
    server.postprocess_output_data = _as_text
    handlers[types.CallToolRequest] = _structured(handlers[types.CallToolRequest])
    handlers[types.ListToolsRequest] = _described(handlers[types.ListToolsRequest], server)


@cache  # agents ask for the list of tools again and again, and to make the schemas takes most of its time
def output_schema(call: Callable[..., Any]) -> dict[str, Any]:
    """The JSON schema of what a call returns: of its pydantic class, or of any object."""
    returned = inspect.signature(inspect.unwrap(call)).return_annotation
    if not hasattr(returned, "model_json_schema"):
        return dict(ANY_OBJECT)
    schema: dict[str, Any] = returned.model_json_schema()
    return schema


def _as_text(data: Any, root_url: str) -> list[Any]:
    from mcp import types

    texts = (output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, default=str) for output in data)
    return [types.TextContent(type="text", text=text) for text in texts]


def _structured(handler: Callable[[Any], Awaitable[Any]]) -> Callable[[Any], Awaitable[Any]]:
    from mcp import types

    async def called(request: Any) -> Any:
        answer = await handler(request)
        result = answer.root
        if result.isError:
            result.content = [types.TextContent(type="text", text=in_words(each.text)) for each in result.content]
        if not result.isError and result.structuredContent is None and len(result.content) == 1:
            content = json.loads(result.content[0].text)
            result.structuredContent = content if isinstance(content, dict) else {"result": content}
        return answer

    return called


def _described(handler: Callable[[Any], Awaitable[Any]], server: Any) -> Callable[[Any], Awaitable[Any]]:
    async def listed(request: Any) -> Any:
        answer = await handler(request)
        for tool in getattr(answer.root, "tools", ()):
            block = server.get_block_fn_from_endpoint_name(server.tool_to_endpoint[tool.name])
            tool.outputSchema = output_schema(block.fn)
        return answer

    return listed
