"""Calls to the app's functions, looked at before they reach it: their form, their text, and whether there is room for them.

Gradio takes a call as it comes and fails somewhere inside; here a call that cannot be meant gets one sentence.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.network.doors import refusal
from backend.network.shares.fair_shares import SHARES, Shares, no_room

DEEPEST = 40  # lists and objects inside each other
TOO_DEEP = f"Lists and objects stand at most {DEEPEST} deep in each other here."
LONGEST_TEXT = 1_000_000  # characters of one text
NO_SESSION = "none"  # the name under which calls that keep nothing run
PAGE_CALL = "predict"  # the name by which a page of Gradio calls, by number, what waits for no queue
_CALL = re.compile(r"/gradio_api/(?P<way>run|api|call|call/v2|queue)/(?P<name>[\w-]+)/?")
_OTHER = re.compile(r"/gradio_api/(cancel|reset|mcp)(/.*)?")  # which take JSON and are no calls of functions
# What those hold that stop a question.
_NAMES: dict[str, dict[str, type]] = {
    "cancel": {"session_hash": str, "event_id": str, "fn_index": int}, "reset": {"event_id": str}, "mcp": {},
}  # fmt: skip
_SESSION = re.compile(r"[\w-]{1,64}")
_HALF = re.compile("[\ud800-\udfff]")


class CallRefusedHereError(Exception):
    """A call that is not handed on: a status of HTTP, and a sentence for the caller."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class CheckedCalls:
    """Refuses calls with a wrong form with 4xx, and questions for which there is no room with 429."""

    def __init__(self, app: ASGIApp, shares: Shares = SHARES) -> None:
        self._app, self._shares = app, shares

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        posted = scope["type"] == "http" and scope["method"] == "POST"
        call, other = (each.fullmatch(scope["path"]) if posted else None for each in (_CALL, _OTHER))
        if call is None and other is None:
            await self._app(scope, receive, send)
            return
        body = await _whole_body(receive)
        if body is None:
            return
        try:
            if call is not None:
                body = self._checked(scope, call["way"], call["name"], body)
            else:
                assert other is not None
                _check_other(body, _NAMES[other[1]])
        except CallRefusedHereError as error:
            await refusal(error.status, error.message)(scope, receive, send)
            return
        try:
            await self._app(scope, _again(body, receive), send)
        except (KeyError, TypeError, ValueError) as error:
            if call is None or call["way"] != "call/v2":
                raise
            # There Gradio itself puts values to the names of parameters, and raises these where that fails.
            message = f"The values do not fit the parameters of {call['name']}: {error!s:.200}."
            await refusal(422, message)(scope, receive, send)

    def _checked(self, scope: Scope, way: str, name: str, body: bytes) -> bytes:
        blocks = scope["app"].get_blocks()
        call = read_call(body)
        session = call.get("session_hash")
        if session is not None and not (isinstance(session, str) and _SESSION.fullmatch(session)):
            raise CallRefusedHereError(400, "session_hash is a name of up to 64 letters, digits, - and _.")
        function = _function(blocks, way, name, call)
        if way in ("run", "api") and function.queue:
            raise CallRefusedHereError(404, f"{name} is asked through the queue: POST /gradio_api/call/{name}.")
        if way == "call/v2":
            _check_names(function, call)
        else:
            _check_data(function, call)
        address = client[0] if (client := scope.get("client")) else ""
        busy = no_room(blocks._queue, function, session, address, self._shares) if function.queue else ""
        if busy:
            raise CallRefusedHereError(429, busy)
        if session is not None and (came_from := getattr(blocks.state_holder, "came_from", None)):
            came_from(session, address)
        if way in ("run", "api") and session is None:
            return _without_session(function, call)
        return json.dumps(call).encode() if _fill_texts(function, call) else body


def read_call(body: bytes) -> dict[str, Any]:
    """Read the JSON object of a call. Raises CallRefusedHereError if it is none."""
    call = _read_json(body)
    if not isinstance(call, dict) or call.get("batched"):
        raise CallRefusedHereError(400, 'A call is a JSON object such as {"data": [...]}, and asks for one answer.')
    return call


def _read_json(body: bytes) -> Any:
    try:
        return json.loads(body, parse_constant=_no_number)
    except RecursionError as error:
        raise CallRefusedHereError(400, TOO_DEEP) from error
    except ValueError as error:
        raise CallRefusedHereError(400, "The request is not JSON.") from error


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _check_other(body: bytes, names: Mapping[str, type]) -> None:
    """What stops a question or comes from an agent; Gradio answers some of these with an error of its own making."""
    message = _read_json(body)
    for _ in _texts(message):  # raises where it is too deep
        pass
    for name, kind in names.items():
        if type(message.get(name) if isinstance(message, dict) else None) is not kind:
            raise CallRefusedHereError(400, f"{name} is missing, or no {'number' if kind is int else 'text'}.")


def _function(blocks: Any, way: str, name: str, call: dict[str, Any]) -> Any:
    """The function that is called; those that the screen of a session made belong to that session."""
    session, index = call.get("session_hash"), call.get("fn_index")
    held = blocks.state_holder.session_data.get(session)
    functions = blocks.fns if held is None else held.blocks_config.fns
    if way == "queue":
        if name != "join" or session is None:
            raise CallRefusedHereError(400, "A question needs the name of its session in session_hash.")
        function = functions.get(index) if type(index) is int else None
    elif way == "run" and name == PAGE_CALL and session is not None:  # what a page asks outside of the queue, such as to stop
        function = functions.get(index) if type(index) is int else None
    elif index is not None:
        raise CallRefusedHereError(400, "A call by name has no fn_index.")
    else:
        function = next((each for each in functions.values() if each.api_name == name), None)
    if function is None or (way == "call/v2" and function.api_visibility != "public"):
        raise CallRefusedHereError(404, f"There is no endpoint {name if index is None else index!r:.100} here.")
    if function.fn is None:
        raise CallRefusedHereError(404, "This is a script of the page; the server has no answer to it.")
    return function


def _without_session(function: Any, call: dict[str, Any]) -> bytes:
    """The body of a call that belongs to no session. Gradio would describe the whole page again for each of them."""
    if any(block.stateful for block in (*function.inputs, *function.outputs)):
        raise CallRefusedHereError(400, f"{function.api_name} needs the name of its session in session_hash.")
    return json.dumps(call | {"session_hash": NO_SESSION}).encode()


def _check_data(function: Any, call: dict[str, Any]) -> None:
    data = call.get("data")
    counts = {len(function.inputs), sum(not block.skip_api for block in function.inputs)}
    if not isinstance(data, list) or (len(data) not in counts and not function.cancels):
        wanted = " or ".join(str(count) for count in sorted(counts))
        raise CallRefusedHereError(422, f"{function.api_name} takes a list of {wanted} values under data.")
    blocks = function.inputs if len(data) == len(function.inputs) else [each for each in function.inputs if not each.skip_api]
    for number, (block, value) in enumerate(zip(blocks, data, strict=False), 1):
        # What studies are sent is checked, and named, field by field where it is used.
        field = str(getattr(block, "label", None) or f"value {number}")
        _check_text(value, field, whole=function.queue)
        if block.get_block_name() == "slider" and not (isinstance(value, int | float) and math.isfinite(value)):
            raise CallRefusedHereError(422, f"{field} is a number.")
    _check_text(call.get("event_data"), "event_data")


def _fill_texts(function: Any, call: dict[str, Any]) -> bool:
    """Put an empty text where a field for text has no value, as a page shows it; tell whether there was one."""
    data = call.get("data")
    if not isinstance(data, list) or len(data) != len(function.inputs):
        return False
    missing = [n for n, block in enumerate(function.inputs) if data[n] is None and block.get_block_name() == "textbox"]
    for number in missing:
        data[number] = ""
    return bool(missing)


def _check_names(function: Any, call: dict[str, Any]) -> None:
    """Values by the names of the parameters, as `/call/v2` takes them."""
    known = [block for block in function.inputs if not block.skip_api]
    if len(call.keys() - {"session_hash"}) > len(known):
        raise CallRefusedHereError(422, f"{function.api_name} takes at most {len(known)} values.")
    for name, value in call.items():
        _check_text(value, name)


def _check_text(value: Any, field: str, whole: bool = True) -> None:
    for text in _texts(value):
        if len(text) > LONGEST_TEXT:
            message = f"{field} has a text of {len(text):,} characters; at most {LONGEST_TEXT:,} are taken."
            raise CallRefusedHereError(422, message)
        if whole and ("\0" in text or _HALF.search(text)):
            message = f"{field} holds characters that are no text (NUL or half a surrogate pair); remove them."
            raise CallRefusedHereError(422, message.encode("utf-8", "replace").decode())


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    if depth > DEEPEST:
        raise CallRefusedHereError(400, TOO_DEEP)
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _texts(inner, depth + 1)


async def _whole_body(receive: Receive) -> bytes | None:
    """The body of a request, None if it was broken off; how long it may be is up to `RequestLimits`."""
    pieces: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(pieces)


def _again(body: bytes, receive: Receive) -> Receive:
    """The same body once more, and then whatever comes."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed
