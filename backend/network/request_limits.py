"""How much a visitor may send in: requests over a limit are refused before they are read to their end."""

import os
from collections.abc import Iterable

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

UPLOAD = "/upload"  # the end of the path at which Gradio takes files


def believe_proxies(networks: Iterable[str]) -> None:
    """Have the servers that this process starts take the address of a caller from X-Forwarded-For of these proxies alone."""
    # Gradio does not hand on what uvicorn would take as an argument; without this, every proxy of this computer is believed.
    os.environ["FORWARDED_ALLOW_IPS"] = ",".join(networks)


class RequestLimits:
    """Answers 413 where too much is sent, by what a request says of its length or by what comes, and 403 to unwanted files."""

    def __init__(self, app: ASGIApp, largest_body: int, largest_upload: int) -> None:
        self._app, self._largest_body, self._largest_upload = app, largest_body, largest_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: ASGIApp = self._app
        if scope["type"] == "http":
            uploads = scope["path"].rstrip("/").endswith(UPLOAD)
            most = self._largest_upload if uploads else self._largest_body
            answer = _too_large(most) if _stated_length(scope) > most else CountedRequest(self._app, most)
            if uploads and not most:
                answer = PlainTextResponse("No files are taken here.", 403)
        await answer(scope, receive, send)


class CountedRequest:
    """One request, read up to `most` bytes."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._most, self._read = app, most, 0
        self._begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counting() -> Message:
            message = await receive()
            self._read += len(message.get("body", b""))
            # The app gives up, as if the visitor had gone.
            return {"type": "http.disconnect"} if self._read > self._most else message

        async def sending(message: Message) -> None:
            if self._begun or self._read <= self._most:
                self._begun = True
                await send(message)

        try:
            await self._app(scope, counting, sending)
        except Exception:
            if self._read <= self._most:
                raise
        if self._read > self._most and not self._begun:
            await _too_large(self._most)(scope, receive, send)


def _stated_length(scope: Scope) -> int:
    stated = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    return int(stated) if stated.isdigit() else 0


def _too_large(most: int) -> PlainTextResponse:
    return PlainTextResponse(f"A request may have at most {most / 1_000_000:g} MB here.", 413)
