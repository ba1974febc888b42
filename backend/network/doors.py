"""Which addresses of the server answer at all, and with which headers: what the page and programs need, and nothing else.

Gradio brings addresses for its own tools: editors, recordings, run histories, links that keep the state of a session on disk.
None of them is needed here, so none answers.
"""

import re
from collections.abc import Mapping

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.errors import defect_message

_SESSION = r"[\w-]{1,64}"
_NAME = r"[\w-]{1,100}"
# Method, path, what it is for. `docs/security.md` has the table of who may do what behind them.
DOORS: tuple[tuple[str, str, str], ...] = (
    ("GET", r"/", "the page"),
    ("GET", r"/config/?", "the page, for programs"),
    ("GET", r"/(static|assets|svelte)/.+", "scripts and styles of the page"),
    ("GET", r"/(theme\.css|favicon\.ico|robots\.txt|manifest\.json|pwa_icon(/\d+)?)", "looks of the page"),
    ("GET", r"/gradio_api/theme\.css", "looks of the page"),
    ("GET", r"/gradio_api/(info/?|openapi\.json)", "the list of endpoints"),
    ("GET", r"/gradio_api/(startup-events|app_id/?|user/?|token/?|login_check/?)", "what a page asks when it begins"),
    ("GET", rf"/gradio_api/heartbeat/{_SESSION}", "a page is open"),
    ("GET", r"/gradio_api/queue/(data|status)", "answers"),
    ("GET", rf"/gradio_api/call/(v2/)?{_NAME}/{_SESSION}", "answers, for programs"),
    ("GET", r"/gradio_api/file=.+", "a file that a page uploaded"),
    ("GET", r"/gradio_api/upload_progress", "how far an upload is"),
    ("POST", r"/gradio_api/upload", "an upload"),
    ("POST", r"/gradio_api/queue/join", "a question"),
    ("POST", rf"/gradio_api/call/(v2/)?{_NAME}/?", "a question of a program"),
    ("POST", rf"/gradio_api/(run|api)/{_NAME}/?", "a call of a study"),
    ("POST", r"/gradio_api/(cancel|reset/?)", "stopping one's own question"),
    ("GET", r"/login/(huggingface|callback)|/logout", "signing in with Hugging Face, where that is offered"),
    ("*", r"/gradio_api/mcp(/.*)?", "tools for agents"),
)
_DOORS = tuple((method, re.compile(path)) for method, path, _ in DOORS)
UPLOADED = "/gradio_api/file="
LONGEST_NAME = 255  # letters of one part of a path

EMBEDDING = ("https://huggingface.co", "https://*.huggingface.co", "https://*.hf.space")
# Gradio makes functions of text for the scripts of the screens, and writes styles into elements; its modules come together, and
# become modules again by `blob:` (page_files). Nothing comes from elsewhere.
CONTENT = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self' data: blob:; "
    "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'self'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}


def content_policy(path: str, on_space: bool) -> str:
    """What a browser may load for a page of ours; for a file that somebody uploaded, nothing at all."""
    if path.startswith(UPLOADED):
        return "sandbox; default-src 'none'"
    return f"{CONTENT} {' '.join(EMBEDDING)}" if on_space else CONTENT


def is_door(method: str, path: str) -> bool:
    """Tell whether the server answers at this path."""
    wanted = "GET" if method == "HEAD" else method
    if any(len(name) > LONGEST_NAME for name in path.split("/")):
        return False  # no file system has such a name
    return any(door in ("*", wanted) and pattern.fullmatch(path) for door, pattern in _DOORS)


class Doors:
    """Answers 404 to what is no door, sets headers, and lets no error of the server come out in the server's own words."""

    def __init__(self, app: ASGIApp, on_space: bool = False) -> None:
        self._app, self._on_space = app, on_space

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, begun = scope["path"], False
        headers = {**HEADERS, "Content-Security-Policy": content_policy(path, self._on_space)}

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(_with_headers(message, headers))

        if not is_door(scope["method"], path):
            await refusal(404, "There is nothing at this address.")(scope, receive, sending)
            return
        try:
            await self._app(scope, receive, sending)
        except Exception as error:
            message = defect_message(error, path[:200])
            if begun:
                raise
            await refusal(500, message)(scope, receive, sending)


def refusal(status: int, message: str) -> JSONResponse:
    """A reply that Gradio's page and its clients show as they show their own."""
    return JSONResponse({"detail": message, "error": message}, status)


def _with_headers(message: Message, headers: Mapping[str, str]) -> Message:
    if message["type"] != "http.response.start":
        return message
    ours = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    names = {name for name, _ in ours}
    kept = [(name, value) for name, value in message.get("headers", ()) if name.lower() not in names]
    return {**message, "headers": [*kept, *ours]}
