"""The page and its description, made once and packed once for all who ask the same: making one takes 70 ms of the processor.

Nothing of theirs is in it but what their request says of where they see this server, which is part of what it is kept under.
Who sends a cookie may be signed in, and gets a page of their own.
"""

import gzip

from cachetools import TTLCache
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_KEPT = 16  # pages, of 0.8 MB and packed 0.1 MB
SECONDS = 60.0
# What a page depends on besides its path; a link in it begins with where the visitor sees this server.
SEEN_AT = ("host", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-prefix", "x-direct-url", "referer", "x-gradio-server")
OWN = ("cookie", "authorization")


class KeptPages:
    """Answers with what was answered lately to the same request."""

    def __init__(self) -> None:
        self._replies: TTLCache[tuple[object, ...], tuple[Message, bytes]] = TTLCache(MOST_KEPT, SECONDS)

    async def __call__(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if scope["method"] != "GET" or scope["query_string"] or any(name in headers for name in OWN):
            await app(scope, receive, send)
            return
        packed = "gzip" in headers.get("accept-encoding", "")
        key = (scope["path"], scope.get("root_path"), scope["scheme"], packed, *(headers.get(name) for name in SEEN_AT))
        reply = self._replies.get(key)
        if reply is None:
            reply = await _answered(app, scope, receive, packed)
            if reply[0]["status"] == 200 and "set-cookie" not in Headers(raw=reply[0]["headers"]):
                self._replies[key] = reply
        await send(reply[0])
        await send({"type": "http.response.body", "body": reply[1]})


async def _answered(app: ASGIApp, scope: Scope, receive: Receive, packed: bool) -> tuple[Message, bytes]:
    """The whole reply of an app, packed if that is wanted."""
    messages: list[Message] = []

    async def keep(message: Message) -> None:
        messages.append(message)

    await app(scope, receive, keep)
    body = b"".join(message.get("body", b"") for message in messages[1:])
    if not packed:
        return messages[0], body
    small = gzip.compress(body, 6)
    kept = [(name, value) for name, value in messages[0]["headers"] if name.lower() != b"content-length"]
    ours = [(b"content-length", str(len(small)).encode()), (b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
    return {**messages[0], "headers": [*kept, *ours]}, small
