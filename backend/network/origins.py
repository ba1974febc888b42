"""Whose pages may call a server that serves its own computer alone: its own, and those of other programs of that computer.

A browser lets the page of any site send to 127.0.0.1, and one whose name is made to stand for 127.0.0.1 also read the replies.
Such a page would have the rights of the person at this computer.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from backend.network.addresses import is_loopback
from backend.network.doors import refusal

NOT_HERE = (
    "This Parley serves its own computer alone, at 127.0.0.1 or localhost. If others shall come, as through a proxy, start it "
    "with --public."
)
FOREIGN = "This Parley serves its own computer alone, and takes no calls from pages of other sites."
OTHER_SITE = "This server takes no calls from pages of other sites; open its own page."


class OwnComputer:
    """Answers 403 to what was sent to another name than this computer's own, and to calls from pages of other sites."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._app
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            if not _is_own(f"//{headers.get('host', '')}"):
                app = refusal(403, NOT_HERE)
            elif scope["type"] == "http" and scope["method"] != "GET" and not _is_own(headers.get("origin", "//localhost")):
                app = refusal(403, FOREIGN)
        await app(scope, receive, send)


class OwnPages:
    """Answers 403 to what a page of another site sends, where the browser says so: on every secured line."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sends = scope["type"] == "http" and scope["method"] not in ("GET", "HEAD")
        foreign = sends and Headers(scope=scope).get("sec-fetch-site") == "cross-site"
        await (refusal(403, OTHER_SITE) if foreign else self._app)(scope, receive, send)


def _is_own(address: str) -> bool:
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    return is_loopback(host) or host.endswith(".localhost")
