"""Files that visitors upload: taken from those who have a page open, counted, and gone soon after their page is.

Who somebody is follows from where they call: a page of Gradio uploads without the name of its session.
"""

import json
import logging
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.network.doors import refusal
from backend.network.request_limits import UPLOAD

log = logging.getLogger(__name__)

GRACE = 600.0  # seconds that files stay after the last page of their address was closed: a connection may break and come back
_HEARTBEAT = re.compile(r"/gradio_api/heartbeat/([\w-]{1,64})")


@dataclass(frozen=True)
class UploadLimits:
    """Bytes that lie on the disk at once."""

    of_address: int = 1_000_000_000
    in_all: int = 4_000_000_000


@dataclass
class _Visitor:
    """Who calls from one address: pages that are open, and what was uploaded."""

    pages: int = 0
    closed: float = 0.0
    files: dict[Path, int] = field(default_factory=dict)

    @property
    def held(self) -> int:
        return sum(self.files.values())


class Uploads:
    """Refuses uploads without an open page and over the limits; forgets the files of those who have gone."""

    def __init__(self, app: ASGIApp, limits: UploadLimits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._limits, self._clock = app, limits or UploadLimits(), clock
        self._visitors: dict[str, _Visitor] = {}
        self._sessions: Counter[str] = Counter()  # with the number of their open connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        if match := _HEARTBEAT.fullmatch(path):
            await self._page(match[1], scope, receive, send)
        elif path.rstrip("/").endswith(UPLOAD):
            await self._upload(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _page(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        visitor = self._visitors.setdefault(_address(scope), _Visitor())
        visitor.pages += 1
        self._sessions[session] += 1
        scope["app"].state.open_pages = self._sessions
        try:
            await self._app(scope, receive, send)
        finally:
            visitor.pages, visitor.closed = visitor.pages - 1, self._clock()
            self._sessions -= Counter({session: 1})
            scope["app"].state.open_pages = self._sessions
            self.forget()

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.forget()
        visitor = self._visitors.get(_address(scope))
        if reason := self._refused(visitor):
            await refusal(413 if visitor is not None and visitor.pages else 403, reason)(scope, receive, send)
            return
        assert visitor is not None
        reply: list[bytes] = []

        async def sending(message: Message) -> None:
            reply.append(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except OSError:
            raise
        except Exception as error:  # Gradio's reader of forms raises whatever it stumbles over
            if reply:
                raise
            log.info("An upload could not be read: %s", error)
            await refusal(400, "This is no upload that can be read; send files with names, as a form of a page does.")(
                scope, receive, send
            )
        visitor.files |= _written(b"".join(reply))

    def _refused(self, visitor: _Visitor | None) -> str:
        if visitor is None or not visitor.pages:
            return "Files are taken from those who have a page of this server open."
        everything = sum(each.held for each in self._visitors.values())
        if visitor.held >= self._limits.of_address or everything >= self._limits.in_all:
            whose = "you" if visitor.held >= self._limits.of_address else "all visitors"
            return f"The files of {whose} take all the room there is for them. They go when pages are closed; try again later."
        return ""

    def forget(self) -> None:
        """Delete the files of addresses from which no page has been open for a while, unless somebody else sent the same."""
        gone = [address for address, each in self._visitors.items() if not each.pages and self._clock() - each.closed > GRACE]
        files = {file for address in gone for file in self._visitors.pop(address).files}
        for file in files - {file for each in self._visitors.values() for file in each.files}:
            shutil.rmtree(file.parent, ignore_errors=True)  # Gradio gives each content a folder of its own


def _written(reply: bytes) -> dict[Path, int]:
    """The files that the reply to an upload names, with their sizes."""
    try:
        paths = [Path(each) for each in json.loads(reply)]
    except (ValueError, TypeError):
        return {}
    return {path: path.stat().st_size for path in paths if path.is_file()}


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else ""
