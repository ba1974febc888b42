"""Where an agent calls from: Gradio's server of tools calls this server itself, for all agents under one session and address.

A header that only this process can write carries the agent's own address, so that each agent has shares of its own.
"""

import secrets
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

HEADER = "x-parley-agent"
_SECRET = secrets.token_urlsafe(32)
TOO_MANY = "Too many of your questions are waiting; ask again when one of them is answered."


def name_callers(server: Any) -> None:
    """Have the tools of one app (`Blocks.mcp_server_obj`) say for whom they call; what an agent itself writes there is lost."""
    prepare = server._prepare_tool_call_args

    def prepared(name: str, values: dict[str, Any]) -> Any:
        endpoint, args, headers, function = prepare(name, values)
        client = server.mcp_server.request_context.request.client
        return endpoint, args, headers | {HEADER: f"{_SECRET} {client.host if client else ''}"}, function

    server._prepare_tool_call_args = prepared


def in_words(message: str) -> str:
    """What an agent reads of a call that failed: of one that was refused for want of room, a sentence without addresses."""
    return TOO_MANY if "429 Too Many Requests" in message else message


class AgentAddresses:
    """Takes a call that a tool makes for an agent as one from the address of that agent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        stated = next((value for name, value in scope.get("headers", ()) if name == HEADER.encode()), b"")
        secret, _, address = stated.partition(b" ")
        if secrets.compare_digest(secret, _SECRET.encode()):
            scope["client"] = (address.decode("latin-1"), 0)
        await self._app(scope, receive, send)
