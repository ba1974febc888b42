"""Sends the scripts and styles of the page together, and says so in the page."""

from collections.abc import Iterable, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.network.page_files.bundle import PackedFile, small_figures, together
from backend.network.page_files.kept_pages import KeptPages

ASSETS = "/assets/"
CONFIGURATION = ("/config", "/config/")
_SCRIPT = b'<script type="module"'


def component_kinds(blocks: Any) -> frozenset[str]:
    """The kinds of Gradio's components that an app has, by which `PageFiles` knows what its page needs."""
    return frozenset(block.get_block_name() for block in blocks.blocks.values())


class PageFiles:
    """Stands inside what packs replies: it changes the page, and its own files are packed already."""

    def __init__(self, app: ASGIApp, components: Iterable[str]) -> None:
        self._app, self._together, self._files = app, together(components), small_figures()
        self._kept = KeptPages()
        if self._together is not None:
            self._files[self._together.name] = self._together

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        file = self._files.get(path.removeprefix(ASSETS)) if path.startswith(ASSETS) else None
        if file is not None and not scope["query_string"]:
            await _sent(file, Headers(scope=scope))(scope, receive, send)
        elif path == "/" and self._together is not None:
            await self._kept(_Page(self._app, self._together.name), scope, receive, send)
        elif path in CONFIGURATION:
            await self._kept(self._app, scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _sent(file: PackedFile, wanted: Headers) -> Response:
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if "gzip" not in wanted.get("accept-encoding", ""):
        return Response(file.plain, headers=headers, media_type="text/javascript")
    return Response(file.packed, headers=headers | {"Content-Encoding": "gzip"}, media_type="text/javascript")


class _Page:
    """One reply of the page: what is HTML gets the script that brings all together, before the first module."""

    def __init__(self, app: ASGIApp, script: str) -> None:
        self._app = app
        self._tag = f'<script src="./assets/{script}"></script>'.encode()
        self._start: MutableMapping[str, Any] = {}
        self._body = b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._send = send
        await self._app(scope, receive, self._sending)

    async def _sending(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._finish()
        else:
            await self._send(message)

    async def _finish(self) -> None:
        """Send the whole reply, with the script if it is a page; a reply to HEAD has no body, and stays as it is."""
        headers = MutableHeaders(raw=list(self._start["headers"]))
        if self._body and headers.get("content-type", "").startswith("text/html"):
            self._body = self._body.replace(_SCRIPT, self._tag + _SCRIPT, 1)
            headers["content-length"] = str(len(self._body))
        await self._send({**self._start, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": self._body})
